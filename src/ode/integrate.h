// From t0 to t_end with the state handed out at requested times.
#pragma once

#include <optional>
#include <span>

#include "ode/function_ref.h"
#include "ode/problem.h"
#include "ode/stepper.h"

namespace ananke::ode {

enum class Flow : std::uint8_t { kContinue, kStop };

/// Receives each requested time, bitwise as requested, and the state there.
using Sink = FunctionRef<Flow(double, std::span<const double>)>;

struct Outcome {
    Status status = Status::kOk;
    double t = 0.0;  ///< reached: t_end, or where a failure or the sink ended the run
    Statistics statistics = {};
    std::optional<Error> error = {};  ///< if status is neither kOk nor kStopped
};

/// Requires `y` to hold the state at t0; leaves in it the state at Outcome::t.
///
/// `outputs` are in the order of travel within [t0, t_end], repeats allowed, else kInvalidInput.
/// They do not influence the steps. An output inside a step comes from dense(), one at the end of a
/// step is the accepted state. What the sink received before a failure stays valid.
Outcome integrate(Stepper& stepper, double t0, double t_end, std::span<double> y,
                  std::span<const double> outputs, Sink sink);

/// The same with a DOP853 of its own.
Outcome integrate(const Problem& problem, const Options& options, double t0, double t_end,
                  std::span<double> y, std::span<const double> outputs, Sink sink);

}  // namespace ananke::ode
