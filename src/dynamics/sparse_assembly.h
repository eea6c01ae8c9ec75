// Initial values of models with many coordinates: as solve/assembly searches them, without
// matrices.
#pragma once

#include <span>
#include <vector>

#include "dynamics/sparse_projection.h"
#include "solve/assembly.h"

namespace ananke::dynamics {

class SparseAssembly final : public solve::LevelSearch {
  public:
    explicit SparseAssembly(Evaluator& evaluator);

    bool nearest(const solve::LevelValues& level, std::span<double> x,
                 const std::vector<bool>& exact) override;
    bool reach(const solve::LevelValues& level, std::span<double> x,
               const std::vector<bool>& exact) override;
    bool reach_with_restarts(const solve::LevelValues& level, std::span<double> x,
                             const std::vector<bool>& exact) override;

    // Where the last search ended.
    const SparseLevel& level() { return projection_.level(); }
    double residual() { return projection_.level().residual(); }
    int worst_row() { return projection_.level().worst_row(); }

  private:
    /// Residuals at x; false if they are not finite.
    bool evaluate(const solve::LevelValues& level, std::span<const double> x);
    bool descend(const solve::LevelValues& level, std::span<double> x,
                 const std::vector<bool>& exact, bool to_guess);
    bool damped_search(const solve::LevelValues& level, std::span<double> x,
                       const std::vector<bool>& exact);
    void move_least(const solve::LevelValues& level, std::span<const double> guess,
                    std::span<double> x, const std::vector<bool>& exact);
    std::vector<double> find_units(const solve::LevelValues& level, std::span<const double> x);
    double squared_distance(std::span<const double> x, std::span<const double> guess,
                            std::span<const double> units) const;

    Evaluator* evaluator_;
    SparseProjection projection_;
    std::size_t n_;
    std::vector<double> q_, v_;  ///< n
    std::vector<double> mass_;   ///< at the guess
};

}  // namespace ananke::dynamics
