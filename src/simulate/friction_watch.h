// Finds where inside a step a friction comes to rest, turns, or breaks away.
//
// The direction of a friction that slips is constant within a step, so that a step may end beyond
// slip = 0; there it is cut. The rows slip = 0 of a friction that sticks are in force, and the step
// is cut where their multipliers, the friction force, exceed the static limit.
#pragma once

#include "dynamics/state_equation.h"
#include "dynamics/surface.h"
#include "simulate/friction_decision.h"
#include "simulate/journal.h"
#include "simulate/step_watch.h"
#include "solve/analysis.h"

namespace ananke::simulate {

/// A friction whose load is a share of a force that several constraints carry.
struct SharedLoad {
    int which;
    std::string text;
};
std::vector<SharedLoad> shared_loads(const compile::CompiledModel& model,
                                     const solve::Analysis& analysis);

class FrictionWatch final : public StepWatch {
  public:
    /// All must outlive the watch.
    FrictionWatch(dynamics::Evaluator& evaluator, const dynamics::MethodOptions& options,
                  double tolerance, dynamics::StateEquation& equation, dynamics::Surface& surface,
                  Journal& journal);

    bool empty() const { return decision_.count() == 0; }
    /// Reports loads that are a choice, at the state where the run starts.
    void report_shared_loads(double t, std::span<const double> y);
    /// Decides for all frictions at a state that no step has led to, and brings to rest what is
    /// held.
    Result<void> settle(double t, std::span<double> y);
    void release() { decision_.release(); }

    Result<std::optional<double>> after_step(SingularStepper& stepper, double until,
                                             std::span<const double> row_times) override;
    Result<double> change(double t, std::span<double> y, double next_step) override;

  private:
    void report(double t, int f, const std::string& kind, const std::string& detail);
    Result<void> adopt(double t, std::span<double> y,
                       const Result<std::vector<FrictionChange>>& changes);
    solve::SolveStatus find_forces(ode::Stepper& stepper, double t, const double* q,
                                   const double* v);
    void find_signals(ode::Stepper& stepper, double t, std::span<const double> y);
    std::optional<FrictionEvent> first_event(ode::Stepper& stepper);
    std::optional<FrictionEvent> locate(ode::Stepper& stepper, int f, double before, double after);

    dynamics::Evaluator* evaluator_;
    dynamics::StateEquation* equation_;
    dynamics::Surface* surface_;
    Journal* journal_;
    FrictionDecision decision_;
    FrictionEvent event_{};                   ///< found last
    bool rows_chosen_ = false;                ///< by the dynamics of the decision, in this step
    std::vector<double> y_;                   ///< a state inside the step
    std::vector<double> signals_, rounding_;  ///< per friction, at the last state
    std::vector<double> signals_before_, signals_now_, rounding_now_;  ///< at the ends of a part
    std::vector<double> begin_sizes_;  ///< of the slips, where the step began
};

}  // namespace ananke::simulate
