#include "sim/sparse_projection.h"

#include <algorithm>
#include <cmath>

#include "sim/recording.h"
#include "solve/independent_rows.h"
#include "solve/symmetric_factor.h"

namespace ananke::sim {
namespace {

constexpr int kMostIterations = 50;
constexpr int kMostHalvings = 12;
/// Weight of the plain norm, where M alone does not measure every direction.
constexpr double kPlainWeight = 1e-10;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

SparseProjection::SparseProjection(Evaluator& evaluator)
    : evaluator_(&evaluator), n_(at(evaluator.model().n())), step_(n_), none_exact_(n_, false) {}

bool SparseProjection::evaluate(bool velocity, double t, std::span<const double> q,
                                std::span<const double> v) {
    const CompiledModel& model = evaluator_->model();
    const std::size_t rows =
        at(velocity ? evaluator_->velocity_rows() : evaluator_->position_rows());
    f_.resize(rows);
    scale_.resize(rows);
    const std::span<const double> entries =
        velocity ? evaluator_->velocity_entries(t, q.data(), v.data(), f_.data(), scale_.data())
                 : evaluator_->position_entries(t, q.data(), f_.data(), scale_.data());
    entries_.assign(entries.begin(), entries.end());
    const std::vector<Place>& places = velocity ? model.row_entries : model.holonomic_entries;
    floor_.assign(rows, 0.0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (at(places[i].row) < rows) {
            double& steepest = floor_[at(places[i].row)];
            steepest = std::max(steepest, std::abs(entries_[i]));
        }
    }
    residual_ = 0.0;
    worst_ = -1;
    bool finite = true;
    for (std::size_t k = 0; k < rows; ++k) {
        const double scaled = std::abs(f_[k]) / solve::residual_scale(1, scale_[k], &floor_[k]);
        finite = finite && std::isfinite(f_[k]);
        if (scaled > residual_) {
            residual_ = scaled;
            worst_ = static_cast<int>(k);
        }
    }
    return finite;
}

/// step_ = dx, least |x + dx - guess|_M with f + J dx = 0, over what is not exact.
bool SparseProjection::find_step(bool velocity, double t, std::span<const double> q,
                                 std::span<const double> x, std::span<const double> guess,
                                 const std::vector<bool>& exact, double dependent) {
    const CompiledModel& model = evaluator_->model();
    const std::vector<Place>& places = velocity ? model.row_entries : model.holonomic_entries;
    const std::span<const double> mass = evaluator_->mass_entries(t, q.data());
    mass_.assign(mass.begin(), mass.end());
    std::vector<int> place(n_, -1);  // among the unknowns
    int free = 0;
    for (std::size_t j = 0; j < n_; ++j) {
        place[j] = exact[j] ? -1 : free++;
    }
    solve::SparseSystem rows{model.n(), static_cast<int>(f_.size()), {}, {}, {}, all_blocks(model)};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (place[at(places[i].column)] >= 0 && places[i].row < rows.m) {
            rows.rows.push_back({places[i].row, places[i].column, entries_[i]});
        }
    }
    rows.scale = coordinate_scales(model, mass_);
    const solve::RowChoice choice = solve::independent_rows(rows, dependent);
    const std::vector<int> row_place = places_among(choice.kept, rows.m);

    const int unknowns = free + static_cast<int>(choice.kept.size());
    double typical = 0.0;
    for (std::size_t i = 0; i < mass_.size(); ++i) {
        if (model.mass_entries[i].row == model.mass_entries[i].column) {
            typical = std::max(typical, mass_[i]);
        }
    }
    const double floor = typical > 0.0 ? kPlainWeight * typical : 1.0;
    std::vector<solve::SymmetricPlace> K;
    std::vector<double> values;
    std::vector<double> right(at(unknowns), 0.0);
    for (int j = 0; j < free; ++j) {
        K.push_back({j, j});
        values.push_back(floor);
    }
    for (std::size_t i = 0; i < mass_.size(); ++i) {
        const auto [r, c] = model.mass_entries[i];
        if (place[at(r)] < 0 || place[at(c)] < 0) {
            continue;
        }
        K.push_back({place[at(r)], place[at(c)]});
        values.push_back(mass_[i]);
        right[at(place[at(r)])] += mass_[i] * (guess[at(c)] - x[at(c)]);
        if (r != c) {
            right[at(place[at(c)])] += mass_[i] * (guess[at(r)] - x[at(r)]);
        }
    }
    for (std::size_t j = 0; j < n_; ++j) {
        if (place[j] >= 0) {
            right[at(place[j])] += floor * (guess[j] - x[j]);
        }
    }
    for (const solve::SparseEntry& one : rows.rows) {
        if (row_place[at(one.row)] >= 0) {
            K.push_back({place[at(one.column)], free + row_place[at(one.row)]});
            values.push_back(one.value);
        }
    }
    for (std::size_t k = 0; k < choice.kept.size(); ++k) {
        right[at(free) + k] = -f_[at(choice.kept[k])];
    }
    solve::SymmetricFactor factor(unknowns, K);
    if (!factor.factor(values)) {
        return false;
    }
    factor.solve(right);
    for (std::size_t j = 0; j < n_; ++j) {
        step_[j] = place[j] >= 0 ? right[at(place[j])] : 0.0;
    }
    return true;
}

bool SparseProjection::descend(bool velocity, double t, std::span<double> q, std::span<double> v,
                               const std::vector<bool>& exact, bool to_guess,
                               const solve::ProjectionOptions& options) {
    const std::span<double> x = velocity ? v : q;
    const std::vector<double> guess(x.begin(), x.end());
    std::vector<double> before(n_);
    if (!evaluate(velocity, t, q, v)) {
        return false;
    }
    for (int iteration = 0; iteration < kMostIterations && residual_ > options.skip; ++iteration) {
        std::copy(x.begin(), x.end(), before.begin());
        const double least = residual_;
        if (!find_step(velocity, t, q, x, to_guess ? std::span<const double>(guess) : x, exact,
                       std::max(options.rank.drop, solve::kDependentPart))) {
            return false;
        }
        bool better = false;
        double part = 1.0;
        for (int halving = 0; halving < kMostHalvings && !better; ++halving, part *= 0.5) {
            for (std::size_t j = 0; j < n_; ++j) {
                x[j] = before[j] + part * step_[j];
            }
            better = evaluate(velocity, t, q, v) && residual_ < least;
        }
        if (!better) {  // at the goal to round-off, or stuck
            std::copy(before.begin(), before.end(), x.begin());
            return evaluate(velocity, t, q, v) && residual_ <= options.accept;
        }
    }
    return residual_ <= options.accept;
}

solve::ProjectionReport SparseProjection::project(double t, std::span<double> q,
                                                  std::span<double> v,
                                                  const solve::ProjectionOptions& options) {
    solve::ProjectionReport report;
    const std::vector<double> kept_q(q.begin(), q.end());
    const std::vector<double> kept_v(v.begin(), v.end());
    const bool position = descend(false, t, q, v, none_exact_, false, options);
    report.position_residual = residual_;
    report.worst_position_row = worst_;
    if (!position) {
        report.status = solve::ProjectionStatus::kPositionNotConverged;
    } else {
        if (!descend(true, t, q, v, none_exact_, false, options)) {
            report.status = solve::ProjectionStatus::kVelocityNotConverged;
        }
        report.velocity_residual = residual_;
        report.worst_velocity_row = worst_;
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
    return evaluate(false, t, q, {}) ? residual_ : HUGE_VAL;
}

bool SparseProjection::assemble(bool velocity, double t, std::span<double> q, std::span<double> v,
                                const std::vector<bool>& exact, double tolerance) {
    solve::ProjectionOptions options;
    options.accept = tolerance;
    // The way to the nearest point is linear where the constraints are curved; from where it has
    // led, the shortest way to any point takes a few steps more.
    return descend(velocity, t, q, v, exact, true, options) ||
           descend(velocity, t, q, v, exact, false, options);
}

}  // namespace ananke::sim
