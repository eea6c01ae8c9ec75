#include "linkage.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "extrapolation.h"

namespace mechanisms {

namespace {

std::string number(double value) {
    return fmt::format("{:.17g}", value);
}

/// offset + radius (cos phi, sin phi)
Path on_circle(double phi, double radius, const Vector2d& centre) {
    const Vector2d e(std::cos(phi), std::sin(phi));
    const Vector2d across(-e.y(), e.x());
    return {centre + radius * e, radius * across, -radius * e};
}

Follower component(const std::string& name, const std::function<Path(double)>& path, int i) {
    return {name, [path, i](double phi) {
                const Path p = path(phi);
                return Vector2d(p.r[i], p.r1[i]);
            }};
}

Follower constant(const std::string& name, double value) {
    return {name, [value](double) { return Vector2d(value, 0.0); }};
}

Follower angle(const std::string& name) {
    return {name, [](double phi) { return Vector2d(phi, 1.0); }};
}

void add_particle(Linkage& l, const std::string& suffix, double mass,
                  const std::function<Path(double)>& path) {
    l.text += "coordinate x" + suffix + ", y" + suffix + "\nparticle   P" + suffix + " mass " +
              number(mass) + " at (x" + suffix + ", y" + suffix + ", 0)\n";
    l.masses.push_back({mass, path});
    l.followers.push_back(component("x" + suffix, path, 0));
    l.followers.push_back(component("y" + suffix, path, 1));
}

/// A rod between two points given by their texts, in one of its forms.
std::string rod(Draw& draw, const std::string& name, const std::string& dx, const std::string& dy,
                double length) {
    const std::string square = "(" + dx + ")^2 + (" + dy + ")^2";
    switch (draw.whole(0, 2)) {
        case 0:
            return "constraint " + name + ": " + square + " = " + number(length) + "^2\n";
        case 1:
            return "constraint " + name + ": sqrt(" + square + ") = " + number(length) + "\n";
        default: {
            const std::string scale = number(draw.logarithmic(1e-2, 1e2));
            return "constraint " + name + ": " + scale + "*(" + square + ") = " + scale + "*" +
                   number(length) + "^2\n";
        }
    }
}

/// Two cranks of radius R with pivots a distance c apart: flat at phi = 0 and pi.
Linkage parallelogram_of_particles(Draw& draw) {
    Linkage l;
    const double R = draw.uniform(0.7, 1.4);
    const double c = draw.uniform(1.5, 3.5) * R;
    add_particle(l, "1", draw.uniform(0.5, 2.0),
                 [R](double phi) { return on_circle(phi, R, Vector2d::Zero()); });
    add_particle(l, "2", draw.uniform(0.5, 2.0),
                 [R, c](double phi) { return on_circle(phi, R, Vector2d(c, 0.0)); });
    l.text += rod(draw, "r1", "x1", "y1", R) + rod(draw, "r2", "x2 - " + number(c), "y2", R) +
              rod(draw, "cp", "x2 - x1", "y2 - y1", c);
    l.pushed = "x1";
    l.singular = draw.chance(0.5) ? 0.0 : std::numbers::pi;
    return l;
}

Linkage parallelogram_of_bodies(Draw& draw) {
    Linkage l;
    const double R = draw.uniform(0.7, 1.4);
    const double c = draw.uniform(1.5, 3.5) * R;
    const auto crank = [R](double pivot) {
        return [R, pivot](double phi) { return on_circle(phi, 0.5 * R, Vector2d(pivot, 0.0)); };
    };
    const auto body = [&](const std::string& name, double inertia, double turns,
                          const std::function<Path(double)>& path) {
        const double mass = draw.uniform(0.5, 2.0);
        l.text +=
            "planar body " + name + " mass " + number(mass) + " inertia " + number(inertia) + "\n";
        l.masses.push_back({mass, path});
        l.inertia += turns * inertia;
        l.followers.push_back(component(name + ".x", path, 0));
        l.followers.push_back(component(name + ".y", path, 1));
    };
    body("a", 0.1, 1.0, crank(0.0));
    l.followers.push_back(angle("a.angle"));
    body("c", 0.3, 0.0, [R, c](double phi) { return on_circle(phi, R, Vector2d(0.5 * c, 0.0)); });
    l.followers.push_back(constant("c.angle", 0.0));
    body("b", 0.2, 1.0, crank(c));
    l.followers.push_back(angle("b.angle"));
    const std::string r = number(0.5 * R);
    const std::string d = number(0.5 * c);
    l.text += "joint A: revolute(ground, a at (-" + r + ", 0, 0))\njoint B: revolute(a at (" + r +
              ", 0, 0), c at (-" + d + ", 0, 0))\njoint C: revolute(c at (" + d +
              ", 0, 0), b at (" + r + ", 0, 0))\njoint D: revolute(ground at (" + number(c) +
              ", 0, 0), b at (-" + r + ", 0, 0))\n";
    l.pushed = "a.x";
    l.singular = draw.chance(0.5) ? 0.0 : std::numbers::pi;
    return l;
}

/// In angles: all sides equal, or two and two.
Linkage loop_of_angles(Draw& draw, double coupler) {
    Linkage l;
    const std::string d = number(coupler);
    const double m1 = draw.uniform(0.5, 2.0);
    const double m2 = draw.uniform(0.5, 2.0);
    l.text = "coordinate a, b, c\nparticle   A mass " + number(m1) +
             " at (cos(a), sin(a), 0)\nparticle   C mass " + number(m2) + " at (" + d +
             " + cos(c), sin(c), 0)\nkinetic    " + number(draw.uniform(0.1, 0.5)) +
             "*b'^2\nconstraint close_x: cos(a) + " + d + "*cos(b) = " + d +
             " + cos(c)\nconstraint close_y: sin(a) + " + d + "*sin(b) = sin(c)\n";
    l.masses.push_back({m1, [](double phi) { return on_circle(phi, 1.0, Vector2d::Zero()); }});
    l.masses.push_back(
        {m2, [coupler](double phi) { return on_circle(phi, 1.0, Vector2d(coupler, 0.0)); }});
    l.followers = {angle("a"), constant("b", 0.0), angle("c")};
    l.pushed = "a";
    l.singular = draw.chance(0.5) ? 0.0 : std::numbers::pi;
    return l;
}

/// Crank and ground of length g, coupler and rocker of length b > g. The tip of the crank meets the
/// pivot of the rocker at phi = 0; there coupler and rocker can also turn together.
Linkage kite(Draw& draw) {
    Linkage l;
    const double g = draw.uniform(0.6, 1.0);
    const double b = g * draw.uniform(1.3, 2.0);
    const double side = draw.sign();
    const auto tip = [g](double phi) { return on_circle(phi, g, Vector2d::Zero()); };
    // P = rho (cos(phi/2), sin(phi/2)), rho = g cos(phi/2) +- sqrt(b^2 - g^2 sin(phi/2)^2)
    const auto apex = [g, b, side](double phi) {
        const double c = std::cos(0.5 * phi);
        const double s = std::sin(0.5 * phi);
        const double root = std::sqrt(b * b - g * g * s * s);
        const double root1 = -g * g * s * c / (2.0 * root);
        const double root2 = -g * g * (c * c - s * s) / (4.0 * root) - root1 * root1 / root;
        const double rho = g * c + side * root;
        const double rho1 = -0.5 * g * s + side * root1;
        const double rho2 = -0.25 * g * c + side * root2;
        const Vector2d e(c, s);
        const Vector2d across(-s, c);
        return Path{rho * e, rho1 * e + 0.5 * rho * across,
                    rho2 * e + rho1 * across - 0.25 * rho * e};
    };
    add_particle(l, "1", draw.uniform(0.5, 2.0), tip);
    add_particle(l, "2", draw.uniform(0.5, 2.0), apex);
    l.text += rod(draw, "crank", "x1", "y1", g) + rod(draw, "coupler", "x2 - x1", "y2 - y1", b) +
              rod(draw, "rocker", "x2 - " + number(g), "y2", b);
    l.pushed = "x1";
    l.singular = 0.0;
    return l;
}

/// Crank and rod of length R: at phi = pi/2 the slider is at the crank's pivot, where it may stay.
Linkage slider_crank(Draw& draw) {
    Linkage l;
    const double R = draw.uniform(0.6, 1.4);
    const auto slider = [R](double phi) {
        return Path{{2.0 * R * std::cos(phi), 0.0},
                    {-2.0 * R * std::sin(phi), 0.0},
                    {-2.0 * R * std::cos(phi), 0.0}};
    };
    add_particle(l, "1", draw.uniform(0.5, 2.0),
                 [R](double phi) { return on_circle(phi, R, Vector2d::Zero()); });
    if (draw.chance(0.5)) {
        add_particle(l, "2", draw.uniform(0.5, 2.0), slider);
        l.text += "constraint guide: y2 = 0\n" + rod(draw, "rod", "x2 - x1", "y2 - y1", R);
    } else {
        const double mass = draw.uniform(0.5, 2.0);
        l.text += "coordinate x2\nparticle   P2 mass " + number(mass) + " at (x2, 0, 0)\n" +
                  rod(draw, "rod", "x2 - x1", "y1", R);
        l.masses.push_back({mass, slider});
        l.followers.push_back(component("x2", slider, 0));
    }
    l.text += rod(draw, "crank", "x1", "y1", R);
    l.pushed = "x1";
    l.singular = draw.sign() * 0.5 * std::numbers::pi;
    return l;
}

}  // namespace

double Linkage::mass_of(double phi) const {
    double sum = inertia;
    for (const MovingMass& m : masses) {
        sum += m.mass * m.path(phi).r1.squaredNorm();
    }
    return sum;
}

double Linkage::slope_of(double phi) const {
    double sum = 0.0;
    for (const MovingMass& m : masses) {
        const Path p = m.path(phi);
        sum += 2.0 * m.mass * p.r1.dot(p.r2);
    }
    return sum;
}

double Linkage::energy_of(double phi) const {
    double sum = 0.0;
    for (const MovingMass& m : masses) {
        sum -= m.mass * gravity.dot(m.path(phi).r);
    }
    return sum;
}

double Linkage::pull_of(double phi) const {
    double sum = 0.0;
    for (const MovingMass& m : masses) {
        sum -= m.mass * gravity.dot(m.path(phi).r1);
    }
    return sum;
}

namespace {

constexpr double kStep = 0.02;

Eigen::VectorXd advanced(const Linkage& l, const Eigen::VectorXd& y, double H) {
    const auto derivative = [&](double, const Eigen::VectorXd& at) {
        Eigen::VectorXd rate(2);
        rate << at[1],
            -(0.5 * l.slope_of(at[0]) * at[1] * at[1] + l.pull_of(at[0])) / l.mass_of(at[0]);
        return rate;
    };
    return extrapolate(derivative, 0.0, y, H).y;
}

}  // namespace

std::vector<Vector2d> follow(const Linkage& l, double phi0, double rate0,
                             const std::vector<double>& times) {
    std::vector<Vector2d> states;
    Eigen::VectorXd y = Vector2d(phi0, rate0);
    double t = 0.0;
    for (const double goal : times) {
        while (goal - t > kStep) {
            y = advanced(l, y, kStep);
            t += kStep;
        }
        if (goal > t) {
            y = advanced(l, y, goal - t);
            t = goal;
        }
        states.emplace_back(y[0], y[1]);
    }
    return states;
}

double time_of(const Linkage& l, double phi0, double rate0, double goal, double end) {
    Eigen::VectorXd y = Vector2d(phi0, rate0);
    for (double t = 0.0; t < end; t += kStep) {
        const Eigen::VectorXd next = advanced(l, y, kStep);
        if ((y[0] - goal) * (next[0] - goal) <= 0.0) {
            double low = 0.0;
            double high = kStep;
            for (int i = 0; i < 60; ++i) {
                const double middle = 0.5 * (low + high);
                const bool before = (advanced(l, y, middle)[0] - goal) * (y[0] - goal) > 0.0;
                (before ? low : high) = middle;
            }
            return t + high;
        }
        y = next;
    }
    return -1.0;
}

const std::vector<std::string>& linkage_kinds() {
    static const std::vector<std::string> kinds{
        "parallelogram", "parallelogram of bodies", "parallelogram in angles", "rhombus", "kite",
        "slider-crank"};
    return kinds;
}

Linkage draw_linkage(const std::string& kind, Draw& draw) {
    Linkage l;
    if (kind == "parallelogram") {
        l = parallelogram_of_particles(draw);
    } else if (kind == "parallelogram of bodies") {
        l = parallelogram_of_bodies(draw);
    } else if (kind == "parallelogram in angles") {
        l = loop_of_angles(draw, draw.uniform(1.4, 3.0));
    } else if (kind == "rhombus") {
        l = loop_of_angles(draw, 1.0);
    } else if (kind == "kite") {
        l = kite(draw);
    } else {
        l = slider_crank(draw);
    }
    l.kind = kind;
    return l;
}

}  // namespace mechanisms
