#include "dynamics/ties.h"

#include <algorithm>
#include <cmath>

namespace ananke::dynamics {
namespace {

/// Elimination spreads rounding over all coordinates, in the metric of the masses; of the velocity
/// that the whole energy would give to one kind alone this part counts as its size.
constexpr double kShareOfNoise = 1e-2;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

Ties::Ties(Evaluator& evaluator) : evaluator_(&evaluator) {
    const std::size_t count = evaluator.scales().kind_count();
    for (std::vector<double>* each :
         {&positions_, &velocities_, &tied_positions_, &tied_velocities_, &tied_accelerations_,
          &passed_, &largest_}) {
        each->assign(count, 0.0);
    }
    in_row_.reserve(count);
}

void Ties::measure(double t, const double* q, const double* v, double h) {
    Scales& scales = evaluator_->scales();
    const compile::CompiledModel& model = evaluator_->model();
    const std::span<const int> kinds = scales.kinds();
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    // Largest mass per kind, and the forces as one acceleration in the metric of the masses.
    std::fill(largest_.begin(), largest_.end(), 0.0);
    double force = 0.0;
    for (std::size_t i = 0; i < model.mass_entries.size(); ++i) {
        const compile::Place& place = model.mass_entries[i];
        if (place.row == place.column && values.M[i] > 0.0) {
            double& mass = largest_[at(kinds[at(place.row)])];
            mass = std::max(mass, values.M[i]);
            const double given = values.C.empty() ? 0.0 : std::abs(values.C[at(place.row)]);
            force = std::hypot(
                force, (std::abs(values.Q[at(place.row)]) + given) / std::sqrt(values.M[i]));
        }
    }
    const double momentum = std::sqrt(2.0 * std::abs(evaluator_->energy(t, q, v).kinetic));
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::size_t kind = at(kinds[i]);
        positions_[kind] = scales.positions()[i];
        velocities_[kind] = scales.velocities()[i];
        const double share = largest_[kind] > 0.0 ? kShareOfNoise / std::sqrt(largest_[kind]) : 0.0;
        tied_velocities_[kind] = share * momentum;
        tied_accelerations_[kind] = share * force;
    }
    // What has no mass moves with what it is tied to, and takes its rounding.
    for (std::vector<double>* tied : {&tied_velocities_, &tied_accelerations_}) {
        passed_ = *tied;
        pass_on(values, *tied, passed_);
        for (std::size_t kind = 0; kind < passed_.size(); ++kind) {
            (*tied)[kind] = (*tied)[kind] > 0.0 ? (*tied)[kind] : passed_[kind];
        }
    }
    pass_on(values, velocities_, tied_velocities_);
    std::fill(tied_positions_.begin(), tied_positions_.end(), 0.0);
    pass_on(values, positions_, tied_positions_);
    scales.tie(tied_positions_, tied_velocities_, tied_accelerations_, h);
}

void Ties::measure_start(double t, const double* q, const double* v) {
    Scales& scales = evaluator_->scales();
    const std::span<const int> kinds = scales.kinds();
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    const std::span<const double> seen = scales.positions_with(q);
    const std::vector<bool>& turns = evaluator_->model().turns;
    std::fill(positions_.begin(), positions_.end(), 0.0);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::size_t kind = at(kinds[i]);
        positions_[kind] = std::max({positions_[kind], seen[i], turns[i] ? 1.0 : 0.0});
    }
    double work = 0.0;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const double given = values.C.empty() ? 0.0 : std::abs(values.C[i]);
        work += (std::abs(values.Q[i]) + given) * positions_[at(kinds[i])];
    }
    std::fill(largest_.begin(), largest_.end(), 0.0);
    double moment = 0.0;
    const std::vector<compile::Place>& places = evaluator_->model().mass_entries;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].row == places[i].column && values.M[i] > 0.0) {
            const std::size_t kind = at(kinds[at(places[i].row)]);
            largest_[kind] = std::max(largest_[kind], values.M[i]);
            moment += values.M[i] * positions_[kind] * positions_[kind];
        }
    }
    // Forces need not be finite at a start; they then tell nothing.
    const double kinetic = std::abs(evaluator_->energy(t, q, v).kinetic);
    const double energy = std::isfinite(work) ? kinetic + work : kinetic;
    if (!(energy > 0.0 && std::isfinite(energy) && std::isfinite(moment))) {
        return;
    }
    std::fill(tied_positions_.begin(), tied_positions_.end(), 0.0);
    std::fill(tied_accelerations_.begin(), tied_accelerations_.end(), 0.0);
    for (std::size_t kind = 0; kind < positions_.size(); ++kind) {
        const double mass = largest_[kind];
        const double alone = mass > 0.0 ? kShareOfNoise * std::sqrt(2.0 * energy / mass) : 0.0;
        tied_velocities_[kind] = positions_[kind] > 0.0 && moment > 0.0
                                     ? positions_[kind] * std::sqrt(2.0 * energy / moment)
                                     : alone;
    }
    scales.tie(tied_positions_, tied_velocities_, tied_accelerations_, 0.0);
}

/// Raises `tied` by what other kinds give through the rows: the largest over all rows.
void Ties::pass_on(const compile::SparseValues& values, std::vector<double>& sizes,
                   std::vector<double>& tied) {
    const std::vector<compile::Place>& places = evaluator_->model().row_entries;
    const std::span<const int> kinds = evaluator_->scales().kinds();
    for (std::size_t begin = 0; begin < places.size();) {
        std::size_t end = begin;
        in_row_.clear();
        for (; end < places.size() && places[end].row == places[begin].row; ++end) {
            const int kind = kinds[at(places[end].column)];
            if (std::find(in_row_.begin(), in_row_.end(), kind) == in_row_.end()) {
                in_row_.push_back(kind);
                largest_[at(kind)] = 0.0;
            }
            largest_[at(kind)] = std::max(largest_[at(kind)], std::abs(values.A[end]));
        }
        double all = 0.0;
        for (const int kind : in_row_) {
            all += largest_[at(kind)] * sizes[at(kind)];
        }
        for (const int kind : in_row_) {
            const double others = all - largest_[at(kind)] * sizes[at(kind)];
            if (largest_[at(kind)] > 0.0) {
                tied[at(kind)] = std::max(tied[at(kind)], others / largest_[at(kind)]);
            }
        }
        begin = end;
    }
}

}  // namespace ananke::dynamics
