#include "sim/switch_watch.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ode/root.h"

namespace ananke::sim {
namespace {

/// Changes nearer to each other than this (relative to 1 + |t|) make no progress.
constexpr double kNoProgress = 1e-10;
constexpr int kMostPiled = 40;
/// Halvings of a step that look for a stretch under its old law.
constexpr int kMostHalvings = 45;

}  // namespace

/// left - right of one switch at a time inside the step.
double SwitchWatch::difference(Evaluator& evaluator, ode::Stepper& stepper, int which, double t) {
    y_.resize(stepper.y().size());
    if (stepper.dense(t, y_) != ode::Status::kOk) {
        return std::nan("");
    }
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    return evaluator.switch_difference(which, t, y_.data(), y_.data() + n);
}

/// The beginning of the step, or the first of its halvings where the truth is the one held.
double SwitchWatch::old_law_begins(Evaluator& evaluator, ode::Stepper& stepper, int which) {
    const double begin = stepper.t_previous();
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    const auto holds = [&](double t) {
        return stepper.dense(t, y_) == ode::Status::kOk &&
               evaluator.truth_at(which, t, y_.data(), y_.data() + n) == evaluator.truth(which);
    };
    y_.resize(stepper.y().size());
    double t = stepper.t();
    for (int i = 0; i < kMostHalvings && !holds(begin); ++i) {
        t = begin + 0.5 * (t - begin);
        if (holds(t)) {
            return t;
        }
    }
    return begin;
}

std::optional<Switching> SwitchWatch::after_step(Evaluator& evaluator, ode::Stepper& stepper) {
    const CompiledModel& model = evaluator.model();
    const auto n = static_cast<std::size_t>(model.n());
    std::optional<Switching> first;
    for (int k = 0; k < static_cast<int>(model.switches.size()); ++k) {
        const double* q = stepper.y().data();
        const bool before = evaluator.truth(k);
        const bool after = evaluator.truth_at(k, stepper.t(), q, q + n);
        if (before == after) {
            continue;
        }
        // Where it already stood on the other side (round-off after an earlier change), at once,
        // unless the step has gone through the old law all the same.
        double t = stepper.t_previous();
        const double begin = old_law_begins(evaluator, stepper, k);
        auto f = [&](double at) { return difference(evaluator, stepper, k, at); };
        const Result<ode::Root> root = ode::find_root(f, begin, stepper.t(), 0.0);
        if (root) {
            t = root.value().after;
        }
        if (!first || t < first->t) {
            first = {t, k, after};
        }
    }
    return first;
}

Result<void> SwitchWatch::note(const Switching& change, const CompiledModel& model) {
    const bool progress = change.t - last_ > kNoProgress * (1.0 + std::abs(change.t));
    piled_ = progress ? 0 : piled_ + 1;
    last_ = change.t;
    if (piled_ < kMostPiled) {
        return {};
    }
    return Error{ErrorCode::kNotUnique,
                 fmt::format("at t = {}: the force law switches back and forth at {}: the motion "
                             "sticks there, which a switch cannot express; dry friction is written "
                             "`friction on`, other laws without a jump, as tanh(v/eps) for sign(v)",
                             to_short_text(change.t, 9),
                             model.switches[static_cast<std::size_t>(change.which)].text)};
}

}  // namespace ananke::sim
