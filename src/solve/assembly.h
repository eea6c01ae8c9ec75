// Initial conditions that satisfy the constraints: exact values kept, guesses moved least.
//
//   positions:   least |q - guess|_M  with phi(q) = 0      over the coordinates not marked exact
//   velocities:  least |v - guess|_M  with psi(q, v) = 0   over the velocities not marked exact
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dense/dense.h"
#include "solve/projection.h"
#include "solve/search_units.h"

namespace ananke::solve {

struct InitialValues {
    double t = 0.0;
    Eigen::VectorXd q;          ///< n
    Eigen::VectorXd v;          ///< n
    std::vector<bool> q_exact;  ///< n
    std::vector<bool> v_exact;  ///< n
    /// Sets those of v that are given as functions of the assembled positions; may be empty.
    std::function<void(const double* q, double* v)> follow_positions;
};

/// Which level is searched.
struct LevelValues {
    bool velocities = false;
    double t = 0.0;
    std::span<const double> q;  ///< n  of the level of velocities
    double tolerance = 1e-12;   ///< on the largest scaled residual
};

/// Searches by other means than dense factors, for many coordinates. x (n) are the positions or
/// velocities of the level, changed in place: where the search ended. Exact ones stay. True if the
/// level is met.
class LevelSearch {
  public:
    virtual ~LevelSearch() = default;
    /// Those nearest to x.
    virtual bool nearest(const LevelValues& level, std::span<double> x,
                         const std::vector<bool>& exact) = 0;
    /// Any, from x; with restarts also from places around it.
    virtual bool reach(const LevelValues& level, std::span<double> x,
                       const std::vector<bool>& exact) = 0;
    virtual bool reach_with_restarts(const LevelValues& level, std::span<double> x,
                                     const std::vector<bool>& exact) = 0;
};

struct AssemblyOptions {
    double tolerance = 1e-12;      ///< on the largest scaled residual
    double exact_mismatch = 1e-9;  ///< exact values that miss by no more than this are projected
    int most_iterations = 300;
    LevelSearch* search = nullptr;  ///< null: by dense factors
};

/// Why the values do not fit the constraints.
struct AssemblyFailure {
    ErrorCode code = ErrorCode::kNotConverged;  ///< kInconsistent when rows contradict each other
    bool velocities = false;                    ///< the level that failed
    Eigen::VectorXd residual;                   ///< per row of that level, where the search ended
    Eigen::VectorXd scaled_residual;            ///< over its scale
    /// A smallest set of rows that cannot be met together near there, with the exact values kept.
    std::vector<int> contradictory_rows;
    /// Freeing any one of these exact values lets the rest be assembled. When no single one does,
    /// freeing all of `exact_values_together` does.
    std::vector<int> exact_values;
    std::vector<int> exact_values_together;
    std::string message;
};

struct Assembly {
    Eigen::VectorXd q;                ///< n
    Eigen::VectorXd v;                ///< n
    Eigen::VectorXd position_change;  ///< n  against the values given
    Eigen::VectorXd velocity_change;  ///< n
    double position_residual = 0.0;   ///< largest scaled
    double velocity_residual = 0.0;
    std::vector<int> moved_exact_q;  ///< exact values that missed by round-off and were projected
    std::vector<int> moved_exact_v;
    std::vector<double> q_units, v_units;  ///< n each: what values are measured by, see SearchUnits
    std::optional<AssemblyFailure> failure;
};

/// `position_keys`, `velocity_keys`: names of the rows, for a choice of contradictory rows that
/// does not depend on their order.
Assembly assemble(ConstraintSurface& surface, const InitialValues& given,
                  const AssemblyOptions& options = {},
                  std::span<const std::string> position_keys = {},
                  std::span<const std::string> velocity_keys = {});

}  // namespace ananke::solve
