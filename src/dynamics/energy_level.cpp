#include "dynamics/energy_level.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ananke::dynamics {
namespace {

/// Part of the largest kinetic energy so far below which the velocities stay as they are.
constexpr double kLeastPart = 0.01;
/// A step that has lost more of its kinetic energy than this has lost more than an energy.
constexpr double kLargestPart = 1e-2;

}  // namespace

std::string why_not_conserved(const mech::Model& model, const mech::Equations& equations) {
    if (equations.energy_projection_allowed) {
        return {};
    }
    for (const mech::Row& row : equations.rows) {
        if (!row.homogeneous) {
            return fmt::format(
                "the constraint {} is not homogeneous in the velocities and may do "
                "work",
                row.name);
        }
    }
    if (!equations.controls.empty()) {
        return "its actuators do work";
    }
    if (equations.has_nonideal) {
        return "its nonideal forces or frictions do work";
    }
    if (!model.forces.empty()) {
        return "its forces do work; write those that have one as a potential";
    }
    return "its kinetic or potential energy depends on the time itself";
}

EnergyLevel::Parts EnergyLevel::parts(double t, std::span<const double> y) {
    const double rest = evaluator_->energy(t, y.data(), no_velocity_.data()).h;
    return {rest, evaluator_->energy(t, y.data(), y.data() + n_).h};
}

void EnergyLevel::start(double t, std::span<const double> y) {
    const Parts now = parts(t, y);
    level_ = now.all;
    largest_moving_ = now.all - now.rest;
}

bool EnergyLevel::restore(double t, std::span<double> y) {
    const Parts now = parts(t, y);
    const double moving = now.all - now.rest;
    largest_moving_ = std::max(largest_moving_, moving);
    const double wanted = level_ - now.rest;
    if (!(moving > kLeastPart * largest_moving_) || !(wanted > 0.0) ||
        std::abs(wanted - moving) > kLargestPart * moving ||
        std::abs(wanted - moving) <=
            4.0 * std::numeric_limits<double>::epsilon() * (std::abs(level_) + moving)) {
        return false;
    }
    const double scale = std::sqrt(wanted / moving);
    for (double& velocity : y.subspan(n_, n_)) {
        velocity *= scale;
    }
    return true;
}

}  // namespace ananke::dynamics
