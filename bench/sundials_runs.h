// The hand-written accelerations under the integrators of SUNDIALS, without projection, with its
// own controllers and dense difference quotients where a method needs a Jacobian.
#pragma once

#include <cstdint>
#include <string>

#include "models.h"
#include "replay.h"

namespace ananke::bench {

enum class SundialsMethod : std::uint8_t {
    kCvodeAdams,           ///< fixed-point iteration
    kCvodeBdf,             ///< Newton, dense
    kArkodeDormandPrince,  ///< order 5
    kArkodeFehlberg,       ///< order 8
    kIda,                  ///< y' - f(t, y) = 0, dense
};

std::string name_of(SundialsMethod method);
std::string sundials_version();

/// One run, created and freed as a program would; not timed. A run that fails has an infinite
/// error.
RunTime sundials_run(const BenchModel& model, SundialsMethod method, double tolerance);

}  // namespace ananke::bench
