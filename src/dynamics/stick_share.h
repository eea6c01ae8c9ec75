// Friction forces at rest where the rows that stick depend on each other and on the constraints.
//
// Such rows have multipliers that the motion does not determine. Sticking goes on as long as some
// choice of them keeps every friction within its limit; the one whose largest ratio of force to
// limit is least is taken.                                          least_ratio.h, theory.md, 3
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/least_ratio.h"
#include "dynamics/rows_in_force.h"

namespace ananke::dynamics {

class StickShare {
  public:
    /// Changes the multipliers (m) of a motion at this state to the share of least ratio. False if
    /// there is no choice.
    bool share(Evaluator& evaluator, double t, const double* q, const double* v,
               std::span<double> lambda);

  private:
    void find_choices(Evaluator& evaluator, double t, const double* q, const double* v);
    void add_choice(const compile::CompiledModel& model, const RowByOthers& dependent);
    void find_supports(Evaluator& evaluator, double t, const double* q, const double* v,
                       std::span<const double> lambda);

    std::optional<RowsInForce> in_force_;  ///< made when it is first needed
    std::vector<std::vector<double>> z_;   ///< per choice: m changes of the multipliers
    std::vector<int> rows_;                ///< those of the supports
    std::vector<Support> supports_;        ///< frictions that a choice changes
};

}  // namespace ananke::dynamics
