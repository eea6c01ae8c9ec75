#include "generate.h"

namespace mechanisms {

namespace {

Place ground() {
    return {Frame::kGround, 0, Vector3d::Zero()};
}

/// The body or the ground that the next body hangs on.
Place parent_of(Sketch& s, std::size_t index) {
    if (index == 0 || s.draw.chance(0.25)) {
        return ground();
    }
    return s.places[static_cast<std::size_t>(s.draw.whole(0, static_cast<int>(index) - 1))];
}

Joint& join(Sketch& s, JointKind kind, const Place& A, const Place& B, const Vector3d& at,
            const Vector3d& axis) {
    Joint joint;
    joint.name = s.name("j");
    joint.kind = kind;
    joint.A = s.place_at(A, at);
    joint.B = s.place_at(B, at);
    joint.axis = axis;
    s.m.joints.push_back(joint);
    return s.m.joints.back();
}

void slide(Sketch& s, Joint& joint, double along) {
    joint.B = s.place_at(joint.B, s.world(joint.A) + along * joint.axis.normalized());
}

void turn_first(Sketch& s, const Place& body) {
    const int angle = s.m.planar[static_cast<std::size_t>(body.index)].first + 2;
    Constraint& drive = s.hold(s.name("drive"), coordinate(angle), kNone, wobble(s, 0.8, kNone));
    drive.servo = s.draw.chance(0.2);
}

void planar_chain(Sketch& s, int count) {
    for (int i = 0; i < count; ++i) {
        const Vector3d at(1.0 * i + s.draw.uniform(-0.3, 0.3), s.draw.uniform(-0.6, 0.6), 0.0);
        const Place body = s.planar(s.draw.uniform(0.4, 2.0), s.draw.uniform(0.05, 0.5), at,
                                    s.draw.uniform(-1.2, 1.2));
        const Place parent = parent_of(s, static_cast<std::size_t>(i));
        const Vector3d pin =
            at + Vector3d(s.draw.uniform(-0.7, -0.3), s.draw.uniform(-0.4, 0.4), 0.0);
        if (s.draw.chance(0.2)) {
            Vector3d axis = s.draw.direction();
            axis.z() = 0.0;
            Joint& rail = join(s, JointKind::kPrismatic, parent, body, pin, axis.normalized());
            slide(s, rail, s.draw.uniform(-0.3, 0.3));
        } else {
            join(s, s.draw.chance(0.3) ? JointKind::kPin : JointKind::kRevolute, parent, body, pin,
                 Vector3d::UnitZ());
        }
    }
}

Vector3d mean_place(const Sketch& s, const Place& A, const Place& B) {
    return 0.5 * (s.world(A) + s.world(B));
}

}  // namespace

void draw_planar(Sketch& s) {
    const int count = s.draw.whole(1, 4);
    planar_chain(s, count);
    if (count > 2 && s.draw.chance(0.6)) {
        const Place& last = s.places.back();
        const Place end = s.draw.chance(0.6) ? ground() : s.places.front();
        const Vector3d at = end.frame == Frame::kGround
                                ? Vector3d(s.world(last) + Vector3d(0.5, -0.4, 0.0))
                                : mean_place(s, last, end);
        if (s.draw.chance(0.3)) {
            join(s, JointKind::kPointOnLine, end, last, at, Vector3d::UnitX());
        } else {
            join(s, JointKind::kRevolute, end, last, at, Vector3d::UnitZ());
        }
    }
    if (s.draw.chance(0.2)) {
        // The same joint once more.
        Joint copy = s.draw.pick(s.m.joints);
        copy.name = s.name("copy");
        copy.kind = copy.kind == JointKind::kRevolute ? JointKind::kPin : copy.kind;
        s.m.joints.push_back(copy);
    }
    if (count > 1 && s.draw.chance(0.2)) {
        turn_first(s, s.places.front());
    }
    decorate(s);
}

void draw_spatial(Sketch& s) {
    const std::vector<JointKind> kinds{
        JointKind::kSpherical, JointKind::kRevolute,    JointKind::kRevolute,
        JointKind::kUniversal, JointKind::kPrismatic,   JointKind::kCylindrical,
        JointKind::kPlanar,    JointKind::kPointOnLine, JointKind::kPointOnPlane};
    const int count = s.draw.whole(1, 3);
    for (int i = 0; i < count; ++i) {
        const Vector3d at = Vector3d(0.9 * i, 0.0, 0.0) + s.draw.vector(0.3);
        const double mass = s.draw.uniform(0.4, 2.0);
        const Place body = s.spatial(mass, draw_inertia(s.draw, mass, 0.6), at);
        const Place parent = parent_of(s, static_cast<std::size_t>(i));
        const Vector3d pin = at + Vector3d(-0.45, 0.0, 0.0) + s.draw.vector(0.2);
        Joint& joint = join(s, s.draw.pick(kinds), parent, body, pin, s.draw.direction());
        joint.other = joint.axis.cross(s.draw.direction()).normalized();
        const bool slides = joint.kind == JointKind::kPrismatic ||
                            joint.kind == JointKind::kCylindrical ||
                            joint.kind == JointKind::kPointOnLine;
        if (slides) {
            slide(s, joint, s.draw.uniform(-0.3, 0.3));
        }
        if (joint.kind == JointKind::kRevolute && s.draw.chance(0.15)) {
            Joint drive = joint;
            drive.name = s.name("drive");
            drive.kind = JointKind::kPrescribedAngle;
            drive.drive = wobble(s, 0.8, kNone);
            s.m.joints.push_back(drive);
        } else if (joint.kind == JointKind::kPrismatic && s.draw.chance(0.15)) {
            Joint drive = joint;
            drive.name = s.name("drive");
            drive.kind = JointKind::kPrescribedDistance;
            const double now = (s.world(joint.B) - s.world(joint.A)).dot(joint.axis.normalized());
            drive.drive = Ex(now, kLength) + wobble(s, 0.3, kLength);
            s.m.joints.push_back(drive);
        }
    }
    if (count > 1 && s.draw.chance(0.5)) {
        const Place& last = s.places.back();
        const Vector3d tip = s.world(last) + Vector3d(0.5, 0.2, 0.1);
        if (s.draw.chance(0.5)) {
            add_rod(s, {Frame::kGround, 0, tip + s.draw.direction()}, s.place_at(last, tip), false);
        } else {
            join(s, s.draw.chance(0.5) ? JointKind::kSpherical : JointKind::kPointOnPlane, ground(),
                 last, tip, s.draw.direction());
        }
    }
    decorate(s);
}

void draw_four_bar(Sketch& s) {
    const Vector3d axis = s.draw.direction();
    const Vector3d along = axis.unitOrthogonal();
    const Vector3d across = axis.cross(along);
    // Pins of a loop in the plane of `along` and `across`; each bar may lie beside the plane.
    const double height = s.draw.uniform(0.7, 1.3);
    const std::vector<Vector3d> pins{
        Vector3d::Zero(), height * across + s.draw.uniform(-0.3, 0.3) * along,
        s.draw.uniform(0.9, 1.4) * along + s.draw.uniform(0.8, 1.5) * across,
        s.draw.uniform(1.2, 1.8) * along};
    for (std::size_t i = 0; i < 3; ++i) {
        const double mass = s.draw.uniform(0.4, 2.0);
        s.spatial(mass, draw_inertia(s.draw, mass, 0.5),
                  0.5 * (pins[i] + pins[i + 1]) + s.draw.uniform(-0.1, 0.1) * axis);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const JointKind kind = i == 2 && s.draw.chance(0.4)   ? JointKind::kSpherical
                               : i == 1 && s.draw.chance(0.3) ? JointKind::kCylindrical
                                                              : JointKind::kRevolute;
        join(s, kind, i == 0 ? ground() : s.places[i - 1], i == 3 ? ground() : s.places[i], pins[i],
             s.draw.sign() * axis);
    }
    decorate_smoothly(s);
}

void draw_rolling(Sketch& s) {
    const int count = s.draw.whole(1, 2);
    for (int i = 0; i < count; ++i) {
        const double radius = s.draw.uniform(0.2, 0.6);
        const double mass = s.draw.uniform(0.4, 2.0);
        const Place body =
            s.spatial(mass, draw_inertia(s.draw, mass, radius),
                      {1.5 * i + s.draw.uniform(-0.2, 0.2), s.draw.uniform(-0.5, 0.5), radius});
        Joint roll{s.name("roll"), JointKind::kRollingSphere, ground(), body};
        roll.radius = radius;
        s.m.joints.push_back(roll);
    }
    decorate_smoothly(s);
    add_gravity(s, {s.draw.uniform(-2.0, 2.0), 0.0, -9.81});
}

void draw_driven(Sketch& s) {
    // A crank turned at a given rate with a chain behind it that has no freedom of its own.
    s.least_freedom = 0;
    const double r = s.draw.uniform(0.3, 0.5);
    const double l = s.draw.uniform(1.0, 1.6);
    const double angle = s.draw.uniform(0.2, 2.8);
    const Vector3d pin = r * Vector3d(std::cos(angle), std::sin(angle), 0.0);
    const double fall = std::asin(pin.y() / l);
    const Vector3d slider = pin + l * Vector3d(std::cos(fall), -std::sin(fall), 0.0);
    const Place crank = s.planar(s.draw.uniform(0.4, 2.0), 0.1, 0.5 * pin, angle);
    const Place rod = s.planar(s.draw.uniform(0.4, 2.0), 0.2, 0.5 * (pin + slider), -fall);
    join(s, JointKind::kRevolute, ground(), crank, Vector3d::Zero(), Vector3d::UnitZ());
    join(s, JointKind::kRevolute, crank, rod, pin, Vector3d::UnitZ());
    if (s.draw.chance(0.5)) {
        const Place piston = s.planar(s.draw.uniform(0.4, 2.0), 0.1, slider, 0.0);
        join(s, JointKind::kRevolute, rod, piston, slider, Vector3d::UnitZ());
        join(s, JointKind::kPrismatic, ground(), piston, slider, Vector3d::UnitX());
    } else {
        join(s, JointKind::kPointOnLine, ground(), rod, slider, Vector3d::UnitX());
    }
    const Ex rate(s.draw.sign() * s.draw.uniform(1.0, 6.0), kRate);
    const int first = s.m.planar.front().first + 2;
    switch (s.draw.whole(0, 2)) {
        case 0:
            s.hold("drive", coordinate(first), kNone, rate * time_symbol());
            break;
        case 1: {
            Constraint c{.name = "drive", .left = speed(first), .right = rate};
            c.on_velocities = true;
            s.m.constraints.push_back(c);
            break;
        }
        default: {
            Joint drive{"drive", JointKind::kPrescribedAngle, ground(), crank, Vector3d::UnitZ()};
            drive.drive = rate * time_symbol();
            s.m.joints.push_back(drive);
        }
    }
    s.velocity = 6.0;
    decorate_smoothly(s);
}

}  // namespace mechanisms
