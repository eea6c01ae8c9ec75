// One integrator as its callers see it: start, step by step, and the motion inside the last step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace ananke::ode {

enum class Status : std::uint8_t {
    kOk,
    kStopped,           ///< the sink returned Flow::kStop
    kInterrupted,       ///< stop_requested() said so
    kStepTooSmall,      ///< the tolerance cannot be met with a step that still changes t
    kTooManySteps,      ///< Options::max_steps attempts were made
    kNotFinite,         ///< NaN or infinity, however small the step
    kRhsRetry,          ///< f asked for smaller steps, to no avail
    kRhsFailed,         ///< f failed for good
    kProjectionFailed,  ///< the `accepted` hook failed, however small the step
    kInvalidInput,      ///< times out of order, or the like
};

struct Statistics {
    std::size_t steps = 0;
    std::size_t rejected = 0;
    std::size_t rhs_evaluations = 0;
    std::size_t jacobians = 0;       ///< matrices of derivatives, of implicit methods
    std::size_t factorisations = 0;  ///< and of systems with them
    double smallest_step = 0.0;      ///< magnitudes of accepted steps; 0 before the first
    double largest_step = 0.0;
    double last_error = 0.0;  ///< of the last attempt, in units of the tolerance
};

/// Adds those of a later stretch of the same run.
void add(Statistics& sum, const Statistics& later);

class Stepper {
  public:
    virtual ~Stepper() = default;

    /// Forgets everything before; f is first called by step(). `step` is a first step to try
    /// (magnitude), 0 = Options::initial_step or automatic.
    virtual void start(double t0, std::span<const double> y0, double step) = 0;
    void start(double t0, std::span<const double> y0) { start(t0, y0, 0.0); }

    /// One accepted step towards t_end, in either direction, never beyond it; none if t_end = t. On
    /// failure t and y are those of the last accepted step and step() may be called again.
    [[nodiscard]] virtual Status step(double t_end) = 0;

    /// The state at t inside the last step, bitwise y_previous() and y() at its ends. Requires that
    /// the last step() returned kOk (or none was made since start(): then only t = t()). Evaluates
    /// f as far as the interpolant needs it, which can fail.
    [[nodiscard]] virtual Status dense(double t, std::span<double> y) = 0;

    /// How far the motion inside the last step is from solving y' = f at a time t: `slope` is f at
    /// t and dense(t), and what is left of it against the slope of dense output is returned as an
    /// error of y over the whole step, in units of the tolerance. Requires that dense(t) was ok.
    [[nodiscard]] virtual double defect(double t, std::span<const double> slope) = 0;

    virtual double t() const = 0;
    virtual double t_previous() const = 0;
    virtual std::span<const double> y() const = 0;
    virtual std::span<const double> y_previous() const = 0;
    virtual double next_step() const = 0;  ///< magnitude the next step will try; 0 = not yet known
    virtual const Statistics& statistics() const = 0;
    virtual int rhs_code() const = 0;  ///< of the last evaluation that was not ok, or 0
    /// Per component, of the last attempt at a step.
    virtual std::span<const double> absolute_tolerances() const = 0;

  protected:
    Stepper() = default;
    Stepper(const Stepper&) = default;
    Stepper& operator=(const Stepper&) = default;
    Stepper(Stepper&&) = default;
    Stepper& operator=(Stepper&&) = default;
};

/// The sentence for the user. Requires a status that is a failure (not kOk, not kStopped).
Error describe_failure(Status status, const Stepper& stepper);

}  // namespace ananke::ode
