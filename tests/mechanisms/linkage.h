// Linkages with configurations in which another branch of motion leaves theirs, and their motion on
// the branch they are on: all of them follow one angle phi with
//   I(phi) phi'' + I'(phi)/2 phi'^2 + V'(phi) = 0.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "draw.h"

namespace mechanisms {

using Eigen::Vector2d;

/// A place of a linkage with its derivatives by phi.
struct Path {
    Vector2d r, r1, r2;
};

struct MovingMass {
    double mass = 0.0;
    std::function<Path(double)> path;
};

/// A coordinate of the model: its value and its derivative by phi.
struct Follower {
    std::string name;
    std::function<Vector2d(double)> value;
};

struct Linkage {
    std::string kind;
    std::string text;    ///< declarations and constraints
    std::string pushed;  ///< a coordinate on which a force can act
    std::vector<MovingMass> masses;
    double inertia = 0.0;  ///< of what turns with phi' itself
    std::vector<Follower> followers;
    double singular = 0.0;  ///< phi where branches meet
    Vector2d gravity = Vector2d::Zero();

    double mass_of(double phi) const;    ///< I
    double slope_of(double phi) const;   ///< I'
    double energy_of(double phi) const;  ///< V
    double pull_of(double phi) const;    ///< V'
};

/// phi and phi' from (phi0, rate0) at rising times.
std::vector<Vector2d> follow(const Linkage& linkage, double phi0, double rate0,
                             const std::vector<double>& times);

/// The first time at which phi reaches `goal`; negative where it does not within `end`.
double time_of(const Linkage& linkage, double phi0, double rate0, double goal, double end);

/// Names of the kinds of linkages.
const std::vector<std::string>& linkage_kinds();
Linkage draw_linkage(const std::string& kind, Draw& draw);

}  // namespace mechanisms
