// DOP853: explicit Runge-Kutta method of order 8 by Dormand & Prince with the error estimate
// (orders 5 and 3 together) and the dense output of order 7 by Hairer & Wanner.
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y_new = y + h sum_i b_i k_i
//   err: see dop853_formulas.h
//
// Twelve evaluations of f for an accepted step, whether or not the `accepted` hook moves the state;
// three more (four if it was moved) at the first dense() inside a step.
//
// Dense output is built on the step as integrated, from y to y_new. If the hook moved y_new by d,
// the correction d θ²(3 - 2θ) is added, θ in [0, 1] the place in the step: the curve meets both
// accepted states, has no jump, and keeps its slopes f at the ends. It does not make the
// inside of the step satisfy what the hook enforces; project dense output where that matters.
//
// No allocation after create() and before a failure is described.
//
// [HNW] Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993.
#pragma once

#include <array>
#include <vector>

#include "ode/dop853_sums.h"
#include "ode/one_step.h"
#include "ode/problem.h"
#include "ode/step_control.h"

namespace ananke::ode {

class Dop853 final : public OneStep {
  public:
    /// Fails with kInvalidInput as check_options does. Requires problem.rhs.
    static Result<Dop853> create(const Problem& problem, const Options& options);

    [[nodiscard]] Status dense(double t, std::span<double> y) override;
    [[nodiscard]] double defect(double t, std::span<const double> slope) override;

  private:
    enum class Dense : std::uint8_t { kNone, kPossible, kReady };

    Dop853(const Problem& problem, const Options& options);

    void forget() override;
    void allow_dense(bool possible) override;
    double initial_step(double t_end) override;
    Status attempt(const Trial& trial) override;
    void accept(const Trial& trial) override;
    Status compute_stages(const Trial& trial);
    Status finish_step(const Trial& trial);
    double combine(double h);
    Status prepare_dense();
    std::span<double> k(std::size_t stage) { return {k_.data() + stage * stride_, problem_.size}; }

    template <std::size_t Stage>
    Status compute_stage(double t, double h, const std::vector<double>& y);

    const Dop853Sums* sums_;
    StepControl control_;
    ErrorRoots<double> roots_{};  ///< of the last attempt within the tolerance
    double growth_ = 1.0;         ///< of the step after it
    bool begin_in_k_ = false;     ///< k(0) is that of the step under way
    Dense dense_ = Dense::kNone;

    std::vector<double> y_stage_;      ///< n  argument of the stage under way
    std::size_t stride_;               ///< of the stages in k_
    std::vector<double> k_;            ///< n for each stage of the last step
    std::vector<double> interpolant_;  ///< 8 coefficients per component, by prepare_dense
};

}  // namespace ananke::ode
