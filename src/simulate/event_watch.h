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
#include "ode/root.h"
#include "ode/stepper.h"
#include "dynamics/evaluator.h"
#include "simulate/event_instant.h"

namespace ananke::simulate {

/// What one event did to the state.
struct EventEffect {
    std::string kind;    ///< "reset", "parameter", "record", "stop", joined by +
    std::string detail;  ///< values before and after
    bool resets = false;
    bool changes = false;  ///< parameters
};

class EventWatch {
  public:
    /// `evaluator` must outlive the watch. `state_size` is that of the stepper's y.
    EventWatch(dynamics::Evaluator& evaluator, std::size_t state_size);

    bool empty() const { return compiled_->list.empty(); }
    const compile::CompiledEvents::One& event(int which) const {
        return compiled_->list[static_cast<std::size_t>(which)];
    }

    /// The run begins at this state with this acceleration.
    void start(double t, const double* q, const double* v, const double* a);

    /// The first time in the last step, not beyond `until`, at which events happen: due() lists
    /// them. The step is looked at in the times of rows inside it, too. Fails when an event comes
    /// again sooner than time can resolve.
    Result<std::optional<double>> after_step(ode::Stepper& stepper, double until,
                                             std::span<const double> row_times);
    std::span<const int> due() const { return due_; }

    /// The events of due(), and what they set off, at the time after_step() found and a state
    /// there.
    EventInstant& begin_instant(double t, const double* q, const double* v);
    /// Carries out one of them at a state: sets v and the evaluator's parameters. Fails when its
    /// times pile up.
    Result<EventEffect> carry_out(int which, double t, const double* q, double* v);

    /// Goes on from the state that the events of the instant have left, with its acceleration.
    void resume(double t, const double* q, const double* v, const double* a);
    /// The longest step to try from there: events may come as soon again as they did. 0: any.
    double longest_step() const { return longest_step_; }

  private:
    struct Sample {
        double t = 0.0;
        double f = 0.0;
        double slope = 0.0;
    };
    void evaluate(double t);
    double value_at(int which, double t);
    bool counts(int which, int side) const;
    bool crossed(int which, int side, double f) const;
    void note_terms(const double* inputs);
    void look_at(double t, const double* q, const double* v, const double* a);
    void face(int which);
    Sample sample_at(int which, double t);
    void fill_samples(double begin, double until);
    void look_at_rows(std::span<const double> row_times);
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
    void follow_parameters();

    dynamics::Evaluator* evaluator_;
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
    std::vector<bool> follows_;  ///< per parameter: it is what its formula says
    std::vector<int> due_;
    double last_time_ = 0.0;  ///< of an event
    double longest_step_ = 0.0;
    std::optional<int> unresolved_;  ///< an event that came back too soon to be told apart
};

}  // namespace ananke::simulate
