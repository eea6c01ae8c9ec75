#include "generate.h"

namespace mechanisms {

void add_gravity(Sketch& s, const Vector3d& g) {
    for (std::size_t i = 0; i < 3; ++i) {
        s.m.gravity[i] = Ex(g[static_cast<Eigen::Index>(i)], kAcceleration);
    }
}

Ex wobble(Sketch& s, double size, Dimension dimension) {
    const Ex t = time_symbol();
    const Ex w(s.draw.uniform(1.0, 4.0), kRate);
    switch (s.draw.whole(0, 2)) {
        case 0:
            return Ex(size, dimension) * sine(w * t);
        case 1:
            return Ex(size, dimension) * (Ex(1.0) - cosine(w * t));
        default:
            return Ex(size * 0.5, dimension / (kTime * kTime)) * t * t;
    }
}

namespace {

/// Axes in which a place can move.
std::vector<int> free_axes(const Sketch& s, const Place& place) {
    if (place.frame == Frame::kSpatial) {
        return {0, 1, 2};
    }
    if (place.frame == Frame::kPlanar) {
        return {0, 1};
    }
    std::vector<int> axes;
    for (int i = 0; i < 3; ++i) {
        if (!s.m.particles[static_cast<std::size_t>(place.index)]
                 .at[static_cast<std::size_t>(i)]
                 .is_zero()) {
            axes.push_back(i);
        }
    }
    return axes;
}

Ex3 per_axis(const Sketch& s, const Place& place, const auto& of) {
    Ex3 value;
    for (const int i : free_axes(s, place)) {
        value[static_cast<std::size_t>(i)] = of(i);
    }
    return value;
}

Place some_place(Sketch& s) {
    Place place = s.draw.pick(s.places);
    if (place.frame != Frame::kParticle && s.draw.chance(0.6)) {
        place.arm = s.draw.vector(0.4);
        if (place.frame == Frame::kPlanar) {
            place.arm.z() = 0.0;
        }
    }
    return place;
}

/// A place of the ground that a place in the plane can reach without leaving it.
Place anchor(Sketch& s, const Place& of, double far) {
    const Vector3d at = s.world(of);
    Vector3d there = at;
    for (const int i : free_axes(s, of)) {
        there[i] += s.draw.uniform(-far, far);
    }
    if ((there - at).norm() < 0.3) {
        there[free_axes(s, of).front()] += 0.6;
    }
    return {Frame::kGround, 0, there};
}

void add_spring(Sketch& s) {
    const Place a = some_place(s);
    Place b = anchor(s, a, 1.5);
    if (s.places.size() > 1 && s.draw.chance(0.4)) {
        b = some_place(s);
    }
    const double length = (s.world(a) - s.world(b)).norm();
    if (length < 0.3 || (a.frame == b.frame && a.index == b.index)) {
        return;
    }
    if (s.draw.chance(0.3)) {
        s.m.potentials.push_back(Ex(s.draw.uniform(1.0, 10.0), kStiffness) *
                                 power(distance(a, b) - Ex(0.8 * length, kLength), 2));
        return;
    }
    s.m.springs.push_back(
        {s.name("s"), b, a, s.draw.uniform(1.0, 20.0), s.draw.uniform(0.5, 1.1) * length});
}

void add_damper(Sketch& s) {
    const Place a = some_place(s);
    s.m.dampers.push_back({s.name("d"), anchor(s, a, 3.0), a, s.draw.uniform(0.1, 1.0)});
}

Ex speed_of(const Sketch& s, const Place& place) {
    Ex sum;
    for (const int i : free_axes(s, place)) {
        sum = sum + power(velocity(place, i), 2);
    }
    return root(sum);
}

void add_load(Sketch& s) {
    const Place p = some_place(s);
    const Ex c(s.draw.uniform(0.1, 0.8), kDamping);
    const Ex t = time_symbol();
    Ex3 value;
    switch (s.draw.whole(0, 4)) {
        case 0:
            value = per_axis(s, p, [&](int i) { return -(c * velocity(p, i)); });
            break;
        case 1: {
            const Ex drag(s.draw.uniform(0.05, 0.3), kMass / kLength);
            const Ex v = speed_of(s, p);
            value = per_axis(s, p, [&](int i) { return -(drag * v * velocity(p, i)); });
            break;
        }
        case 2:
            value = per_axis(s, p, [&](int) {
                return Ex(s.draw.uniform(-2.0, 2.0), kForce) *
                       sine(Ex(s.draw.uniform(1.0, 6.0), kRate) * t + Ex(s.draw.uniform(0.0, 3.0)));
            });
            break;
        case 3:
            value = per_axis(s, p, [&](int i) {
                return Ex(-s.draw.uniform(0.5, 3.0), kForce / (kLength * kLength * kLength)) *
                       power(position(p, i), 3);
            });
            break;
        default: {
            const Ex limit(s.draw.uniform(0.5, 2.0), kForce);
            const Ex v0(s.draw.uniform(0.2, 1.0), kVelocity);
            value = per_axis(
                s, p, [&](int i) { return -(limit * hyperbolic_tangent(velocity(p, i) / v0)); });
        }
    }
    s.m.add_force(p, value);
}

void add_torque(Sketch& s) {
    std::vector<Place> bodies;
    for (const Place& place : s.places) {
        if (place.frame != Frame::kParticle) {
            bodies.push_back(place);
        }
    }
    if (bodies.empty()) {
        return;
    }
    const Place body = s.draw.pick(bodies);
    Force force{Target::kTorque, 0, body, {}, false};
    const Ex c(s.draw.uniform(0.05, 0.4), kEnergy * kTime);
    for (int i = body.frame == Frame::kPlanar ? 2 : 0; i < 3; ++i) {
        force.value[static_cast<std::size_t>(i)] =
            s.draw.chance(0.5) ? -(c * omega(body, i))
                               : Ex(s.draw.uniform(-1.0, 1.0), kEnergy) *
                                     sine(Ex(s.draw.uniform(1.0, 5.0), kRate) * time_symbol());
    }
    s.m.forces.push_back(force);
}

/// A force on one axis of a place that switches, without a jump that a motion could stick to.
void add_switching(Sketch& s) {
    const Place p = some_place(s);
    const int axis = s.draw.pick(free_axes(s, p));
    const Ex x = position(p, axis);
    const Ex v = velocity(p, axis);
    const Ex k(s.draw.uniform(5.0, 60.0), kStiffness);
    const Ex edge(s.world(p)[axis] + s.draw.uniform(-0.3, 0.3), kLength);
    const Ex load(s.draw.uniform(-3.0, 3.0), kForce);
    const Ex zero(0.0, kLength);
    Ex value;
    switch (s.draw.whole(0, 7)) {
        case 0:
            value = choice(x, edge, k * (edge - x), Ex(0.0, kForce));
            break;
        case 1:
            value = -(k * greatest(x - edge, zero));
            break;
        case 2:
            value = -(k * least(x - edge, zero));
            break;
        case 3:
            value = -(Ex(s.draw.uniform(0.1, 1.0), kMass / kLength) * absolute(v) * v);
            break;
        case 4:
            value = -(Ex(s.draw.uniform(1.0, 8.0), kStiffness / kLength) * absolute(x - edge) *
                      (x - edge));
            break;
        case 5:
            value = choice(time_symbol(), Ex(s.draw.uniform(0.1, 1.0), kTime), load,
                           Ex(s.draw.uniform(-3.0, 3.0), kForce));
            break;
        case 6:
            value = least(greatest(-(k * (x - edge)), Ex(-1.5, kForce)), Ex(1.5, kForce));
            break;
        default:
            value = choice(x, edge, load, Ex(s.draw.uniform(-3.0, 3.0), kForce));
    }
    Ex3 force;
    force[static_cast<std::size_t>(axis)] = value;
    s.m.add_force(p, force);
}

void add_nonideal(Sketch& s) {
    const Place p = s.draw.pick(s.places);
    const Ex c(s.draw.uniform(0.05, 0.4), kMass / kLength);
    const Ex v = speed_of(s, p);
    s.m.forces.push_back({Target::kPlace, 0, p,
                          per_axis(s, p, [&](int i) { return -(c * v * velocity(p, i)); }), true});
}

}  // namespace

void decorate_smoothly(Sketch& s) {
    const bool flat = !s.m.planar.empty();
    if (s.draw.chance(0.8)) {
        Vector3d g(0.0, 0.0, -9.81);
        if (flat || s.draw.chance(0.5)) {
            g = {0.0, -9.81, 0.0};
        }
        add_gravity(s, g);
    }
    for (int i = s.draw.whole(0, 2); i > 0; --i) {
        add_spring(s);
    }
    if (s.draw.chance(0.4)) {
        add_damper(s);
    }
    for (int i = s.draw.whole(0, 2); i > 0; --i) {
        add_load(s);
    }
    if (s.draw.chance(0.3)) {
        add_torque(s);
    }
    const bool constrained = !s.m.constraints.empty() || !s.m.joints.empty();
    if (constrained && s.draw.chance(0.15)) {
        add_nonideal(s);
    }
}

void decorate(Sketch& s) {
    decorate_smoothly(s);
    while (s.draw.chance(0.3)) {
        add_switching(s);
    }
}

void add_rod(Sketch& s, const Place& A, const Place& B, bool may_move) {
    const Ex moved = may_move && s.draw.chance(0.15) ? wobble(s, 0.15, kLength) : Ex();
    const double length = (s.world(A) - s.world(B)).norm();
    const int form = s.draw.whole(0, 3);
    Constraint c;
    c.name = s.name("rod");
    const Ex now = Ex(length, kLength) + moved;
    if (form == 0) {
        c.left = distance(A, B);
        c.right = now;
    } else {
        c.left = distance_squared(A, B);
        if (form == 1) {
            c.left = Ex();
            for (int i = 0; i < 3; ++i) {
                c.left = c.left + power(position(A, i) - position(B, i), 2);
            }
        }
        c.right = power(now, 2);
    }
    if (form == 3) {
        c.scale = s.draw.sign() * s.draw.logarithmic(1e-3, 1e3);
    }
    s.m.constraints.push_back(c);
}

Matrix3d draw_inertia(Draw& draw, double mass, double size) {
    // Moments of a cloud of points satisfy the triangle inequalities.
    Matrix3d J = Matrix3d::Zero();
    constexpr int kPoints = 5;
    for (int i = 0; i < kPoints; ++i) {
        const Vector3d p = draw.vector(size);
        J += mass / kPoints * (p.squaredNorm() * Matrix3d::Identity() - p * p.transpose());
    }
    if (draw.chance(0.5)) {
        J = Vector3d(J.diagonal()).asDiagonal();
    }
    return 0.5 * (J + J.transpose());
}

}  // namespace mechanisms
