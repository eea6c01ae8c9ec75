// Foresees, at the cost of little more than the rows themselves, where rows of A may become
// dependent or vanish: from state to state on the constraints.
//
// With D the masses of the coordinates where the rows were chosen, each row k has a length
// sqrt(H_kk), H = A D^-1 A^T, and a part that the rows before it do not reproduce, the k-th pivot
// of the Cholesky factor of H. One of them falls to zero where the rank falls, and only there. The
// part of the weakest row that all others do not reproduce says the same: where the elimination of
// H would fill in, sparse systems find it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "code/kernel.h"
#include "dynamics/evaluator.h"
#include "dynamics/recording.h"
#include "dynamics/sparse_rows.h"

namespace ananke::dynamics {

class RankWatch {
  public:
    explicit RankWatch(Evaluator& evaluator);

    /// These rows, which are independent, from now on. The state is the last one of the evaluator;
    /// `pivot` is that of the weakest row there if SparseRows has found it. Allocates where the
    /// rows are others than before.
    void choose(const std::vector<int>& rows, double t, const double* q, const double* v,
                std::optional<double> pivot);

    /// True if, as things have gone since the last state, some row vanishes or becomes dependent
    /// within the next steps of such length.
    bool falls(double t, const double* q, const double* v);

  private:
    void go_sparse();
    bool now_falls() const;
    std::optional<double> weakest_pivot(double t, const double* q, const double* v);
    code::Kernel record(std::span<const double> scales) const;

    Evaluator* evaluator_;
    std::optional<SparseRows> sparse_;  ///< of large models, and where a program would fill in
    std::vector<double> direction_;     ///< n, likewise
    double pivot_ = 0.0;                ///< of the weakest row at the last state, likewise
    std::vector<int> rows_;
    std::vector<std::size_t> sequence_;  ///< in which a program takes them
    bool has_before_ = false;
    std::size_t parameter_changes_ = 0;
    std::optional<code::Kernel> kernel_;  ///< H_kk, then H_kk over its pivot
    std::vector<double> now_, before_;    ///< at the last two states
};

}  // namespace ananke::dynamics
