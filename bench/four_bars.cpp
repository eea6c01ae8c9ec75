#include "four_bars.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "dynamics/acceleration.h"
#include "timer.h"
#include "turning_bar.h"

namespace ananke::bench {
namespace {

constexpr double kTilt = std::numbers::pi / 6;

/// Largest error of the z component of omega' = 2 E u'' over all bodies. At
/// u = (c, 0, 0, s) it is 2 (c u3'' - s u0'').
double acceleration_error(int four_bars, const double* q, const double* a) {
    constexpr std::size_t kPerBody = 7;
    const double turning = -four_bar_constant(four_bars) * std::cos(std::numbers::pi / 2 - kTilt);
    double worst = 0.0;
    for (int body = 0; body < 2 * four_bars + 1; ++body) {
        const double* u = q + kPerBody * static_cast<std::size_t>(body) + 3;
        const double* udd = a + kPerBody * static_cast<std::size_t>(body) + 3;
        const double alpha = 2.0 * (u[0] * udd[3] - u[3] * udd[0]);
        const double exact = body <= four_bars ? turning : 0.0;
        worst = std::max(worst, std::abs(alpha - exact) / std::abs(turning));
    }
    return worst;
}

/// Angle and rate of the first turning bar. At u = (c, 0, 0, s) its rate is 2 (c u3' - s u0').
Turning turning_of(const dynamics::StartState& start, double tilt) {
    const double* u = start.q.data() + 3;
    const double* ud = start.v.data() + 3;
    return {std::numbers::pi / 2 - tilt, 2.0 * (u[0] * ud[3] - u[3] * ud[0])};
}

}  // namespace

std::string four_bars_text(int four_bars, double tilt, double uneven) {
    return fmt::format(
        R"(parameter N = {}, tilt = {:.17g}, c = cos(tilt), s = sin(tilt), uneven = {:.17g}
parameter J = 1/12, Ja = 0.001
gravity (0, -9.81, 0)
for i in 0..N {{
  body upright[i] mass 1 inertia (J, Ja, J) at (i + s/2, c/2, 0),
       orientation rotation((0, 0, 1), -tilt) velocity ~ (c/2, -s/2, 0) omega ~ (0, 0, -1 - uneven*sin(3*i + 1))
}}
for i in 1..N {{
  body level[i] mass 1 inertia (Ja, J, J) at (i - 1/2 + s, c, 0) velocity ~ (c, -s, 0)
}}
for i in 0..N {{
  joint foot[i]: revolute(ground at (i, 0, 0), upright[i] at (0, -1/2, 0))
}}
for i in 1..N {{
  joint left[i]: revolute(upright[i-1] at (0, 1/2, 0), level[i] at (-1/2, 0, 0))
  joint right[i]: revolute(level[i] at (1/2, 0, 0), upright[i] at (0, 1/2, 0))
}}
output B0 = position(upright[0] at (0, 1/2, 0))
simulate until 10
)",
        four_bars, tilt, uneven);
}

Result<FourBarsAcceleration> time_four_bars_acceleration(int four_bars) {
    fmt::print(stderr, "ananke_bench: one acceleration of {} four-bars\n", four_bars);
    FourBarsAcceleration time{.four_bars = four_bars};
    const double began = cpu_seconds();
    const Result<Started> started = start_text(four_bars_text(four_bars, kTilt));
    if (!started) {
        return started.error();
    }
    const compile::Prepared& prepared = *started.value().prepared;
    const double* q = started.value().start.q.data();
    const double* v = started.value().start.v.data();
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    dynamics::Acceleration rhs(evaluator, {});
    if (rhs.on_constraints(0.0, q, v) != solve::SolveStatus::kOk) {
        return rhs.motion_solver().explain(0.0, q, v);
    }
    rhs.in_step(0.0, q, v);
    time.first_step = cpu_seconds() - began;
    time.operations = rhs.program_size();
    time.error = acceleration_error(four_bars, q, rhs.a());
    time.seconds = seconds_per_call([&] {
        rhs.in_step(0.0, q, v);
        keep(*rhs.a());
    });
    return time;
}

Result<MotionTime> time_four_bars_motion(int four_bars, bool asymmetric) {
    constexpr double kUntil = 10.0;
    const double tilt = asymmetric ? 0.01 : 0.0;
    const Result<Started> started =
        start_text(four_bars_text(four_bars, tilt, asymmetric ? 0.05 : 0.0));
    if (!started) {
        return started.error();
    }
    const Turning end =
        turning_bar(four_bar_constant(four_bars), turning_of(started.value().start, tilt), kUntil);
    Motion motion{fmt::format("N = {}{}", four_bars, asymmetric ? ", asymmetric" : ""), kUntil};
    motion.goal = 1e-9;
    motion.against = "exact";
    motion.error = [end](const LastRow& row) {
        return std::hypot(row.value("B0.x") - std::cos(end.angle),
                          row.value("B0.y") - std::sin(end.angle), row.value("B0.z"));
    };
    return time_motion(motion, started.value());
}

Result<std::vector<FourBarsTimes>> time_four_bars(const std::vector<int>& sizes) {
    std::vector<FourBarsTimes> times;
    for (const int four_bars : sizes) {
        const Result<FourBarsAcceleration> acceleration = time_four_bars_acceleration(four_bars);
        if (!acceleration) {
            return acceleration.error();
        }
        if (!times.empty() && !times.back().motion.stopped.empty()) {
            MotionTime motion;
            motion.name = fmt::format("N = {}", four_bars);
            motion.until = times.back().motion.until;
            motion.stopped = "before it began: the smaller one took too long";
            times.push_back({acceleration.value(), motion});
            continue;
        }
        const Result<MotionTime> motion = time_four_bars_motion(four_bars);
        if (!motion) {
            return motion.error();
        }
        times.push_back({acceleration.value(), motion.value()});
    }
    return times;
}

Table four_bars_table(const std::vector<FourBarsAcceleration>& times) {
    Table table{"N-four-bar with all joints in 3-D, one acceleration",
                "30 degrees from upright; the error is that of all angular accelerations against "
                "the formula.",
                {{"N", true},
                 {"bodies"},
                 {"operations"},
                 {"us"},
                 {"us per body"},
                 {"first step, ms"},
                 {"error"}}};
    for (const FourBarsAcceleration& one : times) {
        const int bodies = 2 * one.four_bars + 1;
        table.rows.push_back(
            {fmt::to_string(one.four_bars), fmt::to_string(bodies), fmt::to_string(one.operations),
             fmt::format("{:.2f}", 1e6 * one.seconds),
             fmt::format("{:.3f}", 1e6 * one.seconds / bodies),
             fmt::format("{:.1f}", 1e3 * one.first_step), fmt::format("{:.1e}", one.error)});
    }
    return table;
}

}  // namespace ananke::bench
