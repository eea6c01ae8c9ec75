// Stick and slip: which frictions hold at a state, and which slip where to.
//
// All frictions without slip are held one after the other. Where what is held already determines
// the change of a slip, the friction cannot hold it: it passes zero and slides on that way, or
// idles as long as the slip stays zero. A friction that would need more than its limit is released,
// and slides against the force that it needed; one that was released and would not move that way is
// held again.                                                     docs/theory.md, section 3
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "dynamics/rows_in_force.h"

namespace ananke::simulate {

/// A place inside a step where a friction changes.
struct FrictionEvent {
    double t;
    int which;
    bool breaks;  ///< it stuck until here; else its slip has come to zero or has turned
};

/// What a friction does from now on.
struct FrictionChange {
    int which;
    std::string kind;  ///< "stick" or "slip"
    std::string detail;
};

class FrictionDecision {
  public:
    /// States inside a step are exact to the tolerance. The evaluator must outlive the decision; it
    /// holds what is decided.
    FrictionDecision(dynamics::Evaluator& evaluator, const dynamics::MethodOptions& options,
                     double tolerance = 0.0);

    /// Decides for all frictions by the state alone: at the start, after a jump of velocities.
    Result<std::vector<FrictionChange>> settle(double t, const double* q, const double* v);
    /// Decides where a friction changes.
    Result<std::vector<FrictionChange>> change(const FrictionEvent& event, const double* q,
                                               const double* v);
    /// Nothing sticks until settle(): for changes of the velocities from outside.
    void release();

    int count() const { return static_cast<int>(evaluator_->model().frictions.size()); }
    const compile::CompiledFriction& friction(int f) const {
        return evaluator_->model().frictions[static_cast<std::size_t>(f)];
    }

    // friction_measure.cpp: the frictions at a state, measured.

    /// What slips are compared with from now on: the sizes of the velocities at this state, and
    /// what friction takes away in a step of this length or of an earlier, longer one.
    void measure(double t, const double* q, const double* v, double step = 0.0);
    /// Slips, loads and limits at a state.
    void read(double t, const double* q, const double* v);
    /// The forces there, as dynamics() has found them; before read(), as loads depend on them.
    void read_forces(double t, const double* q, const double* v, solve::SolveStatus status);
    /// Positive as long as a friction goes on as it does: what sticks, the limit less the force;
    /// what slips, the slip along its direction.
    double signal(int f) const;
    /// A signal down to minus this is rounding.
    double signal_rounding(int f) const;
    /// A slip of two components takes its direction from the last state read, unless it is too
    /// small to have one.
    void turn_with_slip(int f);
    /// A slip of two components that has come to an end where it would lose its direction.
    bool has_lost_direction(int f) const;
    double slip_size(int f) const;
    /// Of all frictions, at the last state read.
    double largest_limit() const;
    /// Its own: what is evaluated here must not influence the steps.
    dynamics::MotionSolver& dynamics() { return *dynamics_; }

  private:
    /// What a friction did after the last decision.
    struct Mode {
        bool known = false;
        bool sticks = false;
        double direction = 0.0;  ///< its first component
    };
    using Direction = std::array<double, 2>;

    double margin(int f) const;
    double limit(int f) const;
    double limit_rounding() const;
    double no_slip(int f) const;
    double slip_rounding(int f) const;
    /// Along which a friction slips, zero where it sticks.
    Direction direction(int f) const;
    void set_slip(int f, const Direction& direction);
    Direction slip_direction(int f) const;
    Direction slip_acceleration(int f) const;
    bool pulls_have_grown() const;
    void measure_pulls(double t, const double* q, const double* v);
    void add_pull(int group, int groups, int k, double t, const double* q, const double* v,
                  const Eigen::VectorXd& free, std::span<double> slips,
                  std::span<double> accelerations);

    // friction_decision.cpp
    std::optional<int> still_slides(int but_for) const;
    void slide_on(int f);
    void slip_along(int f, const Direction& direction);
    void hold(int f, double t, const double* q, const double* v);
    void hold_independent(double t, const double* q, const double* v);
    double slip_of_row(int row) const;
    bool stops_with_others(int f);
    std::vector<double> accelerations_by_forces(double t, const double* q, const double* v);
    void let_go(int f);
    void let_go_with_sharers(int worst);
    solve::SolveStatus accelerate(double t, const double* q, const double* v);
    std::optional<int> worst_overloaded() const;
    std::optional<int> wrongly_released(double t, const double* q, const double* v);
    Result<void> resolve(double t, const double* q, const double* v);
    std::vector<FrictionChange> changes();
    Result<void> count_progress(double t, int f);

    dynamics::Evaluator* evaluator_;
    std::optional<dynamics::MotionSolver> dynamics_;  ///< absent where nothing depends on reactions
    double tolerance_;
    bool shares_ = false;  ///< frictions at rest share a force: see MotionSolver::share_sticking
    std::optional<dynamics::RowsInForce> in_force_;  ///< made when it is first needed
    std::vector<double> values_;                     ///< of the frictions at the last state read
    std::vector<double> speeds_;                     ///< what slips are compared with
    std::vector<double> pulls_;            ///< largest slip accelerations by the frictions so far
    std::vector<double> measured_limits_;  ///< where pulls_ were measured
    double longest_step_ = 0.0;            ///< accepted so far
    std::vector<char> released_;           ///< in this decision
    std::vector<char> candidate_;          ///< for rest in this decision
    std::vector<char> idle_;  ///< constraints alone keep its slip zero: it carries nothing
    std::vector<Direction> accelerations_;  ///< of the slips, in a trial
    std::vector<Mode> modes_;
    double last_ = 0.0;  ///< time of the last change
    int piled_ = 0;      ///< changes since then without progress
};

}  // namespace ananke::simulate
