// Passes singular configurations: instants at which constraints become dependent and the rank of A
// falls, to come back right after (all links of a four-bar linkage in one line).
//
// The weakest pivot of the kept rows falls to zero there, errors of the acceleration grow like its
// inverse third power, and several motions may branch off. The motion goes on smoothly on one of
// them. So no step is tried into the instant:
//
//   foresee (singular_foresee.cpp)  the states before it tell when the row will be dependent, by
//   its
//                                   component orthogonal to the other rows, which changes its sign;
//   cross (singular_cross.cpp)      one Gauss collocation step, whose points lie on both sides,
//                                   replaces the steps that would meet it. It must pass the same
//                                   error test as any other step, and the constraints must hold at
//                                   the instant itself: a mechanism that only comes near to a
//                                   singular configuration fails this and is stepped through;
//   resume (crossing_forces.h)      an event inside the crossing cuts it; the rest of it is the
//   next
//                                   step, unless the forces have changed.
//
// A step that passed over an instant unforeseen is found by the row that has changed its direction,
// and replaced in the same way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/state_equation.h"
#include "dynamics/surface.h"
#include "ode/gauss_step.h"
#include "ode/root.h"
#include "ode/stepper.h"
#include "simulate/crossing_forces.h"
#include "simulate/row_follower.h"

namespace ananke::simulate {

class SingularStepper final : public ode::Stepper {
  public:
    /// `rtol` is that of `inner`. All must outlive the stepper.
    SingularStepper(std::unique_ptr<ode::Stepper> inner, dynamics::Evaluator& evaluator,
                    dynamics::StateEquation& equation, dynamics::Surface& surface, double rtol);

    using Stepper::start;
    /// A start from a state inside the last step, where that was a crossing (an event was recorded
    /// there), goes on with the rest of the crossing, unless the forces have changed.
    void start(double t0, std::span<const double> y0, double step) override;
    [[nodiscard]] ode::Status step(double t_end) override;
    [[nodiscard]] ode::Status dense(double t, std::span<double> y) override;

    double t() const override {
        return last_ == Last::kCut ? t_previous_ : is_crossing() ? t_ : inner_->t();
    }
    double t_previous() const override {
        return is_crossing() ? t_previous_ : inner_->t_previous();
    }
    std::span<const double> y() const override {
        return last_ == Last::kCut ? std::span<const double>(y_previous_)
               : is_crossing()     ? std::span<const double>(y_)
                                   : inner_->y();
    }
    std::span<const double> y_previous() const override {
        return is_crossing() ? std::span<const double>(y_previous_) : inner_->y_previous();
    }
    double next_step() const override { return inner_->next_step(); }
    /// A crossing was tested by other means.
    [[nodiscard]] double defect(double t, std::span<const double> slope) override {
        return is_crossing() ? 0.0 : inner_->defect(t, slope);
    }
    std::span<const double> absolute_tolerances() const override {
        return inner_->absolute_tolerances();
    }
    const ode::Statistics& statistics() const override { return statistics_; }
    int rhs_code() const override { return inner_->rhs_code(); }

    /// The last step failed because a singular configuration is so near that the state is on no
    /// branch any more.
    bool is_lost() const { return lost_; }
    /// Instants can be crossed at all.
    bool may_cross() const { return surface_->projects(); }
    /// The singular configuration inside the last step, if there is one.
    const std::optional<SingularPoint>& singular() const { return singular_; }
    /// Weakest pivot at a state inside the last step, by the order of the rows before it; 1 if that
    /// step was not made by collocation: no singular configuration is near.
    double pivot_at(double t, std::span<const double> y);
    /// Derivative of the motion inside the last step. Requires that it was made by collocation.
    void slope(double t, std::span<double> dydt) const { gauss_.slope(t, dydt); }

  private:
    /// What the last step, or the last start, was.
    enum class Last : std::uint8_t {
        kInner,     ///< of the integrator
        kCrossing,  ///< by collocation, from t_previous_ to t_
        kCut,  ///< a start at t_previous_ inside a crossing: the rest, up to t_, is the next step
    };
    /// What is known of the two last states; each case includes those before it.
    enum class Known : std::uint8_t {
        kNothing,
        kState,        ///< now_, without its weakest row
        kWeakestRow,   ///< of now_
        kWeakestRows,  ///< of previous_ and now_
    };
    struct State {
        double t = 0.0;
        dynamics::WeakestRow weakest;
        std::vector<double> y, slope;   ///< as y
        std::vector<double> direction;  ///< n  of the weakest row
    };
    /// What to do about an instant that may lie ahead.
    struct Approach {
        enum class Action : std::uint8_t {
            kStep,     ///< by the integrator, not beyond `limit`
            kCrossed,  ///< nothing: it has been crossed
            kFail,     ///< the state is on no branch any more
        };
        Action action;
        double limit = 0.0;
    };
    /// Puts the state of a motion at a time into work_; false if there is none.
    using Motion = ode::FunctionRef<bool(double)>;

    bool is_crossing() const { return last_ != Last::kInner; }
    bool is_blocked() const;
    ode::Status fail();
    void take_rest();
    void add_statistics();
    void record_start();
    void record_state(double t, std::span<const double> y);
    void find_weakest(State& state);
    bool find_previous_weakest();

    // singular_foresee.cpp
    Approach approach(double t_end);
    std::optional<double> foresee();
    std::optional<double> foresee_from_start();
    bool is_undecided(double t) const;
    double blur(double t, std::span<const double> y);
    bool is_on_no_branch();
    bool ends_at(double t_singular);
    bool may_have_turned();
    bool no_pivot_changed();
    void replace_if_passed(double t_end);
    void replace_if_too_near(double t_end);
    bool prepare_path(const State& from);
    void path(double t, std::span<double> y) const;
    std::optional<double> find_turn(Motion move, double before, double after, double tolerance);
    std::optional<ode::Root> find_change_of_pivot(Motion move, double before, double after,
                                                  double tolerance);

    // singular_cross.cpp
    bool cross(const State& from, double t_singular, double longest, double t_end);
    bool project_closest(double t, std::span<double> y) {
        return surface_->project_closely(t, y, equation_->acceleration().order());
    }
    bool end_is_sound(double t1);
    bool energy_is_kept(const State& from, double t1);
    double distance(std::span<const double> x, std::span<const double> y) const;
    bool vanishes(double t, std::span<const double> y);
    std::optional<double> singular_time(const State& from, double t1);
    void accept_crossing(const State& from, double t1, double t_end);
    bool goes_on(double t0, std::span<const double> y0);

    std::unique_ptr<ode::Stepper> inner_;
    dynamics::Evaluator* evaluator_;
    dynamics::StateEquation* equation_;
    dynamics::Surface* surface_;
    double rtol_;
    bool watches_;  ///< there are constraints, and by a method that can tell their weakest row
    std::size_t n_;
    ode::GaussStep gauss_;
    RowFollower follower_;        ///< keeps the rows before the instant
    ode::Statistics statistics_;  ///< since start()
    ode::Statistics counted_;     ///< of that, before inner_ last started

    Known known_ = Known::kNothing;
    State previous_, now_;
    double strongest_ = 0.0;  ///< weakest pivot since the start
    /// The steps' own method tells no row: the follower chooses the rows, at states that steps have
    /// led to, and an instant is found behind the step and reported, not crossed.
    bool rows_by_follower_ = false;
    bool lost_ = false;      ///< see is_lost()
    int refused_ = 0;        ///< attempts on the way to this instant
    int foreseen_row_ = -1;  ///< that vanishes at the instant foreseen last; -1: the weakest

    Last last_ = Last::kInner;
    double t_ = 0.0;  ///< end of the crossing
    double t_previous_ = 0.0;
    std::vector<double> y_, y_previous_;
    std::optional<SingularPoint> singular_;  ///< in the last step
    CrossingForces forces_;

    std::vector<double> work_;                  ///< as y
    std::vector<double> pivots_;                ///< see find_change_of_pivot()
    std::vector<double> end_, lower_, lowest_;  ///< as y, once there was a crossing
};

}  // namespace ananke::simulate
