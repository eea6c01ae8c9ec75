// Radau IIA with five stages: implicit, order 9, for motions in which something decays or vibrates
// much faster than what is of interest. L-stable: what is too fast to follow is damped out.
//
//   Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),   y_new = y + Z_5                     [HW] IV.8
//
// The stages are found by simplified Newton steps with one matrix of derivatives, which is kept
// as long as they converge fast. Two errors are held below the tolerance: that of an embedded
// formula of order 5, filtered as [HW] say, and that of the collocation polynomial between the ends
// of the step, which the filtered one does not see where fast parts follow slow ones. So dense
// output is as good as the tolerance says; the ends of steps are better.
//
// A state moved by the `accepted` hook is treated as in Dop853. Dense output evaluates nothing.
// No allocation after create() but by LinearSystems (linearization.h), and before a failure is
// described.
//
// [HW] Hairer & Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "dense/dense.h"
#include "ode/linearization.h"
#include "ode/one_step.h"
#include "ode/predictive_control.h"
#include "ode/problem.h"
#include "ode/radau_tableau.h"

namespace ananke::ode {

class Radau final : public OneStep {
  public:
    static constexpr std::size_t kStages = 5;

    /// Fails with kInvalidInput as check_options does. Requires problem.rhs, and
    /// structure.positions equal to 0 or to half of the components that are no integrals.
    static Result<Radau> create(const Problem& problem, const Options& options,
                                const Structure& structure = {}, std::size_t stages = kStages);

    [[nodiscard]] Status dense(double t, std::span<double> y) override;
    /// What the implicit step would make of the defect: fast parts are damped.
    [[nodiscard]] double defect(double t, std::span<const double> slope) override;

  private:
    using Stages = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;  ///< a column each

    enum class Newton : std::uint8_t { kConverged, kSlow, kFailed };

    Radau(const Problem& problem, const Options& options, const Structure& structure,
          std::size_t stages);

    void forget() override;
    void allow_dense(bool possible) override;
    double initial_step(double t_end) override;
    Status attempt(const Trial& trial) override;
    void accept(const Trial& trial) override;
    Status linearize(double h);
    Status linearize_at(double t, std::span<const double> y);
    void polynomial(double x, std::span<double> y) const;
    void factorise(double h);
    void guess_stages(double h);
    Newton find_stages(const Trial& trial, Status& status);
    void correct_stages(double h);
    void set_scale();
    double norm_of_correction() const;
    double rounding() const;
    double scaled_error(const Trial& trial);
    double scaled_dense_error(const Trial& trial);
    double norm_of_error() const;
    Status finish_step(const Trial& trial);

    std::shared_ptr<const RadauTableau> tableau_;
    PredictiveControl control_;
    bool has_polynomial_ = false;  ///< Z_ are the stages of the last accepted step
    bool dense_possible_ = false;

    bool jacobian_known_ = false;
    bool jacobian_is_new_ = false;  ///< taken for this attempt
    double factorised_h_ = 0.0;     ///< 0: the systems are not those of the last J
    double contraction_ = 1.0;      ///< of Newton's iteration, at its last step that showed it
    int iterations_ = 0;            ///< of the last attempt

    std::vector<double> y_stage_;    ///< n
    std::vector<double> moved_by_;   ///< n  what the hook added to the end of the last step
    std::vector<double> slope_;      ///< n
    std::vector<double> middle_;     ///< n  a state for derivatives
    Eigen::VectorXd scale_;          ///< n  what a tolerance of 1 means
    Eigen::VectorXd error_, right_;  ///< n
    Stages Z_, W_;                   ///< n x s; Z = W T^T
    Stages Z_trial_, F_, dW_, dZ_;   ///< n x s
    std::unique_ptr<LinearSystems> own_systems_;  ///< by matrices, or none
    LinearSystems* systems_;                      ///< those, or the structure's
    std::vector<std::complex<double>> shifts_;    ///< one per pair
    Eigen::VectorXcd pair_right_;                 ///< n
};

}  // namespace ananke::ode
