// The constrained acceleration of a model with many coordinates without matrices: independent rows,
// then a general sparse factorisation of [M A^T; A 0].
//
// Where the rank is decided and where rows of output are written; inside a step the program in
// segments gives the same numbers ten times faster.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamics/evaluator.h"
#include "dynamics/sparse_rows.h"
#include "solve/acceleration.h"
#include "solve/symmetric_factor.h"

namespace ananke::dynamics {

class SparseDynamics {
  public:
    /// Where only the motion is wanted, multipliers of rows that depend on others are 0; else
    /// solve() shares the load among them, solve/load_form.h. There, and in models that are
    /// too large for singular configurations to be foreseen, the pivots of one state serve at
    /// others while they are about as good: the last digits depend on what was asked before.
    explicit SparseDynamics(Evaluator& evaluator, solve::Wanted wanted = solve::Wanted::kAll);

    /// Decides which rows count.
    solve::SolveStatus solve(double t, const double* q, const double* v);
    /// With the rows of the last solve().
    solve::SolveStatus solve_again(double t, const double* q, const double* v);
    /// As AccelerationSolver::attribute.
    solve::SolveStatus attribute(double t, const double* q, const double* v, const double* a,
                                 double weakest);
    /// Why the last solve failed, which was at this state.
    Error explain(double t, const double* q, const double* v);

    // Of the last solve.
    std::span<const double> a() const { return a_; }
    std::span<const double> Qc() const { return Qc_; }
    std::span<const double> Qc_ideal() const { return Qc_ideal_; }
    std::span<const double> Qc_nonideal() const { return Qc_nonideal_; }
    std::span<const double> lambda() const { return lambda_; }
    /// Independent rows, ascending.
    const std::vector<int>& rows() const { return rows_; }
    const SparseRows& choice() const { return choice_; }
    bool warning() const { return choice_.warning(); }
    double weakest_pivot() const { return weakest_.pivot; }
    /// With what it has besides the others (n).
    int weakest_row(double* remainder) const {
        std::copy(direction_.begin(), direction_.end(), remainder);
        return weakest_.row;
    }

  private:
    /// With the factor at hand.
    solve::SolveStatus solve_factored(const compile::SparseValues& at, bool check);
    bool rows_still_serve(const compile::SparseValues& at);
    void choose_rows(const compile::SparseValues& at, double dependent);
    void take_rows(std::vector<int> rows);
    bool factor(const compile::SparseValues& at);
    void force_of(const compile::SparseValues& at, std::span<const double> a, std::vector<double>& Qc) const;
    void find_inconsistent_row(const compile::SparseValues& at);
    void share_load(const compile::SparseValues& at);

    Evaluator* evaluator_;
    solve::Wanted wanted_;
    SparseRows choice_;
    WeakestRow weakest_;
    std::vector<double> direction_;  ///< n
    std::vector<int> rows_;
    std::vector<int> place_of_row_;     ///< m  among rows_, -1
    std::vector<std::size_t> entries_;  ///< of A, that belong to rows_
    std::optional<solve::SymmetricFactor> factor_;
    double regularity_ = 0.0;  ///< of the factor where the rows were chosen
    std::vector<double> values_, x_;
    std::vector<double> a_, Qc_, Qc_ideal_, Qc_nonideal_, lambda_;
    solve::SolveStatus status_ = solve::SolveStatus::kOk;
    int inconsistent_row_ = -1;
};

}  // namespace ananke::dynamics
