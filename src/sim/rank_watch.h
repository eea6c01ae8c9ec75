// Foresees, at the cost of little more than the rows themselves, where rows of A may become
// dependent or vanish: from state to state on the constraints.
//
// With D the masses of the coordinates where the rows were chosen, each row k has a length
// sqrt(H_kk), H = A D^-1 A^T, and a part that the rows before it do not reproduce, the k-th pivot
// of the Cholesky factor of H. One of them falls to zero where the rank falls, and only there.
#pragma once

#include <vector>

#include "code/kernel.h"
#include "sim/evaluator.h"
#include "sim/recording.h"

namespace ananke::sim {

class RankWatch {
  public:
    explicit RankWatch(Evaluator& evaluator) : evaluator_(&evaluator) {}

    /// These rows, which are independent, from now on. The state is that of the last system.
    /// Allocates where the rows are others than before.
    void choose(const solve::System& at, const std::vector<int>& rows);

    /// True if, as things have gone since the last state, some row vanishes or becomes dependent
    /// within the next steps of such length.
    bool falls(double t, const double* q, const double* v);

  private:
    code::Kernel record(std::span<const double> scales) const;

    Evaluator* evaluator_;
    std::vector<int> rows_;
    bool recorded_ = false;
    bool has_before_ = false;
    std::size_t parameter_changes_ = 0;
    code::Kernel kernel_{code::Program{}};  ///< H_kk, then H_kk over its pivot
    std::vector<double> now_, before_;      ///< at the last two states
};

}  // namespace ananke::sim
