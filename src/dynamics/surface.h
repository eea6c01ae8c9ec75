// The constraints as a surface: states of a run are put back onto it.
//
// States y hold q, v and whatever else. Next to a singular configuration the weakest pivot of the
// rows is small: rounding moves a velocity by kRounding / pivot^2 there, and projection would add
// more error than it removes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ode/problem.h"
#include "dynamics/compiled_projection.h"
#include "dynamics/dynamics.h"
#include "dynamics/energy_level.h"
#include "dynamics/evaluator.h"
#include "dynamics/sparse_projection.h"
#include "dynamics/sparse_rows.h"
#include "solve/projection.h"

namespace ananke::dynamics {

/// What projection did to accepted steps and outputs.
struct ProjectionSummary {
    std::size_t calls = 0;
    std::size_t corrections = 0;    ///< calls that moved the state
    double largest_position = 0.0;  ///< largest change of a coordinate
    double largest_velocity = 0.0;
};

class Surface {
  public:
    /// Unless drift is met by projection, states stay where they are.
    Surface(Evaluator& evaluator, Drift drift, double tolerance);

    bool projects() const { return projects_; }

    /// False if the state cannot be put back.
    bool put_back(double t, std::span<double> y);
    /// The same where the weakest pivot is known: the rows of pivots that are too small are left as
    /// they are, unless they are off by more than round-off. By the program of the last accept() if
    /// it was of this order.
    bool put_back_near(double t, std::span<double> y, double pivot,
                       const RowOrder* order = nullptr);
    enum class Inside : std::uint8_t { kDone, kFar, kFailed };
    /// The same for a state inside a step of length h, `from`, into y. kFar: it must be moved far,
    /// so that the step is wrong; y is then as `from`.
    Inside put_back_inside(double t, double h, std::span<const double> from, std::span<double> y,
                           double pivot, const RowOrder* order);
    /// Puts back the end of a step of length h, by a program where an order of elimination is
    /// given. One that must be moved far has left its branch.
    ode::Acceptance accept(double t, double h, std::span<double> y,
                           const RowOrder* order = nullptr);
    /// Puts back to the last digit, without counting it; by a program where an order is given.
    bool put_back_closest(double t, std::span<double> y, const RowOrder* order = nullptr);
    /// The same by one correction, where a program can: for an iteration that goes on.
    bool put_back_roughly(double t, std::span<double> y, const RowOrder* order);

    /// Where the energy is held too: its level is that of this state, or an event changes it.
    void start_energy(double t, std::span<const double> y);
    void shift_energy(double jump);

    /// Largest scaled violation of a position constraint.
    double violation(double t, std::span<const double> y) {
        return sparse_ ? sparse_->position_violation(t, y.first(n_))
                       : projector().position_violation(t, y.first(n_));
    }
    /// Pivots that are not larger belong to rows that put_back_near() leaves alone.
    double smallest_pivot() const { return smallest_pivot_; }
    /// Errors of an acceleration grow like kRounding / pivot^3: whether they exceed the tolerance.
    bool spoils_acceleration(double pivot) const;

    /// Requires a model that is not large.
    solve::Projector& projector() { return made(projector_, {}); }
    const ProjectionSummary& summary() const { return summary_; }

  private:
    bool is_near(std::span<const double> from, std::span<const double> y, double h,
                 double tolerances);
    bool count(const solve::ProjectionReport& report);
    bool restore_energy(double t, std::span<double> y) { return energy_ && energy_->restore(t, y); }
    solve::ProjectionReport project(double t, std::span<double> q, std::span<double> v) {
        return sparse_ ? sparse_->project(t, q, v) : projector().project(t, q, v);
    }
    /// Projectors are made when they are first needed: most runs do without them.
    solve::Projector& made(std::optional<solve::Projector>& projector,
                           const solve::ProjectionOptions& options) {
        return projector ? *projector : projector.emplace(*evaluator_, options);
    }
    bool reached_by(std::optional<solve::Projector>& projector,
                    const solve::ProjectionOptions& options, double t, std::span<double> y);

    Evaluator* evaluator_;
    std::size_t n_;
    bool projects_;
    bool has_rows_;
    double tolerance_;
    double smallest_pivot_;
    CompiledProjection programs_;
    /// Of models with many coordinates, instead of the next three.
    std::optional<SparseProjection> sparse_;
    std::optional<solve::Projector> projector_;
    std::optional<solve::Projector> closest_;  ///< to the last digit
    std::optional<solve::Projector> near_;     ///< leaves alone what rows with small pivots ask for
    std::optional<EnergyLevel> energy_;
    ProjectionSummary summary_;
    std::vector<double> before_;  ///< q and v before a projection
};

}  // namespace ananke::dynamics
