// The linear systems of an implicit step by matrices, with the size of v where q' = v.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "dense/dense.h"
#include "ode/linearization.h"

namespace ananke::ode {

using JacobianMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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

/// Derivatives by Structure::jacobian, else by differences of f. No allocation after construction,
/// but for systems so large that Eigen does not factorise them in place.
class DenseSystems final : public LinearSystems {
  public:
    /// For `size` components of y and this many complex m.
    DenseSystems(std::size_t size, std::size_t pairs, const Structure& structure);

    Status linearize(double t, std::span<const double> y, Slope f) override;
    void factorise(double real, std::span<const std::complex<double>> pairs) override;
    void solve(Eigen::Ref<Eigen::VectorXd> r) override { real_.solve(r); }
    void solve_pair(std::size_t pair, Eigen::Ref<Eigen::VectorXcd> r) override {
        pairs_[pair].solve(r);
    }

  private:
    Status take_differences(double t, std::span<const double> y, Slope f);

    Structure structure_;
    JacobianMatrix jacobian_;
    ShiftedSystem<double> real_;
    std::vector<ShiftedSystem<std::complex<double>>> pairs_;
    std::vector<double> moved_, base_, slope_;  ///< n  for differences: a state, f at and near it
};

}  // namespace ananke::ode
