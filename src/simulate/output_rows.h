// The rows of a run at its output times.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "dynamics/state_equation.h"
#include "dynamics/surface.h"
#include "simulate/journal.h"
#include "simulate/row_writer.h"
#include "simulate/run.h"
#include "simulate/singular_stepper.h"

namespace ananke::simulate {

class OutputRows {
  public:
    /// All must outlive the rows.
    OutputRows(dynamics::Evaluator& evaluator, dynamics::StateEquation& equation,
               dynamics::Surface& surface, Journal& journal, const RunOptions& options);

    /// The state that the balance of energy is counted from.
    void start(double t, std::span<const double> y);
    /// The first row of the last step, up to `until`, at which the step is seen to be wrong: its
    /// motion does not solve the equations there, or is off the constraints, by far more than the
    /// tolerance. Writes nothing.
    struct Doubt {
        double t;        ///< of that row
        double trusted;  ///< the row before, or the beginning of the step
    };
    std::optional<Doubt> doubt(SingularStepper& stepper);
    /// The rows that are due up to a time inside the last step.
    ode::Status write_until(double until, SingularStepper& stepper);
    /// The rows that are due at a state, where the run starts anew.
    void write_at(double t, std::span<const double> y, SingularStepper& stepper);

    /// Whether a row is due up to a time.
    bool is_due(double until) const {
        const std::vector<double>& times = options_->output_times;
        return next_ < times.size() && times[next_] <= until && !journal_->failed();
    }

    /// The times of the rows that are due up to a time.
    std::span<const double> due_times(double until) const {
        const std::span<const double> rest = std::span(options_->output_times).subspan(next_);
        return rest.first(static_cast<std::size_t>(
            std::upper_bound(rest.begin(), rest.end(), until) - rest.begin()));
    }

    /// Rank of the constraints at the last row, -1 if there was none.
    int rank() const { return rank_; }
    /// The rank may change by the next row without a singular configuration.
    void forget_rank() { rank_ = -1; }

  private:
    ode::Status find_state(double t, SingularStepper& stepper);
    void write(double t, std::span<const double> y, SingularStepper& stepper);
    void write_by_own_law(double t, std::span<const double> y, SingularStepper& stepper);
    solve::SolveStatus accelerate(double t, double pivot, const SingularStepper& stepper);
    void report_rank(double t);
    void record_not_finite(double t, std::span<const double> row);
    bool is_off_constraints(double t);
    void summarize();
    void watch_energy(double t, double energy, double imbalance);

    dynamics::Evaluator* evaluator_;
    dynamics::StateEquation* equation_;
    dynamics::Surface* surface_;
    Journal* journal_;
    const RunOptions* options_;
    std::size_t next_ = 0;  ///< of the times
    std::size_t n_;
    dynamics::MotionSolver dynamics_;  ///< of the rows alone: outputs must not influence the steps
    RowWriter writer_;
    std::vector<double> dense_y_, y_, slope_;
    int rank_ = -1;
    std::size_t steps_ = 0;      ///< of the run so far
    double first_energy_ = 0.0;  ///< |T| + |V| at the first row
    double first_reach_ = 0.0;   ///< the largest coordinate there
    bool warned_of_balance_ = false;
    bool warned_of_growth_ = false;
};

}  // namespace ananke::simulate
