// The description of a mechanism: what a model text says, as data. Both the text (text.h) and the
// equations of the checker (equations.h) are made from it.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Dense>

#include "expression.h"
#include "units.h"

namespace mechanisms {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Parameter {
    std::string name;
    double value = 0.0;
    Dimension dimension;
};

/// A coordinate whose rate is a speed; those of planar bodies too.
struct Coordinate {
    std::string name;
    Dimension dimension;
    int q = 0;
    int w = 0;
    bool of_body = false;
};

struct Particle {
    std::string name;
    double mass = 0.0;
    Ex3 at;
};

struct PlanarBody {
    std::string name;
    double mass = 0.0;
    double inertia = 0.0;
    int first = 0;  ///< coordinates x, y, angle are first, first + 1, first + 2
};

/// q: mass centre and quaternion; w: velocity and angular velocity, world axes.
struct SpatialBody {
    std::string name;
    double mass = 0.0;
    Matrix3d inertia = Matrix3d::Zero();
    int q = 0;
    int w = 0;
    bool exact_orientation = false;  ///< also where the other start values are guesses
};

/// kinetic value/2*x'^2
struct MassTerm {
    int coordinate = 0;
    double value = 0.0;
};

struct Actuator {
    int coordinate = -1;  ///< a force on it, or, where negative:
    Place place;
    Vector3d direction = Vector3d::Zero();
};

struct Constraint {
    std::string name;
    Ex left, right;
    bool on_velocities = false;
    double scale = 1.0;
    bool servo = false;
    std::vector<Actuator> actuators = {};
};

enum class JointKind {
    kSpherical,
    kRevolute,
    kUniversal,
    kPrismatic,
    kCylindrical,
    kPlanar,
    kPointOnLine,
    kPointOnPlane,
    kWeld,
    kKnifeEdge,
    kRollingSphere,
    kPrescribedAngle,
    kPrescribedDistance,
    kPin  ///< written as an equation of vectors
};

struct Joint {
    std::string name;
    JointKind kind = JointKind::kSpherical;
    Place A, B;
    Vector3d axis = Vector3d::UnitZ();   ///< world axes at the start
    Vector3d other = Vector3d::UnitX();  ///< second axis of a universal joint
    double radius = 0.0;
    Ex drive = {};
};

struct Spring {
    std::string name;
    Place A, B;
    double stiffness = 0.0;
    double length = 0.0;
};

struct Damper {
    std::string name;
    Place A, B;
    double damping = 0.0;
};

enum class Target { kCoordinate, kPlace, kTorque };

struct Force {
    Target target = Target::kCoordinate;
    int coordinate = 0;
    Place place;
    Ex3 value;  ///< of a force on a coordinate the first
    bool nonideal = false;
};

/// Coulomb's law on a scalar constraint of positions on one particle in a plane.
struct Friction {
    int constraint = 0;
    int particle = 0;
    double mu = 0.0;
    double mu_static = 0.0;
};

enum class Crossing { kBoth, kRising, kFalling };

struct Action {
    bool sets_parameter = false;
    int index = 0;  ///< of the parameter, or of the coordinate whose rate is set
    Ex value;
};

struct Event {
    std::string name;
    Ex left, right;
    Crossing crossing = Crossing::kBoth;
    std::vector<Action> actions;
};

struct State {
    double t = 0.0;
    VectorXd q, w;
    std::vector<double> parameters;
};

/// One start value as the text says it.
struct Said {
    bool exact = false;
    double value = 0.0;
};

struct Mechanism {
    std::string family;
    std::vector<Parameter> parameters;
    std::vector<Coordinate> coordinates;
    std::vector<Particle> particles;
    std::vector<PlanarBody> planar;
    std::vector<SpatialBody> spatial;
    std::vector<MassTerm> masses;
    std::vector<Constraint> constraints;
    std::vector<Joint> joints;
    std::vector<Spring> springs;
    std::vector<Damper> dampers;
    std::vector<Ex> potentials;
    std::vector<Force> forces;
    std::vector<Friction> frictions;
    std::vector<Event> events;
    Ex3 gravity;
    int positions = 0;  ///< size of q
    int speeds = 0;     ///< size of w
    std::vector<NodeHandle> switches;

    State start;
    std::vector<Said> said_q, said_w;  ///< by coordinate
    bool exact_bodies = true;          ///< start of bodies in space: `at (..)` or `at ~ (..)`

    int add_coordinate(const std::string& name, Dimension dimension, bool of_body = false);
    int add_parameter(const std::string& name, double value, Dimension dimension);
    /// A particle with Cartesian coordinates name + axis for the axes of `axes`, a text like "xz".
    Place add_particle(const std::string& suffix, double mass, const std::string& axes);
    Place add_particle_at(const std::string& name, double mass, const Ex3& at);
    Place add_planar(const std::string& name, double mass, double inertia);
    Place add_spatial(const std::string& name, double mass, const Matrix3d& inertia);
    void add_force(const Place& place, const Ex3& value);
    void add_force(int coordinate, const Ex& value);

    /// Whether the text gives the orientation of the body exactly; directions in world axes are
    /// then those of the start.
    bool orientation_is_exact(const Place& place) const;
    /// The same from now on, whatever the rest of its start is.
    void make_orientation_exact(const Place& place);

    /// Numbers the switches of the forces; call when all forces are there.
    void number_switches();
};

/// Column of each position, in the order of q.
std::vector<std::string> position_names(const Mechanism& mechanism);
/// Dimension of each position, in the order of q.
std::vector<Dimension> position_dimensions(const Mechanism& mechanism);

}  // namespace mechanisms
