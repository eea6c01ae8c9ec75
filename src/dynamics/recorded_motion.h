// The motion of a model as values of a program: accelerations, multipliers and controls by one
// recorded elimination, THEORY sections 2, 3 and 5.
//
//   [ M   A_p^T ] [    a    ]   [ Q + C + D u ]        A_p: rows of the order
//   [ A_p   0   ] [ -lambda ] = [ b_p         ]        A_s: servo rows, enforced by controls u
//
// The elimination is linear in its right side. With its answers to Q + C and to every column of D
// the servo rows are a small system S u = g. Where Q and C depend on multipliers, its answers to
// the slopes d(Q + C)/d lambda give the Newton step from multipliers x that are inputs of the
// program: exact where the forces are affine between x and the answer, as dry friction is as long
// as no load changes its sign.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "code/recorder.h"
#include "code/replay.h"
#include "dynamics/evaluator.h"
#include "dynamics/recorded_elimination.h"
#include "dynamics/recording.h"

namespace ananke::dynamics {

/// What the elimination, with the controls that belong to it, answers to forces.
struct MotionAnswer {
    std::vector<code::Recorded> x;  ///< accelerations (n), then -lambda per row of the order
    std::vector<code::Recorded> u;  ///< per control
};

/// Called with the pivots of the elimination, then with those of controls.
struct MotionObserver : PivotObserver {
    /// The pivot of a control by its servo row.
    virtual void of_control(const code::Recorded& value) = 0;
};

class RecordedMotion {
  public:
    /// All must outlive it. The inputs are those of recorded_inputs().
    RecordedMotion(const Evaluator& evaluator, code::Recorder& recorder,
                   std::span<const code::Recorded> inputs, const RowOrder& order,
                   MotionObserver& observer);
    RecordedMotion(const RecordedMotion&) = delete;
    RecordedMotion& operator=(const RecordedMotion&) = delete;

    const MotionAnswer& answer() const { return answer_; }
    /// h', the power of the forces of constraint included.
    code::Recorded energy_rate();
    /// Multiplier of a row of the model in an answer: zero where it is not in the order.
    code::Recorded lambda(const MotionAnswer& answer, int row) const;
    /// The multipliers that the forces were found with, per CompiledModel::feedback.
    std::span<const code::Recorded> closing() const { return closing_; }
    /// Where forces depend on multipliers: above 1 if the answer may not be the only one; above 1
    /// if the forces do not agree with the multipliers yet, and the program is to run with those of
    /// closing(). None otherwise.
    std::span<const code::Recorded> limits() const { return limits_; }
    /// The answer to Q without C.                                                   UK02 (7)
    MotionAnswer ideal();

  private:
    using Recorded = code::Recorded;
    using Values = std::vector<Recorded>;

    /// Forces with which the motion is found: from the kernel of the equations, or from that of the
    /// forces that depend on multipliers.
    Recorded Q(std::size_t i);
    Recorded C(std::size_t i);
    Recorded force(std::size_t i);
    Recorded power();
    Recorded entry(std::size_t i) { return equations_.output(at_.A + i); }
    RecordedRightSide right_side(std::function<Recorded(std::size_t)> force);
    RecordedRightSide force_alone(const Values& force) const;
    Values slope(std::size_t k);
    Recorded row_times(int row, const Values& a);
    void factor_controls(MotionObserver& observer);
    /// A_s a of the servo rows: their b, or nothing for what a force adds to a motion.
    enum class ServoTargets : std::uint8_t { kOfEquations, kZero };
    void add_controls(MotionAnswer& answer, ServoTargets targets);
    void close_feedback();
    Recorded force_gap(code::Replay& before, const Values& d);
    Recorded slope_bound(Values J) const;
    Recorded absolute(const Recorded& x) const { return recorder_->apply(code::Op::kAbs, x); }
    void add_scaled(MotionAnswer& y, const MotionAnswer& x, const Recorded& weight);

    const compile::CompiledModel* model_;
    code::Recorder* recorder_;
    std::span<const Recorded> inputs_;
    const RowOrder* order_;
    std::size_t n_;
    compile::DynamicsOutputs at_;
    std::vector<int> place_of_row_;  ///< m  among the rows of the order, -1
    code::Replay equations_;
    std::optional<code::Replay> reactive_;  ///< of models whose forces depend on multipliers
    RecordedElimination elimination_;
    std::vector<MotionAnswer> drives_;  ///< answers to the columns of D
    Values S_;                          ///< controls x controls, factored in the order given
    MotionAnswer answer_;
    Values closing_, limits_;
};

}  // namespace ananke::dynamics
