// One run from its start to its end: steps, and what happens inside and between them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/actuation.h"
#include "simulate/event_watch.h"
#include "simulate/friction_watch.h"
#include "simulate/journal.h"
#include "simulate/output_rows.h"
#include "simulate/row_watch.h"
#include "simulate/run.h"
#include "simulate/singular_stepper.h"
#include "dynamics/state_equation.h"
#include "dynamics/surface.h"
#include "simulate/switch_watch.h"

namespace ananke::simulate {

class Runner {
  public:
    Runner(std::shared_ptr<const compile::CompiledModel> model, std::span<const double> parameters,
           const RunOptions& options, Recorder& recorder);

    RunSummary run(const dynamics::StartState& start);

  private:
    using Clock = std::chrono::steady_clock;

    // run.cpp: the loop.
    void integrate(const dynamics::StartState& start);
    void show_progress(double t);
    ode::Acceptance accepted(double t, std::span<double> y);
    ode::Status step_through(SingularStepper& stepper);
    bool is_over(const ode::Stepper& stepper);
    bool stagnates(const ode::Stepper& stepper);
    bool started_singular(const ode::Stepper& stepper);
    ode::Status pass_step(SingularStepper& stepper);
    bool repeat_step(const OutputRows::Doubt& doubt, SingularStepper& stepper);
    std::optional<double> first_event(ode::Stepper& stepper, double until);
    ode::Status stop_at_vanished_row(const VanishedRow& row, SingularStepper& stepper);
    ode::Status stop_at_lost_control(double t, SingularStepper& stepper);
    void end_at(double t, Error error);
    static double seconds_since(Clock::time_point then);

    // run_changes.cpp: where a step is cut, because the run goes on otherwise.
    ode::Status cut(double t, SingularStepper& stepper, double rows_until);
    ode::Status change_law(const Switching& change, SingularStepper& stepper);
    ode::Status change_friction(const FrictionEvent& event, SingularStepper& stepper);
    ode::Status pass_events(double t, SingularStepper& stepper);
    void take_law(double t);
    void restart(double t, ode::Stepper& stepper, double longest_step);
    void go_on(double t, ode::Stepper& stepper, double step);
    bool settle_friction(double t);
    void note_changes(double t, const Result<std::vector<FrictionChange>>& changes);
    void note_shared_loads(double t);

    const RunOptions& options_;
    Journal journal_;
    dynamics::Evaluator evaluator_;
    std::size_t n_;
    dynamics::StateEquation equation_;
    dynamics::Surface surface_;
    OutputRows rows_;
    FrictionWatch friction_;
    RowWatch row_watch_;
    SwitchWatch switch_watch_;
    EventWatch event_watch_;
    dynamics::ControlWatch control_watch_;
    Clock::time_point began_;
    Clock::time_point last_progress_;

    std::vector<double> y_;           ///< where the run starts, or starts anew
    std::optional<double> ended_at_;  ///< inside the last step
    double step_tried_ = 0.0;         ///< length of the last attempt at a step
    std::size_t counted_steps_ = 0;   ///< when progress was last measured
    double counted_at_ = 0.0;         ///< the time then
    int slow_ = 0;                    ///< measurements in succession that led nowhere
    int dry_ = 0;                     ///< of these, where dry forces bring the motion to rest
    int repeated_ = 0;                ///< steps made again since one was not
    bool first_step_done_ = false;
};

}  // namespace ananke::simulate
