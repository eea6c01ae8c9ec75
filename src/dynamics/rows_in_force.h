// How a row depends on the constraints and the frictions at rest: by full matrices or sparse systems,
// as the model has it (compile/roads.h).
//
//   row = sum of c_k row_k + remainder,     A a = b  =>  row . a = sum of c_k b_k without remainder
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dense/dense.h"
#include "dynamics/evaluator.h"
#include "dynamics/row_span.h"
#include "dynamics/sparse_rows.h"

namespace ananke::dynamics {

/// A row by the rows in force.
struct RowByOthers {
    double b = 0.0;                     ///< sum of c_k b_k
    double magnitude = 0.0;             ///< sum of |c_k b_k|
    std::vector<int> rows = {};         ///< independent rows in force
    std::vector<double> c = {};         ///< per row of these
    Eigen::VectorXd remainder = {};     ///< n: in units of the coordinates, of the row at length 1
};

class RowsInForce {
  public:
    explicit RowsInForce(Evaluator& evaluator);

    /// Looks at the rows in force at a state.
    void look(double t, const double* q, const double* v);
    /// A row of the model at that state, in force or not.
    RowByOthers express(int row);
    /// Whether all rows in force are independent there, by a wide margin.
    bool are_independent() const;

  private:
    Evaluator* evaluator_;
    compile::SparseValues values_;
    std::optional<SparseRows> sparse_;
    RowSpan span_;
    std::vector<double> unit_;  ///< n
};

}  // namespace ananke::dynamics
