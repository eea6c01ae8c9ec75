// Steps of a run that one program makes, where nothing speaks against it: the programs of the
// acceleration, the projection and the watch over the rank are put together
// (sim/step_program.h), and what they find at the end of a step is as if each had been asked.
#pragma once

#include <deque>

#include "ode/problem.h"
#include "sim/evaluator.h"
#include "sim/state_equation.h"
#include "sim/step_program.h"
#include "sim/surface.h"

namespace ananke::sim {

class WholeSteps {
  public:
    /// `wanted`: also where the program has not paid yet.
    WholeSteps(Evaluator& evaluator, StateEquation& equation, Surface& surface, bool wanted)
        : evaluator_(&evaluator),
          equation_(&equation),
          surface_(&surface),
          wanted_(wanted),
          projects_(surface.projects()) {}

    /// See ode::Problem::whole_step. Leaves no trace.
    bool attempt(ode::WholeStep& step);
    /// See ode::Problem::whole_step_taken.
    void take(const ode::WholeStep& step);

  private:
    /// Programs of this run, by what they are put together from.
    struct Known {
        StepParts parts;
        StepProgram program;
    };

    /// Finds or makes the program for what was chosen, if there is one.
    void choose(const ode::WholeStep& step);
    StepProgram& program_of(const StepParts& parts);

    Evaluator* evaluator_;
    StateEquation* equation_;
    Surface* surface_;
    bool wanted_;
    bool projects_;
    std::size_t choices_ = 0;  ///< of the equation, as known here
    StepParts parts_;
    StepProgram* program_ = nullptr;  ///< of parts_; null: none
    bool loaded_ = false;             ///< with their numbers
    std::deque<Known> known_;
};

}  // namespace ananke::sim
