// The numbers of a compiled model at one (t, q, v): memory and kernels of one run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/fresh_numbers.h"
#include "compile/compiled_model.h"
#include "compile/sparse_values.h"
#include "dynamics/full_matrices.h"
#include "dynamics/scales.h"
#include "solve/constraint_surface.h"
#include "solve/system.h"

namespace ananke::dynamics {

struct Energy {
    double kinetic, potential;
    double h;      ///< v.T_v - T + V
    double power;  ///< h' = power + Qc.v
};

/// No allocation after construction, except where a method says so, and for the matrices of the
/// first system.
class Evaluator final : public solve::ConstraintSurface {
  public:
    Evaluator(std::shared_ptr<const compile::CompiledModel> compiled,
              std::span<const double> parameters);

    const compile::CompiledModel& model() const { return *compiled_; }
    /// Sizes that residuals are measured by. Who runs a motion starts them and lets them see it.
    Scales& scales() { return scales_; }
    const Scales& scales() const { return scales_; }

    /// M, Q, C, A, b and D at the state. The views stay valid until the next call.
    compile::SparseValues sparse_system(double t, const double* q, const double* v);
    /// The same as full matrices.
    solve::System system(double t, const double* q, const double* v);
    /// Summed magnitudes of the terms of the rows of A (m), then of b (m), at the last state.
    std::span<const double> magnitudes();
    /// The input of the kernel of the system at a state, for programs that do its work.
    std::span<const double> system_inputs(double t, const double* q, const double* v) {
        load(t, q, v);
        if (!switch_value_.empty() && !(switches_held_ && free_switches_ == 0)) {
            follow_switches();
        }
        return input_;
    }
    /// Besides t, q and v the inputs do not follow the state.
    bool inputs_hold() const {
        return switch_value_.empty() || (switches_held_ && free_switches_ == 0);
    }
    /// h' less the power of the forces of constraint, at the state of the last system.
    double power() const { return power_; }

    // Switches of the force law. As long as nothing is said their sides follow the state; those of
    // reactions stay until follow_reactions() says otherwise, here and everywhere below.
    int side(int which) const {
        return static_cast<int>(
            input_[compiled_->layout.sides() + static_cast<std::size_t>(which)]);
    }
    void set_side(int which, int side) {
        input_[compiled_->layout.sides() + static_cast<std::size_t>(which)] = side;
    }
    /// g of all switches at a state, for the multipliers as they are.
    std::span<const double> switch_values(double t, const double* q, const double* v);
    /// What of g is rounding there.
    std::span<const double> switch_rounding(double t, const double* q, const double* v);
    /// Switch::rate of all switches at a state with its acceleration, then what of it is rounding,
    /// then Switch::speed.
    std::span<const double> switch_rates(double t, const double* q, const double* v,
                                         const double* a);
    /// From now on the sides follow the state.
    void release_switches();
    /// From now on they stay as they are at this state.
    void hold_switches(double t, const double* q, const double* v);
    /// The same, where the sides were held before: one whose g is rounding stays as it is.
    void hold_switches_again(double t, const double* q, const double* v);
    /// One that is held follows the state from now on, until it is held again.
    void let_follow(int which);
    void hold(int which, int side);
    bool follows(int which) const { return free_[static_cast<std::size_t>(which)] != 0; }
    /// The sides that are held are put aside and follow the state until resume_hold().
    void suspend_hold();
    void resume_hold();
    /// Puts the sides that are held aside, as suspend_hold() does, if they are not those of this
    /// state. False, and nothing is changed, if they are, or none are held.
    bool take_own_law(double t, const double* q, const double* v);
    /// The sides of reactions are those of these multipliers, unless they are held. True if one has
    /// changed: then the multipliers have, too.
    bool follow_reactions(const double* lambda);

    /// From now on the integrals of rows in the velocities keep their values at this state, as
    /// position rows after the holonomic ones. One that is not a number here is not kept. Call it
    /// again where a parameter changes. Allocates.
    void hold_integrals(double t, const double* q);

    // Multipliers as inputs of forces, frictions and outputs: those of the constraint rows.
    void set_multipliers(const double* lambda);
    /// Q, C and power of the last system once more, with the multipliers as they now are, and the
    /// slopes of Q + C by those that feed back. Its values see the change.
    void update_reactive();
    /// The terms of Q + C without multipliers at the state of the last system (n).
    std::span<const double> free_force();
    /// d(Q + C)/d lambda of row CompiledModel::feedback[k], n numbers until the next call.
    std::span<const double> feedback_slope(int k);
    /// The same at CompiledModel::slope_entries.
    std::span<const double> slopes() const { return slopes_; }

    // Frictions: each slips, with directions that are not all zero, or its rows are in force.
    bool sticks(int friction) const;
    /// Whether a row, counted among CompiledModel::rows, is a stick row in force.
    bool row_sticks(int row) const {
        return row >= compiled_->constraint_rows && in_force_[static_cast<std::size_t>(row)] != 0;
    }
    void set_stick(int friction);
    void set_slip(int friction, std::span<const double> direction);
    std::span<const double> direction(int friction) const;
    /// A slip of two components that is not larger has no direction of its own.
    void set_still(int friction, double slip);
    /// Values of CompiledModel::friction at a state, for the multipliers as they are.
    std::span<const double> friction_values(double t, const double* q, const double* v);
    /// What slips are measured against, per stick row: the change of the slip when the velocities
    /// change by their sizes. Valid until the next call of any method.
    std::span<const double> slip_sizes(double t, const double* q, const double* v);
    /// A row of A and its b at the state of the last system, in force or not. The row (n) is valid
    /// until the next call.
    std::span<const double> row(int which);
    double b(int row) const;
    bool any_sticks() const { return sticking_ > 0; }
    int rows_in_force() const { return compiled_->constraint_rows + sticking_; }
    /// How often a stick row came into force or went out of it.
    std::size_t stick_changes() const { return stick_changes_; }

    Energy energy(double t, const double* q, const double* v);
    /// Values of outputs and speeds.
    std::span<const double> outputs(double t, const double* q, const double* v, const double* a);
    /// Residual of every row as written, over the summed magnitudes of its terms, at least what it
    /// changes by when its coordinates change by their sizes.
    std::span<const double> scaled_residuals(double t, const double* q, const double* v);
    /// The same unscaled.
    std::span<const double> raw_residuals(double t, const double* q, const double* v);
    /// Values of CompiledModel::following at these positions. Allocates.
    std::vector<double> start_velocities(double t, const double* q);
    /// The input of every kernel at a state, for kernels that are not the evaluator's own. Without
    /// `a` the accelerations are those of the last state that had any.
    std::span<const double> inputs(double t, const double* q, const double* v,
                                   const double* a = nullptr);
    std::span<const double> inputs() const { return input_; }
    double parameter(int which) const {
        return input_[compiled_->layout.p() + static_cast<std::size_t>(which)];
    }
    void set_parameter(int which, double value) {
        input_[compiled_->layout.p() + static_cast<std::size_t>(which)] = value;
        ++parameter_changes_;
    }
    /// How often set_parameter() was called.
    std::size_t parameter_changes() const { return parameter_changes_; }
    /// Values of reaction_expressions().
    std::span<const double> reactions(double t, const double* q, const double* v);
    /// D^T at the state of the last system(): row k is the generalised force of the unit control k.
    const solve::RowMatrix& actuation() const { return matrices_.actuation(); }
    /// Three numbers per control: its direction; then per CompiledModel::aims: W.
    std::span<const double> control_vectors(double t, const double* q, const double* v);
    /// The gauge the model asks for, or the default one, at the last state. Allocates.
    solve::Gauge gauge();

    // solve::ConstraintSurface
    int coordinates() const override { return compiled_->n(); }
    int rows(solve::Level level) const override {
        return level == solve::Level::kVelocities
                   ? compiled_->m()
                   : static_cast<int>(compiled_->holonomic.size() + first_integrals_.size());
    }
    std::span<const compile::Place> places(solve::Level level) const override {
        return level == solve::Level::kVelocities ? compiled_->row_entries
                                                  : compiled_->holonomic_entries;
    }
    std::span<const compile::Place> mass_places() const override { return compiled_->mass_entries; }
    std::span<const double> residuals(solve::Level level, double t, const double* q,
                                      const double* v, double* f, double* scale) override {
        return level == solve::Level::kVelocities ? velocity_residuals(t, q, v, f, scale)
                                                  : position_residuals(t, q, f, scale);
    }
    std::span<const double> mass(double t, const double* q) override;
    std::span<const double> sizes(solve::Level level, const double* x) override {
        return level == solve::Level::kVelocities ? scales_.velocities_with(x)
                                                  : scales_.positions_with(x);
    }
    std::span<const solve::CoordinateGroup> groups() const override { return compiled_->groups; }
    std::vector<int> blocks() const override;
    std::vector<solve::CoordinateKind> kinds() const override;
    solve::Factors factors() const override {
        const bool sparse = compiled_->sparse || compiled_->is_large();
        return sparse ? solve::Factors::kSparse : solve::Factors::kDense;
    }

  private:
    void load(double t, const double* q, const double* v) {
        const auto n = static_cast<std::size_t>(compiled_->layout.n);
        double* const input = input_.data();
        input[0] = t;
        if (v == q + n) {  // as in the state of a run
            copy_few(q, 2 * n, input + 1);
            return;
        }
        copy_few(q, n, input + 1);
        copy_few(v, n, input + 1 + n);
    }
    template <class SideOf>
    bool set_sides(SideOf side_of);
    void follow_switches();
    /// Of the kernel of the dynamics.
    std::span<double> sparse_part(std::size_t first, std::size_t count) {
        return std::span(sparse_).subspan(first, count);
    }
    std::size_t first_of_A() const;
    std::span<const double> full_row(const std::vector<compile::Place>& places,
                                     const double* entries, int row);
    /// At the inputs of the last evaluation.
    std::span<const double> compliances();
    std::span<const double> position_residuals(double t, const double* q, double* phi,
                                               double* scale);
    std::span<const double> velocity_residuals(double t, const double* q, const double* v,
                                               double* psi, double* scale);
    void load_positions(double t, const double* q);
    void raise_scales(const std::vector<compile::Place>& places, const double* entries,
                      std::span<const double> sizes, std::span<const double> tied,
                      std::span<double> scale);

    std::shared_ptr<const compile::CompiledModel> compiled_;
    Scales scales_;
    // Kernels keep slots of their own, so each evaluator runs copies.
    code::Kernel dynamics_, switch_values_, switch_scales_, switch_rates_, magnitudes_, mass_,
        position_, velocity_, residuals_, energy_, output_, force_, reactive_, free_force_,
        friction_, compliance_, gauge_, control_;
    std::vector<double> input_;                           ///< layout.size()
    std::vector<double> scratch_;                         ///< largest output of a kernel
    std::vector<double> compliances_;                     ///< C_J of all owners
    std::vector<double> sparse_;                          ///< outputs of the last system
    FullMatrices matrices_;                               ///< of the last system()
    std::vector<double> free_Q_;                          ///< n, where forces feed back
    std::vector<double> magnitude_;                       ///< 2 m: of the rows of A, then of b
    std::vector<double> scaled_;                          ///< m
    std::vector<double> residual_scale_;                  ///< m
    std::vector<double> change_;                          ///< per row, see raise_scales()
    std::vector<double> switch_value_, switch_rounding_;  ///< per switch
    std::vector<double> switch_rate_;                     ///< rates, then their rounding
    std::vector<double> held_sides_;                      ///< put aside by suspend_hold()
    std::vector<char> free_;                              ///< per switch: follows the state
    int free_switches_ = 0;                               ///< how many do
    std::vector<double> slopes_;                          ///< at CompiledModel::slope_entries
    std::vector<double> friction_values_;
    std::vector<char> in_force_;    ///< per row
    std::vector<double> full_row_;  ///< n: see row() and feedback_slope()
    int sticking_ = 0;              ///< stick rows in force
    std::size_t stick_changes_ = 0;
    std::size_t parameter_changes_ = 0;
    bool switches_held_ = false;
    std::vector<double> first_integrals_;  ///< empty, or of compiled_->integrals; NaN: not kept
    double power_ = 0.0;
};

}  // namespace ananke::dynamics
