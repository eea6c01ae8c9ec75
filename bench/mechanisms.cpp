#include "mechanisms.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hand_written.h"
#include "turning_bar.h"

namespace ananke::bench {
namespace {

using Columns = std::vector<std::string>;

double scaled_difference(double ours, double exact) {
    return std::abs(ours - exact) / std::max(1.0, std::abs(exact));
}

ErrorOf compare(Columns columns, std::vector<double> exact) {
    return [columns = std::move(columns), exact = std::move(exact)](const LastRow& end) {
        double worst = 0.0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const double error = scaled_difference(end.value(columns[i]), exact[i]);
            worst = error <= worst ? worst : error;  // a NaN stays
        }
        return worst;
    };
}

Result<MotionTime> time(const Motion& motion, const Result<Started>& started) {
    if (!started) {
        return started.error();
    }
    return time_motion(motion, started.value());
}

/// A01: a mass of 1 kg on a rod of 1 m, released from the horizontal.
Result<MotionTime> pendulum() {
    constexpr double kGravity = 9.81;
    const Turning end = turning_bar(kGravity, {std::numbers::pi, 0.0}, 10.0);
    Motion motion{"A01 pendulum", 10.0};
    motion.goal = 1e-9;
    motion.error = compare({"x", "y"}, {std::cos(end.angle), std::sin(end.angle)});
    motion.against = "exact";
    return time(motion, start_model("pendulum", {"x=-1", "y=0"}));
}

/// In plane coordinates, as A02 is.
Result<MotionTime> four_bars(const char* name, int count, double until, double goal) {
    const Turning end = turning_bar(four_bar_constant(count), {std::numbers::pi / 2, -1.0}, until);
    Motion motion{fmt::format("{}, N = {}", name, count), until};
    motion.goal = goal;
    motion.against = "exact";
    motion.error = [end](const LastRow& row) {
        const double angle = row.value("theta[0]");
        return std::hypot(std::cos(angle) - std::cos(end.angle),
                          std::sin(angle) - std::sin(end.angle));
    };
    return time(motion, start_model("n_four_bar", {fmt::format("N={}", count)}));
}

/// A03: beyond the reference motion, which ends at 0.03 s.
Result<MotionTime> andrews() {
    constexpr double kUntil = 0.05;
    const Columns names{"beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"};
    const Result<Started> started = start_model("andrews");
    if (!started) {
        return started.error();
    }
    std::vector<double> q = started.value().start.q;
    std::vector<double> v = started.value().start.v;
    kAndrews.run(kUntil, 1e-14, true, q.data(), v.data());
    Motion motion{"A03 Andrews' mechanism", kUntil};
    motion.goal = 1e-8;
    motion.error = compare(names, q);
    motion.against = "hand-written, 1e-14";
    return time_motion(motion, started.value());
}

/// A04: against the 30-digit motion.
Result<MotionTime> bricard() {
    std::ifstream file(ANANKE_SOURCE_DIR "/tests/reference/bricard_square.json");
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded()) {
        return Error{ErrorCode::kIo, "the reference of bricard_square could not be read"};
    }
    const nlohmann::json& last = json["samples"].back();
    Columns columns;
    std::vector<double> exact;
    for (const char* point : {"P1", "P2", "P3", "P4"}) {
        for (std::size_t k = 0; k < 3; ++k) {
            columns.push_back(fmt::format("{}.{}", point, "xyz"[k]));
            exact.push_back(last[point][k]);
        }
    }
    Motion motion{"A04 Bricard mechanism", last["t"]};
    motion.goal = 1e-8;
    motion.energy_goal = 1e-9;
    motion.error = compare(columns, exact);
    motion.against = "30 digits";
    return time(motion, start_model("bricard_square"));
}

/// A05: implicit, against our explicit integrator, which needs a hundred times the steps.
Result<MotionTime> governor() {
    const Columns columns{"s", "speed"};
    const Result<Started> started = start_model("stiff_governor");
    if (!started) {
        return started.error();
    }
    const Result<std::vector<double>> explicit_end =
        end_of_run(started.value(), 10.0, 1e-11, false, columns);
    if (!explicit_end) {
        return explicit_end.error();
    }
    Motion motion{"A05 stiff flyball governor", 10.0};
    motion.stiff = true;
    motion.goal = 1e-6;
    motion.error = compare(columns, explicit_end.value());
    motion.against = "explicit, 1e-11";
    return time_motion(motion, started.value());
}

Result<MotionTime> bicycle() {
    const Columns columns{"frame.x", "frame.y", "frame.z", "lean", "steer.value"};
    const Result<Started> started = start_model("bicycle");
    if (!started) {
        return started.error();
    }
    const Result<std::vector<double>> end =
        end_of_run(started.value(), 20.0, 1e-13, false, columns);
    if (!end) {
        return end.error();
    }
    Motion motion{"bicycle", 20.0};
    motion.goal = 1e-6;
    motion.error = compare(columns, end.value());
    motion.against = "itself, 1e-13";
    return time_motion(motion, started.value());
}

std::string milliseconds(double seconds) {
    return fmt::format("{:.{}f}", 1e3 * seconds, seconds < 0.1 ? 2 : 0);
}

}  // namespace

Result<std::vector<MotionTime>> time_mechanisms() {
    const std::vector<std::function<Result<MotionTime>()>> problems{
        pendulum,
        [] { return four_bars("A02 N-four-bar", 2, 10.0, 1e-9); },
        [] { return four_bars("A02 N-four-bar", 40, 20.0, 1e-6); },
        [] { return four_bars("N-four-bar", 1, 10.0, 1e-9); },
        [] { return four_bars("N-four-bar", 10, 10.0, 1e-9); },
        [] { return four_bars("N-four-bar", 100, 10.0, 1e-9); },
        andrews,
        bricard,
        governor,
        bicycle};
    std::vector<MotionTime> times;
    for (const auto& problem : problems) {
        const Result<MotionTime> one = problem();
        if (!one) {
            return one.error();
        }
        times.push_back(one.value());
    }
    return times;
}

Table motion_table(std::string title, std::string note, const std::vector<MotionTime>& times) {
    Table table{std::move(title),
                std::move(note),
                {{"problem", true},
                 {"s"},
                 {"tolerance"},
                 {"steps"},
                 {"evaluations"},
                 {"text to start, ms"},
                 {"run, ms"},
                 {"error"},
                 {"against", true},
                 {"energy"}}};
    for (const MotionTime& one : times) {
        const bool ended = one.stopped.empty();
        table.rows.push_back({one.name, fmt::format("{:g}", one.until),
                              fmt::format("{:.0e}", one.tolerance), fmt::to_string(one.steps),
                              fmt::to_string(one.evaluations), milliseconds(one.from_text),
                              ended ? milliseconds(one.seconds) : "stopped " + one.stopped,
                              ended ? fmt::format("{:.1e}", one.error) : "-", one.against,
                              fmt::format("{:.1e}", one.energy)});
    }
    return table;
}

}  // namespace ananke::bench
