// Our side of the race with the peers.
#include <fmt/format.h>

#include "../four_bars.h"
#include "../motion.h"
#include "dynamics/acceleration.h"
#include "race.h"

namespace ananke::bench {
namespace {

/// The links of a chain with their numbers, joints as constraints.
std::string chain_text(const Chain& chain) {
    std::string text = fmt::format("gravity (0, 0, -{})\n", kGravity);
    const auto vector = [](const Eigen::Vector3d& r) {
        return fmt::format("({:.17g}, {:.17g}, {:.17g})", r.x(), r.y(), r.z());
    };
    for (int i = 0; i < chain.links; ++i) {
        const auto k = static_cast<std::size_t>(i);
        text += fmt::format("body link{} mass {} inertia {} at {} velocity ~ {} omega {}\n", i,
                            kLinkMass, vector(kLinkInertia), vector(chain.centre[k]),
                            vector(chain.velocity[k]), vector(chain.omega[k]));
        const std::string before =
            i == 0 ? "ground" : fmt::format("link{} at {}", i - 1, vector(chain.half[k - 1]));
        text += fmt::format("joint pin{}: spherical({}, link{} at {})\n", i, before, i,
                            vector(-chain.half[k]));
    }
    if (chain.closed) {
        text += fmt::format("joint tip: spherical(ground at {}, link{} at {})\n", vector(chain.tip),
                            chain.links - 1, vector(chain.half.back()));
    }
    return text;
}

/// omega' = 2 E u'' (E' u' = 0); at u = (1, 0, 0, 0) E takes the last three components.
std::vector<Eigen::Vector3d> angular_accelerations(int links, const double* a) {
    std::vector<Eigen::Vector3d> alpha;
    for (int i = 0; i < links; ++i) {
        const double* udd = a + 7 * i + 3;
        alpha.emplace_back(2 * udd[1], 2 * udd[2], 2 * udd[3]);
    }
    return alpha;
}

Result<void> race_chain(int links, bool closed) {
    const Chain chain(links, closed);
    const Result<Started> started = start_text(chain_text(chain));
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
    const double error =
        relative_error(angular_accelerations(links, rhs.a()), exact_angular_accelerations(chain));
    const double seconds = seconds_per_call([&] {
        rhs.in_step(0.0, q, v);
        keep(*rhs.a());
    });
    const char* remark = "every joint a constraint";
    if (closed) {
        print_row(kClosedChain, links, seconds, error, remark);
    } else {
        print_row(kOpenChain, links, seconds, error, remark);
        print_row(kRedundantChain, links, seconds, error, remark);
    }
    return {};
}

Result<void> race_four_bars() {
    const Result<std::vector<FourBarsTimes>> times = time_four_bars(kSizes);
    if (!times) {
        return times.error();
    }
    for (const auto& [acceleration, motion] : times.value()) {
        const int count = acceleration.four_bars;
        print_row(kFourBars, count, acceleration.seconds, acceleration.error,
                  acceleration.seconds > 0.0 ? "every joint a constraint" : "not tried");
        const bool ended = motion.stopped.empty();
        print_row(kFourBarsMotion, count, ended ? motion.seconds : 0.0, ended ? motion.error : 0.0,
                  ended ? fmt::format("tolerance {:.0e}", motion.tolerance)
                        : "stopped " + motion.stopped);
    }
    return {};
}

Result<void> race() {
    print_build("Ananke", "this build");
    for (const int n : kSizes) {
        const Result<void> done = race_chain(n, false);
        if (!done) {
            return done;
        }
    }
    for (const int n : kClosedSizes) {
        const Result<void> done = race_chain(n, true);
        if (!done) {
            return done;
        }
    }
    return race_four_bars();
}

}  // namespace
}  // namespace ananke::bench

int main() {
    const ananke::Result<void> done = ananke::bench::race();
    if (!done) {
        fmt::print(stderr, "race_ananke: {}\n", done.error().message);
        return 1;
    }
    return 0;
}
