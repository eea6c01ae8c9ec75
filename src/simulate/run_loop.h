// One run: the loop over the steps, and what happens inside them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/actuation.h"
#include "dynamics/state_equation.h"
#include "dynamics/surface.h"
#include "simulate/event_watch.h"
#include "simulate/friction_watch.h"
#include "simulate/journal.h"
#include "simulate/output_rows.h"
#include "simulate/row_watch.h"
#include "simulate/run.h"
#include "simulate/singular_stepper.h"
#include "simulate/stagnation.h"
#include "simulate/switch_watch.h"

namespace ananke::simulate {

class RunLoop {
  public:
    RunLoop(std::shared_ptr<const compile::CompiledModel> model, std::span<const double> parameters,
            const RunOptions& options, Recorder& recorder);

    RunSummary run(const dynamics::StartState& start);

  private:
    using Clock = std::chrono::steady_clock;
    /// Where a watch asks for a cut of the last step.
    struct Cut {
        StepWatch* watch;
        double t;
    };
    /// Where the run ends inside the last step, and why.
    struct End {
        double t;
        Error why;
    };

    // run.cpp: from the start to the integrator, and to the summary.
    std::optional<Error> check_start(const dynamics::StartState& start);
    void integrate(const dynamics::StartState& start);

    // run_loop.cpp: the loop.
    ode::Status step_through(SingularStepper& stepper);
    void begin(SingularStepper& stepper);
    ode::Acceptance accept(double t, std::span<double> y);
    bool is_over(const ode::Stepper& stepper) const;
    bool stagnates(const ode::Stepper& stepper);
    bool started_singular(const ode::Stepper& stepper);
    ode::Status pass_step(SingularStepper& stepper);
    bool repeats_step(SingularStepper& stepper);
    std::optional<Cut> first_change(SingularStepper& stepper);
    ode::Status change(const Cut& cut, SingularStepper& stepper);
    std::optional<End> first_end(SingularStepper& stepper);
    void restart(double t, double step, ode::Stepper& stepper);
    void end_at(double t, Error error);
    void show_progress(double t);
    double seconds_since(Clock::time_point then) const;

    const RunOptions& options_;
    Journal journal_;
    dynamics::Evaluator evaluator_;
    std::size_t n_;
    dynamics::StateEquation equation_;
    dynamics::Surface surface_;
    OutputRows rows_;
    SwitchWatch switches_;
    FrictionWatch frictions_;
    EventWatch events_;
    RowWatch constraint_rows_;
    dynamics::ControlWatch controls_;
    Pace pace_;
    Clock::time_point began_;
    Clock::time_point last_progress_;

    std::vector<double> y_;           ///< where the run starts, or starts anew
    std::optional<double> ended_at_;  ///< inside the last step
    double step_tried_ = 0.0;         ///< length of the last attempt at a step
    int repeated_ = 0;                ///< steps made again since one was not
    bool first_step_done_ = false;
};

}  // namespace ananke::simulate
