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

/// A step that is about to be tried.
struct StepAhead {
    double t = 0.0;
    std::span<const double> y, slope;  ///< at its beginning
    double h = 0.0;                    ///< signed; 0: not yet chosen
    /// Steps have been rejected again and again although they became shorter: what is left of their
    /// errors may be rounding.
    bool rounding = false;
};

/// Views only: the callables must outlive the integrator.
struct Problem {
    std::size_t size = 0;  ///< n, components of y; may be 0

    /// f(t, y, dydt); both spans hold n components. Results that are not finite count as kRetry.
    FunctionRef<Evaluation(double, std::span<const double>, std::span<double>)> rhs;

    /// Optional. Called with the end of each step that passed the error test; may move y. The step
    /// is still rejected if f fails there, so a call does not mean progress.
    FunctionRef<Acceptance(double, std::span<double>)> accepted = {};

    /// Optional. Polled before each attempt at a step.
    FunctionRef<bool()> stop_requested = {};

    /// Optional: absolute tolerances (n) of a step, instead of those of Options. Zero where nothing
    /// is known of a size and no step is chosen yet.
    FunctionRef<void(const StepAhead&, std::span<double>)> tolerances = {};
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
