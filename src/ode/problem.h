// What an integrator is given: y' = f(t, y), two optional hooks, and how accurate to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/result.h"
#include "ode/function_ref.h"
#include "ode/step_control.h"

namespace ananke::ode {

/// How one evaluation of f ended.
struct Evaluation {
    enum class Kind : std::uint8_t {
        kOk,
        kRetry,  ///< not defined here; a smaller step may stay where it is
        kFatal,  ///< no step will help
    };
    Kind kind = Kind::kOk;
    int code = 0;  ///< the caller's own number for the reason, handed back untouched

    static Evaluation ok() { return {}; }
    static Evaluation retry(int code = 0) { return {Kind::kRetry, code}; }
    static Evaluation fatal(int code = 0) { return {Kind::kFatal, code}; }
};

/// What the `accepted` hook did with the state.
enum class Acceptance : std::uint8_t {
    kUnchanged,
    kChanged,  ///< y was moved (a projection): f is evaluated anew at the moved state
    kFailed,   ///< y cannot be used; a smaller step is tried
};

/// A step of DOP853 made at once: its stages, the end with what the `accepted` hook does to it, f
/// there, and the error.
struct WholeStep {
    // Given.
    double t = 0.0, h = 0.0;
    double t_end = 0.0;                  ///< t + h
    std::span<const double> y = {};      ///< at t
    std::span<const double> slope = {};  ///< k_0 = f(t, y)
    std::span<const double> atol = {};
    double rtol = 0.0;
    // Found. Numbers stay where they are until the next attempt.
    const double* stages = nullptr;  ///< k_1 to k_11, `stride` apart
    std::size_t stride = 0;
    const double* raw_end = nullptr;    ///< before the hook
    const double* end = nullptr;        ///< after it
    const double* end_slope = nullptr;  ///< f there
    bool moved = false;                 ///< by the hook
    double error = 0.0;                 ///< in units of the tolerance, above 0
    ErrorRoots<double> roots = {};      ///< of the error
};

/// Views only: the callables must outlive the integrator.
struct Problem {
    std::size_t size = 0;  ///< n, components of y; may be 0

    /// f(t, y, dydt); both spans hold n components. Results that are not finite count as kRetry.
    FunctionRef<Evaluation(double, std::span<const double>, std::span<double>)> rhs;

    /// Optional. Called with the end of each step that passed the error test. Should f fail at the
    /// state it leaves, the step is still rejected: the hook may move y but must not count calls as
    /// progress.
    FunctionRef<Acceptance(double, std::span<double>)> accepted = {};

    /// Optional. Polled before each attempt at a step.
    FunctionRef<bool()> stop_requested = {};

    /// Optional, for DOP853: an attempt at a step at once, with the bits of its parts. False: it
    /// must be made part by part. Nothing follows from the attempt until it is taken.
    FunctionRef<bool(WholeStep&)> whole_step = {};
    /// The last whole step has passed the error test: its end takes the place of what `accepted`
    /// and rhs would have given there.
    FunctionRef<void(const WholeStep&)> whole_step_taken = {};
    /// Optional: after a whole step, told where it ended. True if nobody needs to see the state
    /// there: the next step is made at once.
    FunctionRef<bool(double)> passes_on = {};
};

/// A step passes when the root mean square of error_i / (atol_i + rtol |y_i|) is at most 1.
struct Options {
    double rtol = 1e-9;
    double atol = 1e-12;
    std::vector<double> atol_each = {};  ///< n values instead of `atol`, or empty
    double initial_step = 0.0;           ///< magnitude; 0 = automatic
    double max_step = std::numeric_limits<double>::infinity();
    double min_step = 0.0;               ///< besides 10 ulp of t, which is always the least step
    std::size_t max_steps = 10'000'000;  ///< attempts since start(), rejected ones included
    /// Implicit methods: what is left to correct in the stages, in units of the tolerance; not less
    /// than rounding allows.
    double stage_tolerance = 1e-3;
};

/// Fails with kInvalidInput and the offending value.
Result<void> check_options(const Options& options, std::size_t size);

}  // namespace ananke::ode
