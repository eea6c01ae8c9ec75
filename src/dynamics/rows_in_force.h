// How a row depends on the constraints and the frictions at rest, by sparse systems.
//
//   row = sum of c_k row_k + remainder,     A a = b  =>  row . a = sum of c_k b_k without remainder
//
// Constraints come first: of the rows of frictions at rest those count, in the order of statement,
// that neither the constraints nor the rows before them contain.
#pragma once

#include <span>
#include <vector>

#include "dense/dense.h"
#include "dynamics/evaluator.h"
#include "dynamics/sparse_rows.h"

namespace ananke::dynamics {

/// Rows whose remainder is not larger than this part of them depend on the others. States inside a
/// step are on the constraints to its tolerance only, and so are dependences.
constexpr double kDependentRow = 1e-7;

/// A row by the rows in force.
struct RowByOthers {
    int row;
    double b = 0.0;                  ///< sum of c_k b_k
    double magnitude = 0.0;          ///< sum of |c_k b_k|
    std::vector<int> rows = {};      ///< independent rows in force
    std::vector<double> c = {};      ///< per row of these
    Eigen::VectorXd remainder = {};  ///< n: in units of the coordinates, of the row at length 1
};

class RowsInForce {
  public:
    explicit RowsInForce(Evaluator& evaluator);

    /// Chooses among the rows in force at a state.
    void look(double t, const double* q, const double* v);
    /// A row of the model at that state, in force or not.
    RowByOthers express(int row);
    /// Rows of frictions at rest that do not count, each by those that do.
    const std::vector<RowByOthers>& dependent() const { return dependent_; }
    /// Whether all rows in force are independent there.
    bool are_independent() const;

  private:
    Evaluator* evaluator_;
    compile::SparseValues values_;
    SparseRows constraints_, rows_;
    std::vector<double> direction_;  ///< n
    std::vector<RowByOthers> dependent_;
};

}  // namespace ananke::dynamics
