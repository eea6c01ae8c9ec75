// The step after this one, from the error of this one: Hairer's PI controller.
//
//   h_next = h * clamp(S err^-a err_old^b, 1/3, 6),   b = 1/32,  a = 1/8 - 3/4 b      [HNW] II.4
//
// for a method whose error estimate behaves as h^8. err = 1 is the tolerance.
//
// [HNW] Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993.
#pragma once

#include <cmath>

namespace ananke::ode {

/// x^(k/128) for x >= 0, 0 <= k < 128. Square roots are correctly rounded everywhere, pow is not:
/// the steps, and with them all results, keep their bits from one mathematics library to the next.
double power_128th(double x, unsigned k);

/// Of the error of a step, for any kind of number: by one chain of square roots.
template <class V>
struct ErrorRoots {
    V fourth;      ///< err^(4/128)
    V thirteenth;  ///< err^(13/128)
};

template <class V>
ErrorRoots<V> roots_of(const V& error) {
    using std::sqrt;
    const V eighth = sqrt(sqrt(sqrt(sqrt(error))));
    const V fourth = sqrt(eighth);
    return {fourth, eighth * fourth * sqrt(sqrt(fourth))};
}

class StepControl {
  public:
    void reset() { memory_ = kLeastMemory; }

    /// Factor on h after a step with error <= 1.
    double growth(const ErrorRoots<double>& roots) const;
    /// Such a step was accepted.
    void remember(const ErrorRoots<double>& roots);

    /// Factor on h, below 1, for another try after error > 1.
    double after_rejection(double error) const;

  private:
    /// Errors below 1e-4 are remembered as 1e-4, the 32nd power of this.
    static constexpr double kLeastMemory = 0.7498942093324559;
    double memory_ = kLeastMemory;  ///< err_old^b
};

}  // namespace ananke::ode
