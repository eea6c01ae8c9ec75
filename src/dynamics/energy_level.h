// The energy as one more thing to stay on, for models that conserve it. docs/theory.md, section 6
//
//   h(q, s v) = h(q, 0) + s^2 (h(q, v) - h(q, 0)),   s such that h is what it was
//
// Velocities are scaled, which keeps every constraint that is homogeneous in them; nothing is done
// where little of the energy is kinetic: there the scaling would turn small errors into large ones.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dynamics/evaluator.h"
#include "mech/equations.h"
#include "mech/model.h"

namespace ananke::dynamics {

/// Why the energy of a model may not be held: "the force ... does work"; "" if it may.
std::string why_not_conserved(const mech::Model& model, const mech::Equations& equations);

class EnergyLevel {
  public:
    explicit EnergyLevel(Evaluator& evaluator)
        : evaluator_(&evaluator), n_(static_cast<std::size_t>(evaluator.model().n())) {}

    /// From now on the energy is that of this state.
    void start(double t, std::span<const double> y);
    /// An event has added so much to it.
    void shift(double jump) { level_ += jump; }
    /// Scales the velocities of a state on the constraints. True if that changed them.
    bool restore(double t, std::span<double> y);

  private:
    /// h(q, 0) and h(q, v)
    struct Parts {
        double rest, all;
    };
    Parts parts(double t, std::span<const double> y);

    Evaluator* evaluator_;
    std::size_t n_;
    double level_ = 0.0;
    double largest_moving_ = 0.0;  ///< largest h(q, v) - h(q, 0) so far
    std::vector<double> no_velocity_ = std::vector<double>(n_, 0.0);
};

}  // namespace ananke::dynamics
