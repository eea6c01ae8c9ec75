#include "sim/compiled_acceleration.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "code/tangent.h"
#include "sim/segmented_elimination.h"

namespace ananke::sim {
namespace {

using code::Recorded;

/// The squared length of a row in the range-space order, and the part of it that the other rows do
/// not reproduce.
constexpr double kLengthAlarm = 1e-4;
constexpr double kSoundLength = 0.1;
constexpr double kPartAlarm = 1e-4;
/// A row's pivot next to a singular configuration, where its fall is no fault of the order.
constexpr double kPivotAcross = 1e-3;
/// Programs of one run that are kept.
constexpr std::size_t kMostRecordings = 64;
/// Products per coordinate of a large model from which on a general sparse factorisation does it
/// with less: the fill of the elimination by bodies. A chain has about 100.
constexpr double kMostWork = 2000.0;

/// power + Qc . v,  Qc = C + A^T lambda: rows with A v = 0 do no work.
Recorded rate_of_energy(const CompiledModel& model, const Recorded& power,
                        std::span<const Recorded> nonideal, std::span<const Recorded> entries,
                        std::span<const Recorded> v, std::span<const Recorded> lambda) {
    Recorded rate = power;
    for (std::size_t i = 0; i < nonideal.size(); ++i) {
        rate = rate + nonideal[i] * v[i];
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Place& place = model.row_entries[i];
        const auto row = static_cast<std::size_t>(place.row);
        if (!model.rows[row].homogeneous) {
            rate = rate + lambda[row] * (entries[i] * v[static_cast<std::size_t>(place.column)]);
        }
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
    return choose_order(rows, [&](std::span<const int> wanted) {
        return choose_pivots(*evaluator_, at, wanted, varies_);
    });
}

bool CompiledAcceleration::choose(const EntryValues& at, std::span<const int> rows) {
    return choose_order(
        rows, [&](std::span<const int> wanted) -> std::optional<std::vector<solve::Pivot>> {
            std::optional<solve::EliminationOrder> order =
                solve::choose_order(sparse_system(*evaluator_, at, wanted, varies_));
            if (!order || (evaluator_->model().is_large() && order->cost > kMostWork * n_)) {
                return std::nullopt;
            }
            return std::move(order->pivots);
        });
}

template <class ChoosePivots>
bool CompiledAcceleration::choose_order(std::span<const int> rows, ChoosePivots choose_pivots) {
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
    std::optional<std::vector<solve::Pivot>> pivots = choose_pivots(wanted.rows);
    if (!pivots) {
        return false;
    }
    wanted.pivots = std::move(*pivots);
    const auto known = std::find_if(recordings_.begin(), recordings_.end(),
                                    [&](const auto& one) { return one->order == wanted; });
    active_ = known == recordings_.end() ? make(std::move(wanted)) : known->get();
    measure();
    return true;
}

RecordKey CompiledAcceleration::key(RecordKey::Kind kind, const RowOrder& order) const {
    return RecordKey(kind).add(parameters_of(*evaluator_)).add(order.rows).add(order.pivots);
}

CompiledAcceleration::Recording* CompiledAcceleration::make(RowOrder order) {
    const CompiledModel& model = evaluator_->model();
    const auto code = model.programs->get<Code>(key(RecordKey::Kind::kAcceleration, order), [&] {
        return model.is_large() ? record_segments(order) : record(order);
    });
    recordings_.push_back(std::make_unique<Recording>(*code, std::move(order)));
    return recordings_.back().get();
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
    const double* output = outputs_.data() + watched();
    for (PivotWatch& watch : recording.pivots) {
        const double part = *output++ * watch.inverse_size;
        if (!(std::abs(part) >= std::max(watch.least.sound, watch.least.good))) {
            return false;
        }
        watch.inverse_size = std::copysign(watch.inverse_size, part * watch.inverse_size);
    }
    set_bounds(recording);
    return std::all_of(output, output + recording.parts,
                       [](double inverse) { return inverse <= 1.0 / solve::kSoundPart; });
}

/// Runs the program at the state of the last system, to know what its pivots are there.
void CompiledAcceleration::measure() {
    outputs_.resize(active_->kernel.output_count());
    active_->kernel.run(evaluator_->inputs().data(), outputs_.data());
    const double* output = outputs_.data() + watched();
    for (PivotWatch& watch : active_->pivots) {
        watch.inverse_size = 1.0 / *output++;
    }
    set_bounds(*active_);
}

void CompiledAcceleration::set_bounds(Recording& recording) {
    recording.bounds.clear();
    for (const PivotWatch& watch : recording.pivots) {
        recording.bounds.push_back(watch.inverse_size / watch.fine);
    }
    recording.bounds.resize(recording.pivots.size() + recording.parts, solve::kSoundPart);
}

void CompiledAcceleration::Watched::add_pivot(const Recorded& value, const Bounds& least) {
    if (!value.is_number()) {
        pivots.push_back(value);
        bounds.emplace_back(least);
    }
}

void CompiledAcceleration::Watched::before(const solve::Elimination<Recorded>& elimination,
                                           const solve::Pivot& pivot) {
    if (pivot.coordinate >= 0 || !lengths_.empty()) {
        return;
    }
    // Range space: all coordinates are gone.
    for (std::size_t k = 0; k < rows_; ++k) {
        const int unknown = elimination.n() + static_cast<int>(k);
        lengths_.push_back(*elimination.find(unknown, unknown));
        add_pivot(lengths_.back(), {kLengthAlarm, kSoundLength, kSoundLength});
    }
}

void CompiledAcceleration::Watched::after(const solve::Pivot& pivot, const Recorded& value) {
    if (pivot.coordinate < 0) {
        const Recorded part = lengths_[static_cast<std::size_t>(pivot.row)] * reciprocal(value);
        if (!part.is_number()) {
            parts.push_back(part);
        }
    } else if (pivot.row < 0) {
        add_pivot(value, kMassBounds);
    } else {
        add_pivot(value, kRowBounds);
    }
}

CompiledAcceleration::Code CompiledAcceleration::record(const RowOrder& order) const {
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

    RecordedSystem system{model.row_entries, mass, entries, {force.begin(), force.end()}, {}};
    for (std::size_t i = 0; i < nonideal.size(); ++i) {
        system.force[i] = system.force[i] + nonideal[i];
    }
    for (const int row : order.rows) {
        system.b.push_back(b[static_cast<std::size_t>(row)]);
    }
    Watched watched(order.rows.size());
    const std::vector<Recorded> x = record_elimination(*evaluator_, inputs, std::move(system),
                                                       order, norm_rows(model), &watched);
    std::vector<Recorded> lambda(model.rows.size(), Recorded(0.0));
    for (std::size_t k = 0; k < order.rows.size(); ++k) {
        lambda[static_cast<std::size_t>(order.rows[k])] = Recorded(0.0) - x[n + k];
    }

    std::vector<code::Value> outputs;
    const std::span<const Recorded> v = std::span(inputs).subspan(layout.v(), n);
    for (const std::span<const Recorded> part : {v, std::span(x).first(n)}) {
        for (const Recorded& one : part) {
            outputs.push_back(one.value(builder));
        }
    }
    outputs.push_back(rate_of_energy(model, power, nonideal, entries, v, lambda).value(builder));
    for (const std::vector<Recorded>* part : {&watched.pivots, &watched.parts}) {
        for (const Recorded& one : *part) {
            outputs.push_back(one.value(builder));
        }
    }
    return {RecordedKernel(code::Kernel(builder.finish(outputs))), std::move(watched.bounds),
            watched.parts.size()};
}

bool CompiledAcceleration::derivatives(double t, const double* q, const double* v,
                                       std::span<double> J) {
    const InputLayout& layout = evaluator_->model().layout;
    const auto n = static_cast<std::size_t>(n_);
    const std::size_t inputs = layout.size();
    const std::size_t columns = 2 * n;  // q and v stand side by side among the inputs
    const std::size_t rows = n + 1;
    constexpr std::size_t lanes = kLanes;
    if (active_->kernel.program() == nullptr) {
        return false;
    }
    if (!active_->tangent) {
        std::vector<std::uint32_t> moving(columns);
        std::iota(moving.begin(), moving.end(), static_cast<std::uint32_t>(layout.q()));
        const auto code = evaluator_->model().programs->get<code::PacketKernel<kLanes>>(
            key(RecordKey::Kind::kTangent, active_->order), [&] {
                code::Program program = *active_->kernel.program();
                program.outputs.erase(program.outputs.begin(), program.outputs.begin() + n_);
                return code::PacketKernel<kLanes>(code::tangent(program, moving, rows));
            });
        active_->tangent.emplace(*code);
    }
    tangent_inputs_.assign((inputs + columns) * lanes, 0.0);
    tangent_outputs_.resize(rows * lanes);
    const std::span<const double> at = evaluator_->system_inputs(t, q, v);
    for (std::size_t i = 0; i < inputs; ++i) {
        std::fill_n(tangent_inputs_.begin() + static_cast<std::ptrdiff_t>(i * lanes), lanes, at[i]);
    }
    double* const rates = tangent_inputs_.data() + inputs * lanes;
    for (std::size_t first = 0; first < columns; first += lanes) {
        const std::size_t count = std::min(lanes, columns - first);
        for (std::size_t lane = 0; lane < count; ++lane) {
            rates[(first + lane) * lanes + lane] = 1.0;
        }
        active_->tangent->run(tangent_inputs_.data(), tangent_outputs_.data());
        for (std::size_t lane = 0; lane < count; ++lane) {
            rates[(first + lane) * lanes + lane] = 0.0;
            for (std::size_t i = 0; i < rows; ++i) {
                J[i * columns + first + lane] = tangent_outputs_[i * lanes + lane];
            }
        }
    }
    return true;
}

bool CompiledAcceleration::serves_across() const {
    const double* output = outputs_.data() + watched();
    bool serves = true;
    for (const PivotWatch& watch : active_->pivots) {
        const double part = *output++ * watch.inverse_size;
        serves &= std::abs(part) >= std::min(watch.least.alarm, kPivotAcross);
    }
    for (std::size_t k = 0; k < active_->parts; ++k) {
        serves &= *output++ <= 1.0 / solve::kSoundPart;
    }
    return serves;
}

/// What is wrong with the pivots, bound by bound.
PivotHealth CompiledAcceleration::examine() const {
    const double* output = outputs_.data() + watched();
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
