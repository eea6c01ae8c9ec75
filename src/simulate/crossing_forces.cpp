#include "simulate/crossing_forces.h"

#include <cmath>

namespace ananke::simulate {
namespace {

/// Part of the tolerance that another law may move the rest of a crossing.
constexpr double kSameForces = 0.1;
/// Differences of forces below this part of them are round-off.
constexpr double kRoundOff = 1e-12;

/// Q + C, both n, or C empty.
double sum_of(const compile::SparseValues& values, std::size_t i) {
    return values.Q[i] + (values.C.empty() ? 0.0 : values.C[i]);
}

}  // namespace

void CrossingForces::record(dynamics::Evaluator& evaluator, const ode::GaussStep& step, double t0,
                            double t1) {
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    const auto count = static_cast<double>(samples_.size());
    for (std::size_t k = 0; k < samples_.size(); ++k) {
        Sample& one = samples_[k];
        one.t = t0 + (static_cast<double>(k) + 1.0) / count * (t1 - t0);
        one.y.resize(step.end().size());
        step.dense(one.t, one.y);
        const compile::SparseValues values =
            evaluator.sparse_system(one.t, one.y.data(), one.y.data() + n);
        one.sum.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            one.sum[i] = sum_of(values, i);
        }
    }
}

bool CrossingForces::hold_from(dynamics::Evaluator& evaluator, double t, double t1, double rtol) {
    const std::vector<compile::Place>& places = evaluator.model().mass_entries;
    const std::span<const double> sizes = evaluator.scales().velocities();
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    const double rest = t1 - t;
    mass_.assign(n, 0.0);
    for (const Sample& one : samples_) {
        if (one.t <= t) {
            continue;
        }
        const compile::SparseValues values =
            evaluator.sparse_system(one.t, one.y.data(), one.y.data() + n);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].row == places[i].column) {
                mass_[static_cast<std::size_t>(places[i].row)] = values.M[i];
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double now = sum_of(values, i);
            const double moved = std::abs(now - one.sum[i]) * rest;
            if (!(moved <=
                  kSameForces * rtol * mass_[i] * sizes[i] + kRoundOff * std::abs(now) * rest)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace ananke::simulate
