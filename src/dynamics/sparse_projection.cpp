#include "dynamics/sparse_projection.h"

#include <algorithm>
#include <cmath>

#include "dynamics/recording.h"
#include "solve/independent_rows.h"

namespace ananke::dynamics {
namespace {

constexpr int kMostIterations = 50;
constexpr int kMostHalvings = 12;
/// Newton's method that has not come so much nearer in so many iterations will not.
constexpr int kPatience = 6;
constexpr double kProgress = 0.5;
/// Rows of which the others leave more than this everywhere stay independent for some steps.
constexpr double kSurelyIndependent = 1e-2;
/// Weight of the plain norm, where M alone does not measure every direction.
constexpr double kPlainWeight = 1e-10;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

SparseProjection::SparseProjection(Evaluator& evaluator)
    : evaluator_(&evaluator),
      level_(evaluator),
      n_(at(evaluator.model().n())),
      step_(n_),
      none_exact_(n_, false) {}

/// Of the level as it was evaluated last, without what is exact.
solve::RowChoice SparseProjection::choose_rows(const std::vector<bool>& exact,
                                               double dependent) const {
    const compile::CompiledModel& model = evaluator_->model();
    const std::vector<compile::Place>& places = level_.places();
    solve::SparseSystem rows{model.n(), level_.rows(), {}, {}, {}, all_blocks(model)};
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!exact[at(places[i].column)] && places[i].row < rows.m) {
            rows.rows.push_back({places[i].row, places[i].column, level_.entries()[i]});
        }
    }
    rows.scale = coordinate_scales(model, mass_);
    return solve::independent_rows(rows, dependent);
}

/// Which entries the system has; its values are those of the next step.
void SparseProjection::arrange(const std::vector<bool>& exact, const std::vector<int>& kept) {
    const std::vector<compile::Place>& places = level_.places();
    if (system_ && system_->places == &places && system_->exact == exact && system_->kept == kept) {
        return;
    }
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<int> place(n_, -1);
    std::vector<solve::SymmetricPlace> K;
    int free = 0;
    for (std::size_t j = 0; j < n_; ++j) {
        if (!exact[j]) {
            K.push_back({free, free});
            place[j] = free++;
        }
    }
    for (const auto& [r, c] : model.mass_entries) {
        if (!exact[at(r)] && !exact[at(c)]) {
            K.push_back({place[at(r)], place[at(c)]});
        }
    }
    const std::vector<int> row_place = places_among(kept, level_.rows());
    std::vector<std::size_t> entries;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto [r, c] = places[i];
        if (r < level_.rows() && row_place[at(r)] >= 0 && !exact[at(c)]) {
            entries.push_back(i);
            K.push_back({place[at(c)], free + row_place[at(r)]});
        }
    }
    const int unknowns = free + static_cast<int>(kept.size());
    system_.emplace(System{&places, exact, kept, std::move(place), free, std::move(entries),
                           std::vector<double>(K.size()), solve::SymmetricFactor(unknowns, K)});
}

std::span<const double> SparseProjection::step(double t, std::span<const double> q,
                                               std::span<const double> x,
                                               std::span<const double> guess,
                                               const std::vector<bool>& exact, double dependent) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::span<const double> mass = evaluator_->mass_entries(t, q.data());
    mass_.assign(mass.begin(), mass.end());
    if (!surely_independent_ || system_->places != &level_.places() || system_->exact != exact) {
        const solve::RowChoice choice = choose_rows(exact, dependent);
        surely_independent_ = choice.dropped.empty() && choice.weakest > kSurelyIndependent;
        arrange(exact, choice.kept);
    }
    const std::vector<int>& place = system_->place;
    const std::span<const double> sizes =
        level_.units().empty() ? evaluator_->sizes(level_.velocity(), x.data()) : level_.units();
    const auto unit = [&](std::size_t j) { return solve::divisor(sizes[j]); };
    double typical = 0.0;
    for (std::size_t i = 0; i < mass_.size(); ++i) {
        if (model.mass_entries[i].row == model.mass_entries[i].column) {
            const double size = unit(at(model.mass_entries[i].row));
            typical = std::max(typical, mass_[i] * size * size);
        }
    }
    const auto plain = [&, weight = typical > 0.0 ? kPlainWeight * typical : 1.0](std::size_t j) {
        return weight / (unit(j) * unit(j));
    };
    for (std::size_t j = 0; j < n_; ++j) {
        if (place[j] >= 0) {
            system_->values[at(place[j])] = plain(j);
        }
    }
    right_.assign(at(system_->free) + system_->kept.size(), 0.0);
    double* next = system_->values.data() + system_->free;
    for (std::size_t i = 0; i < mass_.size(); ++i) {
        const auto [r, c] = model.mass_entries[i];
        if (place[at(r)] < 0 || place[at(c)] < 0) {
            continue;
        }
        *next++ = mass_[i];
        right_[at(place[at(r)])] += mass_[i] * (guess[at(c)] - x[at(c)]);
        if (r != c) {
            right_[at(place[at(c)])] += mass_[i] * (guess[at(r)] - x[at(r)]);
        }
    }
    for (std::size_t j = 0; j < n_; ++j) {
        if (place[j] >= 0) {
            right_[at(place[j])] += plain(j) * (guess[j] - x[j]);
        }
    }
    for (const std::size_t i : system_->entries) {
        *next++ = level_.entries()[i];
    }
    for (std::size_t k = 0; k < system_->kept.size(); ++k) {
        right_[at(system_->free) + k] = -level_.residuals()[at(system_->kept[k])];
    }
    if (!system_->factor.factor(system_->values)) {
        surely_independent_ = false;
        return {};
    }
    system_->factor.solve(right_);
    for (std::size_t j = 0; j < n_; ++j) {
        step_[j] = place[j] >= 0 ? right_[at(place[j])] : 0.0;
    }
    return step_;
}

bool SparseProjection::descend(bool velocity, double t, std::span<double> q, std::span<double> v,
                               const std::vector<bool>& exact, bool to_guess,
                               const solve::ProjectionOptions& options) {
    const std::span<double> x = velocity ? v : q;
    const std::vector<double> guess(x.begin(), x.end());
    std::vector<double> before(n_);
    surely_independent_ = false;
    if (!level_.evaluate(velocity, t, q, v)) {
        return false;
    }
    std::vector<double> residuals{level_.residual()};
    for (int iteration = 0; iteration < kMostIterations && level_.residual() > options.skip;
         ++iteration) {
        std::copy(x.begin(), x.end(), before.begin());
        const double least = level_.residual();
        if (step(t, q, x, to_guess ? std::span<const double>(guess) : x, exact,
                 std::max(options.rank.drop, solve::kDependentPart))
                .empty()) {
            return false;
        }
        bool better = false;
        double part = 1.0;
        for (int halving = 0; halving < kMostHalvings && !better; ++halving, part *= 0.5) {
            for (std::size_t j = 0; j < n_; ++j) {
                x[j] = before[j] + part * step_[j];
            }
            better = level_.evaluate(velocity, t, q, v) && level_.residual() < least;
        }
        surely_independent_ = surely_independent_ && part >= 0.5;
        residuals.push_back(level_.residual());
        if (!better) {  // at the goal to round-off, or stuck
            std::copy(before.begin(), before.end(), x.begin());
            return level_.evaluate(velocity, t, q, v) && level_.residual() <= options.accept;
        }
        if (residuals.size() > kPatience && level_.residual() > options.accept &&
            level_.residual() > kProgress * residuals[residuals.size() - 1 - kPatience]) {
            return false;
        }
    }
    return level_.residual() <= options.accept;
}

solve::ProjectionReport SparseProjection::project(double t, std::span<double> q,
                                                  std::span<double> v,
                                                  const solve::ProjectionOptions& options) {
    solve::ProjectionReport report;
    const std::vector<double> kept_q(q.begin(), q.end());
    const std::vector<double> kept_v(v.begin(), v.end());
    const bool position = descend(false, t, q, v, none_exact_, false, options);
    report.position_residual = level_.residual();
    report.worst_position_row = level_.worst_row();
    if (!position) {
        report.status = solve::ProjectionStatus::kPositionNotConverged;
    } else {
        if (!descend(true, t, q, v, none_exact_, false, options)) {
            report.status = solve::ProjectionStatus::kVelocityNotConverged;
        }
        report.velocity_residual = level_.residual();
        report.worst_velocity_row = level_.worst_row();
    }
    if (report.status != solve::ProjectionStatus::kOk) {
        std::copy(kept_q.begin(), kept_q.end(), q.begin());
        std::copy(kept_v.begin(), kept_v.end(), v.begin());
        return report;
    }
    for (std::size_t i = 0; i < n_; ++i) {
        report.position_correction =
            std::max(report.position_correction, std::abs(q[i] - kept_q[i]));
        report.velocity_correction =
            std::max(report.velocity_correction, std::abs(v[i] - kept_v[i]));
    }
    report.position_changed = report.position_correction > 0.0;
    report.velocity_changed = report.velocity_correction > 0.0;
    return report;
}

double SparseProjection::position_violation(double t, std::span<const double> q) {
    return level_.evaluate(false, t, q, {}) ? level_.residual() : HUGE_VAL;
}

}  // namespace ananke::dynamics
