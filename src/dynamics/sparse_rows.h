// Which rows count at a state, and how near they are to dependent: by sparse systems.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/row_rank.h"
#include "solve/analysis.h"
#include "solve/independent_rows.h"
#include "solve/weak_rows.h"

namespace ananke::dynamics {

/// Whether sparse systems decide which rows count; see compile/roads.h.
inline bool has_sparse_rows(const compile::CompiledModel& model) {
    return model.sparse || model.is_large();
}

/// Rows in force that are longer than what rounding leaves of their terms. At the last state of the
/// evaluator.
std::vector<int> rows_that_have_not_vanished(Evaluator& evaluator,
                                             const compile::SparseValues& values);

class SparseRows final : public RowRank {
  public:
    /// Where `reuses`, pivots of one state serve at others: the last digits then depend on what was
    /// asked before.
    explicit SparseRows(Evaluator& evaluator, bool reuses = false);

    void choose(const compile::SparseValues& at) override { choose(at, solve::kDependentPart); }
    void choose(const compile::SparseValues& at, double dependent) override;
    /// These rows, which are independent, count at the next again().
    void count(const std::vector<int>& rows) { take(rows); }
    void count_as(const RowRank& other) override;
    bool again(const compile::SparseValues& at) override;

    /// Ascending.
    const std::vector<int>& kept() const override { return kept_; }
    /// Rows that have not vanished but depend on those.
    const std::vector<int>& dropped() const { return dropped_; }
    bool warning() const override { return warning_; }

    WeakestRow weakest(std::span<double> direction) override;
    void remainder(int k, std::span<double> x) override { rows().remainder(k, x); }
    std::vector<bool> tied(const compile::SparseValues& at) override;
    /// Coefficients (per row that counts) of the combination of rows nearest to a row of A (n), and
    /// the difference (n, in units of the coordinates, of the row at length 1). Requires a factor.
    void express(std::span<const double> row, std::span<double> coefficients,
                 std::span<double> remainder);
    /// A row that depends on others as a combination of those that count.
    solve::DroppedRow combination(int row, const compile::SparseValues& at);

  private:
    void take(std::vector<int> rows);
    solve::WeakRows& rows();
    bool factor(const compile::SparseValues& at);
    WeakestRow weakest();
    bool all_count(const compile::SparseValues& at, const std::vector<int>& there);
    bool still_good(const compile::SparseValues& at, const std::vector<int>& there);
    std::vector<double> lengths(const compile::SparseValues& at) const;
    std::vector<double> sum_of_dropped(const compile::SparseValues& at) const;

    Evaluator* evaluator_;
    bool reuses_;
    std::vector<char> varies_;
    std::vector<int> there_, kept_, dropped_;  ///< there_: those that have not vanished
    std::vector<int> place_;                   ///< m  among kept_, -1
    std::vector<std::size_t> entries_;         ///< of A, that belong to kept_, with rows_
    std::vector<double> values_, units_;
    std::vector<double> direction_;  ///< n
    std::optional<solve::WeakRows> rows_;
    bool factored_ = false;
    std::optional<WeakestRow> found_;  ///< by weakest(), of the last factor, with direction_
    double chosen_pivot_ = 0.0;  ///< of the weakest row where those that count were found; 0: never
    bool warning_ = false;
    double least_ = 1.0;  ///< part of a kept row that was left when it was chosen
    int weakest_ = -1;    ///< the row found last
};

}  // namespace ananke::dynamics
