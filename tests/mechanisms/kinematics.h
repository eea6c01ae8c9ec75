// Positions, velocities and expressions of a mechanism at one state, with their derivatives.
#pragma once

#include "jets.h"
#include "mechanism.h"

namespace mechanisms {

/// Rotation of a unit quaternion (scalar first), body axes to world axes.
Matrix3d rotation_of(const Eigen::Vector4d& u);
/// Product of quaternions.
Eigen::Vector4d quaternion_product(const Eigen::Vector4d& a, const Eigen::Vector4d& b);

class Kinematics {
  public:
    /// `truth` of each switch is held, whatever its condition says at the state.
    Kinematics(const Mechanism& mechanism, const State& state, const std::vector<char>& truth);

    VectorJet place(const Place& place) const;
    /// The direction that is `local` in the axes of the body of `place`.
    VectorJet direction(const Place& place, const Vector3d& local) const;
    /// Angular velocity of the body of `place`: omega = J w, d/dt omega = J w'.
    Columns angular_gradient(const Place& place) const;
    Vector3d angular_velocity(const Place& place) const;
    Matrix3d rotation(const Place& place) const;

    double value(const Ex& ex) const;
    PositionJet on_positions(const Ex& ex) const;
    RateJet on_velocities(const Ex& ex) const;
    /// left - right of the condition of a switch.
    double condition(const Node& node) const;

    /// q' of the state.
    VectorXd position_rates() const;
    /// q'' for given w'.
    VectorXd position_accelerations(const VectorXd& speed_rates) const;

    const State& state() const { return state_; }

  private:
    template <class Jet>
    Jet evaluate(const Node& node) const;
    template <class Jet>
    Jet leaf(const Node& node) const;
    template <class Jet>
    Jet unary(const Node& node) const;
    template <class Jet>
    Jet constant(double value) const;
    /// Whether the first branch of a switch holds: a < b, or an absolute value's operand is below
    /// 0.
    bool first_branch(const Node& node) const;

    const Mechanism& m_;
    const State& state_;
    const std::vector<char>& truth_;
    Gradient zero_;
    std::vector<Matrix3d> rotations_;
};

}  // namespace mechanisms
