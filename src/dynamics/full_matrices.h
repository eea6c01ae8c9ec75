// The system of a model as full matrices, scattered from its entries.
#pragma once

#include "compile/compiled_model.h"
#include "compile/sparse_values.h"
#include "dense/dense.h"
#include "solve/system.h"

namespace ananke::dynamics {

/// Rows that are not in force are zeros. Memory is taken at the first use.
class FullMatrices {
  public:
    explicit FullMatrices(const compile::CompiledModel& model) : model_(&model) {}

    /// Views of this object and of `values`, valid until the next call.
    solve::System of(const compile::SparseValues& values);
    /// The same with the magnitudes of the terms of A and b (2 m), which the choice of rows needs.
    solve::System of(const compile::SparseValues& values, std::span<const double> magnitudes);
    /// D^T of the values last scattered: row k is the generalised force of the unit control k.
    const solve::RowMatrix& actuation() const { return Dt_; }

  private:
    void scatter(const compile::SparseValues& values);
    solve::System view(const compile::SparseValues& values, Eigen::Index magnitudes) const;

    const compile::CompiledModel* model_;
    solve::RowMatrix M_;         ///< n x n
    solve::RowMatrix A_;         ///< m x n
    solve::RowMatrix Dt_;        ///< controls x n
    Eigen::VectorXd b_;          ///< m
    Eigen::VectorXd magnitude_;  ///< 2 m
};

}  // namespace ananke::dynamics
