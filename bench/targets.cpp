#include "targets.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

namespace ananke::bench {
namespace {

class Judge {
  public:
    /// `accuracy` is what stands beside the time; `accurate` whether it suffices.
    void judge(std::string problem, const std::string& unit, double target, double measured,
               const std::string& accuracy = "", bool accurate = true) {
        const bool met = measured <= target && accurate;
        table_.rows.push_back({std::move(problem), fmt::format("{:.3g} {}", target, unit),
                               fmt::format("{:.3g} {}", measured, unit), accuracy,
                               met         ? "met"
                               : !accurate ? "missed: accuracy"
                                           : fmt::format("missed, {:.2f}x", measured / target)});
    }
    void not_measured(std::string problem, const std::string& target, const std::string& why) {
        table_.rows.push_back({std::move(problem), target, "-", "", "missed: " + why});
    }
    Table table() { return std::move(table_); }

  private:
    Table table_{
        "Targets", "", {{"problem", true}, {"at most"}, {"measured"}, {"accuracy"}, {"", true}}};
};

std::string error_text(double error) {
    return fmt::format("error {:.1e}", error);
}

void judge_models(Judge& judge, const Measurements& measured) {
    for (const ModelReport& r : measured.models) {
        const Acceleration& rhs = r.parts.rhs;
        judge.judge(fmt::format("right-hand side of {}, against hand-written with a solve", r.name),
                    "x", 1.0, rhs.program / rhs.solved,
                    fmt::format("disagreement {:.1e}", r.disagreement));
    }
    for (const ModelReport& r : measured.models) {
        if (r.name != "andrews") {
            judge.judge(fmt::format("run of {} at 1e-12, projected, against hand-written", r.name),
                        "x", 1.15, r.ours.seconds / r.hand.seconds, error_text(r.ours.error),
                        r.ours.error <= 10 * r.hand.error);
        }
    }
}

double seconds_of(const Measurements& measured, const std::string& model,
                  const std::string& integrator) {
    for (const Contender& one : measured.contenders) {
        if (one.model == model && one.integrator.rfind(integrator, 0) == 0) {
            return one.run.seconds;
        }
    }
    return 0.0;
}

void judge_contenders(Judge& judge, const Measurements& measured) {
    for (const Contender& one : measured.contenders) {
        if (one.integrator.rfind("ours", 0) != 0) {
            continue;
        }
        if (one.model == "andrews") {
            judge.judge("andrews to 1e-8 at t = 0.03", "ms", 0.55, 1e3 * one.run.seconds,
                        error_text(one.run.error), one.tolerance > 0.0);
            continue;
        }
        const double cvode = seconds_of(measured, one.model, "CVODE Adams");
        if (cvode > 0.0) {
            judge.judge(fmt::format("{} at equal accuracy, against CVODE Adams", one.model), "x",
                        0.1, one.run.seconds / cvode, error_text(one.run.error),
                        one.tolerance > 0.0);
        }
    }
}

void judge_chains(Judge& judge, const Measurements& measured) {
    std::optional<ChainTime> smaller;
    for (const ChainTime& one : measured.chains) {
        const std::string accuracy = fmt::format("disagreement {:.1e}", one.disagreement);
        const double micro = 1e6 * one.acceleration;
        if (!one.closed && one.bodies >= 10) {
            judge.judge(
                fmt::format("open chain in redundant coordinates, per body, N = {}", one.bodies),
                "us", one.bodies <= 100 ? 0.30 : 0.6, micro / one.bodies, accuracy);
            if (smaller && one.bodies > 100) {
                judge.judge(
                    fmt::format("its exponent of growth, {} to {}", smaller->bodies, one.bodies),
                    "", 1.05,
                    std::log(one.acceleration / smaller->acceleration) /
                        std::log(double(one.bodies) / smaller->bodies));
            }
            smaller = one;
        }
        if (one.closed && one.bodies == 100) {
            judge.judge("closed chain, N = 100", "us", 35, micro, accuracy);
        }
    }
}

void judge_motion(Judge& judge, const MotionTime& one, const std::string& problem, double seconds,
                  double error) {
    if (!one.stopped.empty()) {
        judge.not_measured(problem, fmt::format("{:.3g} s", seconds), "stopped " + one.stopped);
        return;
    }
    judge.judge(problem, "s", seconds, one.seconds,
                fmt::format("error {:.1e}, energy {:.1e}", one.error, one.energy), one.met(error));
}

void judge_mechanisms(Judge& judge, const Measurements& measured) {
    for (const FourBarsAcceleration& one : measured.four_bars) {
        if (one.four_bars == 100) {
            judge.judge("N-four-bar in 3-D, N = 100, one acceleration", "us", 100,
                        1e6 * one.seconds, error_text(one.error), one.error <= 1e-9);
        }
    }
    const std::vector<double> limits{0.01, 0.1, 1.5};
    for (std::size_t i = 0; i < std::min(limits.size(), measured.four_bars_motions.size()); ++i) {
        const MotionTime& one = measured.four_bars_motions[i];
        judge_motion(judge, one, fmt::format("N-four-bar in 3-D, {}, 10 s", one.name), limits[i],
                     1e-9);
    }
    const std::vector<std::string> names{"N-four-bar, N = 1", "N-four-bar, N = 10",
                                         "N-four-bar, N = 100"};
    for (const MotionTime& one : measured.mechanisms) {
        const auto known = std::find(names.begin(), names.end(), one.name);
        if (known != names.end()) {
            judge_motion(judge, one, one.name + " through flat positions, 10 s",
                         limits[static_cast<std::size_t>(known - names.begin())], 1e-9);
        }
        if (one.name == "A02 N-four-bar, N = 40") {
            judge_motion(judge, one, one.name + ", 20 s", 1.0, 1e-6);
        }
        if (one.name.rfind("A04", 0) == 0) {
            judge_motion(judge, one, one.name + ", 10 s", 0.02, one.goal);
        }
    }
}

void judge_code(Judge& judge, const Measurements& measured) {
    if (!measured.first_steps.empty()) {
        judge.judge("text to first step, spatial chain of 3 bodies", "ms", 10,
                    1e3 * measured.first_steps.front().total());
    }
    double worst = 0.0;
    for (const Emission& one : measured.emissions) {
        worst = std::max(worst, 1e6 * one.seconds / static_cast<double>(one.operations));
    }
    if (worst > 0.0) {
        judge.judge("code generation per operation, the worst of the table", "us", 0.3, worst);
    }
    const std::vector<double>& looks = measured.first_looks;
    if (!looks.empty()) {
        judge.judge(
            fmt::format("first look (order, recording, emission), median of {} gallery models",
                        looks.size()),
            "ms", 1, 1e3 * looks[looks.size() / 2],
            fmt::format("largest {:.3g}", 1e3 * looks.back()));
    }
}

}  // namespace

Table target_table(const Measurements& measured) {
    Judge judge;
    judge_models(judge, measured);
    judge_contenders(judge, measured);
    judge_chains(judge, measured);
    judge_mechanisms(judge, measured);
    judge_code(judge, measured);
    return judge.table();
}

}  // namespace ananke::bench
