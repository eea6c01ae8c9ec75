#include "generate.h"

namespace mechanisms {

namespace {

/// Where the axes that a particle lacks stay.
Vector3d in_axes(const std::string& axes, Vector3d at) {
    for (int i = 0; i < 3; ++i) {
        if (axes.find(static_cast<char>('x' + i)) == std::string::npos) {
            at[i] = 0.0;
        }
    }
    return at;
}

Place some_anchor(Sketch& s, const std::string& axes, const Vector3d& of) {
    const Vector3d away = in_axes(axes, s.draw.direction());
    return {Frame::kGround, 0,
            of + s.draw.uniform(0.5, 1.5) *
                     (away.norm() < 0.1 ? Vector3d::UnitX() : Vector3d(away.normalized()))};
}

void add_surface(Sketch& s, const Place& p, const std::string& axes) {
    const int last = axes.back() - 'x';
    const Ex x = position(p, 0);
    Ex left = position(p, last) - Ex(s.draw.uniform(-0.8, 0.8), kNone / kLength) * power(x, 2);
    if (axes.size() == 3) {
        left = left - Ex(s.draw.uniform(-0.5, 0.5)) * position(p, 1);
    }
    s.hold(s.name("surface"), left, kLength);
}

void add_copies(Sketch& s) {
    const std::size_t count = s.m.constraints.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (!s.draw.chance(0.2)) {
            continue;
        }
        Constraint copy = s.m.constraints[i];
        copy.name = s.name("copy");
        copy.scale = s.draw.sign() * s.draw.logarithmic(1e-3, 1e3);
        // A rod's length given as its square, or the other way round.
        const Node& left = copy.left.node();
        if (left.op == Op::kDistance && s.draw.chance(0.5)) {
            copy.left = distance_squared(left.a, left.b);
            copy.right = power(copy.right, 2);
        }
        s.m.constraints.push_back(copy);
    }
}

}  // namespace

void draw_particles(Sketch& s) {
    const std::string axes = s.draw.pick(std::vector<std::string>{"xy", "xz", "xyz", "xyz"});
    const int count = s.draw.whole(1, 4);
    std::vector<Place> particles;
    for (int i = 0; i < count; ++i) {
        const Vector3d at =
            in_axes(axes, s.draw.vector(0.7) + Vector3d(1.1 * i, -0.3 * i, 0.2 * i));
        particles.push_back(s.particle(axes, s.draw.uniform(0.3, 3.0), at));
    }
    for (int i = 0; i < count; ++i) {
        const Place& p = particles[static_cast<std::size_t>(i)];
        if (s.draw.chance(0.15)) {
            add_surface(s, p, axes);
        } else if (s.draw.chance(0.85)) {
            const bool to_ground = i == 0 || s.draw.chance(0.3);
            add_rod(s,
                    to_ground ? some_anchor(s, axes, s.world(p))
                              : particles[static_cast<std::size_t>(s.draw.whole(0, i - 1))],
                    p, true);
        }
    }
    if (count > 2 && s.draw.chance(0.4)) {
        add_rod(s, particles[0], particles[static_cast<std::size_t>(count - 1)], false);
    }
    add_copies(s);
    decorate(s);
}

void draw_knife_edges(Sketch& s) {
    if (s.draw.chance(0.5)) {
        const int count = s.draw.whole(1, 2);
        for (int i = 0; i < count; ++i) {
            const Place body = s.planar(s.draw.uniform(0.5, 2.0), s.draw.uniform(0.1, 0.6),
                                        s.draw.vector(0.5) + Vector3d(1.5 * i, 0.0, 0.0),
                                        s.draw.uniform(-1.0, 1.0));
            Vector3d direction = s.draw.direction();
            direction.z() = 0.0;
            Joint edge{s.name("edge"), JointKind::kKnifeEdge, {}, body, direction.normalized()};
            edge.B.arm = Vector3d(s.draw.uniform(-0.4, 0.4), s.draw.uniform(-0.4, 0.4), 0.0);
            s.m.joints.push_back(edge);
        }
        if (count == 2 && s.draw.chance(0.6)) {
            const Vector3d pin = 0.5 * (s.world(s.places[0]) + s.world(s.places[1]));
            s.m.joints.push_back({s.name("pin"), JointKind::kRevolute, s.place_at(s.places[0], pin),
                                  s.place_at(s.places[1], pin)});
        }
    } else {
        const Place p = s.particle("xyz", s.draw.uniform(0.5, 2.0), s.draw.vector(0.5));
        const Ex k(s.draw.uniform(-1.0, 1.0), kNone / kLength);
        Constraint c;
        c.name = s.name("skate");
        c.on_velocities = true;
        switch (s.draw.whole(0, 2)) {
            case 0:
                c.left = velocity(p, 1);
                c.right = k * position(p, 2) * velocity(p, 0);
                break;
            case 1: {
                const Ex angle = Ex(s.draw.uniform(0.3, 2.0), kRate) * time_symbol();
                c.left = velocity(p, 0) * sine(angle);
                c.right = velocity(p, 1) * cosine(angle);
                break;
            }
            default:
                c.left = velocity(p, 2) + k * position(p, 0) * velocity(p, 1);
                c.right = Ex(s.draw.uniform(-1.0, 1.0), kVelocity) *
                          cosine(Ex(s.draw.uniform(0.5, 3.0), kRate) * time_symbol());
        }
        s.m.constraints.push_back(c);
        if (s.draw.chance(0.4)) {
            c.name = s.name("copy");
            c.scale = s.draw.sign() * s.draw.logarithmic(1e-3, 1e3);
            s.m.constraints.push_back(c);
        }
    }
    decorate(s);
}

void draw_nonlinear(Sketch& s) {
    s.linear_in_velocities = false;
    const bool two = s.draw.chance(0.5);
    const Place p = s.particle("xyz", s.draw.uniform(0.5, 2.0), s.draw.vector(0.5));
    const auto square = [](const Place& of, std::initializer_list<int> axes) {
        Ex sum;
        for (const int i : axes) {
            sum = sum + power(velocity(of, i), 2);
        }
        return sum;
    };
    Constraint c;
    c.on_velocities = true;
    if (two) {
        const Place r = s.particle("xyz", s.draw.uniform(0.5, 2.0),
                                   s.draw.vector(0.5) + Vector3d(2.0, 0.0, 0.0));
        c.name = s.name("pair");
        if (s.draw.chance(0.5)) {
            c.left = square(p, {0, 1, 2});
            c.right = square(r, {0, 1, 2});
        } else {
            for (int i = 0; i < 3; ++i) {
                c.left = c.left + velocity(p, i) * velocity(r, i);
            }
        }
    } else if (s.draw.chance(0.5)) {
        c.name = s.name("appell");
        c.left = square(p, {0, 1});
        c.right = Ex(s.draw.uniform(0.3, 2.0)) * power(velocity(p, 2), 2);
    } else {
        c.name = s.name("pace");
        c.left = square(p, {0, 1, 2});
        c.right = power(Ex(s.draw.uniform(0.8, 2.0), kVelocity) + wobble(s, 0.2, kVelocity), 2);
        if (s.draw.chance(0.5)) {
            c.left = root(c.left);
            c.right = Ex(s.draw.uniform(0.8, 2.0), kVelocity) + wobble(s, 0.2, kVelocity);
        }
    }
    s.velocity = 2.0;
    s.m.constraints.push_back(c);
    decorate_smoothly(s);
    // A weak field: speeds that come to rest have no direction.
    add_gravity(s, s.draw.vector(1.0));
}

void draw_massless(Sketch& s) {
    const std::string axes = s.draw.pick(std::vector<std::string>{"xy", "xyz"});
    const int count = s.draw.whole(1, 2);
    for (int i = 0; i < count; ++i) {
        const Place p = s.particle(axes, s.draw.uniform(0.5, 2.0),
                                   in_axes(axes, s.draw.vector(0.6) + Vector3d(1.2 * i, 0, 0)));
        if (s.draw.chance(0.7)) {
            add_rod(s, some_anchor(s, axes, s.world(p)), p, false);
        }
    }
    const Place p = s.places.front();
    const int extra = s.draw.whole(1, 3);
    for (int i = 0; i < extra; ++i) {
        const Place of = s.draw.pick(s.places);
        Ex target = position(of, 0) * Ex(s.draw.uniform(0.3, 2.0));
        if (s.draw.chance(0.5)) {
            target =
                target + Ex(s.draw.uniform(-0.5, 0.5), kNone / kLength) * power(position(of, 1), 2);
        }
        const int u = s.scalar("u" + std::to_string(i + 1), kLength, s.start_value(target));
        Constraint c;
        c.name = s.name("tie");
        c.left = Ex(s.draw.uniform(0.5, 3.0)) * coordinate(u);
        c.right = Ex(c.left.node().operands[0]->number) * target;
        s.m.constraints.push_back(c);
        if (s.draw.chance(0.7)) {
            s.m.add_force(u, Ex(-s.draw.uniform(0.5, 5.0), kStiffness) * coordinate(u));
        }
        if (s.draw.chance(0.3)) {
            s.m.add_force(u, Ex(-s.draw.uniform(0.1, 0.5), kDamping) * speed(u));
        }
    }
    if (s.draw.chance(0.4)) {
        // A joint without mass held by as many rods as it has axes.
        const Vector3d at = s.world(p) + in_axes(axes, Vector3d(0.7, 0.5, 0.4));
        const Place q = s.particle(axes, 0.0, at);
        add_rod(s, p, q, false);
        for (std::size_t i = 1; i < axes.size(); ++i) {
            const Vector3d foot = at + in_axes(axes, Vector3d(0.4 * static_cast<double>(i), 0.9,
                                                              -0.8 + 0.7 * static_cast<double>(i)));
            add_rod(s, {Frame::kGround, 0, foot}, q, false);
        }
    }
    decorate_smoothly(s);
}

}  // namespace mechanisms
