// Finds where the events of a model happen, and carries out what they do.
//
// Each event has a side: the sign its value had when it was last away from zero. It happens where
// the value reaches zero from that side, if the direction asks for it. At the start, and just after
// it has happened, the value is zero up to round-off: then the side is where it is heading, told by
// its rate of change, and the band of round-off does not count until the value has left it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamics/evaluator.h"
#include "dynamics/state_equation.h"
#include "dynamics/surface.h"
#include "ode/root.h"
#include "simulate/event_instant.h"
#include "simulate/friction_watch.h"
#include "simulate/journal.h"
#include "simulate/step_watch.h"

namespace ananke::simulate {

/// An event that comes again within this part of 1 + |t| makes no progress.
inline constexpr double kNoProgress = 1e-10;
/// Why the run ends where an event comes again and again without progress.
Error endless_events(double t, const std::string& name);

class EventWatch final : public StepWatch {
  public:
    /// All must outlive the watch.
    EventWatch(dynamics::Evaluator& evaluator, dynamics::StateEquation& equation,
               dynamics::Surface& surface, FrictionWatch& frictions, Journal& journal);

    /// The run begins at this state.
    void start(double t, std::span<const double> y);

    /// Fails when an event comes again sooner than time can resolve.
    Result<std::optional<double>> after_step(SingularStepper& stepper, double until,
                                             std::span<const double> row_times) override;
    /// Rows of the instant itself show what the events have done.
    double last_row_before(double t) const override { return t - kSameTime * (1.0 + std::abs(t)); }
    /// Carries out the events of the instant, each on what the one before it left: those that are
    /// due and those they set off (simulate/event_instant.h). The work in y takes up the jump of
    /// the energy. Velocities that an event sets are as set, and the others move least in the
    /// metric of M to meet the constraints; so do all where it only changes parameters. Fails when
    /// positions no longer meet the constraints or velocities as set cannot, when a value is not
    /// finite, when events pile up, or when they set each other off without an end.
    Result<double> change(double t, std::span<double> y, double next_step) override;

  private:
    struct Sample {
        double t = 0.0;
        double f = 0.0;
        double slope = 0.0;
    };
    /// What one event did to the state.
    struct Effect {
        std::string kind;    ///< "reset", "parameter", "record", "stop", joined by +
        std::string detail;  ///< values before and after
        bool resets = false;
        bool changes = false;  ///< parameters
    };
    const compile::CompiledEvents::One& event(int which) const {
        return compiled_->list[static_cast<std::size_t>(which)];
    }

    // event_watch.cpp: where events happen.
    void evaluate(double t);
    double value_at(int which, double t);
    bool crossed(int which, int side, double f) const;
    void raise_rounding(const double* inputs);
    void evaluate_rates(double t, const double* q, const double* v, const double* a);
    void find_side(int which);
    Sample sample_at(int which, double t);
    void fill_samples(double begin, double until);
    void sample_rows(std::span<const double> row_times);
    std::optional<double> row_beyond(int which, const Sample& from, const Sample& middle,
                                     const Sample& to) const;
    static std::optional<double> dip(const Sample& from, const Sample& to);
    static std::optional<double> suspect(const Sample& from, const Sample& middle, const Sample& to,
                                         bool by_tangents);
    std::optional<double> search(int which, const Sample& from, const Sample& middle,
                                 const Sample& to, int depth);
    std::optional<double> locate(int which, const Sample& from, const Sample& to);
    double nearest_zero(int which, const ode::Root& root);
    double at_row(int which, double t, double begin, double end) const;
    void collect_due(double t);
    double resume(double t, std::span<const double> y);

    // event_actions.cpp: what they do.
    Result<void> count_progress(int which, double t);
    Result<Effect> carry_out(int which, double t, std::span<double> q, std::span<double> v);
    Effect set_values(int which, double t, std::span<const double> q, std::span<double> v);
    std::optional<Error> adapt_others(int which, double t, std::span<double> q,
                                      std::span<double> v);
    void follow_parameters();
    void follow_laws(double t, std::span<const double> y);

    dynamics::Evaluator* evaluator_;
    dynamics::StateEquation* equation_;
    dynamics::Surface* surface_;
    FrictionWatch* frictions_;
    Journal* journal_;
    const compile::CompiledEvents* compiled_;
    EventInstant instant_;
    code::Kernel values_, scales_, rates_, rate_scales_, actions_, parameters_;
    ode::Stepper* stepper_ = nullptr;
    std::size_t n_;

    std::vector<double> y_;         ///< state inside a step
    std::vector<double> rounding_;  ///< of each value, by the largest terms it has had
    std::vector<double> now_, scale_, rate_, rate_scale_;  ///< per event
    std::vector<double> row_times_, row_values_;           ///< rows x events
    std::vector<Sample> samples_;                          ///< times x events
    std::vector<double> action_, formula_;                 ///< outputs of the kernels
    std::vector<double> band_, kept_band_, found_, last_;  ///< per event
    std::vector<int> side_, kept_side_, piled_;            ///< per event
    std::vector<bool> follows_;      ///< per parameter: it is what its formula says
    std::vector<int> due_;           ///< found last, in the order of the text
    double last_time_ = 0.0;         ///< of an event
    std::optional<int> unresolved_;  ///< an event that came back too soon to be told apart
};

}  // namespace ananke::simulate
