// Watches the rows of A along a run for one that passes through zero.
//
// A constraint whose gradient vanishes at a point of the motion (Appell's particle at rest) says
// nothing there, and the motion beyond is not determined. Steps pass over such a point without
// meeting it; what tells is that the row has reversed and was small where it turned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "ode/stepper.h"

namespace ananke::simulate {

struct VanishedRow {
    int row;
    double t;  ///< where it turned
};

class RowWatch {
  public:
    /// Which rows are looked at: those that depend on the velocities vanish without any other sign.
    enum class Rows : std::uint8_t { kAll, kNonholonomic, kOfVelocities };
    /// Looks at the step just accepted. y holds q, v and whatever else.
    std::optional<VanishedRow> after_step(dynamics::Evaluator& evaluator, ode::Stepper& stepper,
                                          Rows rows);

  private:
    std::optional<double> turning_point(dynamics::Evaluator& evaluator, ode::Stepper& stepper,
                                        int row);

    /// At CompiledModel::row_entries.
    using Entries = std::vector<double>;

    /// Products of all rows with themselves and with what they were (m).
    struct Products {
        std::vector<double> both, now, before;
    };
    void find(dynamics::Evaluator& evaluator, double t, std::span<const double> y,
              Entries& entries);
    void multiply(const compile::CompiledModel& model, const Entries& now, const Entries& before);

    Entries previous_, now_, inside_;
    Products sums_;
    std::vector<double> y_;
};

}  // namespace ananke::simulate
