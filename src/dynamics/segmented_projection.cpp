// The corrections of large systems, recorded in segments.

#include <utility>

#include "code/lazy_replay.h"
#include "dynamics/compiled_projection.h"
#include "dynamics/segmented_elimination.h"

namespace ananke::dynamics {

using code::Traced;

/// As record_level().
RecordedKernel CompiledProjection::record_segments(const code::Program& program, std::size_t rows,
                                                   std::span<const compile::Place> places,
                                                   const RowOrder& order,
                                                   std::span<const int> norms) const {
    const compile::CompiledModel& model = evaluator_->model();
    code::Tracer tracer(static_cast<std::uint32_t>(model.layout.size()));
    const std::vector<Traced> inputs = traced_inputs(tracer, *evaluator_);
    const std::vector<std::uint32_t> colors = input_colors(model);
    code::LazyReplay mass(tracer, model.mass.program(), inputs, colors);
    code::LazyReplay level(tracer, program, inputs, colors);
    const std::size_t all = (program.outputs.size() - places.size()) / 2;
    const TracedSystem system{places, [&](std::size_t i) { return mass.output(i); },
                              [&](std::size_t i) { return level.output(all + i); },
                              [](std::size_t) { return Traced(0.0); },
                              [&](std::size_t k) {
                                  return Traced(0.0) -
                                         level.output(static_cast<std::size_t>(order.rows[k]));
                              }};
    SegmentedElimination elimination(tracer, *evaluator_, inputs, system, order, norms);
    std::vector<Traced> outputs = elimination.run();
    outputs.resize(n_);
    std::vector<Traced> magnitudes;
    int constraint = -1;
    for (std::size_t k = 0; k < rows; ++k) {
        if (std::exchange(constraint, model.rows[k].constraint) != model.rows[k].constraint) {
            tracer.cut();
        }
        outputs.push_back(level.output(k));
        magnitudes.push_back(level.output(all + places.size() + k));
    }
    outputs.insert(outputs.end(), magnitudes.begin(), magnitudes.end());
    return RecordedKernel(code::SegmentedKernel(tracer.finish(outputs)));
}

}  // namespace ananke::dynamics
