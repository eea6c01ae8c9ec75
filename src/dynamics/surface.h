// The states of a run, projected onto the constraints: by programs where the rows have an order of
// elimination, else by Newton's method.
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

#include "dynamics/energy_level.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "dynamics/projection_program.h"
#include "ode/problem.h"
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

    /// False if the state cannot be projected; it is then as it was.
    bool project(double t, std::span<double> y);
    /// The same where the weakest pivot is known: the rows of pivots that are too small are left as
    /// they are, unless they are off by more than round-off. By the program of the last accept() if
    /// that had this order.
    bool project_near(double t, std::span<double> y, double pivot, const RowOrder* order = nullptr);
    enum class Inside : std::uint8_t { kDone, kFar, kFailed };
    /// The same for a state inside a step of length h, `from`, into y. kFar: it must be moved far,
    /// so that the step is wrong; y is then as `from`.
    Inside project_inside(double t, double h, std::span<const double> from, std::span<double> y,
                          double pivot, const RowOrder* order);
    /// Projects the end of a step of length h. A state that must be moved far has left its branch.
    ode::Acceptance accept(double t, double h, std::span<double> y,
                           const RowOrder* order = nullptr);
    /// Projects to the last digit, without counting it.
    bool project_closely(double t, std::span<double> y, const RowOrder* order = nullptr);
    /// The same by one correction where there is a program: for an iteration that goes on.
    bool project_once(double t, std::span<double> y, const RowOrder* order);

    /// Where the energy is held too: its level is that of this state, or an event changes it.
    void start_energy(double t, std::span<const double> y);
    void shift_energy(double jump);

    /// Largest scaled violation of a position constraint.
    double violation(double t, std::span<const double> y) {
        return projector().violation(solve::Level::kPositions, t, y.first(n_), y.subspan(n_, n_));
    }
    /// project_near() leaves the rows of pivots up to this alone.
    double smallest_pivot() const { return smallest_pivot_; }
    /// Errors of an acceleration grow like kRounding / pivot^3: whether they exceed the tolerance.
    bool spoils_acceleration(double pivot) const;

    /// Made when it is first needed: most runs do without it.
    solve::Projector& projector() {
        return projector_ ? *projector_ : projector_.emplace(*evaluator_);
    }
    const ProjectionSummary& summary() const { return summary_; }

  private:
    bool is_near(std::span<const double> from, std::span<const double> y, double h,
                 double tolerances);
    bool count(const solve::ProjectionReport& report);
    bool restore_energy(double t, std::span<double> y) { return energy_ && energy_->restore(t, y); }
    bool project_with(const solve::ProjectionOptions& options, double t, std::span<double> y);

    Evaluator* evaluator_;
    std::size_t n_;
    bool projects_;
    bool has_rows_;
    double tolerance_;
    double smallest_pivot_;
    ProjectionProgram programs_;
    std::optional<solve::Projector> projector_;
    std::optional<EnergyLevel> energy_;
    ProjectionSummary summary_;
    std::vector<double> before_;  ///< q and v before a projection
};

}  // namespace ananke::dynamics
