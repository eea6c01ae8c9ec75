#include "race.h"

#include <cmath>
#include <numbers>

#include "../turning_bar.h"

namespace ananke::bench {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d cross_matrix(const Vector3d& r) {
    Matrix3d m;
    m << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
    return m;
}

/// The system [M A^T; A 0] of the chain, filled joint by joint.
class NewtonEuler {
  public:
    explicit NewtonEuler(const Chain& chain)
        : chain_(chain),
          unknowns_(6 * Index(chain.links)),
          size_(unknowns_ + 3 * (Index(chain.links) + (chain.closed ? 1 : 0))),
          matrix_(Eigen::MatrixXd::Zero(size_, size_)),
          right_(Eigen::VectorXd::Zero(size_)) {
        for (int i = 0; i < chain.links; ++i) {
            add_link(i);
            add_end(i, -chain.half[at(i)], i, 1.0);
            if (i + 1 < chain.links || chain.closed) {
                add_end(i, chain.half[at(i)], i + 1, -1.0);
            }
        }
    }

    std::vector<Vector3d> angular_accelerations() const {
        const Eigen::VectorXd x = matrix_.partialPivLu().solve(right_);
        std::vector<Vector3d> alpha;
        for (int i = 0; i < chain_.links; ++i) {
            alpha.emplace_back(x.segment<3>(6 * Index(i) + 3));
        }
        return alpha;
    }

  private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    void add_link(int i) {
        const Index row = 6 * Index(i);
        const Vector3d& omega = chain_.omega[at(i)];
        matrix_.block<3, 3>(row, row) = kLinkMass * Matrix3d::Identity();
        matrix_.block<3, 3>(row + 3, row + 3) = kLinkInertia.asDiagonal();
        right_.segment<3>(row) = Vector3d(0, 0, -kLinkMass * kGravity);
        right_.segment<3>(row + 3) = -omega.cross(kLinkInertia.cwiseProduct(omega));
    }

    /// The end at r of link i meets joint j: a + alpha x r + omega x (omega x r), with this sign.
    void add_end(int i, const Vector3d& r, int j, double sign) {
        const Index row = unknowns_ + 3 * Index(j);
        const Index column = 6 * Index(i);
        Eigen::Matrix<double, 3, 6> rows;
        rows << Matrix3d::Identity(), -cross_matrix(r);
        matrix_.block<3, 6>(row, column) = sign * rows;
        matrix_.block<6, 3>(column, row) = sign * rows.transpose();
        const Vector3d& omega = chain_.omega[at(i)];
        right_.segment<3>(row) -= sign * omega.cross(omega.cross(r));
    }

    const Chain& chain_;
    Index unknowns_, size_;
    Eigen::MatrixXd matrix_;
    Eigen::VectorXd right_;
};

}  // namespace

Chain::Chain(int count, bool tip_is_pinned) : links(count), closed(tip_is_pinned) {
    constexpr double kBend = 0.5;  // radians
    Vector3d joint = Vector3d::Zero();
    Vector3d joint_velocity = Vector3d::Zero();
    for (int i = 1; i <= count; ++i) {
        const double angle = i % 2 == 0 ? kBend : -kBend;
        const Vector3d h = kLinkLength / 2 * Vector3d(std::cos(angle), std::sin(angle), 0);
        const Vector3d w =
            closed ? Vector3d::Zero().eval() : Vector3d(0.3, 1, -0.5 * double(i) / count);
        half.push_back(h);
        omega.push_back(w);
        centre.emplace_back(joint + h);
        velocity.emplace_back(joint_velocity + w.cross(h));
        joint += 2 * h;
        joint_velocity += 2 * w.cross(h);
    }
    tip = joint;
}

std::vector<Vector3d> exact_angular_accelerations(const Chain& chain) {
    return NewtonEuler(chain).angular_accelerations();
}

double relative_error(const std::vector<Vector3d>& found, const std::vector<Vector3d>& exact) {
    double difference = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        difference = std::max(difference, (found[i] - exact[i]).norm());
        size = std::max(size, exact[i].norm());
    }
    return difference / size;
}

double exact_four_bars_acceleration(int four_bars) {
    return -four_bar_constant(four_bars) * std::cos(std::numbers::pi / 2 - kTilt);
}

double four_bars_tip_error(int four_bars, const Vector3d& tip) {
    const Turning end =
        turning_bar(four_bar_constant(four_bars), {std::numbers::pi / 2, -1.0}, kMotionEnd);
    return (tip - Vector3d(std::cos(end.angle), std::sin(end.angle), 0)).norm();
}

}  // namespace ananke::bench
