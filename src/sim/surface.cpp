#include "sim/surface.h"

#include <algorithm>
#include <cmath>

namespace ananke::sim {
namespace {

/// A step that passed the error test lies near the constraints; one that projection must move by
/// more than this many times its tolerance does not, and is rejected: it has left its branch.
constexpr double kLargestCorrection = 1e4;
/// The same for a state inside a step, whose error is that of an interpolation.
constexpr double kLargestInside = 1e3;
/// Scaled residual left alone near a singular configuration, where what is left is magnified.
constexpr double kLastDigit = 2e-16;
/// Error of one evaluation of a constraint, in its scale.
constexpr double kRounding = 1e-16;
/// Scaled residual that is as good as none.
constexpr double kAcceptedResidual = 1e-12;

}  // namespace

Surface::Surface(Evaluator& evaluator, Drift drift, double tolerance)
    : evaluator_(&evaluator),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      projects_(drift == Drift::kProject || drift == Drift::kEnergy),
      has_rows_(evaluator.model().m() > 0),
      tolerance_(tolerance),
      smallest_pivot_(std::sqrt(kRounding / tolerance)),
      programs_(evaluator) {
    if (has_sparse_rows(evaluator.model())) {
        sparse_.emplace(evaluator);
    }
    if (drift == Drift::kEnergy) {
        energy_.emplace(evaluator);
    }
}

bool Surface::put_back(double t, std::span<double> y, double largest) {
    if (projects_ && !count(project(t, y.subspan(0, n_), y.subspan(n_, n_)), largest)) {
        return false;
    }
    restore_energy(t, y);
    return true;
}

void Surface::start_energy(double t, std::span<const double> y) {
    if (energy_) {
        energy_->start(t, y);
    }
}

void Surface::shift_energy(double jump) {
    if (energy_) {
        energy_->shift(jump);
    }
}

bool Surface::count(const solve::ProjectionReport& report, double largest) {
    ++summary_.calls;
    if (report.status != solve::ProjectionStatus::kOk ||
        std::max(report.position_correction, report.velocity_correction) > largest) {
        return false;
    }
    summary_.corrections += report.position_changed || report.velocity_changed ? 1 : 0;
    summary_.largest_position = std::max(summary_.largest_position, report.position_correction);
    summary_.largest_velocity = std::max(summary_.largest_velocity, report.velocity_correction);
    return true;
}

bool Surface::put_back_near(double t, std::span<double> y, double pivot, const RowOrder* order) {
    const bool near = pivot <= smallest_pivot_;
    if (projects_ && !near && order != nullptr && programs_.holds(*order)) {
        const std::optional<solve::ProjectionReport> report =
            programs_.project(t, y.subspan(0, n_), y.subspan(n_, n_));
        if (report && count(*report, std::numeric_limits<double>::infinity())) {
            restore_energy(t, y);
            return true;
        }
    }
    if (!projects_ || !near) {
        return put_back(t, y);
    }
    const solve::ProjectionOptions options{.skip = kLastDigit,
                                           .accept = std::max(kAcceptedResidual, tolerance_),
                                           .rank = {smallest_pivot_, smallest_pivot_}};
    return reached_by(near_, options, t, y) || put_back_closest(t, y);
}

bool Surface::put_back_inside(double t, std::span<const double> from, std::span<double> y,
                              double pivot, const RowOrder* order) {
    const ProjectionSummary before = summary_;
    std::copy(from.begin(), from.end(), y.begin());
    if (!put_back_near(t, y, pivot, order)) {
        return false;
    }
    double way = 0.0;
    for (std::size_t i = 0; i < 2 * n_; ++i) {
        way = std::max(way, std::abs(y[i] - from[i]));
    }
    if (way > kLargestInside * tolerance_ * size(from)) {
        std::copy(from.begin(), from.end(), y.begin());
        summary_ = before;
    }
    return true;
}

double Surface::size(std::span<const double> y) const {
    double largest = 1.0;
    for (const double value : y.first(2 * n_)) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

ode::Acceptance Surface::accept(double t, std::span<double> y, const RowOrder* order) {
    if (!projects_ || !has_rows_) {
        return restore_energy(t, y) ? ode::Acceptance::kChanged : ode::Acceptance::kUnchanged;
    }
    const std::size_t before = summary_.corrections;
    const double largest = kLargestCorrection * tolerance_ * size(y);
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    std::optional<solve::ProjectionReport> report;
    if (order != nullptr && programs_.take(*order, t, q.data(), v.data())) {
        report = programs_.project(t, q, v);
    }
    if (!count(report ? *report : project(t, q, v), largest)) {
        return ode::Acceptance::kFailed;
    }
    const bool moved = restore_energy(t, y) || summary_.corrections > before;
    return moved ? ode::Acceptance::kChanged : ode::Acceptance::kUnchanged;
}

bool Surface::add_to(StepParts& parts, const RowOrder* order, double t, std::span<const double> y) {
    if (energy_) {
        return false;
    }
    return !projects_ || !has_rows_ ||
           (order != nullptr && programs_.take(*order, t, y.data(), y.data() + n_) &&
            programs_.add_to(parts));
}

bool Surface::accepts(const StepProgram& step) const {
    const StepProgram::Level position = step.position();
    const StepProgram::Level velocity = step.velocity();
    return std::max(position.residual, velocity.residual) <= kOneCorrection &&
           std::max(position.correction, velocity.correction) <=
               kLargestCorrection * tolerance_ * step.largest_value();
}

void Surface::count_end(const StepProgram& step) {
    if (projects_ && has_rows_) {
        solve::ProjectionReport report;
        report.position_correction = step.position().correction;
        report.velocity_correction = step.velocity().correction;
        report.position_changed = report.position_correction > 0.0;
        report.velocity_changed = report.velocity_correction > 0.0;
        count(report, std::numeric_limits<double>::infinity());
    }
}

bool Surface::put_back_closest(double t, std::span<double> y, const RowOrder* order) {
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    return (order != nullptr && programs_.take(*order, t, q.data(), v.data()) &&
            programs_.project(t, q, v, CompiledProjection::Aim::kClosest)) ||
           reached_by(closest_, {.skip = kLastDigit}, t, y);
}

bool Surface::put_back_roughly(double t, std::span<double> y, const RowOrder* order) {
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    return (order != nullptr && programs_.take(*order, t, q.data(), v.data()) &&
            programs_.project(t, q, v, CompiledProjection::Aim::kOnce)) ||
           put_back_closest(t, y, order);
}

bool Surface::spoils_acceleration(double pivot) const {
    return pivot < std::cbrt(kRounding / tolerance_);
}

bool Surface::reached_by(std::optional<solve::Projector>& projector,
                         const solve::ProjectionOptions& options, double t, std::span<double> y) {
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    const solve::ProjectionReport report =
        sparse_ ? sparse_->project(t, q, v, options) : made(projector, options).project(t, q, v);
    return report.status == solve::ProjectionStatus::kOk;
}

}  // namespace ananke::sim
