// DOP853: explicit Runge-Kutta method of order 8 by Dormand & Prince with the error estimate
// (orders 5 and 3 together) and the dense output of order 7 by Hairer & Wanner.
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y_new = y + h sum_i b_i k_i
//   err = |h| e5² / sqrt(n (e5² + 0.01 e3²)),   e5, e3 scaled by the tolerance        [HNW] II.10
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

#include "ode/dop853_tableau.h"
#include "ode/problem.h"
#include "ode/step_control.h"
#include "ode/stepper.h"

namespace ananke::ode {

class Dop853 final : public Stepper {
  public:
    /// Fails with kInvalidInput as check_options does. Requires problem.rhs.
    static Result<Dop853> create(const Problem& problem, const Options& options);

    using Stepper::start;
    void start(double t0, std::span<const double> y0, double step) override;
    [[nodiscard]] Status step(double t_end) override;
    [[nodiscard]] Status dense(double t, std::span<double> y) override;

    double t() const override { return t_; }
    double t_previous() const override { return t_previous_; }
    std::span<const double> y() const override { return y_; }
    std::span<const double> y_previous() const override { return y_previous_; }
    double next_step() const override { return step_; }
    const Statistics& statistics() const override { return statistics_; }
    int rhs_code() const override { return rhs_code_; }

  private:
    enum class Dense : std::uint8_t { kNone, kPossible, kReady };

    /// One attempt: from t_ by h to t, which ends exactly at t_end if `last`.
    struct Trial {
        double h;
        double t;
        bool last;
    };

    Dop853(const Problem& problem, const Options& options);

    Status evaluate(double t, const std::vector<double>& y, std::vector<double>& k);
    Status prepare_first_stage();
    double initial_step(double t_end);
    Trial choose_trial(double t_end) const;
    Status attempt(const Trial& trial);
    Status compute_stages(const Trial& trial);
    Status finish_step(const Trial& trial);
    void accept(const Trial& trial, bool was_rejected);
    double scaled_error(double h) const;
    double least_step() const;
    Status prepare_dense();

    template <std::size_t Stage>
    Status compute_stage(double t, double h, const std::vector<double>& y);

    Problem problem_;
    Options options_;
    StepControl control_;
    Statistics statistics_;
    int rhs_code_ = 0;

    double t_ = 0.0;
    double t_previous_ = 0.0;
    double h_ = 0.0;     ///< signed length of the last accepted step
    double step_ = 0.0;  ///< magnitude to try next, 0 = not yet chosen
    bool started_ = false;
    bool first_known_ = false;  ///< first_ = f(t_, y_)
    bool moved_ = false;        ///< the hook changed the end of the last accepted step
    Dense dense_ = Dense::kNone;

    std::vector<double> atol_;            ///< n
    std::vector<double> y_, y_previous_;  ///< n  ends of the last accepted step
    std::vector<double> y_stage_;         ///< n  argument of the stage under way
    std::vector<double> y_new_;           ///< n  end of the attempt, after the hook
    std::vector<double> y_raw_;           ///< n  end of the attempt, before the hook
    std::vector<double> first_;           ///< n  first stage of the next step
    std::array<std::vector<double>, dop853::kStages> k_;  ///< n each, stages of the last step
    std::array<std::vector<double>, 8> interpolant_;      ///< n each, computed by prepare_dense
};

}  // namespace ananke::ode
