// Stick and slip: which frictions hold, and where inside a step that changes.
//
// While a friction slips its direction is frozen, so that a step may end beyond slip = 0; there the
// step is cut. While it sticks its rows slip = 0 are in force, and the step is cut where their
// multipliers, the friction force, outgrow the static limit. At such a place all frictions without
// slip are held one after the other. Where what is held already determines the change of a slip the
// friction cannot hold it: it passes zero and slides on that way, or idles as long as the slip
// stays zero. One that would need more than its limit is let go, against the force that it needed,
// and one let go that would not move that way is held again.               docs/theory.md, section
// 3
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ode/stepper.h"
#include "dynamics/dynamics.h"
#include "dynamics/evaluator.h"
#include "dynamics/rows_in_force.h"
#include "dynamics/state_equation.h"
#include "solve/analysis.h"

namespace ananke::simulate {

/// Where a step must be cut, and the friction it is about.
struct FrictionEvent {
    double t;
    int which;
    bool breaks = false;  ///< it stuck until here; else its slip has come to zero or has turned
};

/// What a friction does from now on.
struct FrictionChange {
    int which;
    std::string kind;  ///< "stick" or "slip"
    std::string detail;
};

/// A friction whose load is a share of a force that several constraints carry.
struct SharedLoad {
    int which;
    std::string text;
};
std::vector<SharedLoad> shared_loads(const compile::CompiledModel& model, const solve::Analysis& analysis);

class FrictionWatch {
  public:
    /// States inside a step are exact to the tolerance. The equation that is integrated, if there
    /// is one, knows their forces; it must outlive the watch.
    FrictionWatch(dynamics::Evaluator& evaluator, const dynamics::DynamicsOptions& options, double tolerance = 0.0,
                  dynamics::StateEquation* equation = nullptr);

    bool empty() const { return evaluator_->model().frictions.empty(); }
    /// Stick rows, in force or not.
    std::size_t rows() const;

    /// Decides for all frictions by the state alone: at the start, after a jump of velocities.
    Result<std::vector<FrictionChange>> settle(double t, const double* q, const double* v);

    /// Nothing sticks until settle(): for changes of the velocities from outside.
    void release();

    /// The largest static limit of a friction where frictions were last decided.
    double largest_limit() const;

    /// The first place in the step just accepted where a friction changes.
    std::optional<FrictionEvent> after_step(ode::Stepper& stepper);
    /// Decides there. The velocities are to be projected afterwards.
    Result<std::vector<FrictionChange>> change(const FrictionEvent& event, const double* q,
                                               const double* v);

  private:
    /// What a friction did after the last decision.
    struct Mode {
        bool known = false;
        bool sticks = false;
        double direction = 0.0;  ///< its first component
    };
    int count() const { return static_cast<int>(evaluator_->model().frictions.size()); }
    const compile::CompiledFriction& friction(int f) const {
        return evaluator_->model().frictions[static_cast<std::size_t>(f)];
    }
    double slip_size(int f) const;
    double margin(int f) const;
    double limit(int f) const;
    /// What a friction may need above its limit, as a part of it: rounding of the multipliers, or
    /// of the share.
    double limit_rounding() const { return shares_ ? 10.0 * dynamics::kRatioAccuracy : 1e-12; }
    void measure(double t, const double* q, const double* v);
    bool pulls_have_grown() const;
    void measure_pulls(double t, const double* q, const double* v);
    void add_pull(int group, int groups, int k, double t, const double* q, const double* v,
                  const Eigen::VectorXd& free, std::span<double> slips,
                  std::span<double> accelerations);
    double no_slip(int f) const;
    double slip_noise(int f) const;
    void find_signals(ode::Stepper& stepper, double t, std::span<const double> y);
    solve::SolveStatus find_forces(ode::Stepper& stepper, double t, const double* q,
                                   const double* v);
    double signal(int f) const;
    std::optional<FrictionEvent> locate(ode::Stepper& stepper, int f, double before, double after);
    std::optional<int> still_slides(int but_for) const;
    void slide_on(int f);
    void slip_along(int f, const std::array<double, 2>& direction);
    void hold(int f, double t, const double* q, const double* v);
    void hold_independent(double t, const double* q, const double* v);
    double slip_of_row(int row) const;
    bool stops_with_others(int f);
    std::vector<double> accelerations_by_forces(double t, const double* q, const double* v);
    void let_go(int f);
    void let_go_with_sharers(int worst);
    solve::SolveStatus accelerate(double t, const double* q, const double* v);
    std::optional<int> worst_overloaded() const;
    std::optional<int> wrongly_released(double t, const double* q, const double* v);
    std::array<double, 2> slip_acceleration(int f) const;
    Result<void> resolve(double t, const double* q, const double* v);
    std::vector<FrictionChange> changes();
    Result<void> note_progress(double t, int f);

    dynamics::Evaluator* evaluator_;
    /// Of its own: looking must not influence the steps. Absent where nothing depends on reactions.
    std::optional<dynamics::Dynamics> dynamics_;
    double tolerance_;
    dynamics::StateEquation* equation_;
    bool by_own_rows_ = false;  ///< dynamics_ has chosen rows in this step
    bool shares_ = false;       ///< frictions at rest share a force: see Dynamics
    std::optional<dynamics::RowsInForce> in_force_;  ///< made when it is first needed
    std::vector<double> y_;       ///< a state inside the step
    std::vector<double> values_;  ///< of the frictions at the last state looked at
    std::vector<double> signals_, earlier_;
    std::vector<double> noise_;  ///< signals down to minus this are rounding
    std::vector<double> seen_, seen_noise_;
    std::vector<double> speeds_;           ///< what slips are measured against
    std::vector<double> pulls_;            ///< largest slip accelerations by the frictions so far
    std::vector<double> measured_limits_;  ///< where pulls_ were measured
    double longest_step_ = 0.0;            ///< accepted so far
    std::vector<char> released_;           ///< in the decision going on
    std::vector<char> candidate_;
    std::vector<char> idle_;           ///< constraints alone keep its slip zero: it carries nothing
    std::vector<double> begin_sizes_;  ///< of the slips, where the step began
    std::vector<std::array<double, 2>> with_;  ///< slip accelerations in a trial
    std::vector<Mode> modes_;
    double last_ = 0.0;  ///< time of the last change
    int piled_ = 0;      ///< changes since then without progress
};

}  // namespace ananke::simulate
