#include "sim/compiled_acceleration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "code/recorded.h"

namespace ananke::sim {
namespace {

using code::Recorded;

/// A row's pivot below these parts of what it was where the order was chosen.
constexpr double kSoundPivot = 0.3;
constexpr double kPivotAlarm = 1e-2;
/// The same for the mass that is left of a coordinate, which only a motion that is no longer
/// determined brings down.
constexpr double kMassAlarm = 1e-7;
/// The same for the squared length of a row in the range-space order, and for the part of it that
/// the other rows do not reproduce.
constexpr double kSoundLength = 0.1;
constexpr double kLengthAlarm = 1e-4;
constexpr double kSoundPart = 0.1;
constexpr double kPartAlarm = 1e-4;
/// The range-space order asks for a new one only where rows become dependent: it may cost more.
constexpr double kWorthOfRangeSpace = 1.5;
/// Programs of one run that are kept.
constexpr std::size_t kMostRecordings = 64;

/// Which outputs of a program change along a run: those that depend on t, q, v or a truth.
std::vector<char> outputs_that_vary(const code::Program& program, const InputLayout& layout) {
    std::vector<char> varies(program.slot_count, 0);
    for (std::size_t i = 0; i < program.input_count; ++i) {
        varies[i] = i < layout.p() || i >= layout.truths() ? 1 : 0;
    }
    for (const code::Instruction& one : program.instructions) {
        const int operands = code::arity(one.op);
        const bool any = varies[one.a] != 0 || (operands > 1 && varies[one.b] != 0) ||
                         (operands > 2 && varies[one.c] != 0);
        varies[one.target] = any ? 1 : 0;
    }
    std::vector<char> of_outputs;
    for (const code::Slot slot : program.outputs) {
        of_outputs.push_back(varies[slot]);
    }
    return of_outputs;
}

/// Sizes of the units of the coordinates, M_jj^-1/2; those of a group are one, and coordinates
/// without mass take that of the others.
std::vector<double> coordinate_scales(const solve::System& at) {
    Eigen::VectorXd mass = at.M.diagonal();
    for (const solve::CoordinateGroup& group : at.groups) {
        mass.segment(group.first, group.count)
            .setConstant(mass.segment(group.first, group.count).mean());
    }
    const double most = mass.size() > 0 ? mass.maxCoeff() : 1.0;
    constexpr double kNothing = 1e-12;
    std::vector<double> scales;
    for (const double m : mass) {
        scales.push_back(1.0 / std::sqrt(m > kNothing * most ? m : (most > 0.0 ? most : 1.0)));
    }
    return scales;
}

}  // namespace

bool CompiledAcceleration::applies_to(const CompiledModel& model) {
    return model.frictions.empty() && model.feedback.empty() && model.controls.empty();
}

CompiledAcceleration::CompiledAcceleration(Evaluator& evaluator)
    : evaluator_(&evaluator), n_(evaluator.model().n()) {
    const CompiledModel& model = evaluator.model();
    const std::vector<char> varies = outputs_that_vary(model.dynamics.program(), model.layout);
    const auto n = static_cast<std::size_t>(n_);
    const auto first =
        static_cast<std::ptrdiff_t>(model.mass_entries.size() + (model.has_nonideal ? 2 * n : n));
    varies_.assign(varies.begin() + first,
                   varies.begin() + first + static_cast<std::ptrdiff_t>(model.row_entries.size()));
}

solve::SparseSystem CompiledAcceleration::sparse(const solve::System& at,
                                                 std::span<const int> rows) const {
    const CompiledModel& model = evaluator_->model();
    solve::SparseSystem system{n_, static_cast<int>(rows.size()), {}, {}, coordinate_scales(at)};
    for (const Place& place : model.mass_entries) {
        system.mass.push_back({place.row, place.column, at.M(place.row, place.column)});
    }
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const Place& place = model.row_entries[i];
        const auto kept = std::find(rows.begin(), rows.end(), place.row);
        if (kept != rows.end()) {
            system.rows.push_back({static_cast<int>(kept - rows.begin()), place.column,
                                   at.A(place.row, place.column), varies_[i] == 0});
        }
    }
    return system;
}

bool CompiledAcceleration::choose(const solve::System& at, std::span<const int> rows) {
    if (parameter_changes_ != evaluator_->parameter_changes() ||
        recordings_.size() >= kMostRecordings) {
        recordings_.clear();
        parameter_changes_ = evaluator_->parameter_changes();
    }
    active_ = nullptr;
    std::vector<int> sorted(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end());
    const solve::SparseSystem system = sparse(at, sorted);
    std::optional<solve::EliminationOrder> order = solve::null_space_order(system);
    std::optional<solve::EliminationOrder> other = solve::range_space_order(system, kSoundPart);
    if (other && (!order || other->cost < kWorthOfRangeSpace * order->cost)) {
        order = std::move(other);
    }
    if (!order) {
        return false;
    }
    const auto known = std::find_if(recordings_.begin(), recordings_.end(), [&](const auto& one) {
        return one->rows == sorted && one->pivots == order->pivots;
    });
    if (known == recordings_.end()) {
        recordings_.push_back(std::make_unique<Recording>(record(sorted, order->pivots)));
        active_ = recordings_.back().get();
    } else {
        active_ = known->get();
    }
    measure(*active_);
    return true;
}

/// Runs the program at the state of the last system, to know what its pivots are there.
void CompiledAcceleration::measure(Recording& recording) {
    outputs_.resize(recording.kernel.output_count());
    recording.kernel.run(evaluator_->inputs().data(), outputs_.data());
    const double* output = outputs_.data() + n_ + 1;
    for (Watch& watch : recording.watches) {
        if (watch.relative) {
            watch.inverse_size = 1.0 / *output;
        }
        ++output;
    }
}

CompiledAcceleration::Recording CompiledAcceleration::record(
    std::span<const int> rows, const std::vector<solve::Pivot>& pivots) const {
    const CompiledModel& model = evaluator_->model();
    const InputLayout& layout = model.layout;
    code::Builder builder(static_cast<std::uint32_t>(layout.size()));
    std::vector<Recorded> inputs;
    for (std::uint32_t i = 0; i < layout.size(); ++i) {
        const bool parameter = i >= layout.p() && i < layout.truths();
        inputs.push_back(parameter ? Recorded(evaluator_->inputs()[i])
                                   : Recorded(builder, builder.input(i)));
    }
    const std::vector<Recorded> values = code::replay(builder, model.dynamics.program(), inputs);
    auto next = values.begin();
    const auto n = static_cast<std::size_t>(n_);

    solve::Elimination<Recorded> elimination(n_, static_cast<int>(rows.size()));
    std::vector<Recorded> inertia(n);  // M a - Q, once a is known
    const auto mass = next;
    for (const Place& place : model.mass_entries) {
        elimination.set(place.row, place.column, *next++);
    }
    std::vector<Recorded> force(next, next + n_);
    const std::vector<Recorded> given = force;
    next += n_;
    if (model.has_nonideal) {
        for (Recorded& one : force) {
            one = one + *next++;
        }
    }
    for (int i = 0; i < n_; ++i) {
        elimination.set_right(i, force[static_cast<std::size_t>(i)]);
    }
    for (const Place& place : model.row_entries) {
        const auto kept = std::find(rows.begin(), rows.end(), place.row);
        if (kept != rows.end()) {
            elimination.set(n_ + static_cast<int>(kept - rows.begin()), place.column, *next);
        }
        ++next;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
        elimination.set_right(n_ + static_cast<int>(k), next[rows[k]]);
    }
    next += model.m();
    const Recorded power = *next;

    std::vector<Recorded> watched;
    std::vector<Watch> watches;
    const auto watch = [&](const Recorded& value, const Watch& how) {
        if (!value.is_number()) {
            watched.push_back(value);
            watches.push_back(how);
        }
    };
    bool lengths_known = false;
    std::vector<Recorded> lengths(rows.size());
    for (const solve::Pivot& pivot : pivots) {
        if (pivot.coordinate < 0 && !lengths_known) {  // range space: all coordinates are gone
            for (std::size_t k = 0; k < rows.size(); ++k) {
                const int unknown = n_ + static_cast<int>(k);
                lengths[k] = *elimination.find(unknown, unknown);
                watch(lengths[k], {0.0, kLengthAlarm, kSoundLength, true});
            }
            lengths_known = true;
        }
        const Recorded value = elimination.eliminate(pivot);
        if (pivot.coordinate < 0) {
            watch(lengths[static_cast<std::size_t>(pivot.row)] / value,
                  {-1.0, -1.0 / kPartAlarm, -1.0 / kSoundPart, false});
        } else if (pivot.row < 0) {
            watch(value, {0.0, kMassAlarm, kMassAlarm, true});
        } else {
            watch(value, {0.0, kPivotAlarm, kSoundPivot, true});
        }
    }
    const std::vector<Recorded> x = elimination.solution();

    // Qc . v = (M a - Q) . v
    const auto velocity = [&](int i) { return inputs[layout.v() + static_cast<std::size_t>(i)]; };
    Recorded rate = power;
    auto entry = mass;
    for (const Place& place : model.mass_entries) {
        Recorded pair = velocity(place.row) * x[static_cast<std::size_t>(place.column)];
        if (place.row != place.column) {
            pair = pair + velocity(place.column) * x[static_cast<std::size_t>(place.row)];
        }
        rate = rate + *entry++ * pair;
    }
    for (int i = 0; i < n_; ++i) {
        rate = rate - given[static_cast<std::size_t>(i)] * velocity(i);
    }

    std::vector<code::Value> outputs;
    for (std::size_t i = 0; i < n; ++i) {
        outputs.push_back(x[i].value(builder));
    }
    outputs.push_back(rate.value(builder));
    for (const Recorded& one : watched) {
        outputs.push_back(one.value(builder));
    }
    return {{rows.begin(), rows.end()}, pivots, code::Kernel(builder.finish(outputs)), watches};
}

PivotHealth CompiledAcceleration::run(double t, const double* q, const double* v) {
    active_->kernel.run(evaluator_->system_inputs(t, q, v).data(), outputs_.data());
    const double* output = outputs_.data() + n_ + 1;
    bool alarm = false;
    bool sound = true;
    for (const Watch& watch : active_->watches) {
        const double part = *output++ * watch.inverse_size;
        alarm |= !(part >= watch.alarm);
        sound &= part >= watch.sound;
    }
    return alarm ? PivotHealth::kAlarm : (sound ? PivotHealth::kSound : PivotHealth::kDoubtful);
}

}  // namespace ananke::sim
