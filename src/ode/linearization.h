// What an implicit method knows of f near a state: its derivatives, and which of them are there.
//
// y = (q, v, w) with q' = v; neither q' nor v' depends on w. Without such knowledge q is empty and
// v is all of y.
#pragma once

#include <Eigen/Dense>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "ode/function_ref.h"

namespace ananke::ode {

using JacobianMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Views only.
struct Structure {
    std::size_t positions = 0;  ///< components of q
    std::size_t integrals = 0;  ///< components of w, which come last
    /// Optional. Writes the derivatives of v', then of w', by (q, v), row by row; false if it has
    /// none at this state, and differences of f are taken.
    FunctionRef<bool(double, std::span<const double>, std::span<double>)> jacobian = {};
};

/// (m - J) x = r for one m, J the derivatives of f. With q' = v,
///
///   (m^2 - m V_v - V_q) x_q = r_v + (m - V_v) r_q,   x_v = m x_q - r_q
///   m x_w = r_w + W_q x_q + W_v x_v
///
/// with V, W the derivatives of v' and w'.
template <class Scalar>
class ShiftedSystem {
  public:
    using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

    /// J as Structure::jacobian writes it.
    void factorise(Scalar m, const JacobianMatrix& J, const Structure& structure) {
        positions_ = static_cast<Eigen::Index>(structure.positions);
        integrals_ = static_cast<Eigen::Index>(structure.integrals);
        m_ = m;
        const auto V = J.topRows(J.rows() - integrals_);
        if (positions_ == 0) {
            matrix_ = -V.template cast<Scalar>();
            matrix_.diagonal().array() += m;
        } else {
            V_v_ = V.rightCols(positions_).template cast<Scalar>();
            matrix_ = -m * V_v_ - V.leftCols(positions_).template cast<Scalar>();
            matrix_.diagonal().array() += m * m;
        }
        W_ = J.bottomRows(integrals_).template cast<Scalar>();
        if (matrix_.rows() > 0) {
            factor_.compute(matrix_);
        }
    }

    /// r becomes x.
    void solve(Eigen::Ref<Vector> r) {
        const Eigen::Index rates = matrix_.rows();
        if (rates > 0) {
            right_ = r.segment(positions_, rates);
            if (positions_ > 0) {
                right_ += m_ * r.head(rates);
                right_.noalias() -= V_v_ * r.head(rates);
            }
            solution_.noalias() = factor_.solve(right_);
            if (positions_ > 0) {
                r.segment(positions_, rates) = m_ * solution_ - r.head(rates);
            }
            r.head(rates) = solution_;
        }
        if (integrals_ > 0) {
            r.tail(integrals_).noalias() += W_ * r.head(positions_ + rates);
            r.tail(integrals_) /= m_;
        }
    }

  private:
    using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

    Scalar m_ = 1.0;
    Eigen::Index positions_ = 0;
    Eigen::Index integrals_ = 0;
    Matrix V_v_, W_, matrix_;
    Eigen::PartialPivLU<Matrix> factor_;
    Vector right_, solution_;
};

}  // namespace ananke::ode
