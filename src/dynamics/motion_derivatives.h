// The derivatives of the equations of motion, as they stand before they are solved:
//
//   r = [ Q + C - M a - A^T y ]     at fixed a and y        y: multipliers with a minus sign
//       [ b - A a             ]
//
// Where a and y solve them, r = 0 goes with the state, and K d[a; y] = dr, K = [M A^T; A 0]. The
// derivatives of the acceleration fill a matrix; those of r have the pattern of the mechanism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "code/kernel.h"
#include "code/sparse_tangent.h"
#include "dynamics/evaluator.h"

namespace ananke::dynamics {

/// For models whose acceleration depends on nothing but state and parameters.
class MotionDerivatives {
  public:
    explicit MotionDerivatives(Evaluator& evaluator);

    /// `output`: component of r (n + m); `column`: q, then v (2n).
    using Entry = code::SparseTangent::Entry;

    /// False if forces depend on very many coordinates at once.
    bool is_sparse() const { return residual_.is_sparse(); }
    const std::vector<Entry>& entries() const { return residual_.entries(); }
    /// Directions in which the equations are differentiated, eight at a time.
    std::size_t directions() const { return residual_.directions(); }
    /// dr at a state, one per entry; a (n) and y (m, 0 for rows that do not count) stay fixed, here
    /// and in energy_rate(). Where a derivative is not finite, as that of a length is at zero, it
    /// is a difference. False if that is not finite either. Allocates at the first difference.
    bool take(double t, const double* q, const double* v, std::span<const double> a,
              std::span<const double> y, std::span<double> values);
    /// False if the energy rate is the same at all states, for fixed y.
    bool energy_changes() const { return code_->energy_changes; }
    /// Change of the energy rate along directions of (q, v), 2n numbers each, number i of direction
    /// k at [i*kLanes + k], with y fixed, at the state of the last take(). Requires
    /// energy_changes(). Nothing is added where it is not finite.
    static constexpr std::size_t kLanes = 4;
    void energy_rate(std::span<const double> directions, std::span<double> rates);

  private:
    struct Code {
        code::SparseTangent residual;
        code::PacketKernel<static_cast<int>(kLanes)> energy;
        bool energy_changes;
    };
    static Code record(const compile::CompiledModel& model);
    static std::vector<std::uint32_t> moving_inputs(const compile::CompiledModel& model);
    void replace_by_differences(std::span<double> values);

    Evaluator* evaluator_;
    std::shared_ptr<const Code> code_;
    code::SparseTangent residual_;
    std::optional<code::SparseTangent> differences_;  ///< made when they are first needed
    std::vector<double> difference_values_;
    code::PacketKernel<static_cast<int>(kLanes)> energy_;
    std::vector<double> inputs_;         ///< of the residual: those of every kernel, then y
    std::vector<double> packet_inputs_;  ///< the same with a direction behind them, in lanes
};

}  // namespace ananke::dynamics
