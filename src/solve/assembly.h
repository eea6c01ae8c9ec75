// Initial conditions that satisfy the constraints: exact values kept, guesses moved least.
//
//   positions:   least |q - guess|_M  with phi(q) = 0      over the coordinates not marked exact
//   velocities:  least |v - guess|_M  with psi(q, v) = 0   over the velocities not marked exact
//
// Each level is solved in this order, as far as needed: Newton's method from the guess, a damped
// search from there, damped searches from places around it; then steps along the constraints to the
// solution nearest to the guess.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dense/dense.h"
#include "solve/projection.h"

namespace ananke::solve {

struct InitialValues {
    double t = 0.0;
    std::vector<double> q;      ///< n
    std::vector<double> v;      ///< n
    std::vector<bool> q_exact;  ///< n
    std::vector<bool> v_exact;  ///< n
    /// Sets those of v that are given as functions of the assembled positions; may be empty.
    std::function<void(const double* q, double* v)> follow_positions;
};

/// What a failure says.
enum class Explanation : std::uint8_t {
    kResiduals,  ///< where the search ended
    kCauses,     ///< also the rows that contradict each other, and the exact values in the way
};

struct AssemblyOptions {
    double tolerance = 1e-12;      ///< on the largest scaled residual
    double exact_mismatch = 1e-9;  ///< exact values that miss by no more than this are projected
    Explanation explanation = Explanation::kCauses;
};

/// Why the values do not fit the constraints.
struct AssemblyFailure {
    ErrorCode code = ErrorCode::kNotConverged;  ///< kInconsistent when rows contradict each other
    Level level = Level::kPositions;            ///< that failed
    std::vector<double> residual;               ///< per row of that level, where the search ended
    std::vector<double> scaled_residual;        ///< over its scale
    int worst_row = -1;                         ///< of the largest scaled residual
    /// A smallest set of rows that cannot be met together near there, with the exact values kept.
    std::vector<int> contradictory_rows;
    /// Freeing any one of these exact values lets the rest be assembled. When no single one does,
    /// freeing all of `exact_values_together` does.
    std::vector<int> exact_values;
    std::vector<int> exact_values_together;
};

/// One level after the search.
struct AssembledLevel {
    double residual = 0.0;         ///< largest scaled
    std::vector<int> moved_exact;  ///< exact values that missed by round-off and were projected
    std::vector<double> units;     ///< n  what values are measured by, see search_units()
};

struct Assembly {
    std::vector<double> q;  ///< n
    std::vector<double> v;  ///< n
    AssembledLevel positions, velocities;
    std::optional<AssemblyFailure> failure;
};

/// `position_keys`, `velocity_keys`: names of the rows, for a choice of contradictory rows that
/// does not depend on their order.
Assembly assemble(ConstraintSurface& surface, const InitialValues& given,
                  const AssemblyOptions& options = {},
                  std::span<const std::string> position_keys = {},
                  std::span<const std::string> velocity_keys = {});

}  // namespace ananke::solve
