// The step after this one, from the errors of the last two: Gustafsson's controller for implicit
// methods.
//
//   h_next = h S min( err^-k, h/h_old (err_old/err^2)^k ),   k = 1/(s + 1)           [HW] IV.8
//   (8.25)
//
// for an error estimate that behaves as h^(s+1). err = 1 is the tolerance; S falls when Newton's
// iteration was slow.
//
// [HW] Hairer & Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996.
#pragma once

namespace ananke::ode {

class PredictiveControl {
  public:
    /// Of a method with so many stages, whose Newton iterations are at most so many.
    PredictiveControl(unsigned stages, int most_iterations)
        : exponent_128_(128 / (stages + 1)), most_iterations_(most_iterations) {}

    void reset() { error_old_ = 0.0; }

    /// Factor on h after a step with error <= 1; remembers both.
    double after_acceptance(double h, double error, int iterations);

    /// Factor on h, below 1, for another try after error > 1.
    double after_rejection(double error, int iterations) const;

  private:
    double safety(int iterations) const;
    double by_error(double error, int iterations) const;

    unsigned exponent_128_;
    int most_iterations_;
    double h_old_ = 0.0;
    double error_old_ = 0.0;  ///< 0: no step yet
};

}  // namespace ananke::ode
