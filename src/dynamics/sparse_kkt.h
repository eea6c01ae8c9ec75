// The equations of motion by sparse systems: independent rows, then a general sparse factorisation
// of [M A^T; A 0]; controls that enforce servo rows by its solutions for their forces.
//
// Where the rank is decided and where rows of output are written; inside a step a program, where
// the model has one, gives the same numbers ten times faster.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamics/kkt_solver.h"
#include "dynamics/sparse_controls.h"
#include "dynamics/sparse_rows.h"
#include "solve/sparse_factor.h"
#include "solve/symmetric_factor.h"

namespace ananke::dynamics {

enum class Servos : std::uint8_t {
    kAreConstraints,     ///< their rows push as those of constraints do
    kHaveTheirControls,  ///< their rows push nowhere, the controls of the model enforce them
};

class SparseKkt final : public KktSolver {
  public:
    /// Where only the motion is wanted, multipliers of rows that depend on others are 0, and the
    /// pivots of one state serve at others while they are about as good: the last digits depend on
    /// what was asked before. Else solve() shares the load among them, solve/load_form.h.
    SparseKkt(Evaluator& evaluator, Mismatch mismatch, solve::Wanted wanted,
              Servos servos = Servos::kAreConstraints);

    solve::SolveStatus solve(const compile::SparseValues& at, Motion& motion) override;
    solve::SolveStatus solve_again(const compile::SparseValues& at, solve::Wanted wanted,
                                   Motion& motion) override;
    solve::SolveStatus solve_forces(const compile::SparseValues& at, Motion& motion) override;
    void response(std::span<const double> F, std::span<double> change) override;
    void take_slopes() override;
    bool feedback_step(std::span<double> r) override;
    double feedback_radius() override;
    solve::SolveStatus attribute(const compile::SparseValues& at, const double* a, double weakest,
                                 Motion& motion) override;
    Error explain(double t, const double* q, const double* v) override;

    int rank() const override {
        return static_cast<int>(rows_.size() + (controls_ ? controls_->rows().size() : 0));
    }
    bool rank_warning() const override { return choice_.warning(); }
    double weakest_pivot() const override { return weakest_.pivot; }
    int weakest_row(std::span<double> remainder) const override {
        std::copy(direction_.begin(), direction_.end(), remainder.begin());
        return weakest_.row;
    }
    std::vector<int> kept_rows() const override { return rows_; }
    const RowRank* row_rank() const override { return controls_ ? nullptr : &choice_; }
    std::vector<solve::Pivot> control_pivots() const override {
        return controls_ ? controls_->pivots() : std::vector<solve::Pivot>();
    }
    double regularity() const override { return controls_ ? controls_->regularity() : 1.0; }
    int orientation() const override { return controls_ ? controls_->orientation() : 0; }
    solve::ControlGap control_gap(double tolerance) const override {
        return controls_->gap(tolerance);
    }

  private:
    /// With the factor at hand.
    solve::SolveStatus solve_factored(const compile::SparseValues& at, Motion& motion);
    void choose_rows(const compile::SparseValues& at, double dependent);
    void take_rows(std::vector<int> rows);
    solve::SolveStatus without_hold(const compile::SparseValues& at);
    void make_slopes();
    /// S r into force_.
    void find_slope_force(std::span<const double> r);
    std::size_t size_of_system() const {
        return direction_.size() + rows_.size() + borders_.size();
    }
    bool factor(const compile::SparseValues& at);
    /// x_ becomes the solution for the force Q + C.
    void solve_for(const compile::SparseValues& at, std::span<const double> C);
    /// A force (n) as a right side of the factor.
    void load_force(std::span<const double> force);
    void force_of(const compile::SparseValues& at, std::span<const double> a,
                  std::vector<double>& Qc) const;
    int inconsistent_row(const compile::SparseValues& at, const Motion& motion);
    void share_load(const compile::SparseValues& at, std::vector<double>& lambda);
    /// lambda (m) of the rows that count from a solution [..., y, ...] of the factor, sign y.
    void put_multipliers(std::span<double> lambda, double sign) const;

    Evaluator* evaluator_;
    Mismatch mismatch_;
    solve::Wanted wanted_;
    SparseRows choice_;
    std::optional<SparseControls> controls_;
    std::vector<int> borders_;  ///< SparseControls::borders() that the factor has
    WeakestRow weakest_;
    std::vector<double> direction_;  ///< n
    std::vector<int> rows_;
    std::vector<int> place_of_row_;                      ///< m  among rows_, -1
    std::vector<std::size_t> entries_, border_entries_;  ///< of A, that belong to rows_, borders_
    std::optional<solve::SymmetricFactor> factor_;
    /// [M A^T + S; A 0], S the slopes of the forces by the multipliers of the rows that count.
    struct Slopes {
        solve::SparseFactor<double> factor;
        std::vector<int> row_of;  ///< per CompiledModel::feedback: among rows_, -1
    };
    std::optional<Slopes> slopes_;  ///< of models with feedback, for rows_ and controls
    bool has_slopes_ = false;       ///< slopes_ has a factor
    double regularity_ = 0.0;       ///< of the factor where the rows were chosen
    bool holds_ = true;             ///< the controls enforce their servo rows, by the last factor
    std::vector<double> values_, x_;
    std::vector<double> force_;  ///< n
    solve::SolveStatus status_ = solve::SolveStatus::kOk;
    int inconsistent_row_ = -1;
};

}  // namespace ananke::dynamics
