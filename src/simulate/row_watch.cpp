#include "simulate/row_watch.h"

#include <algorithm>
#include <cmath>

#include "dynamics/row_entries.h"

namespace ananke::simulate {
namespace {

/// Cosine of the angle between a row before and after a step below which it counts as reversed.
constexpr double kReversed = -0.5;
/// Length of the row where it turns, relative to its ends, below which it has vanished. A row that
/// merely swings round within one long step keeps a length of the order of its ends.
constexpr double kVanishedLength = 1e-4;
constexpr int kBisections = 60;

/// A depends on the velocities.
bool row_of_velocities(const mech::Row& row) {
    return row.kind == mech::ConstraintKind::kNonholonomicNonlinear;
}

}  // namespace

/// Entries at CompiledModel::row_entries, each times the size of its velocity: what the row is in
/// any units.
void RowWatch::find(dynamics::Evaluator& evaluator, double t, std::span<const double> y,
                    Entries& entries) {
    dynamics::find_row_entries(evaluator, t, y, entries);
    const std::span<const double> sizes = evaluator.scales().velocities();
    const std::vector<compile::Place>& places = evaluator.model().row_entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i] *= sizes[static_cast<std::size_t>(places[i].column)];
    }
}

void RowWatch::multiply(const compile::CompiledModel& model, const Entries& now,
                        const Entries& before) {
    dynamics::multiply_rows(model, now, before, sums_.both);
    dynamics::multiply_rows(model, now, now, sums_.now);
    dynamics::multiply_rows(model, before, before, sums_.before);
}

std::optional<VanishedRow> RowWatch::after_step(dynamics::Evaluator& evaluator,
                                                ode::Stepper& stepper, Rows rows) {
    const std::vector<mech::Row>& all = evaluator.model().rows;
    const auto is_looked_at = [&](const mech::Row& row) {
        return rows == Rows::kAll || (rows == Rows::kNonholonomic && !row.holonomic) ||
               (rows == Rows::kOfVelocities && row_of_velocities(row));
    };
    if (std::none_of(all.begin(), all.end(), is_looked_at)) {
        return std::nullopt;
    }
    y_.resize(stepper.y().size());
    find(evaluator, stepper.t_previous(), stepper.y_previous(), previous_);
    find(evaluator, stepper.t(), stepper.y(), now_);
    multiply(evaluator.model(), now_, previous_);
    std::optional<VanishedRow> first;
    for (int row = 0; row < evaluator.model().m(); ++row) {
        const auto k = static_cast<std::size_t>(row);
        const double lengths = std::sqrt(sums_.now[k]) * std::sqrt(sums_.before[k]);
        if (!is_looked_at(all[k]) || !(sums_.both[k] < kReversed * lengths) || lengths == 0.0) {
            continue;
        }
        const std::optional<double> t = turning_point(evaluator, stepper, row);
        if (t && (!first || *t < first->t)) {
            first = {row, *t};
        }
    }
    return first;
}

/// Where the row stands at a right angle to what it was at the beginning of the step, if it is
/// nearly nothing there.
std::optional<double> RowWatch::turning_point(dynamics::Evaluator& evaluator, ode::Stepper& stepper,
                                              int row) {
    const compile::CompiledModel& model = evaluator.model();
    const auto k = static_cast<std::size_t>(row);
    double before = stepper.t_previous();
    double after = stepper.t();
    double length = 0.0;
    for (int i = 0; i < kBisections && after > before; ++i) {
        const double middle = before + 0.5 * (after - before);
        if (middle <= before || middle >= after || stepper.dense(middle, y_) != ode::Status::kOk) {
            break;
        }
        find(evaluator, middle, y_, inside_);
        multiply(model, inside_, previous_);
        length = std::sqrt(sums_.now[k]);
        (sums_.both[k] > 0.0 ? before : after) = middle;
    }
    multiply(model, now_, previous_);
    const double shorter = std::sqrt(std::min(sums_.now[k], sums_.before[k]));
    return length < kVanishedLength * shorter ? std::optional(before) : std::nullopt;
}

}  // namespace ananke::simulate
