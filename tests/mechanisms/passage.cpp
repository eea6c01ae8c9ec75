#include "passage.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "linkage.h"
#include "motion.h"
#include "text.h"

namespace mechanisms {

namespace {

/// Branches part by the size of the linkage, which is about 1. Coarse tolerances may be off by more
/// than the first number without another branch.
constexpr double kOtherBranch = 0.01;
constexpr double kCoarse = 100.0;
/// Beside a singular configuration errors are magnified without another branch being taken.
constexpr double kOfTolerance = 1e4;

std::string number(double value) {
    return fmt::format("{:.17g}", value);
}

std::vector<double> even_times(double end, int count) {
    std::vector<double> times;
    for (int i = 0; i <= count; ++i) {
        times.push_back(end * i / count);
    }
    return times;
}

/// Restarts the integration at `when` without any effect on the motion.
std::string restart_text(const std::string& restart, const std::string& pushed, double when) {
    if (restart == "switch") {
        return "force on " + pushed + " = if t > " + number(when) + " then 1e-14 else 0\n";
    }
    if (restart == "event") {
        return "event mark: t = " + number(when) + " { record }\n";
    }
    return "parameter idle = 1\nevent mark: t = " + number(when) + " { idle = 2 }\n";
}

struct Way {
    double phi = 0.0;
    double rate = 0.0;
    double end = 0.0;
    std::string extra;
};

/// Towards the singular configuration and beyond it; the restart is `distance` before or behind it.
bool draw_way_through(Draw& draw, const Linkage& l, const std::string& restart, double distance,
                      Way& way) {
    const double side = draw.sign();
    way.phi = l.singular - side * draw.uniform(0.4, 1.2);
    way.rate = side * draw.uniform(0.4, 3.0);
    const double reached = time_of(l, way.phi, way.rate, l.singular, 6.0);
    if (reached < 0.0) {
        return false;
    }
    way.end = reached * draw.uniform(1.5, 2.5) + 0.3;
    if (restart == "none") {
        return true;
    }
    const double place = l.singular + side * (draw.chance(0.3) ? distance : -distance);
    const double when = time_of(l, way.phi, way.rate, place, 6.0);
    way.extra = restart_text(restart, l.pushed, when);
    return when > 0.0;
}

/// Turns back `distance` before the singular configuration, or behind it.
bool draw_turning_way(Draw& draw, const Linkage& l, double distance, Way& way) {
    const double turn = l.singular + draw.sign() * distance;
    const double side = l.pull_of(turn) > 0.0 ? 1.0 : -1.0;
    way.phi = turn - side * draw.uniform(0.4, 1.0);
    const double rise = l.energy_of(turn) - l.energy_of(way.phi);
    if (!(rise > 0.05)) {
        return false;
    }
    way.rate = side * std::sqrt(2.0 * rise / l.mass_of(way.phi));
    way.end = draw.uniform(1.5, 3.0);
    return true;
}

bool draw_way(Draw& draw, const Linkage& l, const std::string& restart, double distance, Way& way) {
    if (restart == "turning") {
        return draw_turning_way(draw, l, distance, way);
    }
    if (restart == "start") {
        way.phi = l.singular + draw.sign() * distance;
        way.rate = draw.sign() * draw.uniform(0.4, 3.0);
        way.end = draw.uniform(0.8, 2.0);
        return true;
    }
    return draw_way_through(draw, l, restart, distance, way);
}

std::string initial_text(Draw& draw, const Linkage& l, double phi, double rate) {
    // The first coordinate may be exact; it then says where the linkage is.
    const bool exact = l.kind.find("angles") != std::string::npos && draw.chance(0.5);
    std::string text;
    for (std::size_t i = 0; i < l.followers.size(); ++i) {
        const Vector2d value = l.followers[i].value(phi);
        const char* sign = exact && i == 0 ? " = " : " ~ ";
        text += "initial " + l.followers[i].name + sign + number(value[0]) + ", " +
                l.followers[i].name + "'" + sign + number(value[1] * rate) + "\n";
    }
    return text;
}

Passage linkage_passage(Draw& draw, Passage p) {
    for (;;) {
        Linkage l = draw_linkage(p.kind, draw);
        if (p.restart == "turning" || draw.chance(0.5)) {
            const double direction = draw.uniform(0.0, 6.28);
            l.gravity =
                draw.uniform(2.0, 9.81) * Vector2d(std::cos(direction), std::sin(direction));
        }
        Way way;
        if (!draw_way(draw, l, p.restart, p.distance, way)) {
            continue;
        }
        p.text = l.text + "gravity (" + number(l.gravity.x()) + ", " + number(l.gravity.y()) +
                 ", 0)\n" + way.extra + initial_text(draw, l, way.phi, way.rate);
        p.times = even_times(way.end, draw.pick(std::vector<int>{4, 20, 50}));
        for (const Follower& f : l.followers) {
            p.columns.push_back(f.name);
        }
        for (const Vector2d& state : follow(l, way.phi, way.rate, p.times)) {
            p.expected.emplace_back();
            for (const Follower& f : l.followers) {
                p.expected.back().push_back(f.value(state[0])[0]);
            }
        }
        return p;
    }
}

// ---- Bricard's mechanism: six revolute joints, dependent at every instant.

Mechanism bricard(double g) {
    Mechanism m;
    constexpr double kThin = 1.0 * 0.01 / 6.0;
    constexpr double kLong = 1.01 / 12.0;
    const std::vector<Vector3d> inertias{{kThin, kLong, kLong},
                                         {kLong, kThin, kLong},
                                         {kLong, kLong, kThin},
                                         {kThin, kLong, kLong},
                                         {kLong, kThin, kLong}};
    const std::vector<Vector3d> pins{{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                     {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const std::vector<Vector3d> axes{{0, 1, 0}, {0, 0, 1}, {1, 0, 0},
                                     {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    std::vector<Place> rods;
    for (std::size_t i = 0; i < inertias.size(); ++i) {
        rods.push_back(m.add_spatial("rod" + std::to_string(i + 1), 1.0, inertias[i].asDiagonal()));
    }
    m.start.q.resize(m.positions);
    m.start.w = VectorXd::Zero(m.speeds);
    for (std::size_t i = 0; i < rods.size(); ++i) {
        m.start.q.segment<7>(m.spatial[i].q) << 0.5 * (pins[i] + pins[i + 1]), 1.0, 0.0, 0.0, 0.0;
    }
    const auto on = [&](std::size_t body, const Vector3d& pin) {
        Place place = body < rods.size() ? rods[body] : Place{};
        place.arm = body < rods.size() ? Vector3d(pin - 0.5 * (pins[body] + pins[body + 1])) : pin;
        return place;
    };
    for (std::size_t i = 0; i < pins.size(); ++i) {
        m.joints.push_back({"J" + std::to_string(i + 1), JointKind::kRevolute,
                            on(i == 0 ? rods.size() : i - 1, pins[i]), on(i, pins[i]), axes[i]});
    }
    m.gravity = {Ex(), Ex(-g, kAcceleration), Ex()};
    return m;
}

constexpr double kBricardEnd = 2.0;
constexpr int kBricardRows = 10;

const Motion& bricard_motion(double g) {
    static std::map<double, Motion> known;
    Motion& motion = known[g];
    if (motion.samples.empty()) {
        motion = integrate(bricard(g), even_times(kBricardEnd, kBricardRows), 1e-11);
    }
    return motion;
}

Passage bricard_passage(Draw& draw, Passage p) {
    const double g = draw.pick(std::vector<double>{9.81, 5.0, 2.0});
    const Mechanism m = bricard(g);
    const double when = draw.uniform(0.02, 0.98) * kBricardEnd;
    p.text = model_text(m, {}, "Bricard") +
             (p.restart == "none" ? "" : restart_text(p.restart, "rod1.x", when));
    p.times = even_times(kBricardEnd, kBricardRows);
    p.columns = position_names(m);
    for (const Sample& sample : bricard_motion(g).samples) {
        p.expected.emplace_back(sample.q.begin(), sample.q.end());
    }
    return p;
}

}  // namespace

const std::vector<std::string>& restarts() {
    static const std::vector<std::string> all{"none",      "switch",  "event",
                                              "parameter", "turning", "start"};
    return all;
}

const std::vector<std::string>& drifts() {
    static const std::vector<std::string> all{"project", "none", "baumgarte"};
    return all;
}

Passage draw_passage(std::uint64_t seed) {
    Draw draw(seed);
    Passage p;
    p.restart = draw.pick(restarts());
    p.drift = draw.chance(0.6) ? "project" : draw.pick(drifts());
    p.tolerance = std::pow(10.0, -draw.whole(3, 12));
    p.distance = std::pow(10.0, -draw.uniform(1.0, 12.0));
    // Bricard's mechanism has no singular instants: a restart may come at any time.
    const bool at_any_time = p.restart != "turning" && p.restart != "start";
    if (at_any_time && draw.chance(0.15)) {
        p.kind = "Bricard";
        return bricard_passage(draw, p);
    }
    p.kind = draw.pick(linkage_kinds());
    return linkage_passage(draw, p);
}

Passage draw_plain_passage(std::uint64_t seed) {
    Draw draw(seed);
    Passage p;
    p.restart = "none";
    p.drift = "project";
    p.tolerance = 1e-9;
    p.kind = draw.pick(linkage_kinds());
    return linkage_passage(draw, p);
}

Judged judge_passage(const Passage& p) {
    const ProgramRun run =
        run_program(p.text, p.times, {"--tolerance", number(p.tolerance), "--drift", p.drift});
    Judged judged;
    for (std::size_t i = 0; i < std::min(run.table.rows.size(), p.expected.size()); ++i) {
        for (std::size_t k = 0; k < p.columns.size(); ++k) {
            const double found =
                run.table.has(p.columns[k]) ? run.table.at(i, p.columns[k]) : std::nan("");
            const double error = std::abs(found - p.expected[i][k]);
            judged.error = std::isnan(error) ? HUGE_VAL : std::max(judged.error, error);
        }
    }
    const bool ended = run.exit_code != 0;
    if (judged.error > std::max(kOtherBranch, kCoarse * p.tolerance)) {
        judged.outcome = ended ? Outcome::kWrongThenEnded : Outcome::kWrong;
    } else if (ended) {
        judged.outcome = Outcome::kEnded;
    } else if (judged.error > kOfTolerance * p.tolerance) {
        judged.outcome = Outcome::kInaccurate;
    }
    judged.message = run.messages;
    return judged;
}

}  // namespace mechanisms
