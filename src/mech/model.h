// A mechanical system as its modeller states it: names, expressions, and where they were written.
//
// The model is what `lang` builds from text and a program may build by hand. It is not yet derived:
// see mech/derive.h. Expressions over points keep position(P) and velocity(P) as symbols of their
// own (Point::r, Point::v), and over bodies axis(B, e_k) and omega(B) (Body::axes, Body::omega);
// derive() replaces them by expressions of the coordinates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sym/graph.h"

namespace ananke::mech {

using sym::Expr;
using Vec3 = std::array<Expr, 3>;

struct Parameter {
    std::string name;
    Expr symbol;
    Expr value;               ///< over earlier parameters
    bool structural = false;  ///< used as a loop bound or an index: a change needs a new expansion
    Span span;
};

struct Coordinate {
    std::string name;
    Expr q, v, a;  ///< symbols x, x', x''
    Span span;
};

/// A place in space that moves with the system: a particle, a declared point, a place on a body.
struct Point {
    std::string name;
    Vec3 position;  ///< over coordinates, time, parameters (and symbols of other points and bodies)
    Vec3 r, v, a;   ///< symbols for position(P), velocity(P), acceleration(P)
    std::optional<Expr> mass;  ///< a particle or the mass centre of a body; over parameters
    Span span;
    int body = -1;      ///< the body it is fixed in; -1 for none
    bool named = true;  ///< false for `B at (..)` written in passing: results name the body
};

/// Columns: the body's axes in world axes.
using Axes = std::array<Vec3, 3>;

/// A rigid body. A spatial one has the coordinates x y z u0 u1 u2 u3 (a unit quaternion, scalar
/// first, body to world), a planar one x y angle, the ground none. Expressions over a body keep
/// axis(B, e_k) and omega(B) as symbols, like those over points.
struct Body {
    enum class Kind : std::uint8_t { kSpatial, kPlanar, kGround };
    std::string name;
    Kind kind = Kind::kSpatial;
    Axes inertia;       ///< J in body axes about the mass centre, symmetric; planar: only [2][2]
    int first = -1;     ///< its first coordinate; the others follow
    int centre = -1;    ///< the point of its mass centre, which has its mass
    int norm = -1;      ///< the constraint u.u = 1
    Axes axes;          ///< symbols of axis(B, (1,0,0)), axis(B, (0,1,0)), axis(B, (0,0,1))
    Vec3 omega, alpha;  ///< symbols of its angular velocity and acceleration, world axes
    /// Its axes in the reference orientation, over parameters: the exact one of its statement, else
    /// no rotation. Directions are fixed in it there; `initial` and guesses never move it.
    Axes reference;
    Span span;
    std::string place = {};  ///< "door.ank:3:6", for messages while the model runs

    /// The place of its k-th coordinate among those of the model.
    std::size_t coordinate(int k) const {
        return static_cast<std::size_t>(first) + static_cast<std::size_t>(k);
    }
};

/// A connection made of constraints and forces by a `define joint`.
struct Joint {
    std::string name;
    std::string definition;
    std::vector<int> points;  ///< its arguments that are points, in their order: its own places
    Span span;
    int within = -1;  ///< the joint whose definition declares it
};

/// One `kinetic` or `potential` statement.
struct EnergyTerm {
    Expr value;
    Span span;
};

/// One entry of a `mass` statement: M(row, column) += value; given once per pair and symmetric.
struct MassTerm {
    int row, column;  ///< coordinates
    Expr value;
    Span span;
};

/// A given force or a non-ideal constraint force: on a coordinate, or a vector on a point.
struct CoordinateForce {
    int coordinate;
    Expr value;
    Span span;
};
struct PointForce {
    int point;
    Vec3 value;  ///< world axes
    Span span;
};
struct BodyTorque {
    int body;
    Vec3 value;  ///< world axes
    Span span;
};
struct Forces {
    std::vector<CoordinateForce> on_coordinates;
    std::vector<PointForce> on_points;
    std::vector<BodyTorque> on_bodies;
    bool empty() const { return on_coordinates.empty() && on_points.empty() && on_bodies.empty(); }
};

/// What a control pushes: a unit of it is this force or torque.
struct Actuator {
    enum class Kind : std::uint8_t { kCoordinateForce, kPointForce, kBodyTorque };
    Kind kind = Kind::kCoordinateForce;
    int target = 0;  ///< coordinate, point or body
    Vec3 direction;  ///< of a vector, of any length but zero, world axes; over q, t
    Span span;
    std::string place = {};  ///< "crane.ank:12:22", for messages while the model runs
};

/// left = right, as rows left - right = 0: one for scalars, three for vectors.
struct Constraint {
    std::string name;
    std::vector<Expr> rows;
    bool servo = false;  ///< its force is a control
    Span span;
    int joint = -1;    ///< the joint it belongs to
    int norm_of = -1;  ///< it keeps the quaternion of this body a unit one
    /// Of a servo: what enforces it. Without any the control acts along the gradient (ideal).
    std::vector<Actuator> actuators = {};
    /// Symbols of reaction(c), one or three; empty where no expression asks for them.
    std::vector<Expr> reaction = {};
    /// reaction(c) is the force on the first of these that it acts on and that is not the ground's:
    /// the points its joint was called with, from the last, then those in the order of its text.
    std::vector<int> named_points = {};
    std::string place = {};  ///< "door.ank:3:6", for messages while the model runs
};

/// How the size of a friction force follows from the load N >= 0 and the speed of slip s >= 0:
///   coulomb    mu N                                            at rest up to mu_static N
///   stribeck   (mu + (mu_static - mu) exp(-(s/speed)^2)) N     at rest up to mu_static N
///   viscous    damping s
enum class FrictionLaw : std::uint8_t { kCoulomb, kStribeck, kViscous };

/// One `friction on` statement: the force -f(load, slip) d slip/dv, against the slip. Statements
/// about the same slip add up. Where slip is zero a dry law holds up to its static limit: the
/// equations slip = 0 are then constraints and the friction is their force.
struct Friction {
    std::string name;              ///< of the constraint or joint that rubs
    std::vector<int> constraints;  ///< of `name`
    /// One or two components in orthogonal directions, linear in the velocities. Empty: the
    /// tangential velocity of the one point that the constraint acts on.
    std::vector<Expr> slip;
    std::optional<Expr> load;  ///< over reactions; absent: size of the force on that point
    FrictionLaw law = FrictionLaw::kCoulomb;
    std::optional<Expr> mu, mu_static, speed;  ///< mu_static is mu unless given
    std::optional<Expr> damping;               ///< of the viscous law
    /// A speed v0 below which a dry law is rounded off: s/sqrt(s^2 + v0^2) for the direction of
    /// slip. Such a law never sticks, it creeps.
    std::optional<Expr> smooth;
    Span span;
};

/// Compliance of a constraint: displacement per unit of its reaction. It changes no motion: it
/// decides how dependent constraints share their force. THEORY section 9
struct Compliance {
    int constraint = -1;  ///< or a joint
    int joint = -1;
    std::optional<Expr> value;                  ///< of a constraint
    std::optional<Expr> translation, rotation;  ///< of a joint
    Span span;
};

/// A named motion variable, linear in the velocities (RH section 2).
struct Speed {
    std::string name;
    Expr value;
    Span span;
};

struct Output {
    std::string name;  ///< of a vector: name.x, name.y, name.z as three outputs
    Expr value;        ///< may depend on accelerations
    Span span;
};

/// What a modeller may set of UW13's gauge freedom; THEORY section 2. Rows count over all
/// constraints.
struct Gauge {
    std::optional<Expr> alpha;  ///< over t
    std::optional<Expr> G;      ///< one weight for all rows, over q, t
    struct RowValue {
        int constraint;
        Expr value;
        Span span;
    };
    std::vector<RowValue> G_rows;  ///< diagonal weights of single constraints
    std::vector<RowValue> z_rows;  ///< over q, v, t
    std::optional<std::vector<std::vector<Expr>>> G_matrix;  ///< full, rows of all constraints
    Span span;
};

/// What happens where a value passes through zero: `event name: left = right { ... }`. The right
/// sides of resets and changes see the values before the event.
struct Event {
    enum class Crossing : std::uint8_t { kEither, kRising, kFalling };
    struct Reset {
        int coordinate;  ///< its velocity gets the value
        Expr value;      ///< over q, v, t
        Span span;
    };
    struct Change {
        int parameter;
        Expr value;  ///< over q, v, t
        Span span;
    };
    std::string name;
    Expr value;  ///< left - right, over q, v, t
    Crossing crossing = Crossing::kEither;
    bool stop = false;
    bool record = false;
    std::vector<Reset> resets;
    std::vector<Change> changes;
    Span span;
};

struct InitialValue {
    int coordinate;
    bool velocity = false;
    /// Over parameters; of a velocity also over coordinates, once these are assembled; of a guess
    /// of a position also over other coordinates, where these start.
    Expr value;
    bool exact = true;
    Span span;
};

/// The typical size of a coordinate or velocity, where the program cannot know it.
struct Scale {
    int coordinate;
    bool velocity = false;
    Expr value;  ///< over parameters, above 0
    Span span;
};

struct Simulate {
    Expr until;                    ///< over parameters
    std::optional<Expr> every;     ///< over parameters; 500 intervals if absent
    std::optional<Expr> max_step;  ///< likewise; any if absent
    bool stiff = false;
    Span span;
};

/// How a report draws something. It changes no equation.
struct View {
    enum class Kind : std::uint8_t {
        kSphere,
        kBox,
        kCylinder,
        kColour,  ///< only that
        kLine,
        kSpring,
        kTrail,
        kHide,
        kCamera
    };
    Kind kind = Kind::kSphere;
    int body = -1, point = -1;              ///< what it shows: one of them
    int other_body = -1, other_point = -1;  ///< the far end of a line or spring
    // Over parameters; shapes of bodies in body axes.
    std::optional<Expr> radius{}, length{};
    std::optional<Vec3> size{};  ///< of a box
    std::optional<Vec3> axis{};  ///< of a cylinder; what a camera looks at
    std::optional<Vec3> at{};    ///< middle of a shape; place of a camera
    std::string colour{};        ///< "#rrggbb", or "" for none
    Span span;
};

/// An operation that is not a number everywhere, and where it is written.
struct Written {
    Expr value;
    Span span;
    bool verbatim = true;  ///< false: its text stands elsewhere, in a prelude
};

struct Model {
    sym::Graph graph;
    std::string title;
    Expr time;
    std::vector<Parameter> parameters;
    std::vector<Coordinate> coordinates;
    std::vector<Point> points;
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    std::vector<EnergyTerm> kinetic;
    std::vector<EnergyTerm> potential;
    std::vector<MassTerm> mass;
    Forces forces;
    Forces nonideal;
    std::optional<Vec3> gravity;
    std::vector<Constraint> constraints;
    std::vector<Friction> frictions;
    std::vector<Compliance> compliances;
    std::vector<Speed> speeds;
    Gauge gauge;
    std::vector<InitialValue> initial;
    std::vector<Scale> scales;
    std::optional<Simulate> simulate;
    std::vector<Output> outputs;
    std::vector<Event> events;
    std::vector<View> views;
    // For messages while it runs; empty where it was not built from a text.
    std::vector<Written> written;
    std::shared_ptr<const Sources> sources;
};

}  // namespace ananke::mech
