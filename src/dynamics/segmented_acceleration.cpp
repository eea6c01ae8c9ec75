// The acceleration of a large system, recorded in segments.

#include "code/lazy_replay.h"
#include "dynamics/compiled_acceleration.h"
#include "dynamics/segmented_elimination.h"

namespace ananke::dynamics {

using code::Traced;

CompiledAcceleration::Code CompiledAcceleration::record_segments(const RowOrder& order,
                                                                 bool with_multipliers) const {
    const compile::CompiledModel& model = evaluator_->model();
    const compile::InputLayout& layout = model.layout;
    const auto n = static_cast<std::size_t>(n_);
    code::Tracer tracer(static_cast<std::uint32_t>(layout.size()));
    const std::vector<Traced> inputs = traced_inputs(tracer, *evaluator_);
    code::LazyReplay equations(tracer, model.dynamics.program(), inputs, input_colors(model));
    // As the kernel of the dynamics has them: M, Q, C, A, b, power.
    const std::size_t Q = model.mass_entries.size();
    const std::size_t C = Q + n;
    const std::size_t A = C + (model.has_nonideal ? n : 0);
    const std::size_t b = A + model.row_entries.size();
    const std::size_t power = b + model.rows.size();
    const TracedSystem system{
        model.row_entries, [&](std::size_t i) { return equations.output(i); },
        [&](std::size_t i) { return equations.output(A + i); },
        [&](std::size_t i) {
            const Traced force = equations.output(Q + i);
            return model.has_nonideal ? force + equations.output(C + i) : force;
        },
        [&](std::size_t k) {
            return equations.output(b + static_cast<std::size_t>(order.rows[k]));
        }};
    Watched<Traced> watched(order.rows.size());
    const std::vector<int> norms = norm_rows(model);
    SegmentedElimination elimination(tracer, *evaluator_, inputs, system, order, norms);
    const std::vector<Traced> x = elimination.run(&watched);

    // power + Qc . v,  Qc = C + A^T lambda: rows with A v = 0 do no work.
    Traced rate = equations.output(power);
    for (std::size_t i = 0; model.has_nonideal && i < n; ++i) {
        rate = rate + equations.output(C + i) * inputs[layout.v() + i];
    }
    const std::vector<int> places = places_among(order.rows, model.m());
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const int row = places[static_cast<std::size_t>(place.row)];
        if (row >= 0 && !model.rows[static_cast<std::size_t>(place.row)].homogeneous) {
            rate = rate - x[n + static_cast<std::size_t>(row)] *
                              (equations.output(A + i) *
                               inputs[layout.v() + static_cast<std::size_t>(place.column)]);
        }
    }
    const auto v = inputs.begin() + static_cast<std::ptrdiff_t>(layout.v());
    std::vector<Traced> outputs(v, v + static_cast<std::ptrdiff_t>(n));
    outputs.insert(outputs.end(), x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    outputs.push_back(rate);
    outputs.insert(outputs.end(), watched.pivots.begin(), watched.pivots.end());
    outputs.insert(outputs.end(), watched.parts.begin(), watched.parts.end());
    if (with_multipliers) {
        outputs.insert(outputs.end(), x.begin() + static_cast<std::ptrdiff_t>(n), x.end());
    }
    return {RecordedKernel(code::SegmentedKernel(tracer.finish(outputs))),
            std::move(watched.bounds), watched.parts.size()};
}

}  // namespace ananke::dynamics
