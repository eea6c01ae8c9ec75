// One long step by collocation at the eight Gauss points, for a stretch where f cannot be evaluated
// everywhere: an instant at which f is 0/0, though the motion passes it smoothly.
//
//   Y_i = P[ y0 + h sum_j a_ij f(t0 + c_j h, Y_j) ],   y1 = y0 + h sum_j b_j f(Y_j)    [HNW] II.7
//
// P puts a state onto what the motion must satisfy, so that f is only asked where it is sound. f is
// interpolated across the instant, which must lie between two points; nothing is extrapolated. The
// order is 16. The stages are found by iteration from a guess, which fits where explicit
// methods do.
//
// No allocation after construction.
//
// [HNW] Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ode/function_ref.h"
#include "ode/problem.h"
#include "ode/stepper.h"

namespace ananke::ode {

struct GaussProblem {
    FunctionRef<Evaluation(double, std::span<const double>, std::span<double>)> rhs;
    /// P; false if the state cannot be put there.
    FunctionRef<bool(double, std::span<double>)> project;
    double rtol = 1e-9;
    std::span<const double> atol = {};  ///< n
    /// P as long as the stages still change by their tolerance; `project` where there is none.
    FunctionRef<bool(double, std::span<double>)> project_roughly = {};
};

class GaussStep {
  public:
    static constexpr std::size_t kNodes = 8;
    using Nodes = std::array<double, kNodes>;
    static constexpr std::size_t kPoints = kNodes + 2;  ///< with both ends
    using Points = std::array<double, kPoints>;

    /// Takes its memory at the first step.
    explicit GaussStep(std::size_t size) : size_(size) {}

    /// c, ascending in (0, 1)
    static const Nodes& nodes();

    /// From (t0, y0) to t0 + h. `guess` gives states anywhere in the step. Returns kOk with end()
    /// not yet projected, or kStepTooSmall if the iteration does not converge, or what
    /// f or P answered.
    [[nodiscard]] Status take(const GaussProblem& problem, double t0, std::span<const double> y0,
                              double h, FunctionRef<void(double, std::span<double>)> guess);

    std::span<const double> end() const { return end_; }
    /// The end by the rules that leave out one point and two: measures of the error.
    void end_of_order_7(std::span<double> y) const;
    void end_of_order_6(std::span<double> y) const;

    /// The polynomial through y0 with the slopes f at the points, and its derivative. Inside the
    /// step the order is that of the stages, 9, against 16 at the end; slopes at both ends, where
    /// they are known, make it better.
    void dense(double t, std::span<double> y) const;
    void slope(double t, std::span<double> dydt) const;
    void set_slopes_at_ends(std::span<const double> first, std::span<const double> last);

    std::size_t rhs_evaluations() const { return evaluations_; }
    int iterations() const { return iterations_; }  ///< of the last take()

  private:
    void take_memory();
    void combine(const Nodes& weights, std::span<double> y) const;
    Points dense_weights(double x) const;
    Points slope_weights(double x) const;
    Status evaluate_stage(const GaussProblem& problem, std::size_t i);
    double change_of_stage(const GaussProblem& problem, std::size_t i) const;

    std::size_t size_;
    double t0_ = 0.0;
    double h_ = 0.0;
    std::vector<double> y0_, end_, stage_;
    std::array<std::vector<double>, kNodes> Y_;
    std::array<std::vector<double>, kPoints> F_;  ///< at the points, then at both ends
    bool ends_known_ = false;
    std::size_t evaluations_ = 0;
    int iterations_ = 0;
};

}  // namespace ananke::ode
