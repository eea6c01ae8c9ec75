// States of models with many coordinates put onto the constraints, without matrices: Newton's
// method with the least change in the metric of M, by sparse factorisations.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/sparse_level.h"
#include "solve/independent_rows.h"
#include "solve/projection.h"
#include "solve/symmetric_factor.h"

namespace ananke::dynamics {

class SparseProjection {
  public:
    explicit SparseProjection(Evaluator& evaluator);

    /// As solve::Projector::project; rows of which the others leave less than RankPolicy::drop do
    /// not count, nor those that solve::independent_rows drops.
    solve::ProjectionReport project(double t, std::span<double> q, std::span<double> v,
                                    const solve::ProjectionOptions& options = {});
    /// Largest scaled residual of a position constraint.
    double position_violation(double t, std::span<const double> q);

    /// Newton's method on one level, over what is not exact: each step leads to the nearest to the
    /// values given, or, unless `to_guess`, moves least. True if the level is met. Given up where
    /// it comes nearer too slowly.
    bool descend(bool velocity, double t, std::span<double> q, std::span<double> v,
                 const std::vector<bool>& exact, bool to_guess,
                 const solve::ProjectionOptions& options);
    /// The change dx of x with f + J dx = 0 for which x + dx is nearest to the guess in the metric
    /// at q, over what is not exact; f and J as the level was evaluated last. Empty: not found.
    std::span<const double> step(double t, std::span<const double> q, std::span<const double> x,
                                 std::span<const double> guess, const std::vector<bool>& exact,
                                 double dependent = solve::kDependentPart);
    SparseLevel& level() { return level_; }

  private:
    /// [M A^T; A 0] over what is not exact and the rows that count.
    struct System {
        const std::vector<compile::Place>* places;  ///< of the level
        std::vector<bool> exact;
        std::vector<int> kept;   ///< rows
        std::vector<int> place;  ///< n  among the unknowns, -1
        int free = 0;
        std::vector<std::size_t> entries;  ///< of the level, that belong to it
        std::vector<double> values;
        solve::SymmetricFactor factor;
    };

    solve::RowChoice choose_rows(const std::vector<bool>& exact, double dependent) const;
    void arrange(const std::vector<bool>& exact, const std::vector<int>& kept);

    Evaluator* evaluator_;
    SparseLevel level_;
    std::size_t n_;
    std::vector<double> mass_, step_, right_;
    std::vector<bool> none_exact_;
    std::optional<System> system_;
    /// All rows of system_ were so far from dependent that they need not be looked at again.
    bool surely_independent_ = false;
};

}  // namespace ananke::dynamics
