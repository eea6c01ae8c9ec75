// Finds where a force changes its law inside a step, and decides the law that goes on from there.
//
// A switch changes where its g leaves the side that is held (compile/switches.h). g is sampled in
// several places of the step, and between them where a parabola through three comes near to zero.
//
// Changes that make no progress in time have a reason. A law that jumps may push towards the place
// from both sides: g' > 0 below it and g' < 0 above it, of positions g'' (THEORY: a sliding mode of
// Filippov). Then the motion sticks there, and the run ends with the two numbers. A law without a
// jump never does so; its switch is let go, and follows the state, until a whole step lies on one
// side. Where sign(0) = 0 leaves g at rest, g rests.
//
// A jump in positions that is damped is reached by swings that shrink, whose number grows
// exponentially with time. A swing goes as far as g'^2/(2 |g''|). Swings that shrink steadily end
// when this is less than the errors that their steps may have.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "dynamics/state_equation.h"
#include "simulate/journal.h"
#include "simulate/step_watch.h"

namespace ananke::simulate {

struct Switching {
    double t;     ///< just behind the change
    int which;    ///< index into CompiledModel::switches
    int side;     ///< from here on
    bool stalls;  ///< where the step began: no progress
};

class SwitchWatch final : public StepWatch {
  public:
    /// `tolerance`: of a step, relative. All must outlive the watch.
    SwitchWatch(dynamics::Evaluator& evaluator, const dynamics::MethodOptions& options,
                double tolerance, dynamics::StateEquation& equation, Journal& journal);

    /// Requires that the evaluator's sides are those the step was made with.
    Result<std::optional<double>> after_step(SingularStepper& stepper, double until,
                                             std::span<const double> row_times) override;
    /// The law that acts from there is held. Fails when the motion sticks, or when a condition on
    /// reactions has no answer.
    Result<double> change(double t, std::span<double> y, double next_step) override;

  private:
    /// Rates of g beside a place, and nearer to it.
    struct Beside {
        double rate, nearer, rounding;
    };
    /// Successive swings to one side of a switch of positions.
    struct Swings {
        double speed = 0.0;  ///< |g'| at the end of the last one
        double begun = 0.0;  ///< and of the first one since which they shrink
        int shorter = 0;     ///< in a row
    };
    std::optional<Switching> first_change(ode::Stepper& stepper, std::span<const double> row_times);
    Result<int> change_side(const Switching& found, std::span<const double> y);
    void find_state(ode::Stepper& stepper, double t);
    double value_at(ode::Stepper& stepper, int which, double t);
    bool has_left(int which, double g) const;
    bool is_away(ode::Stepper& stepper, int which, double t);
    double sample(std::size_t time, int which) const;
    std::optional<Switching> first_change_of(ode::Stepper& stepper, int which);
    std::optional<Switching> change_seen_in_row(ode::Stepper& stepper,
                                                std::span<const double> row_times, double until);
    Switching leaves(ode::Stepper& stepper, int which, double before, double after);
    int side_at(ode::Stepper& stepper, int which, double t);
    std::optional<double> bottom(ode::Stepper& stepper, int which, std::size_t middle);
    double locate(ode::Stepper& stepper, int which, double before, double after);
    void hold_again_where_clear();
    std::optional<double> rate_at(double t, std::span<const double> y, int which);
    void find_gradient(double t, std::span<const double> y, int which);
    void move_to(int which, double g, double t, std::span<const double> y);
    double tolerance_of(int which, double t, std::span<const double> y);
    bool swings_end(const Switching& found, std::span<const double> y);
    std::optional<Beside> beside(int which, int side, double t, std::span<const double> y);
    bool rests(const Switching& found, std::span<const double> y);
    std::optional<Error> sticks(const Switching& found, std::span<const double> y);
    Result<int> change_of_reaction(const Switching& found, std::span<const double> y);

    dynamics::Evaluator* evaluator_;
    dynamics::StateEquation* equation_;
    Journal* journal_;
    Switching found_{};
    std::optional<dynamics::MotionSolver> dynamics_;  ///< of its own; absent without switches
    double tolerance_;
    std::size_t n_;
    bool by_reactions_;
    bool rows_chosen_ = false;                   ///< by dynamics_, in this step
    std::vector<double> times_;                  ///< of the samples in the step
    std::vector<double> values_;                 ///< times x switches
    std::vector<double> y_, moved_;              ///< states
    std::vector<double> a_, gradient_;           ///< n
    std::vector<double> band_;                   ///< per switch at rest: |g| up to this is none
    std::vector<int> stalled_;                   ///< per switch: changes since the last progress
    std::vector<std::array<Swings, 2>> swings_;  ///< per switch: below its place, above it
};

}  // namespace ananke::simulate
