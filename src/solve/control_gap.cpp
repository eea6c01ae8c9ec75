#include "solve/control_gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solve/actuated.h"
#include "solve/kernels.h"

namespace ananke::solve {
namespace {

/// Parts of A, and everything in units where masses and rows are of size 1.
struct Scaled {
    Eigen::VectorXd d;           // n  coordinates
    Eigen::VectorXd rho, drive;  // rows, actuators
    Eigen::MatrixXd M, A_p, A_s, D;
    Eigen::VectorXd b_p, b_s;
    std::vector<int> passive;
};

Scaled scale(const System& at, std::span<const int> servo, const Eigen::Ref<const RowMatrix>& Dt) {
    const int n = at.n();
    const int m = at.m();
    Scaled s;
    std::vector<int> rows;
    for (int row = 0; row < m; ++row) {
        rows.push_back(row);
        if (std::find(servo.begin(), servo.end(), row) == servo.end()) {
            s.passive.push_back(row);
        }
    }
    s.d.resize(n);
    std::vector<double> row_scale(static_cast<std::size_t>(m) + 1);
    std::vector<double> work(static_cast<std::size_t>(n + m));
    equilibrate(n, at.M.data(), at.A.data(), m, rows.data(), s.d.data(), row_scale.data(),
                work.data(), at.groups);
    s.M = s.d.asDiagonal() * at.M * s.d.asDiagonal();
    Eigen::MatrixXd A = at.A * s.d.asDiagonal();
    s.rho = A.rowwise().norm().cwiseInverse();
    A = s.rho.asDiagonal() * A;
    const Eigen::VectorXd b = s.rho.cwiseProduct(at.b);
    const std::vector<int> servo_rows(servo.begin(), servo.end());
    s.A_p = A(s.passive, Eigen::all);
    s.A_s = A(servo_rows, Eigen::all);
    s.b_p = b(s.passive);
    s.b_s = b(servo_rows);
    s.D = s.d.asDiagonal() * Dt.transpose();
    s.drive = s.D.colwise().norm().cwiseInverse();
    s.D = s.D * s.drive.asDiagonal();
    return s;
}

/// a (scaled) and u (scaled) for one given force.
struct Solution {
    Eigen::VectorXd a, u;
};

/// The whole matrix of docs/theory.md, section 3, by Gaussian elimination with full pivoting.
std::optional<Solution> by_multipliers(const Scaled& s, const Eigen::VectorXd& force) {
    const Eigen::Index n = s.M.rows();
    const Eigen::Index p = s.A_p.rows();
    const Eigen::Index k = s.D.cols();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + p + s.A_s.rows(), n + p + k);
    K.topLeftCorner(n, n) = s.M;
    K.block(0, n, n, p) = -s.A_p.transpose();
    K.topRightCorner(n, k) = -s.D;
    K.block(n, 0, p, n) = s.A_p;
    K.bottomLeftCorner(s.A_s.rows(), n) = s.A_s;
    Eigen::VectorXd right(K.rows());
    right << force, s.b_p, s.b_s;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
    if (K.rows() != K.cols() || !lu.isInvertible()) {
        return std::nullopt;
    }
    const Eigen::VectorXd x = lu.solve(right);
    return Solution{x.head(n), x.tail(k)};
}

/// a = a_p + N w with A_p N = 0: the multipliers drop out of N^T (M a - D u) = N^T Q.   RH (8)
std::optional<Solution> by_projection(const Scaled& s, const Eigen::VectorXd& force) {
    const Eigen::Index n = s.M.rows();
    const Eigen::Index p = s.A_p.rows();
    const Eigen::Index k = s.D.cols();
    const Eigen::Index free = n - p;
    Eigen::VectorXd a_p = Eigen::VectorXd::Zero(n);
    Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n);
    if (p > 0) {
        const Eigen::HouseholderQR<Eigen::MatrixXd> qr(s.A_p.transpose());
        const Eigen::MatrixXd Z = qr.householderQ();
        const Eigen::MatrixXd R = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
        N = Z.rightCols(free);
        a_p = Z.leftCols(p) * R.transpose().triangularView<Eigen::Lower>().solve(s.b_p);
    }
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(free + s.A_s.rows(), free + k);
    K.topLeftCorner(free, free) = N.transpose() * s.M * N;
    K.topRightCorner(free, k) = -N.transpose() * s.D;
    K.bottomLeftCorner(s.A_s.rows(), free) = s.A_s * N;
    Eigen::VectorXd right(K.rows());
    right << N.transpose() * (force - s.M * a_p), s.b_s - s.A_s * a_p;
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(K);
    if (K.rows() != K.cols() || !qr.isInvertible()) {
        return std::nullopt;
    }
    const Eigen::VectorXd x = qr.solve(right);
    return Solution{a_p + N * x.head(free), x.tail(k)};
}

}  // namespace

ControlGap ActuatedSolver::gap(double tolerance) const {
    const auto count = static_cast<Eigen::Index>(kept_servo_.size());
    Eigen::MatrixXd S(count, k_);
    Eigen::VectorXd row_unit(count);
    Eigen::VectorXd drive_unit(k_);
    std::vector<int> rows;
    for (const int place : kept_servo_) {
        const auto at = static_cast<std::size_t>(place);
        const auto j = static_cast<Eigen::Index>(rows.size());
        rows.push_back(active_servo_[at]);
        row_unit[j] = servo_unit_[at] / servo_tail_[at];
        for (int k = 0; k < k_; ++k) {
            S(j, k) = cosine(place, k);
        }
    }
    for (int k = 0; k < k_; ++k) {
        const double tail = drive_tail_[static_cast<std::size_t>(k)];
        drive_unit[k] = drive_unit_[static_cast<std::size_t>(k)] / (tail > kIrregular ? tail : 1.0);
    }
    return control_gap(S, rows, row_unit, drive_unit, m_, tolerance);
}

Result<ActuatedMotion> evaluate_actuated(Form form, const System& at, std::span<const int> servo,
                                         const Eigen::Ref<const RowMatrix>& Dt) {
    if (form != Form::kMultipliers && form != Form::kMinimal) {
        return Error{
            ErrorCode::kNotApplicable,
            fmt::format("the form {} does not hold with actuators; multipliers and minimal do",
                        form_name(form))};
    }
    const Scaled s = scale(at, servo, Dt);
    const auto solve = [&](const Eigen::VectorXd& force) {
        return form == Form::kMultipliers ? by_multipliers(s, force) : by_projection(s, force);
    };
    const Eigen::VectorXd Q = s.d.cwiseProduct(at.Q);
    const bool nonideal = at.has_nonideal();
    const std::optional<Solution> ideal = solve(Q);
    const std::optional<Solution> whole = nonideal ? solve(Q + s.d.cwiseProduct(at.C)) : ideal;
    if (!ideal || !whole) {
        return Error{ErrorCode::kNotControlled, "the actuators do not enforce the servo rows"};
    }
    ActuatedMotion result;
    Motion& motion = result.motion;
    motion.a = s.d.cwiseProduct(whole->a);
    result.u = s.drive.cwiseProduct(whole->u);
    const auto force_of = [&](const Solution& x) {
        return Eigen::VectorXd(s.d.cwiseInverse().cwiseProduct(s.M * x.a - Q));
    };
    motion.Qc = force_of(*whole);
    motion.Qc_ideal = force_of(*ideal);
    motion.Qc_nonideal = motion.Qc - motion.Qc_ideal;
    motion.rank = at.m();

    // A_p^T lambda = Qc - C - D u
    motion.lambda = Eigen::VectorXd::Zero(at.m());
    if (!s.passive.empty()) {
        Eigen::VectorXd rest = s.d.cwiseProduct(motion.Qc) - s.D * whole->u;
        if (nonideal) {
            rest -= s.d.cwiseProduct(at.C);
        }
        const Eigen::VectorXd lambda = s.A_p.transpose().colPivHouseholderQr().solve(rest);
        for (std::size_t i = 0; i < s.passive.size(); ++i) {
            const int row = s.passive[i];
            motion.lambda[row] = s.rho[row] * lambda[static_cast<Eigen::Index>(i)];
        }
    }
    return result;
}

}  // namespace ananke::solve
