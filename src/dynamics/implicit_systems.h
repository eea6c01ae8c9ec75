// The linear systems of an implicit step without matrices of the size n x n.
//
// y = (q, v, w), q' = v, v' = a(q, v, t). The derivatives of a fill a matrix, those of the
// equations that a solves do not: K d[a; y] = R_q dq + R_v dv with K = [M A^T; A 0] of the rows
// that count (dynamics/motion_derivatives.h). So (m - J) x = r, with x_v = m x_q - r_q, is one
// sparse system of the size n + rows,
//
//   (K_q - R_q/m^2 - R_v/m) x_q + [A^T; 0] mu/m^2 = K_q (r_q/m + r_v/m^2) - R_v r_q/m^2
//
// K_q = [M; A], mu the change of the multipliers. It tends to K for short steps, so it is as
// regular as the equations are, singular mass matrices included. w: the integral of the energy
// rate, m x_w = r_w + its change along x and mu.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/acceleration.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_derivatives.h"
#include "dynamics/motion_solver.h"
#include "ode/linearization.h"
#include "solve/sparse_factor.h"
#include "solve/symmetric_factor.h"

namespace ananke::dynamics {

/// Whether the acceleration of a model depends on nothing but state and parameters, so that its
/// implicit steps may do without matrices whatever its size.
bool may_be_sparse(const compile::CompiledModel& model, const MethodOptions& options);
/// Why implicit steps of a model cannot have full matrices, for their memory; nothing if they can.
std::optional<Error> obstacle_to_full_steps(int coordinates);

class ImplicitSystems final : public ode::LinearSystems {
  public:
    /// Null where full matrices cost less, or forces depend on too many coordinates at once;
    /// `wanted`: whatever it costs, or not at all. Requires may_be_sparse().
    static std::unique_ptr<ImplicitSystems> make(Evaluator& evaluator,
                                                 const Acceleration& acceleration,
                                                 std::size_t pairs,
                                                 std::optional<bool> wanted = std::nullopt);

    /// For `pairs` complex m. Requires may_be_sparse().
    ImplicitSystems(Evaluator& evaluator, const Acceleration& acceleration, std::size_t pairs);

    /// False if forces depend on very many coordinates at once: it cannot be used then.
    bool is_sparse() const { return derivatives_.is_sparse(); }

    /// The rows are those of the last close look of the acceleration. Allocates where others count
    /// than before.
    ode::Status linearize(double t, std::span<const double> y, Slope f) override;
    /// Allocates where the pivots of the last time do not serve.
    void factorise(double real, std::span<const std::complex<double>> pairs) override;
    void solve(Eigen::Ref<Eigen::VectorXd> r) override;
    void solve_pair(std::size_t pair, Eigen::Ref<Eigen::VectorXcd> r) override;

  private:
    /// One m.
    template <class Scalar>
    struct Shifted {
        explicit Shifted(const std::shared_ptr<const solve::SparsePattern>& pattern)
            : factor(pattern), x(static_cast<std::size_t>(pattern->size())) {}
        Scalar m = 1.0;
        solve::SparseFactor<Scalar> factor;
        bool regular = false;
        std::vector<Scalar> x;  ///< x_q, mu/m^2
    };

    bool pays();
    void take_rows(std::span<const int> rows);
    bool find_motion(const compile::SparseValues& at);
    void put_entries(const compile::SparseValues& at);
    template <class Scalar>
    void factorise(Shifted<Scalar>& system, Scalar m);
    template <class Scalar, class Vector>
    void solve(Shifted<Scalar>& system, Vector& r);
    template <class Scalar, class Vector>
    Scalar energy_change(const Shifted<Scalar>& system, const Vector& x);

    Evaluator* evaluator_;
    const Acceleration* acceleration_;
    std::size_t n_;
    MotionDerivatives derivatives_;
    std::vector<int> given_;            ///< rows that count
    std::vector<int> rows_;             ///< the same, ascending
    std::vector<int> place_of_row_;     ///< m  among rows_, -1
    std::vector<std::size_t> entries_;  ///< of A, that belong to rows_
    std::optional<solve::SymmetricFactor> motion_factor_;
    std::vector<double> motion_values_, motion_;  ///< of K; a, then y of rows_
    std::vector<double> y_;                       ///< m
    std::vector<double> drift_;                   ///< A v, per row of rows_ that does work, else 0
    std::vector<double> derivative_values_;
    std::shared_ptr<const solve::SparsePattern> pattern_;
    std::vector<double> K_, R_q_, R_v_;  ///< per entry of the pattern
    std::optional<Shifted<double>> real_;
    std::vector<Shifted<std::complex<double>>> pairs_;
    std::size_t pair_count_;
    std::vector<double> directions_;
};

}  // namespace ananke::dynamics
