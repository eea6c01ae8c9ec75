#include "sim/whole_steps.h"

#include <algorithm>
#include <memory>

namespace ananke::sim {

bool WholeSteps::attempt(ode::WholeStep& step) {
    StepParts parts;
    if (!evaluator_->inputs_hold() || !equation_->add_to(parts, surface_->projects()) ||
        !surface_->add_to(parts, equation_->order(), step.t, step.y)) {
        return false;
    }
    if (program_ == nullptr || !parts.has_programs_of(parts_)) {
        program_ = &program_of(parts);
    }
    parts_ = parts;
    if (!program_->ready(wanted_) || !program_->run(evaluator_->inputs(), parts_, step) ||
        !surface_->accepts(*program_) || !equation_->trusts_end(parts_, program_->ranks())) {
        return false;
    }
    step.moved = program_->position().correction > 0.0 || program_->velocity().correction > 0.0;
    return true;
}

void WholeSteps::take(const ode::WholeStep& step) {
    surface_->count_end(*program_);
    equation_->take_end(parts_, surface_->projects(), step.end_slope, program_->ranks());
}

StepProgram& WholeSteps::program_of(const StepParts& parts) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
        return one.parts.has_programs_of(parts);
    });
    if (known != known_.end()) {
        return known->program;
    }
    const CompiledModel& model = evaluator_->model();
    const auto key = RecordKey(RecordKey::Kind::kStep)
                         .add(parts.acceleration)
                         .add(parts.position)
                         .add(parts.velocity)
                         .add(parts.rank);
    const auto code = model.programs->get<std::shared_ptr<const StepCode>>(
        key, [&] { return std::make_shared<const StepCode>(model.layout, parts); });
    known_.push_back({parts, StepProgram(*code)});
    return known_.back().program;
}

}  // namespace ananke::sim
