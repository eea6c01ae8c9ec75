#include "report.h"

#include <cstdio>
#include <iterator>

#include <fmt/format.h>

namespace ananke::bench {
namespace {

constexpr double kNano = 1e9;
constexpr double kMicro = 1e6;

struct RunPair {
    const char* what;
    const RunTime* ours;
    const RunTime* hand;
};

std::vector<RunPair> pairs(const ModelReport& r) {
    return {{"projected, hand-written loop", &r.ours, &r.hand},
            {"projected, our integrator for both", &r.ours, &r.hand_in_ours},
            {"not projected, hand-written loop", &r.ours_free, &r.hand_free},
            {"not projected, our integrator for both", &r.ours_free, &r.hand_in_ours_free}};
}

}  // namespace

std::string tables(const std::vector<ModelReport>& reports) {
    std::string text;
    const auto put = std::back_inserter(text);

    fmt::format_to(put, "One right-hand side, nanoseconds\n\n");
    fmt::format_to(put, "| {:<17} | {:>8} | {:>8} | {:>6} | {:>12} |\n", "model", "ours", "by hand",
                   "ratio", "disagreement");
    fmt::format_to(put, "|{:-<19}|{:->9}:|{:->9}:|{:->7}:|{:->13}:|\n", "", "", "", "", "");
    for (const ModelReport& r : reports) {
        const RightHandSide& rhs = r.parts.rhs;
        fmt::format_to(put, "| {:<17} | {:>8.1f} | {:>8.1f} | {:>6.1f} | {:>12.1e} |\n", r.name,
                       kNano * rhs.ours, kNano * rhs.hand, rhs.ours / rhs.hand, r.disagreement);
    }

    fmt::format_to(put, "\nOne run at tolerance {:g}, microseconds and error at the end\n\n",
                   kTolerance);
    fmt::format_to(put, "| {:<17} | {:<38} | {:>8} | {:>8} | {:>6} | {:>10} | {:>13} |\n", "model",
                   "run", "ours", "by hand", "ratio", "our error", "error by hand");
    fmt::format_to(put, "|{:-<19}|{:-<40}|{:->9}:|{:->9}:|{:->7}:|{:->11}:|{:->14}:|\n", "", "", "",
                   "", "", "", "");
    for (const ModelReport& r : reports) {
        for (const RunPair& pair : pairs(r)) {
            fmt::format_to(
                put,
                "| {:<17} | {:<38} | {:>8.1f} | {:>8.1f} | {:>6.1f} | {:>10.1e} | {:>13.1e} |\n",
                r.name, pair.what, kMicro * pair.ours->seconds, kMicro * pair.hand->seconds,
                pair.ours->seconds / pair.hand->seconds, pair.ours->error, pair.hand->error);
        }
    }

    fmt::format_to(put, "\nWhere our right-hand side goes, nanoseconds\n\n");
    fmt::format_to(put, "| {:<17} | {:>10} | {:>8} | {:>10} |\n", "model", "operations", "all",
                   "M Q A b");
    fmt::format_to(put, "|{:-<19}|{:->11}:|{:->9}:|{:->11}:|\n", "", "", "", "");
    for (const ModelReport& r : reports) {
        const RightHandSide& rhs = r.parts.rhs;
        fmt::format_to(put, "| {:<17} | {:>10} | {:>8.1f} | {:>10.1f} |\n", r.name, rhs.operations,
                       kNano * rhs.ours, kNano * rhs.kernels);
    }

    fmt::format_to(put, "\nWhere our run with projection goes, microseconds\n\n");
    fmt::format_to(put, "| {:<17} | {:>5} | {:>11} | {:>8} | {:>16} | {:>10} | {:>10} | {:>8} |\n",
                   "model", "steps", "evaluations", "run", "right-hand sides", "projection",
                   "integrator", "rest");
    fmt::format_to(put, "|{:-<19}|{:->6}:|{:->12}:|{:->9}:|{:->17}:|{:->11}:|{:->11}:|{:->9}:|\n",
                   "", "", "", "", "", "", "", "");
    for (const ModelReport& r : reports) {
        const RunParts& run = r.parts.run;
        fmt::format_to(put,
                       "| {:<17} | {:>5} | {:>11} | {:>8.1f} | {:>16.1f} | {:>10.1f} | {:>10.1f} | "
                       "{:>8.1f} |\n",
                       r.name, r.ours.steps, r.ours.evaluations, kMicro * run.total,
                       kMicro * run.right_hand_sides, kMicro * run.projection,
                       kMicro * run.integrator, kMicro * run.rest);
    }

    fmt::format_to(put, "\nFrom text to the first step, microseconds\n\n");
    fmt::format_to(put, "| {:<17} | {:>8} | {:>8} | {:>8} | {:>8} | {:>8} |\n", "model", "parse",
                   "derive", "compile", "assemble", "together");
    fmt::format_to(put, "|{:-<19}|{:->9}:|{:->9}:|{:->9}:|{:->9}:|{:->9}:|\n", "", "", "", "", "",
                   "");
    for (const ModelReport& r : reports) {
        fmt::format_to(put, "| {:<17} | {:>8.0f} | {:>8.0f} | {:>8.0f} | {:>8.0f} | {:>8.0f} |\n",
                       r.name, kMicro * r.way.parse, kMicro * r.way.derive, kMicro * r.way.compile,
                       kMicro * r.way.assemble, kMicro * r.way.total());
    }
    return text;
}

std::string chain_table(const std::vector<ChainTime>& chains) {
    std::string text =
        "\nOne acceleration of a chain on ball joints, seven coordinates per body, every joint a "
        "constraint\n\n";
    const auto put = std::back_inserter(text);
    fmt::format_to(put, "| {:<6} | {:>6} | {:>10} | {:>12} | {:>12} | {:>14} | {:>12} |\n", "chain",
                   "bodies", "operations", "us", "us per body", "first step, ms", "disagreement");
    fmt::format_to(put, "|{:-<8}|{:->7}:|{:->11}:|{:->13}:|{:->13}:|{:->15}:|{:->13}:|\n", "", "",
                   "", "", "", "", "");
    for (const ChainTime& one : chains) {
        fmt::format_to(put,
                       "| {:<6} | {:>6} | {:>10} | {:>12.2f} | {:>12.3f} | {:>14.1f} | {:>12.1e} "
                       "|\n",
                       one.closed ? "closed" : "open", one.bodies, one.operations,
                       kMicro * one.acceleration, kMicro * one.acceleration / one.bodies,
                       1e3 * one.first_step, one.disagreement);
    }
    return text;
}

Result<void> write_csv(const std::vector<ModelReport>& reports,
                       const std::vector<ChainTime>& chains, const std::string& path) {
    std::string text =
        "model,quantity,ours_seconds,hand_written_seconds,ratio,our_error,"
        "hand_written_error\n";
    const auto put = std::back_inserter(text);
    for (const ModelReport& r : reports) {
        const RightHandSide& rhs = r.parts.rhs;
        fmt::format_to(put, "{},right-hand side,{:.6e},{:.6e},{:.3f},,\n", r.name, rhs.ours,
                       rhs.hand, rhs.ours / rhs.hand);
        for (const RunPair& pair : pairs(r)) {
            fmt::format_to(put, "{},\"run, {}\",{:.6e},{:.6e},{:.3f},{:.3e},{:.3e}\n", r.name,
                           pair.what, pair.ours->seconds, pair.hand->seconds,
                           pair.ours->seconds / pair.hand->seconds, pair.ours->error,
                           pair.hand->error);
        }
        const RunParts& run = r.parts.run;
        const std::vector<std::pair<const char*, double>> parts{
            {"M Q A b into matrices", rhs.kernels},
            {"run: right-hand sides", run.right_hand_sides},
            {"run: projection", run.projection},
            {"run: integrator", run.integrator},
            {"run: rest", run.rest},
            {"parse", r.way.parse},
            {"derive", r.way.derive},
            {"compile", r.way.compile},
            {"assemble", r.way.assemble}};
        for (const auto& [what, seconds] : parts) {
            fmt::format_to(put, "{},{},{:.6e},,,,\n", r.name, what, seconds);
        }
    }
    for (const ChainTime& one : chains) {
        fmt::format_to(put, "{} chain of {},acceleration,{:.6e},,,{:.3e},\n",
                       one.closed ? "closed" : "open", one.bodies, one.acceleration,
                       one.disagreement);
    }
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        return Error{ErrorCode::kIo, fmt::format("{} cannot be written", path)};
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) {
        return Error{ErrorCode::kIo, fmt::format("{} could not be written", path)};
    }
    return {};
}

}  // namespace ananke::bench
