#include "simulate/record_programs.h"

#include <utility>
#include <vector>

#include "dynamics/implicit_systems.h"
#include "dynamics/state_equation.h"
#include "dynamics/surface.h"

namespace ananke::simulate {

void record_programs(std::shared_ptr<const compile::CompiledModel> model, std::span<const double> parameters,
                     const dynamics::StartState& start, const RunOptions& options) {
    dynamics::Evaluator evaluator(std::move(model), parameters);
    evaluator.scales().start(start.scales);
    evaluator.scales().see(start.q.data(), start.v.data());
    evaluator.hold_integrals(options.start, start.q.data());
    dynamics::StateEquation equation(evaluator, options.dynamics);
    std::vector<double> y = equation.state(start);
    std::vector<double> slope(y.size());
    if (equation.rhs(options.start, y, slope).kind == ode::Evaluation::Kind::kOk) {
        dynamics::Surface(evaluator, options.dynamics.drift, options.tolerance)
            .accept(options.start, 0.0, y, equation.order());
        if (options.stiff && dynamics::may_be_sparse(evaluator.model(), options.dynamics)) {
            dynamics::ImplicitSystems::make(evaluator, equation.right_hand_side(), 0, options.sparse_steps);
        }
    }
}

}  // namespace ananke::simulate
