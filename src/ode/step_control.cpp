#include "ode/step_control.h"

#include <algorithm>
#include <cmath>

namespace ananke::ode {
namespace {

constexpr double kSafety = 0.9;
constexpr double kLeastFactor = 1.0 / 3.0;
constexpr double kLargestFactor = 6.0;
constexpr unsigned kProportional128 = 4;  // b = 4/128
constexpr unsigned kIntegral128 = 13;     // a = 1/8 - 3/4 b = 13/128

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

void StepControl::remember(double error) {
    error_old_ = std::max(error, kLeastError);
}

double StepControl::growth(double error) const {
    const double shrink = power_128th(error, kIntegral128);
    const double memory = power_128th(error_old_, kProportional128);
    const double least = shrink * kLargestFactor;
    return least <= kSafety * memory
               ? kLargestFactor
               : std::clamp(kSafety * memory / shrink, kLeastFactor, kLargestFactor);
}

double StepControl::after_rejection(double error) const {
    return std::clamp(kSafety / power_128th(error, kIntegral128), kLeastFactor, kSafety);
}

}  // namespace ananke::ode
