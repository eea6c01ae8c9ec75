// One row of those that count, followed along a motion: its component orthogonal to the others
// reverses where rows become dependent, or where the row itself vanishes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "dynamics/row_rank.h"

namespace ananke::simulate {

/// A singular configuration that was passed.
struct SingularPoint {
    double t;
    int rank;               ///< there
    int rank_before;        ///< and before and after
    std::vector<int> rows;  ///< that become dependent
};

class RowFollower {
  public:
    explicit RowFollower(dynamics::Evaluator& evaluator);
    /// The first choice takes the memory.
    bool is_made() const { return rows_ != nullptr; }

    /// The rows that count at a state y = (q, v, ...) from now on, and the weakest of them with
    /// its component orthogonal to the others (n).
    dynamics::WeakestRow choose(double t, std::span<const double> y, std::span<double> direction);
    /// The same, and the weakest is watched; false if there is none.
    bool watch_weakest(double t, std::span<const double> y);
    /// The same where the rows were chosen by `looked` at this state, and the weakest of them is
    /// known.
    bool watch_weakest_of(const dynamics::MotionSolver& looked, const dynamics::WeakestRow& weakest,
                          std::span<const double> direction, double t, std::span<const double> y);
    /// Watches a row that at this state has turned round since the last choice, if there is one.
    void watch_row_that_turned(double t, std::span<const double> y);
    /// Watches a row that counts, instead of the weakest, from where the rows were chosen.
    void watch_row(int row);

    /// The holonomic row whose length comes to nothing first, if it goes on to fall as between two
    /// states of a motion, and how many times the way between them it has to go from the second.
    struct FallingRow {
        int row;
        double ahead;
    };
    std::optional<FallingRow> falling_row(double t_before, std::span<const double> before, double t,
                                          std::span<const double> y);
    /// A holonomic row has turned by more than a right angle between two states.
    bool any_reversed(double t_before, std::span<const double> before, double t,
                      std::span<const double> y);

    /// The component of the watched row orthogonal to the others, along its direction where the
    /// rows were chosen, and by its length there: 1 there, negative when it has turned round. 0
    /// where the rows are dependent to working precision.
    double signed_pivot(double t, std::span<const double> y);
    /// The length of that component over its length where the rows were chosen: near 0 at a
    /// singular configuration. A row that turns as its mechanism does only loses the part along its
    /// old direction. 0 where the rows are dependent to working precision.
    double remaining_part(double t, std::span<const double> y);
    /// The length of that component where the rows were chosen.
    double first_pivot() const;

    /// What becomes dependent at a state that was not so before, where the rows were chosen.
    SingularPoint describe(double t_before, std::span<const double> before, double t,
                           std::span<const double> y);

  private:
    void make();
    bool again(double t, std::span<const double> y);
    void find_lengths(double t, std::span<const double> y, std::vector<double>& lengths);
    compile::SparseValues values(double t, std::span<const double> y) const;
    std::optional<int> place_of(int row) const;
    int watched_row() const { return rows_->kept()[static_cast<std::size_t>(watched_)]; }

    dynamics::Evaluator* evaluator_;
    std::size_t n_;
    std::unique_ptr<dynamics::RowRank> rows_;           ///< made when it is first needed
    int watched_ = 0;                                   ///< place among its kept rows
    std::vector<double> direction_, direction_before_;  ///< n
    std::vector<double> remainders_;                    ///< rank x n
    std::vector<double> lengths_before_;                ///< m  of rows, where they were chosen
    std::vector<double> lengths_, entries_, scratch_;
};

}  // namespace ananke::simulate
