// The constrained acceleration of a large model without matrices: independent rows found body by
// body, then a general sparse factorisation of [M A^T; A 0].
//
// Where the rank is decided and where rows of output are written; inside a step the program in
// segments gives the same numbers ten times faster.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/evaluator.h"
#include "solve/acceleration.h"
#include "solve/symmetric_factor.h"

namespace ananke::sim {

class SparseDynamics {
  public:
    explicit SparseDynamics(Evaluator& evaluator);

    /// Decides which rows count.
    solve::SolveStatus solve(double t, const double* q, const double* v);
    /// With the rows of the last solve().
    solve::SolveStatus solve_again(double t, const double* q, const double* v);
    /// Why the last solve failed.
    Error explain() const;

    // Of the last solve. Multipliers of rows that depend on others are 0.
    std::span<const double> a() const { return a_; }
    std::span<const double> Qc() const { return Qc_; }
    std::span<const double> Qc_ideal() const { return Qc_ideal_; }
    std::span<const double> Qc_nonideal() const { return Qc_nonideal_; }
    std::span<const double> lambda() const { return lambda_; }
    /// Independent rows, ascending.
    const std::vector<int>& rows() const { return rows_; }
    bool warning() const { return warning_; }
    double weakest() const { return weakest_; }

  private:
    solve::SolveStatus solve_at(const SparseValues& at, bool check);
    void take_rows(std::vector<int> rows);
    void force_of(const SparseValues& at, std::span<const double> a, std::vector<double>& Qc) const;
    void find_inconsistent_row(const SparseValues& at);

    Evaluator* evaluator_;
    std::vector<char> varies_;
    std::vector<int> rows_;
    std::vector<int> place_of_row_;     ///< m  among rows_, -1
    std::vector<std::size_t> entries_;  ///< of A, that belong to rows_
    std::optional<solve::SymmetricFactor> factor_;
    std::vector<double> values_, x_;
    std::vector<double> a_, Qc_, Qc_ideal_, Qc_nonideal_, lambda_;
    bool warning_ = false;
    double weakest_ = 1.0;
    solve::SolveStatus status_ = solve::SolveStatus::kOk;
    int inconsistent_row_ = -1;
};

}  // namespace ananke::sim
