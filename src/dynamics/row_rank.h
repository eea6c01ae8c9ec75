// Which rows of A count, which depend on these, and how near the rows that count are to dependent.
//
// One face, two implementations, chosen by predicted cost (compile/roads.h): full matrices with a
// pivoted QR in the metric of M^-1 (THEORY section 4), and sparse systems in units of the
// coordinates (solve/weak_rows.h). The pivot of a row is the length of its component orthogonal to
// the others, relative to the row; it passes through zero where the rows become dependent.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/full_matrices.h"
#include "solve/acceleration.h"

namespace ananke::dynamics {

/// The kept row with the smallest pivot.
struct WeakestRow {
    double pivot = 1.0;
    int row = -1;  ///< -1: its direction is not known, passages are only listed
    int rank = 0;  ///< of all rows
    bool known = true;
};

class RowRank {
  public:
    RowRank() = default;
    virtual ~RowRank() = default;
    RowRank(const RowRank&) = delete;
    RowRank& operator=(const RowRank&) = delete;

    // The values are those of the last state of the evaluator.
    /// Decides which rows count, by the rank policy of the implementation.
    virtual void choose(const compile::SparseValues& at) = 0;
    /// Rows with pivots below `dependent` do not count.
    virtual void choose(const compile::SparseValues& at, double dependent) = 0;
    /// The rows that `other` has chosen count at the next again(). Requires the same model.
    virtual void count_as(const RowRank& other) = 0;
    /// The same rows at another state; false if they are dependent to working precision, or leave a
    /// direction without mass free.
    virtual bool again(const compile::SparseValues& at) = 0;

    /// Rows that count, in the order in which remainder() numbers them.
    virtual const std::vector<int>& kept() const = 0;
    /// The last choice was a judgement: a row was near to dependent.
    virtual bool warning() const = 0;
    // Of the last choose() or again() that succeeded.
    /// With its component orthogonal to the other rows (n).
    virtual WeakestRow weakest(std::span<double> direction) = 0;
    /// The component of the k-th row that counts orthogonal to the others, full matrices: to those
    /// before it (n).
    virtual void remainder(int k, std::span<double> x) = 0;
    /// m  true for rows that are tied to others by a dependence, and for those that have vanished.
    virtual std::vector<bool> tied(const compile::SparseValues& at) = 0;
};

class FullRows final : public RowRank {
  public:
    explicit FullRows(Evaluator& evaluator);

    void choose(const compile::SparseValues& at) override;
    void choose(const compile::SparseValues& at, double dependent) override;
    void count_as(const RowRank& other) override;
    bool again(const compile::SparseValues& at) override;
    const std::vector<int>& kept() const override { return kept_; }
    bool warning() const override { return solver_.rank_warning(); }
    WeakestRow weakest(std::span<double> direction) override;
    void remainder(int k, std::span<double> x) override { solver_.remainder(k, x.data()); }
    std::vector<bool> tied(const compile::SparseValues& at) override;

    // For the equations of motion: their solver decides by the factor that it needs itself.
    solve::AccelerationSolver& solver() { return solver_; }
    const solve::AccelerationSolver& solver() const { return solver_; }
    solve::SolveStatus solve(const solve::System& at);
    solve::SolveStatus attribute(const solve::System& at, const double* a, double weakest);

  private:
    void choose_by(solve::RankPolicy policy, const compile::SparseValues& at);
    void find_kept();

    Evaluator* evaluator_;
    FullMatrices matrices_;
    solve::AccelerationSolver solver_;
    solve::SolveStatus status_ = solve::SolveStatus::kOk;
    std::vector<int> kept_;
    std::vector<bool> tied_;  ///< of a choice that leaves a direction without mass free; else empty
};

/// The implementation that costs less for this model.
std::unique_ptr<RowRank> make_row_rank(Evaluator& evaluator);

}  // namespace ananke::dynamics
