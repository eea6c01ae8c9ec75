// One row of those that count, followed along a motion: what it has besides the others reverses
// where rows become dependent, or where the row itself vanishes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dynamics/dynamics.h"
#include "dynamics/evaluator.h"
#include "dynamics/sparse_rows.h"
#include "solve/acceleration.h"

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
    /// It has its memory, which the first choice takes.
    bool is_made() const { return sparse_ || solver_; }

    /// The rows that count at a state y = (q, v, ...) from now on, and the weakest of them with
    /// what it has besides the others (n).
    dynamics::WeakestRow choose(double t, std::span<const double> y, std::span<double> direction);
    /// The same, and the weakest is watched; false if there is none.
    bool watch_weakest(double t, std::span<const double> y);
    /// The same where the rows were chosen by `looked` at this state, and the weakest of them is
    /// known.
    bool watch_weakest_of(const dynamics::Dynamics& looked, const dynamics::WeakestRow& weakest,
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

    /// What the watched row has besides the others, along its direction where the rows were
    /// chosen, and by its length there: 1 there, negative when it has turned round. Not a number
    /// where nothing is.
    double signed_pivot(double t, std::span<const double> y);
    /// All that it has besides the others at a state, in any direction, over what it had where the
    /// rows were chosen: next to nothing at a singular configuration, while a row that turns as its
    /// mechanism does only has no part along its direction there. 0 where nothing is.
    double remaining_part(double t, std::span<const double> y);
    /// The part of it that the others did not reproduce where the rows were chosen.
    double first_pivot() const;

    /// What becomes dependent at a state that was not so before, where the rows were chosen.
    SingularPoint describe(double t_before, std::span<const double> before, double t,
                           std::span<const double> y);

  private:
    void make();
    bool again(double t, std::span<const double> y);
    void find_lengths(double t, std::span<const double> y, std::vector<double>& lengths);
    int watched_row() const {
        return sparse_ ? sparse_->kept()[static_cast<std::size_t>(watched_)]
                       : solver_->kept_row(watched_);
    }
    void find_remainder(int k, std::vector<double>& x);
    int rank() const {
        return sparse_ ? static_cast<int>(sparse_->kept().size()) : solver_->rank();
    }
    struct Rank {
        int rank;
        std::vector<bool> tied;  ///< m
    };
    Rank rank_before(double t, std::span<const double> y);
    Rank rank_there(double t, std::span<const double> y) const;

    dynamics::Evaluator* evaluator_;
    std::size_t n_;
    // One of these two, made when it is first needed; it keeps the order of the rows.
    std::optional<dynamics::SparseRows> sparse_;  ///< of models with many coordinates
    std::optional<solve::AccelerationSolver> solver_;
    int watched_ = 0;                                   ///< place in that order
    std::vector<double> direction_, direction_before_;  ///< n
    std::vector<double> remainders_;                    ///< rank x n
    std::vector<double> lengths_before_;                ///< m  of rows, where they were chosen
    std::vector<double> lengths_, entries_, scratch_;
};

}  // namespace ananke::simulate
