// Why actuators do not enforce their servo rows, in numbers; and the named forms of the equations
// with actuators.
#pragma once

#include <span>

#include "base/result.h"
#include "dense/dense.h"
#include "solve/system.h"

namespace ananke::solve {

/// What is missing between servo rows and actuators at one state.
struct ControlGap {
    /// m×c  each column a combination of servo rows that no control influences: the direction in
    /// which the prescribed acceleration cannot be reached.
    Eigen::MatrixXd missing;
    /// m×r  the values A_s a that the controls can add, a basis.
    Eigen::MatrixXd reach;
    /// k×c  each column a combination of controls that influences no servo row.
    Eigen::MatrixXd idle;
    int servo_rank = 0;  ///< independent servo rows
};

struct ActuatedMotion {
    Motion motion;      ///< lambda is 0 for the servo rows
    Eigen::VectorXd u;  ///< controls
};

/// The motion by one form, for independent rows of which `servo` (ascending) are enforced by
/// actuators; row k of `Dt` is the generalised force of the unit control k. Forms that need the
/// force of constraint in the range of A^T do not hold here and fail with kNotApplicable.
Result<ActuatedMotion> evaluate_actuated(Form form, const System& at, std::span<const int> servo,
                                         const Eigen::Ref<const RowMatrix>& Dt);

}  // namespace ananke::solve
