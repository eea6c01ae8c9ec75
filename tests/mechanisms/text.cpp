#include "text.h"

#include <cmath>

#include "kinematics.h"

namespace mechanisms {

namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

class Writer {
  public:
    Writer(const Mechanism& mechanism, const Units& units) : m_(mechanism), units_(units) {}

    std::string expression(const Node& node) const;
    std::string expression(const Ex& ex) const { return expression(ex.node()); }
    std::string number(double value, Dimension d) const { return units_.number(value, d); }
    std::string place(const Place& place) const;
    std::string vector(const Ex3& v) const {
        return "(" + expression(v[0]) + ", " + expression(v[1]) + ", " + expression(v[2]) + ")";
    }
    std::string vector(const Vector3d& v, Dimension d) const {
        return "(" + number(v.x(), d) + ", " + number(v.y(), d) + ", " + number(v.z(), d) + ")";
    }

    std::string declarations() const;
    std::string joints() const;
    std::string elements() const;
    std::string forces() const;
    std::string constraints() const;
    std::string events() const;
    std::string initial() const;

  private:
    std::string binary(const Node& node, const char* sign) const {
        return "(" + expression(*node.operands[0]) + sign + expression(*node.operands[1]) + ")";
    }
    std::string call(const Node& node, const char* function) const {
        std::string text = std::string(function) + "(";
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
            text += (i == 0 ? "" : ", ") + expression(*node.operands[i]);
        }
        return text + ")";
    }
    std::string joint(const Joint& joint) const;
    Matrix3d start_rotation(const Place& place) const;
    Matrix3d reference_rotation(const Place& place) const;
    std::string direction(const Place& place, const Vector3d& world) const;
    std::string shared_direction(const char* word, const Joint& joint) const;
    double start_turn(const Joint& joint) const;
    std::string scaled(const Constraint& c, const Ex& side) const {
        return c.scale == 1.0 ? expression(side)
                              : number(c.scale, kNone) + "*(" + expression(side) + ")";
    }
    std::string said(const Said& said, Dimension d) const {
        return (said.exact ? " = " : " ~ ") + number(said.value, d);
    }

    const Mechanism& m_;
    const Units& units_;
};

std::string Writer::place(const Place& place) const {
    const auto index = static_cast<std::size_t>(place.index);
    if (place.frame == Frame::kParticle) {
        return m_.particles[index].name;
    }
    std::string name = "ground";
    if (place.frame == Frame::kPlanar) {
        name = m_.planar[index].name;
    } else if (place.frame == Frame::kSpatial) {
        name = m_.spatial[index].name;
    }
    return place.arm.isZero(0.0) ? name : name + " at " + vector(place.arm, kLength);
}

std::string Writer::expression(const Node& node) const {
    switch (node.op) {
        case Op::kNumber: {
            const std::string text = number(node.number, node.dimension);
            return node.number < 0.0 ? "(" + text + ")" : text;
        }
        case Op::kParameter:
            return m_.parameters[static_cast<std::size_t>(node.index)].name;
        case Op::kClock:
            return "t";
        case Op::kCoordinate:
            return m_.coordinates[static_cast<std::size_t>(node.index)].name;
        case Op::kSpeed:
            return m_.coordinates[static_cast<std::size_t>(node.index)].name + "'";
        case Op::kPosition:
            return "position(" + place(node.a) + ")." + kAxes[node.index];
        case Op::kPlaceVelocity:
            return "velocity(" + place(node.a) + ")." + kAxes[node.index];
        case Op::kOmega:
            return "omega(" + place({node.a.frame, node.a.index, Vector3d::Zero()}) + ")." +
                   kAxes[node.index];
        case Op::kDistance:
            return "norm(position(" + place(node.a) + ") - position(" + place(node.b) + "))";
        case Op::kDistanceSquared: {
            const std::string d =
                "position(" + place(node.a) + ") - position(" + place(node.b) + ")";
            return "dot(" + d + ", " + d + ")";
        }
        case Op::kAdd:
            return binary(node, " + ");
        case Op::kSubtract:
            return binary(node, " - ");
        case Op::kMultiply:
            return binary(node, "*");
        case Op::kDivide:
            return binary(node, "/");
        case Op::kPower:
            return "(" + expression(*node.operands[0]) + ")^" + std::to_string(node.index);
        case Op::kSin:
            return call(node, "sin");
        case Op::kCos:
            return call(node, "cos");
        case Op::kTanh:
            return call(node, "tanh");
        case Op::kSqrt:
            return call(node, "sqrt");
        case Op::kAbsolute:
            return call(node, "abs");
        case Op::kLeast:
            return call(node, "min");
        case Op::kGreatest:
            return call(node, "max");
        case Op::kChoice:
            return "(if " + expression(*node.operands[0]) + " < " + expression(*node.operands[1]) +
                   " then " + expression(*node.operands[2]) + " else " +
                   expression(*node.operands[3]) + ")";
    }
    return "";
}

std::string Writer::declarations() const {
    std::string text;
    for (const Parameter& p : m_.parameters) {
        text += "parameter  " + p.name + " = " + number(p.value, p.dimension) + "\n";
    }
    std::string names;
    for (const Coordinate& c : m_.coordinates) {
        if (!c.of_body) {
            names += (names.empty() ? "" : ", ") + c.name;
        }
    }
    text += names.empty() ? "" : "coordinate " + names + "\n";
    bool gravity = false;
    for (const Ex& g : m_.gravity) {
        gravity = gravity || !g.is_zero();
    }
    text += gravity ? "gravity    " + vector(m_.gravity) + "\n" : "";
    for (const Particle& p : m_.particles) {
        text += "particle   " + p.name + " mass " + number(p.mass, kMass) + " at " + vector(p.at) +
                "\n";
    }
    for (const MassTerm& term : m_.masses) {
        const Coordinate& c = m_.coordinates[static_cast<std::size_t>(term.coordinate)];
        const Dimension d = kEnergy / (c.dimension * c.dimension) * kTime * kTime;
        text += "kinetic    " + number(term.value, d) + "/2*" + c.name + "'^2\n";
    }
    for (const PlanarBody& b : m_.planar) {
        const Said& angle = m_.said_q[static_cast<std::size_t>(b.first + 2)];
        text += "planar body " + b.name + " mass " + number(b.mass, kMass) + " inertia " +
                number(b.inertia, kInertia) + (angle.exact ? " angle " : " angle ~ ") +
                number(angle.value, kNone) + "\n";
    }
    const std::string how = m_.exact_bodies ? " " : " ~ ";
    for (const SpatialBody& b : m_.spatial) {
        const std::string turned = m_.exact_bodies || b.exact_orientation ? " " : " ~ ";
        const auto J = [&](int i, int j) { return number(b.inertia(i, j), kInertia); };
        const VectorXd& q = m_.start.q;
        const VectorXd& w = m_.start.w;
        const auto u = [&](int i) { return number(q[b.q + 3 + i], kNone); };
        text += "body       " + b.name + " mass " + number(b.mass, kMass) + " inertia [" + J(0, 0) +
                ", " + J(0, 1) + ", " + J(0, 2) + "; " + J(1, 0) + ", " + J(1, 1) + ", " + J(1, 2) +
                "; " + J(2, 0) + ", " + J(2, 1) + ", " + J(2, 2) + "],\n           at" + how +
                vector(Vector3d(q.segment<3>(b.q)), kLength) + ", orientation" + turned +
                "quaternion(" + u(0) + ", " + u(1) + ", " + u(2) + ", " + u(3) +
                "),\n           velocity" + how + vector(Vector3d(w.segment<3>(b.w)), kVelocity) +
                ", omega" + how + vector(Vector3d(w.segment<3>(b.w + 3)), kRate) + "\n";
    }
    return text;
}

Matrix3d Writer::start_rotation(const Place& place) const {
    static const std::vector<char> kByCondition;
    return Kinematics(m_, m_.start, kByCondition).rotation(place);
}

/// The exact orientation of the body's statement; no rotation where that is a guess.
Matrix3d Writer::reference_rotation(const Place& place) const {
    return m_.orientation_is_exact(place) ? start_rotation(place) : Matrix3d::Identity();
}

/// A direction that the body carries along: in world axes where the reference orientation is that
/// of the start, in the axes of the body otherwise.
std::string Writer::direction(const Place& place, const Vector3d& world) const {
    const Vector3d local = start_rotation(place).transpose() * world;
    if (m_.orientation_is_exact(place) || local == world) {
        return vector(world, kNone);
    }
    return vector(local, kNone) + " in " +
           this->place({place.frame, place.index, Vector3d::Zero()});
}

/// A direction that both bodies carry along, with a second one for B where its text differs.
std::string Writer::shared_direction(const char* word, const Joint& joint) const {
    const std::string of_A = direction(joint.A, joint.axis);
    const std::string of_B = direction(joint.B, joint.axis);
    const std::string first = std::string(", ") + word + " = " + of_A;
    return of_A == of_B ? first : first + ", " + word + "_B = " + of_B;
}

/// The angle of B against A at the start. It is 0 in the reference orientations, where the axis of
/// A is turned into that of B by the smallest turn.
double Writer::start_turn(const Joint& joint) const {
    const Vector3d axis = joint.axis.normalized();
    const Vector3d across = axis.unitOrthogonal();
    const Matrix3d A = reference_rotation(joint.A) * start_rotation(joint.A).transpose();
    const Matrix3d B = reference_rotation(joint.B) * start_rotation(joint.B).transpose();
    const Matrix3d least =
        Eigen::Quaterniond::FromTwoVectors(A * axis, B * axis).toRotationMatrix();
    const Vector3d zero = B.transpose() * least * A * across;
    return std::atan2(axis.dot(across.cross(zero)), across.dot(zero));
}

std::string Writer::joint(const Joint& joint) const {
    const std::string both = place(joint.A) + ", " + place(joint.B);
    const std::string axis_A = ", axis = " + direction(joint.A, joint.axis);
    const std::string normal_A = ", normal = " + direction(joint.A, joint.axis);
    const std::string axis = shared_direction("axis", joint);
    switch (joint.kind) {
        case JointKind::kSpherical:
            return "spherical(" + both + ")";
        case JointKind::kRevolute:
            return "revolute(" + both + axis + ")";
        case JointKind::kUniversal:
            return "universal(" + both + axis_A + ", other = " + direction(joint.B, joint.other) +
                   ")";
        case JointKind::kPrismatic:
            return "prismatic(" + both + axis + ")";
        case JointKind::kCylindrical:
            return "cylindrical(" + both + axis + ")";
        case JointKind::kPlanar:
            return "planar(" + both + shared_direction("normal", joint) + ")";
        case JointKind::kPointOnLine:
            return "point_on_line(" + both + axis_A + ")";
        case JointKind::kPointOnPlane:
            return "point_on_plane(" + both + normal_A + ")";
        case JointKind::kWeld:
            return "weld(" + both + ")";
        case JointKind::kKnifeEdge:
            return "knife_edge(" + place(joint.B) +
                   ", direction = " + direction(joint.B, joint.axis) + ")";
        case JointKind::kRollingSphere:
            return "rolling_sphere(" + both + ", radius = " + number(joint.radius, kLength) + ")";
        case JointKind::kPrescribedAngle: {
            const double turn = start_turn(joint);
            return "prescribed_angle(" + both + axis +
                   ", angle = " + (turn == 0.0 ? "" : number(turn, kNone) + " + ") +
                   expression(joint.drive) + ")";
        }
        case JointKind::kPrescribedDistance:
            return "prescribed_distance(" + both + axis_A +
                   ", distance = " + expression(joint.drive) + ")";
        case JointKind::kPin:
            break;
    }
    return "";
}

std::string Writer::joints() const {
    std::string text;
    for (const Joint& j : m_.joints) {
        text += j.kind == JointKind::kPin ? "constraint " + j.name + ": position(" + place(j.B) +
                                                ") = position(" + place(j.A) + ")\n"
                                          : "joint      " + j.name + ": " + joint(j) + "\n";
    }
    return text;
}

std::string Writer::elements() const {
    std::string text;
    for (const Spring& s : m_.springs) {
        text += "joint      " + s.name + ": spring(" + place(s.A) + ", " + place(s.B) +
                ", stiffness = " + number(s.stiffness, kStiffness) +
                ", length = " + number(s.length, kLength) + ")\n";
    }
    for (const Damper& d : m_.dampers) {
        text += "joint      " + d.name + ": damper(" + place(d.A) + ", " + place(d.B) +
                ", damping = " + number(d.damping, kDamping) + ")\n";
    }
    for (const Ex& potential : m_.potentials) {
        text += "potential  " + expression(potential) + "\n";
    }
    return text;
}

std::string Writer::forces() const {
    std::string text;
    for (const Force& f : m_.forces) {
        const std::string word = f.nonideal ? "nonideal on " : "force on   ";
        if (f.target == Target::kCoordinate) {
            text += word + m_.coordinates[static_cast<std::size_t>(f.coordinate)].name + " = " +
                    expression(f.value[0]) + "\n";
        } else {
            text += (f.target == Target::kTorque ? "torque on  " : word) + place(f.place) + " = " +
                    vector(f.value) + "\n";
        }
    }
    return text;
}

std::string Writer::constraints() const {
    std::string text;
    for (const Constraint& c : m_.constraints) {
        text += (c.servo ? "servo      " : "constraint ") + c.name + ": " + scaled(c, c.left) +
                " = " + scaled(c, c.right);
        for (std::size_t i = 0; i < c.actuators.size(); ++i) {
            const Actuator& a = c.actuators[i];
            text += i == 0 ? " actuators (force on " : ", force on ";
            text += a.coordinate >= 0 ? m_.coordinates[static_cast<std::size_t>(a.coordinate)].name
                                      : place(a.place) + " along " + vector(a.direction, kNone);
        }
        text += c.actuators.empty() ? "\n" : ")\n";
    }
    for (const Friction& f : m_.frictions) {
        text += "friction   on " + m_.constraints[static_cast<std::size_t>(f.constraint)].name +
                ": coulomb(mu = " + number(f.mu, kNone) +
                ", mu_static = " + number(f.mu_static, kNone) + ")\n";
    }
    return text;
}

std::string Writer::events() const {
    std::string text;
    for (const Event& e : m_.events) {
        text += "event      " + e.name + ": " + expression(e.left) + " = " + expression(e.right);
        text += e.crossing == Crossing::kRising    ? " rising { "
                : e.crossing == Crossing::kFalling ? " falling { "
                                                   : " { ";
        for (std::size_t i = 0; i < e.actions.size(); ++i) {
            const Action& a = e.actions[i];
            const auto index = static_cast<std::size_t>(a.index);
            text +=
                (i == 0 ? "" : ", ") +
                (a.sets_parameter ? m_.parameters[index].name : m_.coordinates[index].name + "'") +
                " = " + expression(a.value);
        }
        text += " }\n";
    }
    return text;
}

std::string Writer::initial() const {
    std::string text;
    for (std::size_t i = 0; i < m_.coordinates.size(); ++i) {
        const Coordinate& c = m_.coordinates[i];
        text += "initial    ";
        // The angle of a body stands in its declaration.
        if (!c.of_body || !(c.dimension == kNone)) {
            text += c.name + said(m_.said_q[i], c.dimension) + ", ";
        }
        text += c.name + "'" + said(m_.said_w[i], c.dimension / kTime) + "\n";
    }
    return text;
}

}  // namespace

std::string text_of(const Ex& expression, const Mechanism& mechanism, const Units& units) {
    return Writer(mechanism, units).expression(expression);
}

std::string model_text(const Mechanism& mechanism, const Units& units, const std::string& title) {
    const Writer writer(mechanism, units);
    return "model \"" + title + "\"\n" + writer.declarations() + writer.joints() +
           writer.elements() + writer.forces() + writer.constraints() + writer.events() +
           writer.initial();
}

}  // namespace mechanisms
