// The derivatives of the equations of motion, as they stand before they are solved:
//
//   r = [ Q + C - M a - A^T y ]     at fixed a and y        y: multipliers with a minus sign
//       [ b - A a             ]
//
// Where a and y solve them, r = 0 goes with the state, and K d[a; y] = dr, K = [M A^T; A 0]. The
// derivatives of the acceleration fill a matrix; those of r have the pattern of the mechanism.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "code/kernel.h"
#include "code/sparse_tangent.h"
#include "sim/evaluator.h"

namespace ananke::sim {

/// For models whose acceleration depends on nothing but state and parameters.
class MotionDerivatives {
  public:
    explicit MotionDerivatives(Evaluator& evaluator);

    /// `output`: component of r (n + m); `column`: q, then v (2n).
    using Entry = code::SparseTangent::Entry;

    /// False if forces depend on very many coordinates at once.
    bool is_sparse() const { return code_->residual.is_sparse(); }
    const std::vector<Entry>& entries() const { return code_->residual.entries(); }
    /// Operations that values() takes, about.
    double work() const;
    /// dr at a state of the evaluator, one per entry; a (n) and y (m, 0 for rows that do not count)
    /// stay fixed, here and in energy_rate(). Does not allocate.
    void take(double t, const double* q, const double* v, std::span<const double> a,
              std::span<const double> y, std::span<double> values);
    /// Change of the energy rate along a direction of (q, v), 2n numbers, for up to kLanes
    /// directions, number i of direction k at [i*kLanes + k]; y is fixed. At the state of the last
    /// take(). False if it does not change.
    static constexpr std::size_t kLanes = 4;
    bool energy_rate(std::span<const double> directions, std::span<double> rates);

  private:
    struct Code {
        code::SparseTangent residual;
        code::PacketKernel<static_cast<int>(kLanes)> energy;
        bool energy_changes;
    };
    static Code record(const CompiledModel& model);

    Evaluator* evaluator_;
    std::shared_ptr<const Code> code_;
    code::SparseTangent residual_;
    code::PacketKernel<static_cast<int>(kLanes)> energy_;
    std::vector<double> inputs_;         ///< of the residual: those of every kernel, then y
    std::vector<double> packet_inputs_;  ///< the same with a direction behind them, in lanes
};

}  // namespace ananke::sim
