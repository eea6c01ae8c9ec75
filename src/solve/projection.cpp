#include "solve/projection.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "solve/kernels.h"

namespace ananke::solve {
namespace {

constexpr int kMostIterations = 50;
constexpr int kMostHalvings = 12;
/// A residual that has not fallen to this part in so many iterations will not.
constexpr double kProgress = 0.5;
constexpr std::size_t kPatience = 6;
/// A step that leaves more than this part of the residual asks for a new Jacobian.
constexpr double kSlow = 0.1;

double largest_change(std::span<const double> from, std::span<const double> to) {
    double largest = 0.0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        largest = std::max(largest, std::abs(to[i] - from[i]));
    }
    return largest;
}

}  // namespace

Projector::Projector(ConstraintSurface& surface)
    : surface_(surface),
      n_(static_cast<std::size_t>(surface.coordinates())),
      level_(surface),
      change_(make_least_change(surface)),
      none_exact_(n_, false),
      step_(n_),
      gap_(n_),
      start_(n_),
      before_(n_),
      kept_q_(n_),
      kept_v_(n_) {
    mass_.reserve(surface.mass_places().size());
    scales_.reserve(static_cast<std::size_t>(
        std::max(surface.rows(Level::kPositions), surface.rows(Level::kVelocities))));
}

bool Projector::load(const LevelState& state, std::span<const double> metric_at,
                     const std::vector<bool>& exact, const RankPolicy& rank, bool is_near_last) {
    const bool positions = state.level == Level::kPositions;
    const std::span<const double> mass =
        surface_.mass(state.t, positions ? metric_at.data() : state.q.data());
    mass_.assign(mass.begin(), mass.end());
    const std::span<const double> sizes =
        level_.units().empty() ? surface_.sizes(state.level, state.x().data()) : level_.units();
    return change_->load({level_, mass_, sizes, exact, rank, is_near_last});
}

/// With gap = target - x:   dx = gap + e,   least |e|_M with J e = -(f + J gap)
void Projector::step(const LevelState& state, std::span<const double> target) {
    const std::span<const double> x = state.x();
    for (std::size_t j = 0; j < n_; ++j) {
        gap_[j] = target[j] - x[j];
    }
    shifted_.assign(level_.residuals().begin(), level_.residuals().end());
    const std::span<const SparsePlace> places = level_.places();
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].row < level_.rows()) {
            shifted_[static_cast<std::size_t>(places[i].row)] +=
                level_.entries()[i] * gap_[static_cast<std::size_t>(places[i].column)];
        }
    }
    change_->step(shifted_, step_);
    for (std::size_t j = 0; j < n_; ++j) {
        step_[j] += gap_[j];
    }
}

std::span<const double> Projector::step_towards(std::span<const double> target,
                                                const LevelState& state,
                                                const std::vector<bool>& exact) {
    if (!load(state, target, exact, {}, false)) {
        return {};
    }
    step(state, target);
    return step_;
}

NewtonResult Projector::newton(const LevelState& state, const std::vector<bool>& exact, Aim aim,
                               const ProjectionOptions& options) {
    NewtonResult now;
    double merit = 0.0;  // largest residual over the scales at the start
    const std::span<double> x = state.x();
    start_.assign(x.begin(), x.end());
    const auto evaluate = [&] {
        const bool finite = level_.evaluate(state.level, state.t, state.q, state.v);
        now.residual = level_.residual();
        now.worst_row = level_.worst_row();
        return finite;
    };
    if (!evaluate()) {
        return now;
    }
    // Scales that follow the state would reward states far away; that of a single term is the term.
    scales_.assign(level_.scales().begin(), level_.scales().end());
    merit = now.residual;
    std::array<double, kPatience> merits;  // of the last iterations
    merits.fill(HUGE_VAL);
    merits[0] = merit;
    bool keeps_factors = false;
    bool is_near = false;  // the state, to that of the factors
    while (now.residual > options.skip && now.iterations < kMostIterations) {
        const double least = merit;
        const bool is_accepted = now.residual <= options.accept;
        std::copy(x.begin(), x.end(), before_.begin());
        const std::span<const double> metric_at =
            aim == Aim::kNearestToStart ? std::span<const double>(start_) : x;
        if (!keeps_factors && !load(state, metric_at, exact, options.rank, is_near)) {
            return now;
        }
        if (aim == Aim::kNearestToStart) {
            step(state, start_);
        } else {
            change_->step(level_.residuals(), step_);
        }
        ++now.iterations;
        const int most = keeps_factors || is_accepted ? 1 : kMostHalvings;
        double part = 2.0;
        bool better = false;
        for (int halving = 0; halving < most && !better; ++halving) {
            part *= 0.5;
            for (std::size_t j = 0; j < n_; ++j) {
                x[j] = before_[j] + part * step_[j];
            }
            better = evaluate();
            merit = level_.largest(scales_);
            better = better && merit < least;
        }
        if (!better) {
            std::copy(before_.begin(), before_.end(), x.begin());
            evaluate();
            merit = least;
            if (!keeps_factors) {
                break;  // at the goal to round-off, or stuck
            }
            keeps_factors = false;
            continue;
        }
        keeps_factors = aim == Aim::kLeastSteps && part == 1.0 && merit < kSlow * least;
        is_near = part >= 0.5;
        double& earlier = merits[static_cast<std::size_t>(now.iterations) % kPatience];
        if (now.residual > options.accept && merit > kProgress * earlier) {
            return now;
        }
        earlier = merit;
    }
    now.met = now.residual <= options.accept;
    return now;
}

ProjectionReport Projector::project(double t, std::span<double> q, std::span<double> v,
                                    const ProjectionOptions& options) {
    ANANKE_REQUIRE(q.size() == n_ && v.size() == n_);
    ProjectionReport report;
    const auto n = static_cast<int>(n_);
    if (!all_finite(n, q.data()) || !all_finite(n, v.data())) {
        report.status = ProjectionStatus::kNotFinite;
        return report;
    }
    std::copy(q.begin(), q.end(), kept_q_.begin());
    std::copy(v.begin(), v.end(), kept_v_.begin());
    const auto descend = [&](Level level, double& residual, int& worst_row) {
        if (surface_.rows(level) == 0) {
            return true;
        }
        const NewtonResult result =
            newton({level, t, q, v}, none_exact_, Aim::kLeastSteps, options);
        residual = result.residual;
        worst_row = result.worst_row;
        report.iterations += result.iterations;
        return result.met;
    };
    if (!descend(Level::kPositions, report.position_residual, report.worst_position_row)) {
        report.status = ProjectionStatus::kPositionNotConverged;
    } else if (!descend(Level::kVelocities, report.velocity_residual, report.worst_velocity_row)) {
        report.status = ProjectionStatus::kVelocityNotConverged;
    }
    if (report.status != ProjectionStatus::kOk) {
        std::copy(kept_q_.begin(), kept_q_.end(), q.begin());
        std::copy(kept_v_.begin(), kept_v_.end(), v.begin());
        return report;
    }
    report.position_correction = largest_change(kept_q_, q);
    report.velocity_correction = largest_change(kept_v_, v);
    report.position_changed = report.position_correction > 0.0;
    report.velocity_changed = report.velocity_correction > 0.0;
    return report;
}

double Projector::violation(Level level, double t, std::span<const double> q,
                            std::span<const double> v) {
    return level_.evaluate(level, t, q, v) ? level_.residual() : HUGE_VAL;
}

}  // namespace ananke::solve
