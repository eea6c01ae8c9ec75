// What one-step methods have in common: the state between steps, and the loop of attempts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ode/finite.h"
#include "ode/problem.h"
#include "ode/stepper.h"

namespace ananke::ode {

class OneStep : public Stepper {
  public:
    using Stepper::start;
    void start(double t0, std::span<const double> y0, double step) final;
    [[nodiscard]] Status step(double t_end) final;

    double t() const final { return t_; }
    double t_previous() const final { return t_previous_; }
    std::span<const double> y() const final { return y_; }
    std::span<const double> y_previous() const final { return y_previous_; }
    double next_step() const final { return step_; }
    const Statistics& statistics() const final { return statistics_; }
    int rhs_code() const final { return rhs_code_; }
    std::span<const double> absolute_tolerances() const final { return atol_; }

  protected:
    /// One attempt: from t_ by h to t, which ends exactly at t_end if `last`.
    struct Trial {
        double h;
        double t;
        bool last;
        bool retry;  ///< shorter, after a rejection
    };

    OneStep(const Problem& problem, const Options& options);

    /// atol_ for a step of this length, 0: any.
    void set_tolerances(double h) {
        if (problem_.tolerances) {
            problem_.tolerances({t_, y_, first_, h, rounding_}, atol_);
        }
    }
    bool is_stopped() const { return problem_.stop_requested && problem_.stop_requested(); }
    /// f, which must be finite.
    Status evaluate(double t, std::span<const double> y, std::span<double> dydt);

    /// Forget what belongs to steps before start().
    virtual void forget() = 0;
    /// Whether dense() may be asked for: after a step that was accepted, or that had no length.
    virtual void allow_dense(bool possible) = 0;
    /// Magnitude of a first step; first_ is known.
    virtual double initial_step(double t_end) = 0;
    /// Anything but kOk, kRhsFailed and kInterrupted rejects the trial; retry_factor_ then shortens
    /// the next one.
    virtual Status attempt(const Trial& trial) = 0;
    virtual void accept(const Trial& trial) = 0;

    /// The `accepted` hook on y_new_; y_raw_ keeps what it was before. Sets end_moved_.
    Status run_hook(const Trial& trial);
    /// The wanted step, no longer than the trial after a rejection, and no shorter than the step
    /// that the end of the run cut short.
    double next_after(const Trial& trial, double wanted) const;
    /// The trial becomes the last step, y_new_ its end; `next` is tried after it.
    void advance(const Trial& trial, double next);
    /// y_ or y_previous_ where t is an end of the last step. Requires a t between these.
    bool copy_end(double t, std::span<double> y) const;

    Problem problem_;
    Options options_;
    Statistics statistics_;
    double t_ = 0.0;
    double t_previous_ = 0.0;
    double h_ = 0.0;             ///< signed length of the last accepted step
    double step_ = 0.0;          ///< magnitude to try next, 0 = not yet chosen
    double retry_factor_ = 1.0;  ///< on h after a rejection, set before each attempt
    bool started_ = false;
    bool first_known_ = false;            ///< first_ = f(t_, y_)
    bool moved_ = false;                  ///< the hook changed the end of the last accepted step
    bool end_moved_ = false;              ///< the hook changed the end of this attempt
    bool rounding_ = false;               ///< see StepAhead
    std::vector<double> atol_;            ///< n
    std::vector<double> y_, y_previous_;  ///< n  ends of the last accepted step
    std::vector<double> y_new_, y_raw_;   ///< n  end of an attempt, after and before the hook
    std::vector<double> first_;           ///< n  f at the beginning of the next step

  private:
    Status make_step(double t_end);
    Status prepare_first();
    Trial choose_trial(double t_end) const;
    double least_step() const;

    int rhs_code_ = 0;
};

}  // namespace ananke::ode
