// The equations of motion of a model, as expressions over q, v, t and the parameters.
//
//   M a = Q + C + A^T lambda,   A a = b                                        THEORY section 1
//
// Points no longer occur: position(P) and velocity(P) are replaced by coordinates; reaction(c) is
// replaced by multipliers, which Q, C and outputs may contain. Only outputs may contain
// accelerations. Computed by derive() (mech/derive.h) and constant afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "mech/model.h"
#include "sym/graph.h"
#include "sym/walk.h"

namespace ananke::mech {

/// One entry of a sparse row.
struct Entry {
    int column;
    Expr value;
};

/// One entry of the upper triangle of M: row <= column.
struct MassEntry {
    int row, column;
    Expr value;
};

enum class ConstraintKind : std::uint8_t {
    kHolonomicScleronomic,
    kHolonomicRheonomic,
    kNonholonomicLinear,     ///< A(q, t) v = 0
    kNonholonomicAffine,     ///< A(q, t) v = b(q, t)
    kNonholonomicNonlinear,  ///< A depends on v
    kVacuous,                ///< 0 = 0: holds whatever the system does
};

/// "holonomic, scleronomic" and so on, for tables.
std::string_view describe(ConstraintKind kind);

/// Where a constraint row pushes: the force lambda W on the point; RH (5), (60).
struct Direction {
    int point;
    Vec3 W;           ///< over q, v, t
    Vec3 W_symbolic;  ///< over position(P), velocity(P) as written, for printing
};

/// Where a constraint row twists: the torque lambda tau on the body; RH (77)-(81).
struct Twist {
    int body;
    Vec3 tau;           ///< over q, v, t; world axes
    Vec3 tau_symbolic;  ///< over axis(B, ..), omega(B) and so on as written, for printing
};

/// phi(q, t) whose derivative is `factor` times a row that is linear in the velocities: it keeps
/// its first value.
struct Integral {
    Expr phi;
    std::vector<Expr> parts;      ///< its summands, by the coordinates of the row, for printing
    Expr factor;                  ///< 1 if the row is exact
    std::vector<Entry> gradient;  ///< phi_q, columns ascending
    Expr magnitude;               ///< summed magnitudes of the terms of phi
};

/// One scalar constraint.
struct Row {
    std::string name;    ///< "rod", "c[2]" for the second row of a vector constraint
    int constraint = 0;  ///< index into Model::constraints
    int component = 0;   ///< 0, 1, 2
    ConstraintKind kind = ConstraintKind::kVacuous;
    bool servo = false;
    bool actuated =
        false;  ///< enforced by actuators: pushes nowhere itself, see Equations::controls
    bool holonomic = true;
    bool homogeneous = true;  ///< A v = 0 whenever the row holds, shown symbolically: does no work
    bool degenerate = false;  ///< A vanishes where the row holds: its acceleration level is empty
    bool integrable = false;  ///< linear in the velocities, yet holonomic: P21 (53)-(56)
    std::string note;         ///< explains `degenerate`, `integrable`, or why a row is vacuous

    Expr residual;         ///< phi(q, t) or psi(q, v, t)
    Expr rate;             ///< phi_q v + phi_t, or psi
    std::vector<Entry> A;  ///< phi_q or psi_v, columns ascending; also d(rate)/dv
    Expr b;

    Expr residual_magnitude;  ///< summed magnitudes of the terms of `residual`
    Expr rate_magnitude;
    Expr row_magnitude;  ///< of all entries of A
    Expr b_magnitude;

    std::optional<Integral> integral;  ///< where it is integrable in closed form

    std::vector<Direction> directions;
    std::vector<Twist> twists;
    /// Coordinates of A whose force is attributed to no point (THEORY section 3) and shows in Qc
    /// only.
    std::vector<int> unattributed;
    /// Of an actuated row instead of the directions above: where it prescribes the motion.
    std::vector<Direction> aims;

    /// Of compliances: lines of C_J, and sqrt(c) times what a unit of the multiplier puts there.
    std::vector<Entry> compliances;

    std::optional<Expr> lambda;  ///< symbol of its multiplier, where an expression may use it
    bool stick = false;          ///< slip = 0 of a friction, in force only while it sticks
};

/// All friction laws of one slip, THEORY section 5. While it slips, C holds
///   -sum_k F_k d slip_k/dv,   F_k = amount * direction_k + damping_k
/// with the direction frozen: +1 or -1 for one component, so that the law stays smooth when a step
/// ends beyond slip = 0; for two components slip/|slip|, mirrored beyond the line on which the
/// slip has turned by a right angle, so that a straight stop is smooth likewise, and led over to
/// the frozen direction where the slip is too small to have one. While it sticks the direction is 0
/// and the rows are in force.
struct FrictionElement {
    std::string name;
    std::vector<Row> rows;       ///< slip_k = 0
    bool dry = false;            ///< has a law that can stick
    std::vector<Expr> mode;      ///< symbols: the direction of slip, one per component
    Expr still;                  ///< symbol: a slip whose square is smaller has no own direction
    std::vector<Expr> force;     ///< F_k: what slides past feels along slip_k; over q, v, t, lambda
    Expr amount;                 ///< dry part of |F|
    Expr limit;                  ///< the largest dry friction while it sticks
    Expr load;                   ///< of the first dry law
    Expr coefficient;            ///< of the first dry law: its amount over its load
    std::vector<int> load_rows;  ///< rows whose multipliers the loads contain
    std::vector<int> constraints;  ///< that it belongs to
    Span span;
};

/// One actuator and its column of D: the control u pushes with D u. docs/theory.md, section 3
struct Control {
    std::string name;  ///< "track:1"
    int constraint = 0;
    Actuator::Kind kind = Actuator::Kind::kCoordinateForce;
    int target = 0;
    Vec3 direction;           ///< unit vector over q, t; zero on a coordinate
    std::vector<Entry> D;     ///< by coordinate, ascending
    std::string target_name;  ///< of a place without a name: its body
    std::string description;  ///< "force on cart along (1, 0, 0)"
    std::string place;        ///< "crane.ank:12:22", if it came from a text
};

/// Its kind; an integrable row counts as holonomic.
std::string_view describe(const Row& row);

/// One inertia term: a summand of a `kinetic` statement, a particle, or the `mass` statements.
struct InertiaElement {
    enum class Source : std::uint8_t { kKinetic, kParticle, kMass, kBody };
    Source source = Source::kKinetic;
    int index = 0;                 ///< of the statement, the point or the body
    Expr T;                        ///< its kinetic energy
    std::vector<int> coordinates;  ///< the local ones: those that T contains, ascending
    std::vector<MassEntry> M;      ///< rows and columns are coordinates of the model
    std::vector<Entry> Q;          ///< T_q - T_vq v - T_vt;   0 for `mass` statements
    Span span;
};

struct NamedExpr {
    std::string name;
    Expr value;
};

/// Motion of a point over q, v, a, t.
struct PointKinematics {
    std::string name;
    Vec3 position, velocity, acceleration;
    bool particle = false;
};

/// Motion of a body over q, v, a, t; world axes.
struct BodyKinematics {
    std::string name;
    Axes axes;  ///< columns of R, body to world
    Vec3 omega, alpha;
};

/// UW13's gauge freedom over the rows; THEORY section 2. What is absent is the solver's choice.
struct GaugeChoice {
    Expr alpha;  ///< over t; 1 unless given
    bool alpha_given = false;
    std::vector<Expr> G_diagonal;             ///< per row, or empty
    std::vector<std::vector<Expr>> G_matrix;  ///< rows x rows, or empty
    std::vector<Expr> z;                      ///< per row, or empty
};

/// Where and how an event of the model happens; what it does, in the order of Model::events.
struct EventExpressions {
    Expr value;                 ///< its zero is the event; over q, v, t
    Expr magnitude;             ///< summed magnitudes of the terms of `value`
    Expr rate;                  ///< d(value)/dt, over q, v, a, t
    Expr rate_magnitude;        ///< as `magnitude`, of `rate`
    std::vector<Expr> resets;   ///< as Event::resets
    std::vector<Expr> changes;  ///< as Event::changes
};

/// The derivative of a statement of a potential by a coordinate.
struct ForcePart {
    int coordinate;
    Expr value;
    Span span;
};

struct Equations {
    int n = 0;                 ///< coordinates
    std::vector<MassEntry> M;  ///< by row, then column; entries that are zero are absent
    std::vector<Expr> Q;       ///< n
    std::vector<ForcePart> Q_of_potentials;  ///< those not finite everywhere; for messages
    std::vector<Expr> C;                     ///< n; zero unless has_nonideal
    std::vector<Expr> C_given;               ///< n; C without the frictions
    bool has_nonideal = false;
    std::vector<Row> rows;
    std::vector<Control> controls;  ///< of all actuators, by constraint
    std::vector<FrictionElement> frictions;
    std::vector<InertiaElement> elements;

    Expr kinetic, potential;
    Expr h;      ///< v.T_v - T + V
    Expr power;  ///< h' = power + Qc.v:  F.v - T_t + V_t, and v^T M' v / 2 of `mass` statements
    bool kinetic_is_T_plus_V = false;  ///< h = T + V, shown symbolically
    /// F = C = 0, T_t = V_t = 0 and every row homogeneous in v, shown symbolically: h is conserved.
    bool energy_projection_allowed = false;

    GaugeChoice gauge;
    std::vector<NamedExpr> outputs;
    std::vector<NamedExpr> speeds;
    std::vector<PointKinematics> points;
    std::vector<EventExpressions> events;  ///< as Model::events
    std::vector<BodyKinematics> bodies;
    std::vector<sym::Replacement> reactions;  ///< reaction(c) over the multipliers
};

}  // namespace ananke::mech
