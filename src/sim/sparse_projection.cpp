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
    : evaluator_(&evaluator),
      level_(evaluator),
      n_(at(evaluator.model().n())),
      step_(n_),
      none_exact_(n_, false) {}

std::span<const double> SparseProjection::step(double t, std::span<const double> q,
                                               std::span<const double> x,
                                               std::span<const double> guess,
                                               const std::vector<bool>& exact, double dependent) {
    const CompiledModel& model = evaluator_->model();
    const std::vector<Place>& places = level_.places();
    const std::span<const double> entries = level_.entries();
    const std::span<const double> mass = evaluator_->mass_entries(t, q.data());
    mass_.assign(mass.begin(), mass.end());
    std::vector<int> place(n_, -1);  // among the unknowns
    int free = 0;
    for (std::size_t j = 0; j < n_; ++j) {
        place[j] = exact[j] ? -1 : free++;
    }
    solve::SparseSystem rows{model.n(), level_.rows(), {}, {}, {}, all_blocks(model)};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (place[at(places[i].column)] >= 0 && places[i].row < rows.m) {
            rows.rows.push_back({places[i].row, places[i].column, entries[i]});
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
        right[at(free) + k] = -level_.residuals()[at(choice.kept[k])];
    }
    solve::SymmetricFactor factor(unknowns, K);
    if (!factor.factor(values)) {
        return {};
    }
    factor.solve(right);
    for (std::size_t j = 0; j < n_; ++j) {
        step_[j] = place[j] >= 0 ? right[at(place[j])] : 0.0;
    }
    return step_;
}

bool SparseProjection::descend(bool velocity, double t, std::span<double> q, std::span<double> v,
                               const std::vector<bool>& exact, bool to_guess,
                               const solve::ProjectionOptions& options) {
    const std::span<double> x = velocity ? v : q;
    const std::vector<double> guess(x.begin(), x.end());
    std::vector<double> before(n_);
    if (!level_.evaluate(velocity, t, q, v)) {
        return false;
    }
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
        if (!better) {  // at the goal to round-off, or stuck
            std::copy(before.begin(), before.end(), x.begin());
            return level_.evaluate(velocity, t, q, v) && level_.residual() <= options.accept;
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

}  // namespace ananke::sim
