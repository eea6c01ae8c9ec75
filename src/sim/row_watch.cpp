#include "sim/row_watch.h"

#include <cmath>

namespace ananke::sim {
namespace {

/// Cosine of the angle between a row before and after a step below which it counts as reversed.
constexpr double kReversed = -0.5;
/// Length of the row where it turns, relative to its ends, below which it has vanished. A row that
/// merely swings round within one long step keeps a length of the order of its ends.
constexpr double kVanishedLength = 1e-4;
constexpr int kBisections = 60;

void evaluate_rows(Evaluator& evaluator, double t, std::span<const double> y,
                   solve::RowMatrix& into) {
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    into = evaluator.system_in_step(t, y.data(), y.data() + n).A;
}

}  // namespace

std::optional<VanishedRow> RowWatch::after_step(Evaluator& evaluator, ode::Stepper& stepper) {
    y_.resize(stepper.y().size());
    evaluate_rows(evaluator, stepper.t_previous(), stepper.y_previous(), previous_);
    evaluate_rows(evaluator, stepper.t(), stepper.y(), now_);
    std::optional<VanishedRow> first;
    for (Eigen::Index k = 0; k < now_.rows(); ++k) {
        const double product = now_.row(k).dot(previous_.row(k));
        const double lengths = now_.row(k).norm() * previous_.row(k).norm();
        if (!(product < kReversed * lengths) || lengths == 0.0) {
            continue;
        }
        const std::optional<double> t = turning_point(evaluator, stepper, static_cast<int>(k));
        if (t && (!first || *t < first->t)) {
            first = {static_cast<int>(k), *t};
        }
    }
    return first;
}

/// Where the row stands at a right angle to what it was at the beginning of the step, if it is
/// nearly nothing there.
std::optional<double> RowWatch::turning_point(Evaluator& evaluator, ode::Stepper& stepper,
                                              int row) {
    double before = stepper.t_previous();
    double after = stepper.t();
    double length = 0.0;
    for (int i = 0; i < kBisections && after > before; ++i) {
        const double middle = before + 0.5 * (after - before);
        if (middle <= before || middle >= after || stepper.dense(middle, y_) != ode::Status::kOk) {
            break;
        }
        evaluate_rows(evaluator, middle, y_, inside_);
        length = inside_.row(row).norm();
        (inside_.row(row).dot(previous_.row(row)) > 0.0 ? before : after) = middle;
    }
    const double ends = std::min(previous_.row(row).norm(), now_.row(row).norm());
    return length < kVanishedLength * ends ? std::optional(before) : std::nullopt;
}

}  // namespace ananke::sim
