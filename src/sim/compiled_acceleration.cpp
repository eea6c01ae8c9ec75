#include "sim/compiled_acceleration.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ananke::sim {
namespace {

using code::Recorded;

/// A row's pivot below these parts of what it was where the order was chosen has lost digits, or
/// soon will. One that has changed its sign may have passed where rows are dependent.
constexpr double kPivotAlarm = 0.05;
constexpr double kGoodPivot = 0.2;
/// The mass that is left of a coordinate: only a motion that is no longer determined brings it
/// down.
constexpr double kMassAlarm = 1e-7;
/// The squared length of a row in the range-space order, and the part of it that the other rows do
/// not reproduce.
constexpr double kLengthAlarm = 1e-4;
constexpr double kSoundLength = 0.1;
constexpr double kPartAlarm = 1e-4;
/// Programs of one run that are kept.
constexpr std::size_t kMostRecordings = 64;

/// power + Qc . v,  Qc = M a - Q
Recorded rate_of_energy(const CompiledModel& model, const Recorded& power,
                        std::span<const Recorded> mass, std::span<const Recorded> force,
                        std::span<const Recorded> v, std::span<const Recorded> a) {
    Recorded rate = power;
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    for (std::size_t i = 0; i < mass.size(); ++i) {
        const Place& place = model.mass_entries[i];
        Recorded pair = v[at(place.row)] * a[at(place.column)];
        if (place.row != place.column) {
            pair = pair + v[at(place.column)] * a[at(place.row)];
        }
        rate = rate + mass[i] * pair;
    }
    for (std::size_t i = 0; i < force.size(); ++i) {
        rate = rate - force[i] * v[i];
    }
    return rate;
}

}  // namespace

bool CompiledAcceleration::applies_to(const CompiledModel& model) {
    return model.frictions.empty() && model.feedback.empty() && model.controls.empty();
}

CompiledAcceleration::CompiledAcceleration(Evaluator& evaluator)
    : evaluator_(&evaluator),
      n_(evaluator.model().n()),
      varies_(entries_that_vary(evaluator.model())) {}

bool CompiledAcceleration::choose(const solve::System& at, std::span<const int> rows) {
    if (parameter_changes_ != evaluator_->parameter_changes() ||
        recordings_.size() >= kMostRecordings) {
        active_ = nullptr;
        recordings_.clear();
        parameter_changes_ = evaluator_->parameter_changes();
    }
    if (active_ != nullptr && active_->order.rows.size() == rows.size() && suits(*active_)) {
        return true;
    }
    RowOrder wanted{{rows.begin(), rows.end()}, {}};
    std::sort(wanted.rows.begin(), wanted.rows.end());
    active_ = find_suitable(wanted.rows);
    if (active_ != nullptr) {
        return true;
    }
    std::optional<solve::EliminationOrder> order =
        solve::choose_order(sparse_system(evaluator_->model(), at, wanted.rows, varies_));
    if (!order) {
        return false;
    }
    wanted.pivots = std::move(order->pivots);
    const auto known = std::find_if(recordings_.begin(), recordings_.end(),
                                    [&](const auto& one) { return one->order == wanted; });
    if (known == recordings_.end()) {
        recordings_.push_back(std::make_unique<Recording>(record(std::move(wanted))));
        active_ = recordings_.back().get();
    } else {
        active_ = known->get();
    }
    measure();
    return true;
}

CompiledAcceleration::Recording* CompiledAcceleration::find_suitable(std::span<const int> rows) {
    for (const std::unique_ptr<Recording>& one : recordings_) {
        if (std::equal(rows.begin(), rows.end(), one->order.rows.begin(), one->order.rows.end()) &&
            suits(*one)) {
            return one.get();
        }
    }
    return nullptr;
}

/// True if every pivot is a good part of what it was; a change of sign is taken note of.
bool CompiledAcceleration::suits(Recording& recording) {
    outputs_.resize(recording.kernel.output_count());
    recording.kernel.run(evaluator_->inputs().data(), outputs_.data());
    const double* output = outputs_.data() + n_ + 1;
    for (PivotWatch& watch : recording.pivots) {
        const double part = *output++ * watch.inverse_size;
        if (!(std::abs(part) >= std::max(watch.least.sound, watch.least.good))) {
            return false;
        }
        watch.inverse_size = std::copysign(watch.inverse_size, part * watch.inverse_size);
    }
    return std::all_of(output, output + recording.parts,
                       [](double inverse) { return inverse <= 1.0 / solve::kSoundPart; });
}

/// Runs the program at the state of the last system, to know what its pivots are there.
void CompiledAcceleration::measure() {
    outputs_.resize(active_->kernel.output_count());
    active_->kernel.run(evaluator_->inputs().data(), outputs_.data());
    const double* output = outputs_.data() + n_ + 1;
    for (PivotWatch& watch : active_->pivots) {
        watch.inverse_size = 1.0 / *output++;
    }
}

void CompiledAcceleration::Watched::add_pivot(const Recorded& value, const Bounds& least) {
    if (!value.is_number()) {
        pivots.push_back(value);
        bounds.push_back({least, 0.0});
    }
}

CompiledAcceleration::Watched CompiledAcceleration::eliminate(
    solve::Elimination<Recorded>& elimination, const RowOrder& order) {
    Watched watched;
    std::vector<Recorded> lengths;  // of the rows, once all coordinates are gone
    for (const solve::Pivot& pivot : order.pivots) {
        if (pivot.coordinate < 0 && lengths.empty()) {
            for (std::size_t k = 0; k < order.rows.size(); ++k) {
                const int unknown = elimination.n() + static_cast<int>(k);
                lengths.push_back(*elimination.find(unknown, unknown));
                watched.add_pivot(lengths.back(), {kLengthAlarm, kSoundLength, kSoundLength});
            }
        }
        const Recorded value = elimination.eliminate(pivot);
        if (pivot.coordinate < 0) {
            const Recorded part = lengths[static_cast<std::size_t>(pivot.row)] * reciprocal(value);
            if (!part.is_number()) {
                watched.parts.push_back(part);
            }
        } else if (pivot.row < 0) {
            watched.add_pivot(value, {kMassAlarm, kMassAlarm, kMassAlarm});
        } else {
            watched.add_pivot(value, {kPivotAlarm, kGoodPivot, 0.0});
        }
    }
    return watched;
}

CompiledAcceleration::Recording CompiledAcceleration::record(RowOrder order) const {
    const CompiledModel& model = evaluator_->model();
    const InputLayout& layout = model.layout;
    const auto n = static_cast<std::size_t>(n_);
    code::Builder builder(static_cast<std::uint32_t>(layout.size()));
    const std::vector<Recorded> inputs = recorded_inputs(builder, *evaluator_);
    const std::vector<Recorded> values = code::replay(builder, model.dynamics.program(), inputs);
    std::span<const Recorded> rest = values;
    const auto take = [&rest](std::size_t count) {
        const std::span<const Recorded> head = rest.first(count);
        rest = rest.subspan(count);
        return head;
    };
    const std::span<const Recorded> mass = take(model.mass_entries.size());
    const std::span<const Recorded> force = take(n);
    const std::span<const Recorded> nonideal = take(model.has_nonideal ? n : 0);
    const std::span<const Recorded> entries = take(model.row_entries.size());
    const std::span<const Recorded> b = take(model.rows.size());
    const Recorded power = rest.front();

    solve::Elimination<Recorded> elimination(n_, static_cast<int>(order.rows.size()));
    set_mass(elimination, model.mass_entries, mass);
    set_rows(elimination, model.row_entries, entries, order.rows);
    for (std::size_t i = 0; i < n; ++i) {
        elimination.set_right(static_cast<int>(i),
                              nonideal.empty() ? force[i] : force[i] + nonideal[i]);
    }
    for (std::size_t k = 0; k < order.rows.size(); ++k) {
        elimination.set_right(n_ + static_cast<int>(k), b[static_cast<std::size_t>(order.rows[k])]);
    }
    Watched watched = eliminate(elimination, order);
    const std::vector<Recorded> a = elimination.solution();

    std::vector<code::Value> outputs;
    for (std::size_t i = 0; i < n; ++i) {
        outputs.push_back(a[i].value(builder));
    }
    const std::span<const Recorded> v = std::span(inputs).subspan(layout.v(), n);
    outputs.push_back(rate_of_energy(model, power, mass, force, v, a).value(builder));
    for (const std::vector<Recorded>* part : {&watched.pivots, &watched.parts}) {
        for (const Recorded& one : *part) {
            outputs.push_back(one.value(builder));
        }
    }
    return {std::move(order), code::Kernel(builder.finish(outputs)), std::move(watched.bounds),
            watched.parts.size()};
}

PivotHealth CompiledAcceleration::health() const {
    const double* output = outputs_.data() + n_ + 1;
    bool alarm = false;
    bool good = true;
    bool sound = true;
    for (const PivotWatch& watch : active_->pivots) {
        const double part = *output++ * watch.inverse_size;
        alarm |= !(std::abs(part) >= watch.least.alarm);
        good &= std::abs(part) >= watch.least.good;
        sound &= part >= watch.least.sound;
    }
    for (std::size_t k = 0; k < active_->parts; ++k) {
        const double inverse_part = *output++;
        alarm |= !(inverse_part <= 1.0 / kPartAlarm);
        sound &= inverse_part <= 1.0 / solve::kSoundPart;
    }
    if (alarm) {
        return PivotHealth::kAlarm;
    }
    return !sound ? PivotHealth::kDoubtful : (good ? PivotHealth::kSound : PivotHealth::kTired);
}

}  // namespace ananke::sim
