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

#include <cstddef>
#include <span>
#include <vector>

#include "code/builder.h"
#include "code/recorded.h"
#include "dynamics/evaluator.h"
#include "dynamics/recording.h"

namespace ananke::dynamics {

/// What the elimination, with the controls that belong to it, answers to forces.
struct MotionAnswer {
    std::vector<code::Recorded> a;       ///< n
    std::vector<code::Recorded> lambda;  ///< m; zeros where a row is not in the order
    std::vector<code::Recorded> u;       ///< per control
};

class RecordedMotion {
  public:
    /// All but the observer must outlive it. The inputs are those of recorded_inputs().
    RecordedMotion(const Evaluator& evaluator, code::Builder& builder,
                   std::span<const code::Recorded> inputs, const RowOrder& order,
                   PivotObserver<code::Recorded>& observer);

    const MotionAnswer& answer() const { return answer_; }
    /// h', the power of the forces of constraint included.
    code::Recorded energy_rate() const;
    /// The multipliers that the forces were found with, per CompiledModel::feedback.
    std::span<const code::Recorded> closing() const { return closing_; }
    /// Where forces depend on multipliers: above 1 if the answer may not be the only one; above 1
    /// if the forces do not agree with the multipliers yet, and the program is to run with those of
    /// closing(). None otherwise.
    std::span<const code::Recorded> limits() const { return limits_; }

    /// C, n or none.
    std::span<const code::Recorded> nonideal() const { return C_; }
    /// The answer to Q without C.                                                   UK02 (7)
    MotionAnswer ideal() const { return respond(Q_, true); }
    /// A^T lambda + D u, n.
    std::vector<code::Recorded> push(const MotionAnswer& answer) const;

  private:
    using Recorded = code::Recorded;
    using Values = std::vector<Recorded>;

    MotionAnswer eliminate(Values force, bool with_b,
                           PivotObserver<code::Recorded>* observer = nullptr) const;
    MotionAnswer respond(Values force, bool with_b) const;
    void factor_controls(PivotObserver<code::Recorded>& observer);
    void add_controls(MotionAnswer& answer, bool with_b) const;
    Recorded row_times(int row, const Values& a) const;
    std::vector<Values> take_reactive(std::span<const Recorded> inputs);
    void close_feedback(const std::vector<Values>& slopes);
    Recorded force_gap(const Values& before_Q, const Values& before_C,
                       const std::vector<Values>& slopes, const Values& d) const;
    Recorded slope_bound(Values J) const;
    Recorded absolute(const Recorded& x) const;

    const Evaluator* evaluator_;
    const compile::CompiledModel* model_;
    code::Builder* builder_;
    std::span<const Recorded> inputs_;
    const RowOrder* order_;
    std::size_t n_;
    Values mass_, entries_, b_, drive_entries_;
    Values Q_, C_;
    Recorded power_;
    std::vector<MotionAnswer> drives_;  ///< answers to the columns of D
    Values S_;                          ///< controls x controls, factored in the order given
    MotionAnswer answer_;
    Values closing_, limits_;
};

/// y + weight x, part by part.
void add_scaled(MotionAnswer& y, const MotionAnswer& x, const code::Recorded& weight);

}  // namespace ananke::dynamics
