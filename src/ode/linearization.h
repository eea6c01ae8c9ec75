// What an implicit method knows of f near a state: its derivatives J, which of them are there, and
// who solves the linear systems (m - J) x = r of a step.
//
// y = (q, v, w) with q' = v; neither q' nor v' depends on w. Without such knowledge q is empty and
// v is all of y.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "dense/dense.h"
#include "ode/function_ref.h"
#include "ode/stepper.h"

namespace ananke::ode {

/// (m - J) x = r for one real m and some complex ones, J the derivatives of f at the state of the
/// last linearize(). By matrices (DenseSystems), or by whoever knows a sparser way.
class LinearSystems {
  public:
    /// f for those who take differences; kInterrupted where a stop is requested.
    using Slope = FunctionRef<Status(double, std::span<const double>, std::span<double>)>;

    virtual ~LinearSystems() = default;

    /// Takes J at a state; kNotFinite if it has none there.
    virtual Status linearize(double t, std::span<const double> y, Slope f) = 0;
    /// Gets ready to solve. Where a system is singular, its solutions are not finite.
    virtual void factorise(double real, std::span<const std::complex<double>> pairs) = 0;
    /// r becomes x, for the real m.
    virtual void solve(Eigen::Ref<Eigen::VectorXd> r) = 0;
    /// The same for one of the complex ones.
    virtual void solve_pair(std::size_t pair, Eigen::Ref<Eigen::VectorXcd> r) = 0;
};

/// Views only.
struct Structure {
    std::size_t positions = 0;  ///< components of q
    std::size_t integrals = 0;  ///< components of w, which come last
    /// Optional. Writes the derivatives of v', then of w', by (q, v), row by row; false if it has
    /// none at this state, and differences of f are taken.
    FunctionRef<bool(double, std::span<const double>, std::span<double>)> jacobian = {};
    /// Optional. Solves the systems of a step in place of matrices; `jacobian` is not asked then.
    LinearSystems* systems = nullptr;
};

}  // namespace ananke::ode
