#include "dynamics/surface.h"

#include <algorithm>
#include <cmath>

#include "dynamics/ties.h"

namespace ananke::dynamics {
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
/// The same where a thousand of them meet, or one is magnified.
constexpr double kMagnifiedRounding = 1e-13;
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
    if (drift == Drift::kEnergy) {
        energy_.emplace(evaluator);
    }
}

bool Surface::project(double t, std::span<double> y) {
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    if (projects_ && !count(projector().project(t, q, v))) {
        // The velocities of a body at rest are rounding of those of others, and so are its rows.
        Ties(*evaluator_).measure(t, q.data(), v.data(), 0.0);
        if (!count(projector().project(t, q, v))) {
            return false;
        }
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

bool Surface::count(const solve::ProjectionReport& report) {
    ++summary_.calls;
    if (report.status != solve::ProjectionStatus::kOk) {
        return false;
    }
    summary_.corrections += report.position_changed || report.velocity_changed ? 1 : 0;
    summary_.largest_position = std::max(summary_.largest_position, report.position_correction);
    summary_.largest_velocity = std::max(summary_.largest_velocity, report.velocity_correction);
    return true;
}

bool Surface::project_near(double t, std::span<double> y, double pivot, const RowOrder* order) {
    const bool near = pivot <= smallest_pivot_;
    if (projects_ && !near && order != nullptr && programs_.holds(*order)) {
        const std::optional<solve::ProjectionReport> report =
            programs_.project(t, y.subspan(0, n_), y.subspan(n_, n_));
        if (report && count(*report)) {
            restore_energy(t, y);
            return true;
        }
    }
    if (!projects_ || !near) {
        return project(t, y);
    }
    // What rows with small pivots ask for is left alone.
    const solve::ProjectionOptions options{.skip = kLastDigit,
                                           .accept = std::max(kAcceptedResidual, tolerance_),
                                           .rank = {smallest_pivot_, smallest_pivot_}};
    return project_with(options, t, y) || project_closely(t, y);
}

Surface::Inside Surface::project_inside(double t, double h, std::span<const double> from,
                                        std::span<double> y, double pivot, const RowOrder* order) {
    const ProjectionSummary before = summary_;
    std::copy(from.begin(), from.end(), y.begin());
    if (!project_near(t, y, pivot, order)) {
        return Inside::kFailed;
    }
    if (is_near(from, y, h, kLargestInside)) {
        return Inside::kDone;
    }
    std::copy(from.begin(), from.end(), y.begin());
    summary_ = before;
    return Inside::kFar;
}

/// Whether q and v differ by so many tolerances of their sizes at most. Velocities may also differ
/// by what rounding of positions makes of them over a step of length h.
bool Surface::is_near(std::span<const double> from, std::span<const double> y, double h,
                      double tolerances) {
    const std::span<const double> positions = evaluator_->scales().positions_with(y.data());
    const std::span<const double> velocities = evaluator_->scales().velocities_with(y.data() + n_);
    const Scales& scales = evaluator_->scales();
    const double part = tolerances * tolerance_;
    const double rate = h > 0.0 ? 1.0 / h : 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
        const double dq = std::abs(y[i] - from[i]);
        const double dv = std::abs(y[n_ + i] - from[n_ + i]);
        const double size = std::max(positions[i], scales.tied_positions()[i]);
        const double speed = scales.tied_velocities()[i] + rate * size;
        if (dq > part * positions[i] + kMagnifiedRounding * size ||
            dv > part * velocities[i] + kMagnifiedRounding * speed) {
            return false;
        }
    }
    return true;
}

ode::Acceptance Surface::accept(double t, double h, std::span<double> y, const RowOrder* order) {
    if (!projects_ || !has_rows_) {
        return restore_energy(t, y) ? ode::Acceptance::kChanged : ode::Acceptance::kUnchanged;
    }
    before_.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(2 * n_));
    const ProjectionSummary before = summary_;
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    std::optional<solve::ProjectionReport> report;
    if (order != nullptr && programs_.take(*order, t, q.data(), v.data())) {
        report = programs_.project(t, q, v);
    }
    if (!count(report ? *report : projector().project(t, q, v))) {
        return ode::Acceptance::kFailed;
    }
    if (!is_near(before_, y, h, kLargestCorrection)) {
        summary_ = before;
        return ode::Acceptance::kFailed;
    }
    const bool moved = restore_energy(t, y) || summary_.corrections > before.corrections;
    return moved ? ode::Acceptance::kChanged : ode::Acceptance::kUnchanged;
}

bool Surface::project_closely(double t, std::span<double> y, const RowOrder* order) {
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    return (order != nullptr && programs_.take(*order, t, q.data(), v.data()) &&
            programs_.project(t, q, v, ProjectionProgram::Aim::kClosest)) ||
           project_with({.skip = kLastDigit}, t, y);
}

bool Surface::project_once(double t, std::span<double> y, const RowOrder* order) {
    const std::span<double> q = y.subspan(0, n_);
    const std::span<double> v = y.subspan(n_, n_);
    return (order != nullptr && programs_.take(*order, t, q.data(), v.data()) &&
            programs_.project(t, q, v, ProjectionProgram::Aim::kOnce)) ||
           project_closely(t, y, order);
}

bool Surface::spoils_acceleration(double pivot) const {
    return pivot < std::cbrt(kRounding / tolerance_);
}

bool Surface::project_with(const solve::ProjectionOptions& options, double t, std::span<double> y) {
    return projector().project(t, y.subspan(0, n_), y.subspan(n_, n_), options).status ==
           solve::ProjectionStatus::kOk;
}

}  // namespace ananke::dynamics
