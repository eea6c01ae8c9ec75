#include "ode/predictive_control.h"

#include <algorithm>

#include "ode/step_control.h"

namespace ananke::ode {
namespace {

constexpr double kSafety = 0.9;
constexpr double kLeastFactor = 0.2;
constexpr double kLargestFactor = 8.0;
constexpr double kLeastError = 1e-10;  // below, any factor is the largest
constexpr double kLeastErrorOfMemory = 0.01;

}  // namespace

double PredictiveControl::safety(int iterations) const {
    const double most = most_iterations_;
    return kSafety * (1.0 + 2.0 * most) / (2.0 * most + iterations);
}

double PredictiveControl::by_error(double error, int iterations) const {
    return std::min(kSafety, safety(iterations)) /
           power_128th(std::max(error, kLeastError), exponent_128_);
}

double PredictiveControl::after_acceptance(double h, double error, int iterations) {
    double factor = by_error(error, iterations);
    if (error_old_ > 0.0) {
        const double memory =
            std::max(error, kLeastError) * std::max(error, kLeastError) / error_old_;
        factor = std::min(factor, kSafety * (h / h_old_) / power_128th(memory, exponent_128_));
    }
    h_old_ = h;
    error_old_ = std::max(error, kLeastErrorOfMemory);
    return std::clamp(factor, kLeastFactor, kLargestFactor);
}

double PredictiveControl::after_rejection(double error, int iterations) const {
    return std::clamp(by_error(error, iterations), kLeastFactor, kSafety);
}

}  // namespace ananke::ode
