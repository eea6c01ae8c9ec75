#include "report.h"

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
    return {{"projected, by hand: solve", &r.ours, &r.solved},
            {"projected, by hand: closed form", &r.ours, &r.hand},
            {"projected, closed form in our integrator", &r.ours, &r.hand_in_ours},
            {"not projected, by hand: solve", &r.ours_free, &r.solved_free},
            {"not projected, by hand: closed form", &r.ours_free, &r.hand_free},
            {"not projected, closed form in our integrator", &r.ours_free, &r.hand_in_ours_free}};
}

std::string nano(double seconds) {
    return fmt::format("{:.1f}", kNano * seconds);
}

std::string micro(double seconds) {
    return fmt::format("{:.1f}", kMicro * seconds);
}

std::string whole_micro(double seconds) {
    return fmt::format("{:.0f}", kMicro * seconds);
}

Table right_hand_side_table(const std::vector<ModelReport>& reports) {
    Table table{"A right-hand side",
                "Nanoseconds. `program`: it runs on the state where that stands, its pivots are "
                "looked at; the ratios are of this. `its code`: the emitted function alone. By "
                "hand with a solve of fixed size, and in closed form. `M Q A b`: what the "
                "equations alone cost when they are put into matrices for the solver.",
                {{"model", true},
                 {"operations"},
                 {"ours, in a run"},
                 {"program"},
                 {"its code"},
                 {"by hand: solve"},
                 {"ratio"},
                 {"closed form"},
                 {"ratio"},
                 {"disagreement"},
                 {"M Q A b"}}};
    for (const ModelReport& r : reports) {
        const Acceleration& rhs = r.parts.rhs;
        table.rows.push_back({r.name, fmt::to_string(rhs.operations), nano(rhs.ours),
                              nano(rhs.program), nano(rhs.code), nano(rhs.solved),
                              ratio(rhs.program, rhs.solved), nano(rhs.hand),
                              ratio(rhs.program, rhs.hand), fmt::format("{:.1e}", r.disagreement),
                              nano(rhs.kernels)});
    }
    return table;
}

Table run_table(const std::vector<ModelReport>& reports) {
    Table table{fmt::format("A run at tolerance {:g}", kTolerance),
                "Microseconds, and the error at the end.",
                {{"model", true},
                 {"run", true},
                 {"ours"},
                 {"by hand"},
                 {"ratio"},
                 {"our error"},
                 {"error by hand"}}};
    for (const ModelReport& r : reports) {
        for (const RunPair& pair : pairs(r)) {
            table.rows.push_back(
                {r.name, pair.what, micro(pair.ours->seconds), micro(pair.hand->seconds),
                 ratio(pair.ours->seconds, pair.hand->seconds),
                 fmt::format("{:.1e}", pair.ours->error), fmt::format("{:.1e}", pair.hand->error)});
        }
    }
    return table;
}

Table parts_table(const std::vector<ModelReport>& reports) {
    Table table{"Where our run with projection goes",
                "Microseconds; the integrator's share and the rest are differences, the rest being "
                "mostly the recording and emission of programs.",
                {{"model", true},
                 {"steps"},
                 {"evaluations"},
                 {"run"},
                 {"right-hand sides"},
                 {"projection"},
                 {"integrator"},
                 {"rest"}}};
    for (const ModelReport& r : reports) {
        const RunParts& run = r.parts.run;
        table.rows.push_back({r.name, fmt::to_string(r.ours.steps),
                              fmt::to_string(r.ours.evaluations), micro(run.total),
                              micro(run.right_hand_sides), micro(run.projection),
                              micro(run.integrator), micro(run.rest)});
    }
    return table;
}

Table way_table(const std::vector<ModelReport>& reports) {
    Table table{"From the file to the start, small models",
                "Microseconds, the file read included.",
                {{"model", true}, {"parse"}, {"derive"}, {"compile"}, {"assemble"}, {"together"}}};
    for (const ModelReport& r : reports) {
        table.rows.push_back({r.name, whole_micro(r.way.parse), whole_micro(r.way.derive),
                              whole_micro(r.way.compile), whole_micro(r.way.assemble),
                              whole_micro(r.way.total())});
    }
    return table;
}

}  // namespace

std::vector<Table> model_tables(const std::vector<ModelReport>& reports) {
    return {right_hand_side_table(reports), run_table(reports), parts_table(reports),
            way_table(reports)};
}

Table chain_table(const std::vector<ChainTime>& chains) {
    Table table{"Chains on ball joints, one acceleration",
                "Seven coordinates per body, every joint a constraint. The tip of the closed chain "
                "stays in a plane. \"First step\" is the time from the text to the first "
                "acceleration by the program; the disagreement is with the dense solver.",
                {{"chain", true},
                 {"bodies", true},
                 {"operations"},
                 {"us"},
                 {"us per body"},
                 {"first step, ms"},
                 {"disagreement"}}};
    for (const ChainTime& one : chains) {
        table.rows.push_back(
            {one.closed ? "closed" : "open", fmt::to_string(one.bodies),
             fmt::to_string(one.operations), fmt::format("{:.2f}", kMicro * one.acceleration),
             fmt::format("{:.3f}", kMicro * one.acceleration / one.bodies),
             fmt::format("{:.1f}", 1e3 * one.first_step), fmt::format("{:.1e}", one.disagreement)});
    }
    return table;
}

}  // namespace ananke::bench
