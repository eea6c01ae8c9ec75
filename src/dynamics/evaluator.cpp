#include "dynamics/evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dynamics/recording.h"

namespace ananke::dynamics {
namespace {

/// What of a value is rounding, as a part of its terms.
constexpr double kRoundOff = 16.0 * std::numeric_limits<double>::epsilon();

}  // namespace

Evaluator::Evaluator(std::shared_ptr<const compile::CompiledModel> compiled,
                     std::span<const double> parameters)
    : compiled_(std::move(compiled)),
      scales_(compiled_->kinds),
      dynamics_(compiled_->dynamics),
      switch_values_(compiled_->switch_values),
      switch_scales_(compiled_->switch_scales),
      switch_rates_(compiled_->switch_rates),
      magnitudes_(compiled_->magnitudes),
      mass_(compiled_->mass),
      position_(compiled_->position),
      velocity_(compiled_->velocity),
      residuals_(compiled_->residuals),
      energy_(compiled_->energy),
      output_(compiled_->output),
      force_(compiled_->force),
      reactive_(compiled_->reactive),
      free_force_(compiled_->free_force),
      friction_(compiled_->friction),
      compliance_(compiled_->compliance),
      gauge_(compiled_->gauge),
      control_(compiled_->control),
      matrices_(*compiled_) {
    const compile::CompiledModel& model = *compiled_;
    ANANKE_REQUIRE(parameters.size() == static_cast<std::size_t>(model.layout.parameters));
    input_.assign(model.layout.size(), 0.0);
    std::copy(parameters.begin(), parameters.end(), input_.data() + model.layout.p());

    std::size_t largest = 0;
    for (const code::Kernel* kernel :
         {&mass_, &position_, &velocity_, &residuals_, &energy_, &output_, &force_, &reactive_,
          &compliance_, &gauge_, &control_}) {
        largest = std::max(largest, kernel->output_count());
    }
    scratch_.assign(largest, 0.0);
    compliances_.assign(model.compliance_size, 0.0);
    const int n = model.n();
    const int m = model.m();
    sparse_.assign(dynamics_.output_count(), 0.0);
    magnitude_.assign(magnitudes_.output_count(), 0.0);
    for (std::vector<double>* each : {&switch_value_, &switch_rounding_, &held_sides_}) {
        each->assign(model.switches.size(), 0.0);
    }
    switch_rate_.assign(3 * model.switches.size(), 0.0);
    free_.assign(model.switches.size(), 0);
    scaled_.assign(static_cast<std::size_t>(m), 0.0);
    slopes_.assign(model.slope_entries.size(), 0.0);
    friction_values_.assign(friction_.output_count(), 0.0);
    in_force_.assign(static_cast<std::size_t>(m), 0);
    std::fill_n(in_force_.begin(), model.constraint_rows, 1);
    full_row_.assign(static_cast<std::size_t>(n), 0.0);
}

void Evaluator::set_multipliers(const double* lambda) {
    std::copy(lambda, lambda + compiled_->layout.multipliers,
              input_.data() + compiled_->layout.lambda());
}

bool Evaluator::sticks(int friction) const {
    const compile::CompiledFriction& one = compiled_->frictions[static_cast<std::size_t>(friction)];
    return in_force_[static_cast<std::size_t>(one.first_row)] != 0;
}

std::span<const double> Evaluator::direction(int friction) const {
    const compile::CompiledFriction& one = compiled_->frictions[static_cast<std::size_t>(friction)];
    return {input_.data() + compiled_->layout.slip() + one.first_direction,
            static_cast<std::size_t>(one.components)};
}

void Evaluator::set_still(int friction, double slip) {
    const compile::CompiledFriction& one = compiled_->frictions[static_cast<std::size_t>(friction)];
    const int place = one.first_direction + one.components;
    input_[compiled_->layout.slip() + static_cast<std::size_t>(place)] = slip * slip;
}

void Evaluator::set_stick(int friction) {
    const compile::CompiledFriction& one = compiled_->frictions[static_cast<std::size_t>(friction)];
    const std::array<double, 2> none{0.0, 0.0};
    set_slip(friction, std::span(none).first(static_cast<std::size_t>(one.components)));
    for (int k = 0; k < one.components; ++k) {
        in_force_[static_cast<std::size_t>(one.first_row + k)] = 1;
    }
    sticking_ += one.components;
    ++stick_changes_;
}

void Evaluator::set_slip(int friction, std::span<const double> direction) {
    const compile::CompiledFriction& one = compiled_->frictions[static_cast<std::size_t>(friction)];
    if (sticks(friction)) {
        sticking_ -= one.components;
        ++stick_changes_;
    }
    for (int k = 0; k < one.components; ++k) {
        const int direction_place = one.first_direction + k;
        const auto place = static_cast<std::size_t>(direction_place);
        input_[compiled_->layout.slip() + place] = direction[static_cast<std::size_t>(k)];
        in_force_[static_cast<std::size_t>(one.first_row + k)] = 0;
    }
}

std::span<const double> Evaluator::friction_values(double t, const double* q, const double* v) {
    load(t, q, v);
    friction_.run(input_.data(), friction_values_.data());
    return friction_values_;
}

std::span<const double> Evaluator::slip_sizes(double t, const double* q, const double* v) {
    load(t, q, v);
    velocity_.run(input_.data(), scratch_.data());
    scaled_.assign(compiled_->rows.size(), 0.0);
    raise_scales(compiled_->row_entries, scratch_.data() + compiled_->rows.size(),
                 scales_.velocities_with(v), scales_.tied_velocities(), scaled_);
    return std::span<const double>(scaled_).subspan(
        static_cast<std::size_t>(compiled_->constraint_rows));
}

/// One row of entries, as n numbers.
std::span<const double> Evaluator::full_row(const std::vector<compile::Place>& places,
                                            const double* entries, int row) {
    std::fill(full_row_.begin(), full_row_.end(), 0.0);
    for (const compile::Place& place : places) {
        if (place.row == row) {
            full_row_[static_cast<std::size_t>(place.column)] = *entries;
        }
        ++entries;
    }
    return full_row_;
}

std::span<const double> Evaluator::row(int which) {
    return full_row(compiled_->row_entries, sparse_.data() + first_of_A(), which);
}

std::span<const double> Evaluator::feedback_slope(int k) {
    return full_row(compiled_->slope_entries, slopes_.data(), k);
}

double Evaluator::b(int row) const {
    return sparse_[first_of_A() + compiled_->row_entries.size() + static_cast<std::size_t>(row)];
}

/// Sides at the state that is loaded, by a rule for one whose value is known; true if one changed.
/// A value that is not a number, of a comparison inside a branch that is not taken, tells none.
/// Comparisons may hold others, whose sides they see in the next run.
template <class SideOf>
bool Evaluator::set_sides(SideOf side_of) {
    bool any = false;
    bool changed = true;
    for (int run = 0; changed && run < compiled_->layout.switches; ++run) {
        changed = false;
        switch_values_.run(input_.data(), switch_value_.data());
        for (int k = 0; k < compiled_->layout.switches; ++k) {
            const auto i = static_cast<std::size_t>(k);
            const int now =
                std::isnan(switch_value_[i]) ? side(k) : side_of(k, compiled_->switches[i]);
            changed = changed || now != side(k);
            set_side(k, now);
        }
        any = any || changed;
    }
    return any;
}

/// Of all switches, or of those that are not held.
void Evaluator::follow_switches() {
    set_sides([this](int k, const compile::Switch& one) {
        const auto i = static_cast<std::size_t>(k);
        const bool follows = !switches_held_ || free_[i] != 0;
        return follows && one.of != compile::Switch::Of::kReactions ? one.side_of(switch_value_[i])
                                                                    : side(k);
    });
}

bool Evaluator::follow_reactions(const double* lambda) {
    if (switches_held_) {
        return false;
    }
    set_multipliers(lambda);
    return set_sides([this](int k, const compile::Switch& one) {
        return one.of == compile::Switch::Of::kReactions
                   ? one.side_of(switch_value_[static_cast<std::size_t>(k)])
                   : side(k);
    });
}

std::span<const double> Evaluator::switch_values(double t, const double* q, const double* v) {
    load(t, q, v);
    switch_values_.run(input_.data(), switch_value_.data());
    return switch_value_;
}

std::span<const double> Evaluator::switch_rounding(double t, const double* q, const double* v) {
    load(t, q, v);
    switch_scales_.run(input_.data(), switch_rounding_.data());
    for (double& scale : switch_rounding_) {
        scale *= kRoundOff;
    }
    return switch_rounding_;
}

std::span<const double> Evaluator::switch_rates(double t, const double* q, const double* v,
                                                const double* a) {
    switch_rates_.run(inputs(t, q, v, a).data(), switch_rate_.data());
    const std::size_t count = free_.size();
    for (std::size_t i = count; i < 2 * count; ++i) {
        switch_rate_[i] *= kRoundOff;
    }
    return switch_rate_;
}

void Evaluator::release_switches() {
    switches_held_ = false;
    std::fill(free_.begin(), free_.end(), 0);
    free_switches_ = 0;
}

void Evaluator::hold_switches(double t, const double* q, const double* v) {
    release_switches();
    load(t, q, v);
    follow_switches();
    switches_held_ = true;
}

void Evaluator::hold_switches_again(double t, const double* q, const double* v) {
    switch_rounding(t, q, v);
    set_sides([this](int k, const compile::Switch& one) {
        const auto i = static_cast<std::size_t>(k);
        const bool known = one.of != compile::Switch::Of::kReactions &&
                           std::abs(switch_value_[i]) > switch_rounding_[i];
        return known ? one.side_of(switch_value_[i]) : side(k);
    });
}

void Evaluator::let_follow(int which) {
    char& free = free_[static_cast<std::size_t>(which)];
    free_switches_ += free == 0 ? 1 : 0;
    free = 1;
}

void Evaluator::hold(int which, int side) {
    char& free = free_[static_cast<std::size_t>(which)];
    free_switches_ -= free;
    free = 0;
    set_side(which, side);
}

void Evaluator::suspend_hold() {
    const double* sides = input_.data() + compiled_->layout.sides();
    std::copy(sides, sides + held_sides_.size(), held_sides_.begin());
    switches_held_ = false;
}

void Evaluator::resume_hold() {
    std::copy(held_sides_.begin(), held_sides_.end(), input_.data() + compiled_->layout.sides());
    switches_held_ = true;
}

bool Evaluator::take_own_law(double t, const double* q, const double* v) {
    if (held_sides_.empty() || !switches_held_) {
        return false;
    }
    suspend_hold();
    load(t, q, v);
    follow_switches();
    const double* sides = input_.data() + compiled_->layout.sides();
    if (std::equal(held_sides_.begin(), held_sides_.end(), sides)) {
        resume_hold();
        return false;
    }
    return true;
}

solve::System Evaluator::system(double t, const double* q, const double* v) {
    const compile::SparseValues values = sparse_system(t, q, v);
    return matrices_.of(values, magnitudes());
}

std::span<const double> Evaluator::magnitudes() {
    magnitudes_.run(input_.data(), magnitude_.data());
    return magnitude_;
}

std::span<const double> Evaluator::compliances() {
    if (!compliances_.empty()) {
        compliance_.run(input_.data(), scratch_.data());
        for (std::size_t i = 0; i < compiled_->compliance_entries.size(); ++i) {
            compliances_[compiled_->compliance_entries[i]] = scratch_[i];
        }
    }
    return compliances_;
}

/// Of the outputs of the kernel: M, Q, C, A, b, power, D.
std::size_t Evaluator::first_of_A() const {
    const auto n = static_cast<std::size_t>(compiled_->n());
    return compiled_->mass_entries.size() + (compiled_->has_nonideal ? 2 * n : n);
}

compile::SparseValues Evaluator::sparse_system(double t, const double* q, const double* v) {
    dynamics_.run(system_inputs(t, q, v).data(), sparse_.data());
    const auto n = static_cast<std::size_t>(compiled_->n());
    std::span<const double> rest = sparse_;
    const auto take = [&rest](std::size_t count) {
        const std::span<const double> head = rest.first(count);
        rest = rest.subspan(count);
        return head;
    };
    compile::SparseValues values;
    values.M = take(compiled_->mass_entries.size());
    values.Q = take(n);
    values.C = take(compiled_->has_nonideal ? n : 0);
    values.A = take(compiled_->row_entries.size());
    values.b = take(compiled_->rows.size());
    power_ = take(1).front();
    values.D = take(compiled_->control_entries.size());
    values.compliances = compliances();
    values.in_force = in_force_;
    return values;
}

void Evaluator::update_reactive() {
    reactive_.run(input_.data(), scratch_.data());
    const double* next = scratch_.data();
    const std::size_t Q = compiled_->mass_entries.size();
    const std::span<double> forces = sparse_part(Q, first_of_A() - Q);
    std::copy(next, next + forces.size(), forces.begin());
    next += forces.size();
    power_ = *next++;
    std::copy(next, next + slopes_.size(), slopes_.data());
}

std::span<const double> Evaluator::free_force() {
    free_Q_.resize(free_force_.output_count());
    free_force_.run(input_.data(), free_Q_.data());
    return free_Q_;
}

Energy Evaluator::energy(double t, const double* q, const double* v) {
    load(t, q, v);
    double values[4];
    energy_.run(input_.data(), values);
    return {values[0], values[1], values[2], values[3]};
}

std::span<const double> Evaluator::outputs(double t, const double* q, const double* v,
                                           const double* a) {
    load(t, q, v);
    std::copy(a, a + compiled_->n(), input_.data() + compiled_->layout.a());
    output_.run(input_.data(), scratch_.data());
    return {scratch_.data(), output_.output_count()};
}

std::span<const double> Evaluator::inputs(double t, const double* q, const double* v,
                                          const double* a) {
    load(t, q, v);
    if (a != nullptr) {
        std::copy(a, a + compiled_->n(), input_.data() + compiled_->layout.a());
    }
    return input_;
}

std::vector<double> Evaluator::start_velocities(double t, const double* q) {
    load(t, q, std::vector<double>(static_cast<std::size_t>(compiled_->n()), 0.0).data());
    std::vector<double> values(compiled_->following.size());
    code::Kernel kernel = compiled_->start_velocity;
    kernel.run(input_.data(), values.data());
    return values;
}

std::span<const double> Evaluator::raw_residuals(double t, const double* q, const double* v) {
    load(t, q, v);
    residuals_.run(input_.data(), scratch_.data());
    for (std::size_t k = 0; k < in_force_.size(); ++k) {
        scratch_[k] *= in_force_[k];
    }
    return {scratch_.data(), static_cast<std::size_t>(compiled_->m())};
}

/// Scales of rows are at least a tenth of the sum of |entry| size over the row.
void Evaluator::raise_scales(const std::vector<compile::Place>& places, const double* entries,
                             std::span<const double> sizes, std::span<const double> tied,
                             std::span<double> scale) {
    change_.assign(scale.size(), 0.0);
    for (const compile::Place& place : places) {
        const auto row = static_cast<std::size_t>(place.row);
        const auto column = static_cast<std::size_t>(place.column);
        if (row < scale.size()) {
            change_[row] += std::abs(*entries) * std::max(sizes[column], tied[column]);
        }
        ++entries;
    }
    for (std::size_t k = 0; k < scale.size(); ++k) {
        const double least = kPartOfSize * change_[k];
        scale[k] = least > scale[k] ? least : scale[k];
    }
}

std::span<const double> Evaluator::scaled_residuals(double t, const double* q, const double* v) {
    const std::span<const double> raw = raw_residuals(t, q, v);
    std::vector<double>& scale = residual_scale_;
    scale.assign(scratch_.data() + raw.size(), scratch_.data() + 2 * raw.size());
    std::copy(raw.begin(), raw.end(), scaled_.begin());
    velocity_.run(input_.data(), scratch_.data());
    // A is the derivative by q of holonomic rows, and by v of the others.
    const std::span<const double> positions = scales_.positions_with(q);
    const std::span<const double> velocities = scales_.velocities_with(v);
    change_.assign(scale.size(), 0.0);
    const double* entry = scratch_.data() + scale.size();
    for (const compile::Place& place : compiled_->row_entries) {
        const auto row = static_cast<std::size_t>(place.row);
        const auto column = static_cast<std::size_t>(place.column);
        const double size = compiled_->rows[row].holonomic
                                ? std::max(positions[column], scales_.tied_positions()[column])
                                : std::max(velocities[column], scales_.tied_velocities()[column]);
        change_[row] += std::abs(*entry++) * size;
    }
    for (std::size_t k = 0; k < scale.size(); ++k) {
        scaled_[k] /= solve::divisor(std::max(scale[k], kPartOfSize * change_[k]));
    }
    return scaled_;
}

std::span<const double> Evaluator::reactions(double t, const double* q, const double* v) {
    load(t, q, v);
    force_.run(input_.data(), scratch_.data());
    return {scratch_.data(), force_.output_count()};
}

std::span<const double> Evaluator::control_vectors(double t, const double* q, const double* v) {
    load(t, q, v);
    control_.run(input_.data(), scratch_.data());
    return {scratch_.data(), control_.output_count()};
}

solve::Gauge Evaluator::gauge() {
    solve::Gauge gauge;
    if (!compiled_->has_gauge) {
        return gauge;
    }
    gauge_.run(input_.data(), scratch_.data());
    const double* next = scratch_.data();
    const int given = compiled_->constraint_rows;  // stick rows weigh 1, with z = 0
    const int m = compiled_->m();
    gauge.alpha = *next++;
    if (compiled_->gauge_G == 2) {
        gauge.G = Eigen::MatrixXd::Identity(m, m);
        gauge.G.topLeftCorner(given, given) =
            Eigen::Map<const solve::RowMatrix>(next, given, given);
        next += given * given;
    } else if (compiled_->gauge_G == 1) {
        gauge.G = Eigen::MatrixXd::Identity(m, m);
        gauge.G.diagonal().head(given) = Eigen::Map<const Eigen::VectorXd>(next, given);
        next += given;
    }
    if (compiled_->gauge_z) {
        gauge.z = Eigen::VectorXd::Zero(m);
        gauge.z.head(given) = Eigen::Map<const Eigen::VectorXd>(next, given);
    }
    return gauge;
}

void Evaluator::load_positions(double t, const double* q) {
    input_[0] = t;
    std::copy(q, q + compiled_->n(), input_.data() + compiled_->layout.q());
}

std::span<const double> Evaluator::position_residuals(double t, const double* q, double* phi,
                                                      double* scale) {
    load_positions(t, q);
    position_.run(input_.data(), scratch_.data());
    const std::size_t holonomic = compiled_->holonomic.size();
    const std::size_t all = holonomic + compiled_->integrals.size();
    const std::size_t rows = holonomic + first_integrals_.size();
    const std::vector<compile::Place>& places = compiled_->holonomic_entries;
    const std::span<double> entries = std::span(scratch_).subspan(all, places.size());
    const double* const magnitudes = entries.data() + entries.size();
    std::copy(scratch_.data(), scratch_.data() + rows, phi);
    std::copy(magnitudes, magnitudes + rows, scale);
    for (std::size_t i = holonomic; i < rows; ++i) {
        const double first = first_integrals_[i - holonomic];
        phi[i] = std::isnan(first) ? 0.0 : phi[i] - first;
        scale[i] = std::isnan(first) ? 1.0 : scale[i] + std::abs(first);
    }
    for (std::size_t i = 0; i < places.size() && !first_integrals_.empty(); ++i) {
        const auto row = static_cast<std::size_t>(places[i].row);
        if (row >= holonomic && std::isnan(first_integrals_[row - holonomic])) {
            entries[i] = 0.0;
        }
    }
    raise_scales(places, entries.data(), scales_.positions_with(q), scales_.tied_positions(),
                 {scale, rows});
    return entries;
}

void Evaluator::hold_integrals(double t, const double* q) {
    load_positions(t, q);
    position_.run(input_.data(), scratch_.data());
    const std::size_t holonomic = compiled_->holonomic.size();
    const std::size_t all = holonomic + compiled_->integrals.size();
    first_integrals_.assign(scratch_.data() + holonomic, scratch_.data() + all);
    const double* entry = scratch_.data() + all;
    for (const compile::Place& place : compiled_->holonomic_entries) {
        const auto row = static_cast<std::size_t>(place.row);
        if (row >= holonomic && !std::isfinite(*entry + first_integrals_[row - holonomic])) {
            first_integrals_[row - holonomic] = std::numeric_limits<double>::quiet_NaN();
        }
        ++entry;
    }
}

std::span<const double> Evaluator::velocity_residuals(double t, const double* q, const double* v,
                                                      double* psi, double* scale) {
    load(t, q, v);
    velocity_.run(input_.data(), scratch_.data());
    const std::vector<compile::Place>& places = compiled_->row_entries;
    const std::size_t rows = compiled_->rows.size();
    const std::span<double> entries = std::span(scratch_).subspan(rows, places.size());
    const double* const magnitudes = entries.data() + entries.size();
    std::copy(scratch_.data(), scratch_.data() + rows, psi);
    std::copy(magnitudes, magnitudes + rows, scale);
    raise_scales(places, entries.data(), scales_.velocities_with(v), scales_.tied_velocities(),
                 {scale, rows});
    for (std::size_t row = 0; row < rows; ++row) {
        if (in_force_[row] == 0) {
            psi[row] = 0.0;
            scale[row] = 1.0;
        }
    }
    for (std::size_t i = 0; i < places.size() && rows_in_force() < compiled_->m(); ++i) {
        if (in_force_[static_cast<std::size_t>(places[i].row)] == 0) {
            entries[i] = 0.0;
        }
    }
    return entries;
}

std::span<const double> Evaluator::mass(double t, const double* q) {
    load_positions(t, q);
    mass_.run(input_.data(), scratch_.data());
    return std::span(scratch_).first(compiled_->mass_entries.size());
}

std::vector<int> Evaluator::blocks() const {
    return all_blocks(*compiled_);
}

std::vector<solve::CoordinateKind> Evaluator::kinds() const {
    using solve::CoordinateKind;
    std::vector<CoordinateKind> kinds(static_cast<std::size_t>(compiled_->n()),
                                      CoordinateKind::kOther);
    for (const compile::CompiledModel::BodyCoordinates& body : compiled_->bodies) {
        const auto first = kinds.begin() + body.first;
        std::fill_n(first, body.count, CoordinateKind::kTurning);
        std::fill_n(first, body.planar ? 2 : 3, CoordinateKind::kPosition);
    }
    return kinds;
}

}  // namespace ananke::dynamics
