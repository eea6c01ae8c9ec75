// Which rows of a model with many coordinates count at a state, and how near they are to
// dependent: without matrices.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "solve/analysis.h"
#include "solve/independent_rows.h"
#include "solve/weak_rows.h"

namespace ananke::dynamics {

/// Whether sparse systems decide which rows count; see compile/roads.h.
inline bool has_sparse_rows(const compile::CompiledModel& model) {
    return model.sparse || model.is_large();
}

/// Coordinates up to which singular configurations are foreseen: beyond, the watch would cost as
/// much as the steps.
constexpr int kLargestForeseen = 3000;

inline bool is_foreseen(const compile::CompiledModel& model) {
    return model.n() <= kLargestForeseen;
}

/// The kept row with the smallest pivot.
struct WeakestRow {
    double pivot = 1.0;
    int row = -1;  ///< -1: its direction is not known, passages are only listed
    int rank = 0;  ///< of all rows
    bool known = true;
};

class SparseRows {
  public:
    /// Where `reuses`, pivots of one state serve at others: the last digits then depend on what was
    /// asked before.
    explicit SparseRows(Evaluator& evaluator, bool reuses = false);

    /// At the last state of the evaluator. Rows of which the others leave less than `dependent` do
    /// not count.
    void choose(const compile::SparseValues& at, double dependent = solve::kDependentPart);
    /// These rows, which are independent, count at the next again().
    void count(const std::vector<int>& rows) { take(rows); }
    /// As another one of the same evaluator has chosen, at the next again().
    void count_as(const SparseRows& other);
    /// The same rows at another state; false if they are dependent to working precision.
    bool again(const compile::SparseValues& at);

    /// Rows that count, ascending.
    const std::vector<int>& kept() const { return kept_; }
    /// Rows that have not vanished but depend on those.
    const std::vector<int>& dropped() const { return dropped_; }
    bool warning() const { return warning_; }

    /// Of the last choose() or again() that succeeded, with what the row has besides the others
    /// (n).
    WeakestRow weakest(std::span<double> direction);
    /// What the k-th row that counts has besides all others (n); returns its length.
    double remainder(int k, std::span<double> x) { return rows().remainder(k, x); }
    int place_of(int row) const { return place_[static_cast<std::size_t>(row)]; }
    /// m  true for rows that are tied to others by a dependence, and for those that have vanished.
    std::vector<bool> tied(const compile::SparseValues& at);
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
