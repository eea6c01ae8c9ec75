// The step after this one, from the error of this one: Hairer's PI controller.
//
//   h_next = h * clamp(S err^-a err_old^b, 1/3, 6),   b = 1/32,  a = 1/8 - 3/4 b      [HNW] II.4
//
// for a method whose error estimate behaves as h^8. err = 1 is the tolerance.
//
// [HNW] Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993.
#pragma once

namespace ananke::ode {

/// x^(k/128) for x >= 0, 0 <= k < 128. Square roots are correctly rounded everywhere, pow is not:
/// the steps, and with them all results, keep their bits from one mathematics library to the next.
double power_128th(double x, unsigned k);

class StepControl {
  public:
    void reset() { error_old_ = kLeastError; }

    /// Factor on h after a step with error <= 1.
    double growth(double error) const;
    /// Such a step was accepted.
    void remember(double error);

    /// Factor on h, below 1, for another try after error > 1.
    double after_rejection(double error) const;

  private:
    static constexpr double kLeastError = 1e-4;
    double error_old_ = kLeastError;
};

}  // namespace ananke::ode
