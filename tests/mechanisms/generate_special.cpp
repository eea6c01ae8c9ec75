#include <stdexcept>
#include <string>

#include "generate.h"

namespace mechanisms {

void draw_minimal(Sketch& s) {
    const int links = s.draw.whole(1, 3);
    Ex3 at{};
    if (s.draw.chance(0.4)) {
        at[static_cast<std::size_t>(s.draw.whole(0, 1))] = wobble(s, 0.2, kLength);
    }
    for (int i = 0; i < links; ++i) {
        const std::string k = std::to_string(i + 1);
        const Ex length(s.draw.uniform(0.4, 1.2), kLength);
        const int angle = s.scalar("th" + k, kNone, s.draw.uniform(-1.5, 1.5));
        at[0] = at[0] + length * sine(coordinate(angle));
        at[1] = at[1] - length * cosine(coordinate(angle));
        s.places.push_back(s.m.add_particle_at("P" + k, s.draw.uniform(0.4, 2.0), at));
        if (s.draw.chance(0.3)) {
            s.m.masses.push_back({angle, s.draw.uniform(0.05, 0.4)});
        }
        if (s.draw.chance(0.3)) {
            s.m.potentials.push_back(Ex(s.draw.uniform(0.5, 4.0), kEnergy) *
                                     power(coordinate(angle) - Ex(s.draw.uniform(-0.5, 0.5)), 2));
        }
    }
    if (links > 1 && s.draw.chance(0.5)) {
        const Place tip = s.places.back();
        if (s.draw.chance(0.5)) {
            s.hold("line", position(tip, 1) - Ex(0.4) * position(tip, 0), kLength);
        } else {
            add_rod(s, {Frame::kGround, 0, s.world(tip) + Vector3d(1.0, 0.3, 0.0)}, tip, false);
        }
    }
    decorate(s);
    add_gravity(s, {0.0, -9.81, 0.0});
}

void draw_servos(Sketch& s) {
    const int x = s.scalar("x", kLength, s.draw.uniform(-0.3, 0.3));
    const int th = s.scalar("th", kNone, s.draw.uniform(-0.6, 0.6));
    const double length = s.draw.uniform(0.5, 1.2);
    const Place cart =
        s.m.add_particle_at("cart", s.draw.uniform(0.5, 2.0), {coordinate(x), Ex(), Ex()});
    const Place bob =
        s.m.add_particle_at("bob", s.draw.uniform(0.2, 1.0),
                            {coordinate(x) + Ex(length, kLength) * sine(coordinate(th)),
                             -(Ex(length, kLength) * cosine(coordinate(th))), Ex()});
    s.places = {cart, bob};
    const bool on_angle = s.draw.chance(0.5);
    Constraint& servo = s.hold("track", coordinate(on_angle ? th : x), on_angle ? kNone : kLength,
                               on_angle ? wobble(s, 0.2, kNone) : wobble(s, 0.3, kLength));
    servo.servo = true;
    if (s.draw.chance(0.7)) {
        Actuator actuator;
        switch (s.draw.whole(0, 2)) {
            case 0:
                actuator.coordinate = x;
                break;
            case 1:
                actuator.coordinate = th;
                break;
            default:
                actuator.place = s.draw.chance(0.7) ? cart : bob;
                actuator.direction = {1.0, 0.0, 0.0};
        }
        servo.actuators.push_back(actuator);
    }
    decorate_smoothly(s);
    add_gravity(s, {0.0, -9.81, 0.0});
}

void draw_friction(Sketch& s) {
    const Place p = s.particle("xz", s.draw.uniform(0.5, 2.0),
                               {s.draw.uniform(-0.6, 0.6), 0.0, s.draw.uniform(-1.0, -0.6)});
    Ex left;
    Dimension dimension = kLength;
    switch (s.draw.whole(0, 3)) {
        case 0:  // an incline
            left = position(p, 2) - Ex(s.draw.uniform(-0.6, 0.6)) * position(p, 0);
            break;
        case 1:  // a valley
            left = position(p, 2) -
                   Ex(s.draw.uniform(0.1, 0.6), kNone / kLength) * power(position(p, 0), 2);
            break;
        case 2:  // a hoop
            left = power(position(p, 0), 2) + power(position(p, 2), 2);
            dimension = kArea;
            break;
        default:
            left = distance({Frame::kGround, 0, Vector3d(0.1, 0.0, 0.2)}, p);
    }
    Constraint& wire = s.hold("wire", left, dimension);
    if (s.draw.chance(0.3)) {
        wire.scale = s.draw.sign() * s.draw.logarithmic(1e-2, 1e2);
    }
    const double mu = s.draw.uniform(0.05, 0.6);
    s.m.frictions.push_back({0, 0, mu, mu * (s.draw.chance(0.5) ? 1.0 : s.draw.uniform(1.0, 1.5))});
    add_gravity(s, {0.0, 0.0, -9.81});
    if (s.draw.chance(0.6)) {
        s.m.springs.push_back({"pull",
                               {Frame::kGround, 0, Vector3d(s.draw.uniform(1.5, 2.5), 0.0, 0.0)},
                               p,
                               s.draw.uniform(1.0, 10.0),
                               s.draw.uniform(0.3, 1.0)});
    }
    if (s.draw.chance(0.6)) {
        Ex3 push{};
        push[0] = Ex(s.draw.uniform(-8.0, 8.0), kForce) *
                  sine(Ex(s.draw.uniform(1.0, 5.0), kRate) * time_symbol());
        s.m.add_force(p, push);
    }
    s.velocity = 2.0;
}

namespace {

/// A coordinate that turns around where it meets a wall ahead of it.
void add_wall(Sketch& s, int x, double wall) {
    const double from = s.m.start.q[s.m.coordinates[static_cast<std::size_t>(x)].q];
    Event e;
    e.name = s.name("hit");
    e.left = coordinate(x);
    e.right = Ex(wall, s.m.coordinates[static_cast<std::size_t>(x)].dimension);
    e.crossing = wall < from ? Crossing::kFalling : Crossing::kRising;
    // Falls of a metre: bounces do not gather within two seconds.
    e.actions.push_back({false, x, Ex(-s.draw.uniform(0.75, 1.0)) * speed(x)});
    s.m.events.push_back(e);
}

}  // namespace

void draw_impacts(Sketch& s) {
    const int kind = s.draw.whole(0, 2);
    if (kind == 0) {
        // Particles in a box.
        const int count = s.draw.whole(1, 2);
        for (int i = 0; i < count; ++i) {
            s.particle("xy", s.draw.uniform(0.5, 2.0),
                       {s.draw.uniform(-0.3, 0.3), s.draw.uniform(0.5, 1.0), 0.0});
            add_wall(s, 2 * i + 1, 0.0);
            add_wall(s, 2 * i, 1.0);
            add_wall(s, 2 * i, -1.0);
        }
        add_gravity(s, {0.0, -9.81, 0.0});
        if (count == 2 && s.draw.chance(0.5)) {
            s.m.springs.push_back(
                {"link", s.places[0], s.places[1], s.draw.uniform(1.0, 6.0), 0.5});
        }
        s.velocity = 2.0;
    } else if (kind == 1) {
        // A pendulum of planar bodies whose first angle has a stop.
        const Place a = s.planar(1.0, 0.2, {0.5, 0.0, 0.0}, 0.0);
        s.m.joints.push_back({"pin", JointKind::kRevolute, {}, s.place_at(a, Vector3d::Zero())});
        if (s.draw.chance(0.6)) {
            const Place b = s.planar(0.7, 0.1, {1.4, 0.1, 0.0}, 0.2);
            s.m.joints.push_back({"elbow", JointKind::kRevolute,
                                  s.place_at(a, Vector3d(1.0, 0.0, 0.0)),
                                  s.place_at(b, Vector3d(1.0, 0.0, 0.0))});
        }
        add_wall(s, 2, s.draw.uniform(-1.2, -0.3));
        add_gravity(s, {0.0, -9.81, 0.0});
    } else {
        // A rod pendulum that meets a wall, and a field that changes.
        s.particle("xy", 1.0, {0.8, -0.6, 0.0});
        add_rod(s, {}, s.places.front(), false);
        add_wall(s, 0, s.draw.uniform(-0.2, 0.4));
        const int g = s.m.add_parameter("g", 9.81, kAcceleration);
        s.m.gravity = {Ex(), -parameter(g), Ex()};
        if (s.draw.chance(0.5)) {
            Event moon{"moon",
                       time_symbol(),
                       Ex(s.draw.uniform(0.3, 0.9), kTime),
                       Crossing::kBoth,
                       {{true, g, Ex(s.draw.uniform(1.0, 15.0), kAcceleration)}}};
            s.m.events.push_back(moon);
        }
    }
}

const std::vector<Family>& families() {
    static const std::vector<Family> all{
        {"particles", draw_particles}, {"planar", draw_planar},
        {"spatial", draw_spatial},     {"four bar", draw_four_bar},
        {"rolling", draw_rolling},     {"knife edges", draw_knife_edges},
        {"nonlinear", draw_nonlinear}, {"massless", draw_massless},
        {"minimal", draw_minimal},     {"servos", draw_servos},
        {"friction", draw_friction},   {"impacts", draw_impacts},
        {"driven", draw_driven}};
    return all;
}

namespace {

Mechanism generate_of(const Family& family, std::uint64_t seed) {
    // Drawn again until it can move and its constraints are clearly dependent or independent.
    for (std::uint64_t attempt = 0; attempt < 500; ++attempt) {
        Sketch sketch(seed * 1000 + attempt);
        family.draw(sketch);
        sketch.m.family = family.name;
        if (sketch.finish()) {
            return std::move(sketch.m);
        }
    }
    throw std::runtime_error(std::string("no mechanism of the family ") + family.name);
}

}  // namespace

Mechanism generate(std::uint64_t seed) {
    return generate_of(families()[seed % families().size()], seed);
}

Mechanism generate_of(const std::string& name, std::uint64_t seed) {
    for (const Family& family : families()) {
        if (family.name == name) {
            return generate_of(family, seed);
        }
    }
    throw std::runtime_error("no family " + name);
}

}  // namespace mechanisms
