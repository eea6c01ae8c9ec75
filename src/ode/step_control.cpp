#include "ode/step_control.h"

#include <algorithm>
#include <cmath>

namespace ananke::ode {
namespace {

constexpr double kSafety = 0.9;
constexpr double kLeastFactor = 1.0 / 3.0;
constexpr double kLargestFactor = 6.0;

}  // namespace

double power_128th(double x, unsigned k) {
    double power = 1.0;
    double root = x;
    for (unsigned bit = 64; bit != 0; bit /= 2) {
        root = std::sqrt(root);  // x^(bit/128)
        if ((k & bit) != 0) {
            power *= root;
        }
    }
    return power;
}

void StepControl::remember(const ErrorRoots<double>& roots) {
    memory_ = std::max(roots.fourth, kLeastMemory);
}

double StepControl::growth(const ErrorRoots<double>& roots) const {
    const double shrink = roots.thirteenth;
    const double least = shrink * kLargestFactor;
    return least <= kSafety * memory_
               ? kLargestFactor
               : std::clamp(kSafety * memory_ / shrink, kLeastFactor, kLargestFactor);
}

double StepControl::after_rejection(double error) const {
    return std::clamp(kSafety / roots_of(error).thirteenth, kLeastFactor, kSafety);
}

}  // namespace ananke::ode
