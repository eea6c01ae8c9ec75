#include "sim/whole_steps.h"

#include <algorithm>
#include <memory>

namespace ananke::sim {
namespace {

/// Programs of one run that are kept.
constexpr std::size_t kMostKnown = 64;

}  // namespace

bool WholeSteps::attempt(ode::WholeStep& step) {
    if (!evaluator_->inputs_hold() || !equation_->allows_whole_step(projects_)) {
        return false;
    }
    if (choices_ != equation_->choices()) {
        choose(step);
    }
    if (program_ == nullptr || !program_->ready(wanted_)) {
        return false;
    }
    if (!loaded_) {
        program_->load(parts_, step.atol, step.rtol);
        loaded_ = true;
    }
    if (!program_->run(evaluator_->inputs(), step) || !surface_->accepts(*program_) ||
        !equation_->trusts_end(parts_, program_->ranks())) {
        return false;
    }
    step.moved = program_->position().correction > 0.0 || program_->velocity().correction > 0.0;
    return true;
}

void WholeSteps::take(const ode::WholeStep& step) {
    surface_->count_end(*program_);
    equation_->take_end(parts_, projects_, step.end_slope, program_->ranks());
}

void WholeSteps::choose(const ode::WholeStep& step) {
    choices_ = equation_->choices();
    parts_ = {};
    loaded_ = false;
    const bool whole = equation_->add_to(parts_, projects_) &&
                       surface_->add_to(parts_, equation_->order(), step.t, step.y);
    program_ = whole ? &program_of(parts_) : nullptr;
}

StepProgram& WholeSteps::program_of(const StepParts& parts) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
        return one.parts.has_programs_of(parts);
    });
    if (known != known_.end()) {
        return known->program;
    }
    if (known_.size() >= kMostKnown) {
        known_.clear();
    }
    const CompiledModel& model = evaluator_->model();
    const auto key = RecordKey(RecordKey::Kind::kStep)
                         .add(parts.acceleration.get())
                         .add(parts.position.get())
                         .add(parts.velocity.get())
                         .add(parts.rank.get());
    const auto code = model.programs->get<std::shared_ptr<const StepCode>>(
        key, [&] { return std::make_shared<const StepCode>(model.layout, parts); });
    known_.push_back({parts, StepProgram(*code)});
    return known_.back().program;
}

}  // namespace ananke::sim
