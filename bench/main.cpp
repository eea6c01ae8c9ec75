// Our times against hand-written C++ of the same equations, in the same process.
//   ananke_bench          checks, times, prints tables, writes bench.csv
//   ananke_bench --check  only that both sides compute the same accelerations
#include <string_view>

#include <fmt/format.h>

#include "report.h"

namespace ananke::bench {
namespace {

constexpr double kLargestDisagreement = 1e-10;

Result<ModelReport> measure(const BenchModel& model, double disagreement) {
    ModelReport report;
    report.name = model.name();
    report.disagreement = disagreement;
    report.parts = break_down(model);
    report.ours = time_our_run(model, sim::Drift::kProject);
    report.ours_free = time_our_run(model, sim::Drift::kNone);
    report.hand = time_hand_run(model, true);
    report.hand_free = time_hand_run(model, false);
    report.hand_in_ours = time_hand_run_in_our_integrator(model, true);
    report.hand_in_ours_free = time_hand_run_in_our_integrator(model, false);
    report.way = time_way_to_first_step(model);
    return report;
}

Result<void> run(bool only_check) {
    std::vector<ModelReport> reports;
    for (const HandWritten* hand : {&kDuffing, &kTwoLinkPendulum, &kAndrews}) {
        const Result<BenchModel> model = load(*hand);
        if (!model) {
            return model.error();
        }
        const Result<double> disagreement = largest_disagreement(model.value());
        if (!disagreement) {
            return disagreement.error();
        }
        if (!(disagreement.value() <= kLargestDisagreement)) {
            return Error{ErrorCode::kInconsistent,
                         fmt::format("{}: the accelerations of the two sides differ by {:.1e}",
                                     hand->name, disagreement.value())};
        }
        if (only_check) {
            fmt::print("{}: the accelerations of the two sides agree to {:.1e}\n", hand->name,
                       disagreement.value());
            continue;
        }
        Result<ModelReport> report = measure(model.value(), disagreement.value());
        if (!report) {
            return report.error();
        }
        reports.push_back(std::move(report).value());
    }
    if (only_check) {
        return {};
    }
    fmt::print("{}", tables(reports));
    const Result<std::vector<ChainTime>> chains = time_chains();
    if (!chains) {
        return chains.error();
    }
    fmt::print("{}", chain_table(chains.value()));
    return write_csv(reports, chains.value(), ANANKE_BENCH_CSV);
}

}  // namespace
}  // namespace ananke::bench

int main(int argc, char** argv) {
    const bool only_check = argc == 2 && std::string_view(argv[1]) == "--check";
    if (argc > 1 && !only_check) {
        fmt::print(stderr, "usage: ananke_bench [--check]\n");
        return 1;
    }
    const ananke::Result<void> done = ananke::bench::run(only_check);
    if (!done) {
        fmt::print(stderr, "ananke_bench: {}\n", done.error().message);
        return 1;
    }
    return 0;
}
