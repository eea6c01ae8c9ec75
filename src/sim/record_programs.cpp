#include "sim/record_programs.h"

#include <utility>
#include <vector>

#include "sim/implicit_systems.h"
#include "sim/state_equation.h"
#include "sim/surface.h"

namespace ananke::sim {

void record_programs(std::shared_ptr<const CompiledModel> model, std::span<const double> parameters,
                     const StartState& start, const RunOptions& options) {
    Evaluator evaluator(std::move(model), parameters);
    evaluator.scales().start(start.scales);
    evaluator.scales().see(start.q.data(), start.v.data());
    evaluator.hold_integrals(options.start, start.q.data());
    StateEquation equation(evaluator, options.dynamics);
    std::vector<double> y = equation.state(start);
    std::vector<double> slope(y.size());
    if (equation.rhs(options.start, y, slope).kind == ode::Evaluation::Kind::kOk) {
        Surface(evaluator, options.dynamics.drift, options.tolerance)
            .accept(options.start, 0.0, y, equation.order());
        if (options.stiff && may_be_sparse(evaluator.model(), options.dynamics)) {
            ImplicitSystems::make(evaluator, equation.right_hand_side(), 0, options.sparse_steps);
        }
    }
}

}  // namespace ananke::sim
