// Our times against hand-written C++ and SUNDIALS, and the problems of the benchmark, in one
// process.
//   ananke_bench          checks, times, prints tables, writes bench.csv and docs/benchmarks.md
//   ananke_bench PART     one part alone, printed and not written: models, code, chains,
//                         mechanisms or four-bars
//   ananke_bench --check  only that both sides compute the same accelerations, and that the exact
//                         motion of the four-bars is that of the reference
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "mechanisms.h"
#include "page.h"
#include "targets.h"
#include "turning_bar.h"

namespace ananke::bench {
namespace {

constexpr double kLargestDisagreement = 1e-10;

struct HandModel {
    const HandWritten* hand;
    double goal;  ///< of the runs at equal accuracy
};
constexpr HandModel kModels[] = {
    {&kDuffing, 1e-10}, {&kTwoLinkPendulum, 1e-10}, {&kPerpendicular, 1e-10}, {&kAndrews, 1e-8}};

ModelReport measure(const BenchModel& model, double disagreement) {
    ModelReport report;
    report.name = model.name();
    report.disagreement = disagreement;
    report.parts = break_down(model);
    report.ours = time_our_run(model, Drift::kProject);
    report.ours_free = time_our_run(model, Drift::kNone);
    report.hand = time_hand_run(model, ByHand::kClosedForm, true);
    report.hand_free = time_hand_run(model, ByHand::kClosedForm, false);
    report.solved = time_hand_run(model, ByHand::kSolved, true);
    report.solved_free = time_hand_run(model, ByHand::kSolved, false);
    report.hand_in_ours = time_hand_run_in_our_integrator(model, true);
    report.hand_in_ours_free = time_hand_run_in_our_integrator(model, false);
    report.way = time_way_to_first_step(model);
    return report;
}

/// The disagreement of the two sides, if it is small.
Result<double> check_agreement(const BenchModel& model) {
    Result<double> disagreement = largest_disagreement(model);
    if (disagreement && !(disagreement.value() <= kLargestDisagreement)) {
        return Error{ErrorCode::kInconsistent,
                     fmt::format("{}: the accelerations of the two sides differ by {:.1e}",
                                 model.name(), disagreement.value())};
    }
    return disagreement;
}

/// Angle at t = 10 of tests/reference/n_four_bar_1 and _40.
Result<void> check_turning_bar() {
    struct Known {
        int four_bars;
        double angle;
    };
    for (const Known& known : {Known{1, -30.343944970943128}, Known{40, -30.026637417190841}}) {
        const Turning end =
            turning_bar(four_bar_constant(known.four_bars), {std::numbers::pi / 2, -1.0}, 10.0);
        if (!(std::abs(end.angle - known.angle) <= 1e-13)) {
            return Error{ErrorCode::kInconsistent,
                         fmt::format("{} four-bars: angle {:.17g} at t = 10, reference {:.17g}",
                                     known.four_bars, end.angle, known.angle)};
        }
    }
    fmt::print("four-bars: the exact motion is that of the reference\n");
    return {};
}

/// Hands each model, with the disagreement of its two sides, to `use`.
template <class Use>
Result<void> for_each_model(Use&& use) {
    for (const HandModel& one : kModels) {
        const Result<BenchModel> model = load(*one.hand);
        if (!model) {
            return model.error();
        }
        const Result<double> disagreement = check_agreement(model.value());
        if (!disagreement) {
            return disagreement.error();
        }
        use(model.value(), disagreement.value(), one.goal);
    }
    return {};
}

Result<void> check() {
    const Result<void> done = check_turning_bar();
    return done ? for_each_model([](const BenchModel& model, double disagreement, double /*goal*/) {
        fmt::print("{}: the accelerations of the two sides agree to {:.1e}\n", model.name(),
                   disagreement);
    })
                : done;
}

Result<void> measure_models(Measurements& measured) {
    return for_each_model([&](const BenchModel& model, double disagreement, double goal) {
        measured.models.push_back(measure(model, disagreement));
        for (Contender& contender : race_to(model, goal)) {
            measured.contenders.push_back(std::move(contender));
        }
    });
}

Result<void> measure_code(Measurements& measured) {
    Result<std::vector<FirstStep>> first_steps = time_first_steps();
    if (!first_steps) {
        return first_steps.error();
    }
    measured.first_steps = std::move(first_steps).value();
    Result<std::vector<double>> looks = time_first_looks();
    if (!looks) {
        return looks.error();
    }
    measured.first_looks = std::move(looks).value();
    measured.emissions = time_emission();
    return {};
}

Result<void> measure_chains(Measurements& measured) {
    Result<std::vector<ChainTime>> chains = time_chains();
    if (!chains) {
        return chains.error();
    }
    measured.chains = std::move(chains).value();
    return {};
}

Result<void> measure_mechanisms(Measurements& measured) {
    Result<std::vector<MotionTime>> mechanisms = time_mechanisms();
    if (!mechanisms) {
        return mechanisms.error();
    }
    measured.mechanisms = std::move(mechanisms).value();
    return {};
}

Result<void> measure_four_bars(Measurements& measured) {
    Result<std::vector<FourBarsTimes>> times = time_four_bars({1, 10, 100});
    if (!times) {
        return times.error();
    }
    for (const FourBarsTimes& one : times.value()) {
        measured.four_bars.push_back(one.acceleration);
        measured.four_bars_motions.push_back(one.motion);
    }
    const Result<MotionTime> asymmetric = time_four_bars_motion(10, true);
    if (!asymmetric) {
        return asymmetric.error();
    }
    measured.four_bars_motions.push_back(asymmetric.value());
    return {};
}

struct Part {
    const char* name;
    Result<void> (*measure)(Measurements&);
};
constexpr Part kParts[] = {{"models", measure_models},
                           {"code", measure_code},
                           {"chains", measure_chains},
                           {"mechanisms", measure_mechanisms},
                           {"four-bars", measure_four_bars}};

std::vector<Table> all_tables(const Measurements& measured) {
    std::vector<Table> tables{target_table(measured)};
    for (Table& table : model_tables(measured.models)) {
        tables.push_back(std::move(table));
    }
    tables.push_back(equal_accuracy_table(measured.contenders));
    tables.push_back(first_step_table(measured.first_steps));
    tables.push_back(emission_table(measured.emissions));
    tables.push_back(chain_table(measured.chains));
    tables.push_back(motion_table(
        "Mechanisms",
        "The IFToMM problems and the bicycle, at the loosest tolerance of 1e-7, 1e-8, ... that "
        "meets the accuracy asked for. A run makes its programs anew; `text to start` comes "
        "before it. `energy`: largest imbalance, relative.",
        measured.mechanisms));
    tables.push_back(four_bars_table(measured.four_bars));
    tables.push_back(motion_table(
        "N-four-bar with all joints in 3-D, 10 s",
        "From upright through the flat positions; the error is that of the tip. A run that takes "
        "more than 10 s is stopped.",
        measured.four_bars_motions));
    return tables;
}

std::string page_text(const std::vector<Table>& tables) {
    std::string text = machine() + "\n\n";
    for (const Table& table : tables) {
        if (!table.rows.empty()) {
            text += markdown(table) + "\n";
        }
    }
    return text;
}

/// All parts if `only` is empty.
Result<void> run(const std::string& only) {
    Measurements measured;
    bool known = only.empty();
    for (const Part& part : kParts) {
        if (!only.empty() && only != part.name) {
            continue;
        }
        known = true;
        fmt::print(stderr, "ananke_bench: {}\n", part.name);
        const Result<void> done = part.measure(measured);
        if (!done) {
            return done;
        }
    }
    if (!known) {
        return Error{ErrorCode::kInvalidInput, fmt::format("there is no part {}", only)};
    }
    const std::vector<Table> tables = all_tables(measured);
    const std::string text = page_text(tables);
    fmt::print("{}", text);
    if (!only.empty()) {
        return {};
    }
    const Result<void> written = write_file(ANANKE_BENCH_CSV, csv(tables));
    return written
               ? replace_part(ANANKE_SOURCE_DIR "/docs/benchmarks.md", "make bench", "\n" + text)
               : written;
}

}  // namespace
}  // namespace ananke::bench

int main(int argc, char** argv) {
    const std::string argument = argc == 2 ? argv[1] : "";
    if (argc > 2) {
        fmt::print(stderr, "usage: ananke_bench [--check | PART]\n");
        return 1;
    }
    const ananke::Result<void> done =
        argument == "--check" ? ananke::bench::check() : ananke::bench::run(argument);
    if (!done) {
        fmt::print(stderr, "ananke_bench: {}\n", done.error().message);
        return 1;
    }
    return 0;
}
