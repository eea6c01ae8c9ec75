// Laws that switch, against the same laws written out in C++ and integrated by another method.
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include <fmt/format.h>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

using State = std::vector<double>;

/// y' = f(t, y), not smooth where one of the functions g changes its sign.
struct Law {
    std::function<void(double, const State&, State&)> f;
    std::vector<std::function<double(double, const State&)>> g;
};

/// The method of order 5 of Dormand and Prince, in steps that end where a g changes its sign.
class SwitchedIntegrator {
  public:
    SwitchedIntegrator(const Law& law, double tolerance) : law_(law), tolerance_(tolerance) {}

    /// With `path`, also the states where its steps begin.
    State advance(State y, double until, double t = 0.0,
                  std::vector<std::pair<double, State>>* path = nullptr) {
        double h = 1e-4;
        while (t < until) {
            h = std::min(h, until - t);
            double error = 0.0;
            State next = step(t, y, h, error);
            if (!(error <= 1.0) && h > kLeast) {
                h *= std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -0.2)) : 0.2;
                continue;
            }
            if (path != nullptr) {
                path->emplace_back(t, y);
            }
            const std::vector<int> before = signs(t, y);
            if (signs(t + h, next) != before && h > kLeast) {
                double low = 0.0;
                double high = h;
                while (high - low > kLeast) {
                    const double middle = 0.5 * (low + high);
                    const State there = step(t, y, middle, error);
                    (signs(t + middle, there) == before ? low : high) = middle;
                }
                next = step(t, y, high, error);
                t += high;
                y = next;
                continue;
            }
            t += h;
            y = next;
            h *= std::clamp(0.9 * std::pow(std::max(error, 1e-9), -0.2), 0.3, 4.0);
        }
        return y;
    }

  private:
    static constexpr double kLeast = 1e-14;

    std::vector<int> signs(double t, const State& y) const {
        std::vector<int> all;
        for (const auto& g : law_.g) {
            const double value = g(t, y);
            all.push_back(value > 0.0 ? 1 : -1);
        }
        return all;
    }

    State step(double t, const State& y, double h, double& error) const {
        static constexpr double kA[7][6] = {
            {},
            {1.0 / 5},
            {3.0 / 40, 9.0 / 40},
            {44.0 / 45, -56.0 / 15, 32.0 / 9},
            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
            {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
        static constexpr double kC[7] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9, 1.0, 1.0};
        static constexpr double kE[7] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                         -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
        std::array<State, 7> k;
        State at = y;
        for (std::size_t s = 0; s < 7; ++s) {
            at = y;
            for (std::size_t j = 0; j < s; ++j) {
                for (std::size_t i = 0; i < y.size(); ++i) {
                    at[i] += h * kA[s][j] * k[j][i];
                }
            }
            k[s].resize(y.size());
            law_.f(t + kC[s] * h, at, k[s]);
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            double e = 0.0;
            for (std::size_t s = 0; s < 7; ++s) {
                e += h * kE[s] * k[s][i];
            }
            const double scaled = e / (tolerance_ * (1e-2 + std::abs(y[i])));
            sum += scaled * scaled;
        }
        error = std::sqrt(sum / static_cast<double>(y.size()));
        return at;
    }

    const Law& law_;
    double tolerance_;
};

struct Case {
    std::string name, text;
    Law law;
    State start;                       ///< as `columns`
    std::vector<std::string> columns;  ///< of the run
    double until;
    /// Errors of a step over what its estimate says. Where f'' is not bounded, the embedded pair
    /// has not its orders, and the estimate is one of size only.
    double underestimated = 1.0;
};

double sign(double x) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

std::string number(double x) {
    return to_text(x);
}

/// A ball on a law of contact F(z, z'), which is 0 for z > 0.
Case ball(const std::string& name, const std::string& force, double height,
          std::function<double(double, double)> contact) {
    Case one;
    one.name = name;
    one.text =
        "coordinate z\nparticle P mass 1 at (0, 0, z)\ngravity (0, 0, -9.81)\nforce on z = " +
        force + "\ninitial z = " + number(height) + "\n";
    one.law.f = [contact](double, const State& y, State& d) {
        d = {y[1], -9.81 + (y[0] < 0.0 ? contact(y[0], y[1]) : 0.0)};
    };
    one.law.g = {[](double, const State& y) { return y[0]; },
                 [contact](double, const State& y) {
                     return y[0] < 0.0 ? contact(y[0], y[1]) - 1e-300 : -1.0;
                 }};
    one.start = {height, 0.0};
    one.columns = {"z", "z'"};
    one.until = 3.0;
    return one;
}

/// A mass on a spring c x, with a force F(x, x') besides.
Case oscillator(const std::string& name, const std::string& force, double x, double v, double until,
                std::function<double(double, double)> f,
                std::vector<std::function<double(double, const State&)>> g) {
    Case one;
    one.name = name;
    one.text = "coordinate x\nkinetic x'^2/2\nforce on x = " + force +
               "\ninitial x = " + number(x) + ", x' = " + number(v) + "\n";
    one.law.f = [f](double, const State& y, State& d) { d = {y[1], f(y[0], y[1])}; };
    one.law.g = std::move(g);
    one.start = {x, v};
    one.columns = {"x", "x'"};
    one.until = until;
    return one;
}

/// A box on a floor of springs and dampers that push only, with friction at its corners: eight
/// places where its law changes.
Case tumbling_box(double angle, double omega) {
    static constexpr double k = 2e5, c = 300.0, mu = 0.3, a = 0.3, b = 0.2, m = 5.0;
    Case one;
    one.name = "box";
    one.text =
        "parameter k = 2e5, c = 300, mu = 0.3, a = 0.3, b = 0.2, m = 5\ngravity (0, -9.81, 0)\n"
        "planar body box mass m inertia m*(a^2 + b^2)/12 at (0, 0.5) angle " +
        number(angle) + " velocity (1.5, 0) omega " + number(omega) +
        "\n"
        "define pen(P) = if position(P).y < 0 then max(0, -k*position(P).y - c*velocity(P).y) "
        "else 0\n"
        "define fr(P) = (-mu*pen(P)*tanh(velocity(P).x/0.1), pen(P), 0)\n"
        "point c1 on box at (a/2, b/2, 0)\npoint c2 on box at (-a/2, b/2, 0)\n"
        "point c3 on box at (-a/2, -b/2, 0)\npoint c4 on box at (a/2, -b/2, 0)\n"
        "force on c1 = fr(c1)\nforce on c2 = fr(c2)\nforce on c3 = fr(c3)\nforce on c4 = fr(c4)\n";
    struct Corner {
        double rx, ry, y, vx, vy;
    };
    const auto corner = [](const State& s, int i) {
        const double x = (i == 0 || i == 3 ? 0.5 : -0.5) * a;
        const double y = (i < 2 ? 0.5 : -0.5) * b;
        const double rx = std::cos(s[2]) * x - std::sin(s[2]) * y;
        const double ry = std::sin(s[2]) * x + std::cos(s[2]) * y;
        return Corner{rx, ry, s[1] + ry, s[3] - s[5] * ry, s[4] + s[5] * rx};
    };
    one.law.f = [corner](double, const State& s, State& d) {
        double fx = 0.0, fy = -9.81 * m, torque = 0.0;
        for (int i = 0; i < 4; ++i) {
            const Corner at = corner(s, i);
            const double push = at.y < 0.0 ? std::max(0.0, -k * at.y - c * at.vy) : 0.0;
            const double rub = -mu * push * std::tanh(at.vx / 0.1);
            fx += rub;
            fy += push;
            torque += at.rx * push - at.ry * rub;
        }
        d = {s[3], s[4], s[5], fx / m, fy / m, torque / (m * (a * a + b * b) / 12.0)};
    };
    for (int i = 0; i < 4; ++i) {
        one.law.g.push_back([corner, i](double, const State& s) { return corner(s, i).y; });
        one.law.g.push_back([corner, i](double, const State& s) {
            const Corner at = corner(s, i);
            return -k * at.y - c * at.vy;
        });
    }
    one.start = {0.0, 0.5, angle, 1.5, 0.0, omega};
    one.columns = {"box.x", "box.y", "box.angle", "box.x'", "box.y'", "box.angle'"};
    one.until = 0.8;
    return one;
}

std::vector<Case> cases(std::mt19937& random) {
    std::uniform_real_distribution<double> draw(0.0, 1.0);
    const auto between = [&](double low, double high) { return low + (high - low) * draw(random); };
    const auto position = [](double, const State& y) { return y[0]; };
    const auto velocity = [](double, const State& y) { return y[1]; };
    std::vector<Case> all;
    {
        const double k = std::pow(10.0, between(3.0, 6.0));
        all.push_back(ball("Hertz", "if z < 0 then " + number(k) + "*(-z)^1.5 else 0",
                           between(0.5, 1.5),
                           [k](double z, double) { return k * std::pow(-z, 1.5); }));
        all.push_back(ball("Hertz by max", number(k) + "*max(-z, 0)^1.5", between(0.5, 1.5),
                           [k](double z, double) { return k * std::pow(-z, 1.5); }));
    }
    {
        const double k = std::pow(10.0, between(3.5, 5.5)), c = between(0.05, 0.3);
        all.push_back(ball(
            "Hunt and Crossley",
            "if z < 0 then max(0, " + number(k) + "*(-z)^1.5*(1 - " + number(c) + "*z')) else 0",
            between(0.5, 1.5), [k, c](double z, double v) {
                return std::max(0.0, k * std::pow(-z, 1.5) * (1.0 - c * v));
            }));
    }
    for (const double p : {0.5, 0.8, 1.5, 2.3}) {
        const double c = between(0.1, 0.4);
        all.push_back(oscillator("|v|^p, p = " + number(p),
                                 "-9*x - " + number(c) + "*sign(x')*abs(x')^" + number(p),
                                 between(0.5, 2.0), 0.0, 4.0,
                                 [c, p](double x, double v) {
                                     return -9.0 * x - c * sign(v) * std::pow(std::abs(v), p);
                                 },
                                 {velocity}));
    }
    for (const double p : {0.5, 0.3, 1.4}) {
        const double c = between(0.5, 3.0);
        all.push_back(
            oscillator("|x|^p, p = " + number(p), "-" + number(c) + "*sign(x)*abs(x)^" + number(p),
                       between(0.5, 2.0), 0.0, 6.0,
                       [c, p](double x, double) { return -c * sign(x) * std::pow(std::abs(x), p); },
                       {position}));
        all.back().underestimated = 2.0;
    }
    {
        const double a = between(0.5, 2.0);
        all.push_back(oscillator(
            "logarithm", "if x > 0 then " + number(a) + "*x*log(x) - x else -3*x + x^2",
            between(0.3, 0.8), between(-1.0, 0.0), 6.0,
            [a](double x, double) { return x > 0.0 ? a * x * std::log(x) - x : -3.0 * x + x * x; },
            {position}));
        all.push_back(oscillator(
            "quotient",
            "if x > 1 then -" + number(a) + "/sqrt(x - 0.75) else -2*" + number(a) + "*x^3",
            between(1.2, 2.0), 0.0, 6.0,
            [a](double x, double) {
                return x > 1.0 ? -a / std::sqrt(x - 0.75) : -2.0 * a * x * x * x;
            },
            {[](double, const State& y) { return y[0] - 1.0; }}));
    }
    {
        // Stick-slip on a belt; friction with a slope at zero speed, then Stribeck's curve.
        const double belt = between(0.1, 0.3), load = between(2.0, 4.0);
        const std::string w = "(" + number(belt) + " - x')";
        all.push_back(oscillator("Stribeck",
                                 "-20*x + " + number(load) + "*max(-1, min(1, " + w +
                                     "/0.01))*(1 + 0.5*exp(-(" + w + "/0.2)^2))",
                                 0.0, 0.0, 4.0,
                                 [belt, load](double x, double v) {
                                     const double s = belt - v;
                                     return -20.0 * x +
                                            load * std::clamp(s / 0.01, -1.0, 1.0) *
                                                (1.0 + 0.5 * std::exp(-std::pow(s / 0.2, 2)));
                                 },
                                 {[belt](double, const State& y) { return belt - y[1] - 0.01; },
                                  [belt](double, const State& y) { return belt - y[1] + 0.01; }}));
    }
    {
        // A valve that is moved to and fro; the pressure is the velocity of P.
        const double rate = between(1.0, 3.0);
        Case one;
        one.name = "valve";
        one.text = "coordinate P\nkinetic P'^2/2\nlet valve = sin(" + number(rate) +
                   "*t + 0.3)\n"
                   "force on P = if valve >= 0 then valve*sqrt(4 - P') else valve*sqrt(P')\n"
                   "initial P' = 1\n";
        one.law.f = [rate](double t, const State& y, State& d) {
            const double valve = std::sin(rate * t + 0.3);
            d = {y[1], valve >= 0.0 ? valve * std::sqrt(4.0 - y[1]) : valve * std::sqrt(y[1])};
        };
        one.law.g = {[rate](double t, const State&) { return std::sin(rate * t + 0.3); }};
        one.start = {0.0, 1.0};
        one.columns = {"P", "P'"};
        one.until = 7.0;
        all.push_back(one);
    }
    {
        // PID with saturation and back-calculation; the integral is the velocity of I.
        const double limit = between(0.8, 1.5);
        Case one;
        one.name = "PID";
        one.text =
            "coordinate x, I\nkinetic (x'^2 + I'^2)/2\n"
            "let e = 1 - x, u = 8*e - 3*x' + 4*I', s = max(-" +
            number(limit) + ", min(" + number(limit) +
            ", u))\n"
            "force on x = s - 0.2*x'\nforce on I = e + 2*(s - u)\n";
        const auto u = [](const State& y) { return 8.0 * (1.0 - y[0]) - 3.0 * y[2] + 4.0 * y[3]; };
        one.law.f = [u, limit](double, const State& y, State& d) {
            const double s = std::clamp(u(y), -limit, limit);
            d = {y[2], y[3], s - 0.2 * y[2], 1.0 - y[0] + 2.0 * (s - u(y))};
        };
        one.law.g = {[u, limit](double, const State& y) { return u(y) - limit; },
                     [u, limit](double, const State& y) { return u(y) + limit; }};
        one.start = {0.0, 0.0, 0.0, 0.0};
        one.columns = {"x", "I", "x'", "I'"};
        one.until = 6.0;
        all.push_back(one);
    }
    all.push_back(tumbling_box(between(0.1, 0.6), between(1.0, 5.0)));
    return all;
}

/// The end of a case, and what becomes there of errors made on the way.
struct End {
    State exact;
    /// Change of each column at the end by an error of 1 of their sizes in the columns, made in one
    /// step: the mean over the steps.
    State growth;
    double steps = 0.0;  ///< of the reference
};

constexpr double kReference = 1e-13;  ///< tolerance

/// Errors are made in all steps, and those before and inside a stiff contact grow most. So the
/// reference is moved aside where its own steps begin, which are close together there like those of
/// the program, in each column by itself.
End end_of(const Case& one) {
    constexpr double kAside = 1e-6;
    constexpr std::size_t kInstants = 24;
    SwitchedIntegrator integrator(one.law, kReference);
    std::vector<std::pair<double, State>> path;
    End end;
    end.exact = integrator.advance(one.start, one.until, 0.0, &path);
    const std::size_t size = one.start.size();
    State sizes(size, 0.0);
    for (const auto& [t, y] : path) {
        for (std::size_t i = 0; i < size; ++i) {
            sizes[i] = std::max(sizes[i], std::abs(y[i]));
        }
    }
    end.growth.assign(size, 0.0);
    end.steps = static_cast<double>(path.size());
    for (std::size_t j = 0; j < kInstants; ++j) {
        const auto& [t, y] = path[j * path.size() / kInstants];
        for (std::size_t i = 0; i < size; ++i) {
            State aside = y;
            aside[i] += kAside;
            const State other = integrator.advance(aside, one.until, t);
            for (std::size_t k = 0; k < size; ++k) {
                end.growth[k] += std::abs(other[k] - end.exact[k]) / kAside * sizes[i] / kInstants;
            }
        }
    }
    return end;
}

void expect_like(const Case& one, const End& end, double tolerance, bool stiff) {
    const Recording run =
        run_text(one.text, {.times = {0.0, one.until}, .tolerance = tolerance, .stiff = stiff});
    ASSERT_FALSE(run.error) << run.error->message;
    // Each step errs by its tolerance of the sizes at most, the program's and the reference's.
    const double errors =
        tolerance * static_cast<double>(run.summary.steps.steps) + kReference * end.steps;
    for (std::size_t i = 0; i < end.exact.size(); ++i) {
        EXPECT_NEAR(run.at(1, one.columns[i]), end.exact[i],
                    one.underestimated * end.growth[i] * errors)
            << one.columns[i];
    }
}

TEST(Switches, RandomLawsLikeAnotherIntegrator) {
    for (const unsigned seed : {1U, 2U}) {
        std::mt19937 random(seed);
        for (const Case& one : cases(random)) {
            const End end = end_of(one);
            for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
                for (const bool stiff : {false, true}) {
                    SCOPED_TRACE(fmt::format("{} seed {} tolerance {} {}", one.name, seed,
                                             tolerance, stiff ? "stiff" : "explicit"));
                    expect_like(one, end, tolerance, stiff);
                }
            }
        }
    }
}

const std::string kMass = "coordinate x\nkinetic x'^2/2\n";

/// What the list of events says of switches: "t name detail".
std::vector<std::string> switches_of(const Recording& run) {
    std::vector<std::string> lines;
    for (const Event& event : events_of(run, "switch")) {
        lines.push_back(event.name + ": " + event.detail);
    }
    return lines;
}

TEST(Switches, ConditionsThatAreTheSameAreOne) {
    const Recording run = run_text(
        "parameter k = 2\ncoordinate a, b\nkinetic (a'^2 + b'^2)/2\n"
        "force on a = (if a < b then 0.1 else 0) + (if b > a then 0.1 else 0) +"
        " (if a - b < 0 then 0.1 else 0) + (if -(b - a) <= 0 then 0.1 else 0)\n"
        "force on b = (if 2*a < 2*b then 0.1 else 0) + (if k^2*a - k^2*b >= 0 then 0.1 else 0) +"
        " (if (b - a)/3 > 0 then 0.1 else 0) + max(a, b)/10 - max(b, a)/10\n"
        "initial a = 0, a' = 1, b = 1\n",
        {.times = {0.0, 2.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    // For k = 0 the condition with k^2 is another one: it is always true.
    EXPECT_EQ(switches_of(run),
              (std::vector<std::string>{"a < b: false from here on",
                                        "0 <= k^2*a - k^2*b: true from here on"}));
}

// Laws that are alike, and equal where both are at a limit, are as many switches as there are:
// every coordinate moves as it does by itself.
TEST(Switches, LimitsOfDifferentCoordinatesAreDifferent) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> spread(-1.0, 1.0);
    const std::vector<std::string> forms{"min(max({0}, -c), c)", "max(-c, min({0}, c))",
                                         "min(c, max(-c, {0}))", "max(min(c, {0}), -c)",
                                         "c - abs(c - max({0}, -c))"};
    for (int draw = 0; draw < 20; ++draw) {
        constexpr int kCount = 4;
        std::string head = "parameter c = 1.5\n";
        std::vector<std::string> alone(kCount, head);
        std::string together = head;
        for (int i = 0; i < kCount; ++i) {
            const std::string x = "x" + std::to_string(i);
            const std::string pull =
                fmt::format("({})*({} - ({}))", to_text(-20.0 * std::abs(spread(random)) - 1.0), x,
                            to_text(spread(random)));
            const std::string law = fmt::format(
                fmt::runtime(forms[static_cast<std::size_t>(random() % forms.size())]), pull);
            const std::string text = fmt::format(
                "coordinate {0}\nkinetic {0}'^2/2\nforce on {0} = {1}\ninitial {0} = {2}, {0}' = "
                "{3}\n",
                x, law, to_text(spread(random)), to_text(spread(random)));
            alone[static_cast<std::size_t>(i)] += text;
            together += text;
        }
        const std::vector<double> times = even_times(1.0, 7);
        const Recording all = run_text(together, {.times = times});
        ASSERT_FALSE(all.error) << all.error->message;
        for (int i = 0; i < kCount; ++i) {
            const Recording one = run_text(alone[static_cast<std::size_t>(i)], {.times = times});
            ASSERT_FALSE(one.error) << one.error->message;
            const std::string x = "x" + std::to_string(i);
            for (std::size_t row = 0; row < times.size(); ++row) {
                EXPECT_NEAR(all.at(row, x), one.at(row, x), 1e-9) << together;
                EXPECT_NEAR(all.at(row, x + "''"), one.at(row, x + "''"), 1e-7) << together;
            }
        }
    }
}

// Conditions inside conditions are written as in the model.
TEST(Switches, TextsAreThoseOfTheModel) {
    const Recording run =
        run_text(kMass +
                     "force on x = if abs(x - 1) < (if x' > 5 then 0.2 else 0.25) then 1 else 0\n"
                     "initial x = 0, x' = 1\n",
                 {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_EQ(
        switches_of(run),
        (std::vector<std::string>{"abs(x - 1) < if 5 < x' then 0.2 else 0.25: true from here on"}));
}

// The friction of sign(x') holds a mass against a force that is smaller.
TEST(Switches, AMotionThatSticksIsShownByItsRates) {
    const Recording run =
        run_text(kMass + "force on x = 1 - 3*sign(x')\ninitial x' = 2\n", {.times = {0.0, 5.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->message,
              "at t = 1: the force law switches back and forth at x' < 0: the motion sticks there "
              "(left less right changes at the rate 4 where it is negative and -2 where it is "
              "positive), which a switch cannot express; dry friction is written `friction on`, "
              "other laws without a jump, as tanh(v/eps) for sign(v)");
    EXPECT_NEAR(run.summary.reached, 1.0, 1e-9);
}

// A relay with damping: swings ever shorter end at a place in the positions.
TEST(Switches, ARelayThatComesToRestIsShownByItsSecondDerivatives) {
    const Recording run =
        run_text(kMass + "force on x = (if x < 0 then 3 else -2) - 20*x'\ninitial x = 0.01\n",
                 {.times = {0.0, 50.0}, .tolerance = 1e-9});
    ASSERT_TRUE(run.error);
    EXPECT_NE(run.error->message.find(
                  "the force law switches back and forth at x < 0: the motion sticks there (the "
                  "second derivative of left less right is 3 where it is negative and -2 where it "
                  "is positive)"),
              std::string::npos)
        << run.error->message;
    EXPECT_LT(run.summary.steps.steps, 20000U);
}

// A relay without damping swings on, however small its swings are beside other motions.
TEST(Switches, ARelayThatDoesNotComeToRestSwingsOn) {
    const double size = 1e-8;
    const Recording run = run_text(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
        "force on x = if x < 0 then 1 else -1\ninitial x = " +
            to_text(size) + ", y = 1\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    // A quarter of a period lasts sqrt(2 size).
    const double quarters = 1.0 / std::sqrt(2.0 * size);
    EXPECT_EQ(events_of(run, "switch").size(),
              static_cast<std::size_t>(std::floor((quarters + 1.0) / 2.0)));
    EXPECT_NEAR(run.at(1, "x'") * run.at(1, "x'") / 2 + std::abs(run.at(1, "x")), size,
                1e-3 * size);
}

// Without another force sign(0) = 0 leaves a mass at rest, and so does |x'|^p.
TEST(Switches, WhatRestsByItsOwnLawRests) {
    for (const char* law : {"-sign(x')", "-2*sign(x')*sqrt(abs(x'))", "-sign(x')*abs(x')^0.2"}) {
        for (const bool stiff : {false, true}) {
            SCOPED_TRACE(law);
            const Recording run =
                run_text(kMass + "force on x = " + law + "\ninitial x' = 1\n",
                         {.times = {0.0, 1.0, 5.0}, .tolerance = 1e-10, .stiff = stiff});
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_NEAR(run.at(2, "x'"), 0.0, 1e-9);
            EXPECT_LT(run.summary.steps.steps, 5000U);
        }
    }
    // From x'' = -2 sqrt(x'): sqrt(x') = 1 - t.
    const Recording run =
        run_text(kMass + "force on x = -2*sign(x')*sqrt(abs(x'))\ninitial x' = 1\n",
                 {.times = {0.0, 3.0}, .tolerance = 1e-10});
    EXPECT_NEAR(run.at(1, "x"), 1.0 / 3.0, 1e-8);
}

// A mass that rests by sign(0) = 0 is set in motion again by a force that grows.
TEST(Switches, WhatRestsIsSetInMotionAgain) {
    const Recording run =
        run_text(kMass +
                     "force on x = -sign(x')*sqrt(abs(x')) + (if t > 4 then 3*(t - 4) else 0)\n"
                     "initial x' = 1\n",
                 {.times = {0.0, 3.5, 6.0}, .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "x'"), 0.0, 1e-8);
    EXPECT_GT(run.at(2, "x'"), 0.5);
}

TEST(Switches, ConditionsOnReactionsAreFoundAndListed) {
    const std::string rail =
        "coordinate x, z, y\nparticle P mass 1 at (x, 0, z)\nkinetic y'^2/2\n"
        "gravity (0, 0, -9.81)\nconstraint rail: z = x^2/2\ninitial x = 1, x' = 0\n"
        "output N = reaction(rail)\n";
    const Recording run = run_text(rail + "force on y = if reaction(rail) > 12 then 1 else 0\n",
                                   {.times = even_times(2.1, 2100), .tolerance = 1e-10});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> events = events_of(run, "switch");
    // N = (x'^2 + x x'' + 9.81) sqrt(1 + x^2) of (1 + x^2) x'' + x x'^2 + 9.81 x = 0, in steps of
    // 1e-4 of the method of order 4, passes 12 at these times, and next at 2.8207.
    constexpr std::array<double, 4> kPasses{0.3812, 0.8385, 1.6010, 2.0582};
    ASSERT_EQ(events.size(), kPasses.size());
    for (std::size_t i = 0; i < kPasses.size(); ++i) {
        EXPECT_NEAR(events[i].t, kPasses[i], 1e-4);
    }
    // y'' = 1 between the times at which N, a function of x, passes 12.
    double v = 0.0;
    double y = 0.0;
    for (std::size_t i = 0; i < events.size(); i += 2) {
        EXPECT_EQ(events[i].name, "12 < reaction(rail)");
        EXPECT_EQ(events[i].detail, "true from here on");
        EXPECT_EQ(events[i + 1].detail, "false from here on");
        const double lasts = events[i + 1].t - events[i].t;
        const double next = i + 2 < events.size() ? events[i + 2].t : 2.1;
        y += v * lasts + lasts * lasts / 2;
        v += lasts;
        y += v * (next - events[i + 1].t);
    }
    EXPECT_NEAR(run.at(2100, "y"), y, 1e-9);
    EXPECT_NEAR(run.at(2100, "y'"), v, 1e-9);
    for (std::size_t row = 0; row <= 2100; ++row) {
        const double N = run.at(row, "N");
        if (std::abs(N - 12.0) > 1e-6) {
            EXPECT_EQ(run.at(row, "y''"), N > 12.0 ? 1.0 : 0.0) << run.at(row, "t");
        }
    }
}

// A force that brings the reaction it asks for back below its limit.
TEST(Switches, AConditionWithoutAnAnswerIsNamed) {
    const std::string rail =
        "coordinate x, z\nparticle P mass 1 at (x, 0, z)\ngravity (0, 0, -9.81)\n"
        "constraint rail: z = x^2/2\ninitial x = 1, x' = 0\n";
    const Recording run = run_text(rail + "force on z = if reaction(rail) > 12 then 5 else 0\n",
                                   {.times = {0.0, 2.0}});
    ASSERT_TRUE(run.error);
    EXPECT_NE(run.error->message.find("the condition 12 < reaction(rail) has no answer: when it "
                                      "becomes true, the law changes the reaction so that left "
                                      "less right jumps by "),
              std::string::npos)
        << run.error->message;
    EXPECT_NE(run.error->message.find(", back to where it came from"), std::string::npos);
    // One that adds to it keeps its answer.
    const Recording more = run_text(rail + "force on z = if reaction(rail) > 12 then -5 else 0\n",
                                    {.times = {0.0, 2.0}});
    ASSERT_FALSE(more.error) << more.error->message;
    EXPECT_GE(events_of(more, "switch").size(), 2U);
}

// Laws of reactions that are numbers for the reaction that acts, though not for zero.
TEST(Switches, ReactionsStartFromWhatTheOtherForcesAskFor) {
    const double creep = std::pow(9.81, -1.0 / 3.0);
    const std::vector<std::pair<const char*, double>> laws{{"-0.1*N*tanh(N^(2/3)*x'/N)", creep},
                                                           {"-0.1*N^1.5/sqrt(N)*tanh(x')", 1.0},
                                                           {"-0.1*N*log(N)/log(N)*tanh(x')", 1.0},
                                                           {"-0.1*N*tanh(x')", 1.0}};
    for (const auto& [law, k] : laws) {
        SCOPED_TRACE(law);
        const Recording run =
            run_text(std::string("coordinate x, z\nparticle P mass 1 at (x, 0, z)\n"
                                 "gravity (0, 0, -9.81)\nconstraint floor: z = 0\n"
                                 "let N = reaction(floor)\nforce on x = ") +
                         law + "\ninitial x' = 1\n",
                     {.times = {0.0, 0.5}, .tolerance = 1e-10});
        ASSERT_FALSE(run.error) << run.error->message;
        // N = 9.81; x'' = -0.981 tanh(k x') has sinh(k x') = sinh(k) exp(-0.981 k t).
        EXPECT_NEAR(run.at(1, "x'"), std::asinh(std::sinh(k) * std::exp(-0.981 * k * 0.5)) / k,
                    1e-8);
    }
}

// The same with loads on both sides of a slide, each of which needs its own reaction.
TEST(Switches, SeveralReactionsStartTogether) {
    const Recording run = run_text(
        "coordinate x, y, z\nparticle P mass 2 at (x, y, z)\ngravity (0, -3, -9.81)\n"
        "constraint floor: z = 0\nconstraint wall: y = 0\n"
        "force on x = -0.1*(reaction(floor)^1.5/sqrt(reaction(floor)) + "
        "reaction(wall)^2/reaction(wall))\n"
        "initial x' = 5\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "x'"), 5.0 - 0.1 * (9.81 + 3.0), 1e-9);
}

// A pulse that lasts a hundredth of the steps around it, seen by a row inside.
TEST(Switches, APulseIsSeenByTheRowsInside) {
    const Recording run = run_text(kMass + "force on x = if sin(3*t) > 0.99999 then 10 else 0\n",
                                   {.times = even_times(2.0, 1000), .tolerance = 1e-6});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(switches_of(run).size(), 2U);
    const double lasts = 2.0 * std::acos(0.99999) / 3.0;
    EXPECT_NEAR(run.at(1000, "x'"), 10.0 * lasts, 1e-9);
}

TEST(Switches, AnEventIsSeenByTheRowsInside) {
    const Recording run =
        run_text(kMass + "event bump: exp(-((x - 0.5)/0.001)^2) = 0.5 { record }\ninitial x' = 1\n",
                 {.times = even_times(1.0, 1000)});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(run.rows.events.size(), 2U);
    const double half = 0.001 * std::sqrt(std::log(2.0));
    EXPECT_NEAR(run.rows.events[0].t, 0.5 - half, 1e-12);
    EXPECT_NEAR(run.rows.events[1].t, 0.5 + half, 1e-12);
}

// A spring of no length, and a damper, between points that meet.
TEST(Switches, SpringsAndDampersBetweenPointsThatMeet) {
    const Recording run = run_text(
        "gravity (0, 0, -10)\n"
        "body b mass 1 inertia (1, 1, 1) at (0, 0, 0)\n"
        "joint s: spring(ground, b, stiffness = 100, length = 0)\n"
        "joint d: damper(ground, b, damping = 2)\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    // z'' = -10 - 100 z - 2 z'
    const double w = std::sqrt(99.0);
    EXPECT_NEAR(run.at(1, "b.z"), -0.1 + 0.1 * std::exp(-1.0) * (std::cos(w) + std::sin(w) / w),
                1e-10);
    const Recording through = run_text(
        "body b mass 1 inertia (1, 1, 1) at (0, 0, 0) velocity (3, 0, 4)\n"
        "joint d: damper(ground, b, damping = 0.5)\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(through.error) << through.error->message;
    EXPECT_NEAR(through.at(1, "b.x"), 6.0 * (1.0 - std::exp(-0.5)), 1e-10);
}

TEST(Switches, DryFrictionByTheDirectionOfTheVelocityGetsAHint) {
    const Recording run = run_text(
        "coordinate x, z\nparticle P mass 1 at (x, 0, z)\ngravity (0, 0, -10)\n"
        "constraint c: z = 0.1*x^2\n"
        "nonideal on P = -0.3*abs(reaction(c))*velocity(P)/norm(velocity(P))\n"
        "initial x' = 2\n",
        {.times = {0.0, 1.0}, .tolerance = 1e-9});
    ASSERT_TRUE(run.error);
    EXPECT_LT(run.summary.steps.steps, 1'000'000U);
    EXPECT_NE(run.error->message.find(
                  " more would be needed; the forces oppose the motion as strongly however slow it "
                  "is, in both directions, as dry friction does: it comes to rest where they have "
                  "no value; write `friction on`"),
              std::string::npos)
        << run.error->message;
}

}  // namespace
}  // namespace ananke::pipeline
