// Passes singular configurations: instants at which constraints become dependent and the rank of A
// falls, to come back right after (all links of a four-bar linkage in one line).
//
// The weakest pivot of the kept rows falls to zero there, errors of the acceleration grow like its
// inverse third power, and several motions may branch off. The motion goes on smoothly on one of
// them. So the instant is foreseen from the states before it and no step is tried
// into it: a Gauss collocation step, whose points lie on both sides, replaces the steps that would
// meet it. It must pass the same error test as any other step, and the constraints
// must hold at the instant itself; a mechanism that only comes near to a singular configuration
// fails the second test and is stepped through as ever. A step that passed over such an instant
// unforeseen is found by the row that has turned round, and replaced in the same way.
#pragma once

#include <array>
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
#include "simulate/row_follower.h"

namespace ananke::simulate {

class SingularStepper final : public ode::Stepper {
  public:
    /// `rtol` is that of `inner`. All must outlive the stepper.
    SingularStepper(std::unique_ptr<ode::Stepper> inner, dynamics::Evaluator& evaluator,
                    dynamics::StateEquation& equation, dynamics::Surface& surface, double rtol);

    using Stepper::start;
    /// A start from a state of the last step, where that was a crossing (an event was noted
    /// there), goes on with the rest of the crossing, unless the forces are others now.
    void start(double t0, std::span<const double> y0, double step) override;
    [[nodiscard]] ode::Status step(double t_end) override;
    [[nodiscard]] ode::Status dense(double t, std::span<double> y) override;

    double t() const override { return resumed_ ? t_previous_ : (collocated_ ? t_ : inner_->t()); }
    double t_previous() const override { return collocated_ ? t_previous_ : inner_->t_previous(); }
    std::span<const double> y() const override {
        return resumed_ ? std::span<const double>(y_previous_)
                        : (collocated_ ? std::span<const double>(y_) : inner_->y());
    }
    std::span<const double> y_previous() const override {
        return collocated_ ? std::span<const double>(y_previous_) : inner_->y_previous();
    }
    double next_step() const override { return inner_->next_step(); }
    /// A crossing was tested by other means.
    [[nodiscard]] double defect(double t, std::span<const double> slope) override {
        return collocated_ ? 0.0 : inner_->defect(t, slope);
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
    struct State {
        double t = 0.0;
        dynamics::WeakestRow weakest;
        std::vector<double> y, slope;   ///< as y
        std::vector<double> direction;  ///< n  of the weakest row
    };

    bool goes_on(double t0, std::span<const double> y0);
    void note_forces();
    bool forces_are_the_same(double t0);
    void give_way();
    void note_start();
    void note_state(double t, std::span<const double> y);
    void look_back();
    std::optional<double> foresee();
    std::optional<double> foresee_from_start();
    bool is_undecided(double t) const;
    double blur(double t, std::span<const double> y);
    bool is_on_no_branch();
    bool ends_at(double t_singular);
    bool may_have_turned();
    void look_behind(double t_end);
    void look_closely_ahead(double t_end);
    void find_weakest(State& state);
    bool prepare_path(const State& from);
    void path(double t, std::span<double> y) const;
    /// Puts the state of a motion at a time into work_; false if there is none.
    using Motion = ode::FunctionRef<bool(double)>;
    std::optional<double> find_turn(Motion move, double before, double after, double tolerance);
    bool no_pivot_changed();
    std::optional<ode::Root> find_change_of_pivot(Motion move, double before, double after,
                                                  double tolerance);
    bool cross(const State& from, double t_singular, double longest, double t_end);
    bool project_closest(double t, std::span<double> y) {
        return surface_->put_back_closest(t, y, equation_->order());
    }
    bool end_is_sound(double t1);
    bool energy_is_kept(const State& from, double t1);
    double distance(std::span<const double> x, std::span<const double> y) const;
    bool vanishes(double t, std::span<const double> y);
    std::optional<double> singular_time(const State& from, double t1);
    void take_end(const State& from, double t1, double t_end);
    void count();

    std::unique_ptr<ode::Stepper> inner_;
    dynamics::Evaluator* evaluator_;
    dynamics::StateEquation* equation_;
    dynamics::Surface* surface_;
    double rtol_;
    bool watches_;  ///< the model has constraints whose rank may fall unseen
    std::size_t n_;
    ode::GaussStep gauss_;
    RowFollower follower_;        ///< keeps the rows before the instant
    ode::Statistics statistics_;  ///< since start()
    ode::Statistics counted_;     ///< of that, before inner_ last started

    State previous_, now_;
    int known_states_ = 0;      ///< the last ones, with their weakest rows
    double strongest_ = 0.0;    ///< weakest pivot since the start
    bool has_state_ = false;    ///< now_ is the state of the last step
    bool only_listed_ = false;  ///< the rows are those of another method: no crossing is made
    bool lost_ = false;         ///< see is_lost()
    bool blocked_ = false;      ///< the pivot falls, but to no crossing
    int refused_ = 0;           ///< attempts on the way to this instant
    int foreseen_row_ = -1;     ///< that vanishes at the instant foreseen last; -1: the weakest

    std::vector<double> pivots_;             ///< see find_change_of_pivot()
    std::optional<SingularPoint> singular_;  ///< in the last step
    // The last step, if it was made by collocation.
    bool collocated_ = false;
    bool resumed_ = false;  ///< its rest, from t_previous_, is the next step
    double t_ = 0.0;
    double t_previous_ = 0.0;
    std::vector<double> y_, y_previous_;
    /// Forces along it, under the law that it was made with.
    struct Forces {
        double t = 0.0;
        std::vector<double> y, sum;  ///< sum: Q + C, n
    };
    std::array<Forces, 6> forces_;

    std::vector<double> work_;                  ///< as y
    std::vector<double> end_, lower_, lowest_;  ///< likewise, once there was a crossing
};

}  // namespace ananke::simulate
