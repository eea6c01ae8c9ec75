// A constrained mechanical system at one instant, and what is wanted of it.
//
//   M a = Q + Qc,    A a = b,    w^T Qc = w^T C for every w with A w = 0        UW13 (2.4)-(2.7)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ananke/method.h"
#include "base/result.h"
#include "dense/dense.h"
#include "solve/load_form.h"

namespace ananke::solve {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The system at one (q, v, t). Views only; whoever evaluates the kernels owns the memory.
/// Row-major contiguous A and M are seen without a copy.
struct System {
    Eigen::Ref<const RowMatrix> M;        ///< n×n  mass matrix, symmetric, M >= 0
    Eigen::Ref<const Eigen::VectorXd> Q;  ///< n    given force
    Eigen::Ref<const Eigen::VectorXd> C;  ///< n    non-ideal part; size 0 means zero
    Eigen::Ref<const RowMatrix> A;        ///< m×n  rows may be dependent, m may be 0
    Eigen::Ref<const Eigen::VectorXd> b;  ///< m
    /// m  sum of the magnitudes of the terms of the row's entries: what the row would measure if
    /// nothing cancelled. Size 0: a row has vanished only when it is exactly zero.
    Eigen::Ref<const Eigen::VectorXd> row_magnitude;
    /// m  the same for b; size 0 means |b|.
    Eigen::Ref<const Eigen::VectorXd> b_magnitude;

    std::span<const CoordinateGroup> groups = {};
    /// How dependent rows share a force, see LoadShare; empty: each row by itself.
    std::span<const LoadOwner> owners = {};
    std::span<const double> compliances = {};  ///< C_J of one owner after the other

    int n() const { return static_cast<int>(M.rows()); }
    int m() const { return static_cast<int>(A.rows()); }
    bool has_nonideal() const { return C.size() > 0 && (C.array() != 0.0).any(); }
};

/// Gauge freedom of the auxiliary forms (UW13, remark 1). Refers to the normalised rows.
struct Gauge {
    double alpha = 1.0;
    Eigen::MatrixXd G;  ///< m×m  symmetric positive definite; empty = identity
    Eigen::VectorXd z;  ///< m    empty = alpha^2 b
};

struct Motion {
    Eigen::VectorXd a;            ///< n  acceleration
    Eigen::VectorXd Qc;           ///< n  force of constraint, M a = Q + Qc
    Eigen::VectorXd Qc_ideal;     ///< n  Qc computed with C = 0                    UK02 (7)
    Eigen::VectorXd Qc_nonideal;  ///< n  Qc - Qc_ideal                             UK02 (8)
    /// m  Qc = C + A^T lambda. Where rows are dependent: the share of LoadShare.
    Eigen::VectorXd lambda;
    int rank = 0;  ///< independent rows of A
};

/// Why the system has no answer, with indices for the caller to put names to.
struct Failure {
    ErrorCode code;
    std::vector<int> rows;
    std::vector<int> coordinates;
    std::string message;
};

}  // namespace ananke::solve
