// What a system is at one instant: rank, redundancy, consistency, uniqueness.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solve/contradiction.h"
#include "solve/row_factor.h"
#include "solve/system.h"

namespace ananke::solve {

/// A dropped row: A_row = sum of coefficients times the kept rows listed.
struct DroppedRow {
    int row = 0;
    std::vector<int> kept;
    std::vector<double> coefficients;
    /// |b_row - sum c_k b_k| relative to the sizes involved; above kContradiction the rows
    /// contradict.
    double inconsistency = 0.0;
};

struct Analysis {
    int rank = 0;
    bool mass_positive_definite = true;  ///< else singular
    bool unique = true;                  ///< rank [M; A] = n                    UW13 after (2.9)
    std::vector<int> free_coordinates;   ///< with weight in the null space of [M; A]
    std::vector<int> kept;               ///< independent rows, ascending
    std::vector<DroppedRow> dropped;     ///< by row
    std::vector<int> vanished;           ///< rows whose terms cancel to nothing here
    std::vector<bool> lambda_unique;     ///< m  false: "one of many"
    std::vector<std::vector<int>> dependent_sets;  ///< rows tied by a dependence, each ascending
    double smallest_kept_pivot = 1.0;
    double largest_dropped_pivot = 0.0;
    bool warning = false;  ///< a pivot lies between drop and keep: the rank is a judgement
    std::optional<Failure> failure;

    Eigen::VectorXd coordinate_scale;  ///< n  d: units of the coordinates, see equilibrate()
    /// m  r: rows of R A D have unit length in the metric of the inverse mass matrix (of the
    /// auxiliary one, alpha = 1, where M is singular); 0 for vanished rows.
    Eigen::VectorXd row_scale;
};

/// `keys`: names of the rows, for a choice of contradictory rows that does not depend on their
/// order.
Analysis analyse(const System& at, RankPolicy policy = {}, std::span<const std::string> keys = {});

}  // namespace ananke::solve
