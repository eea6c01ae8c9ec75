// The same mechanism in other units: the same motion to the tolerance, the same end, and the same
// messages but for their numbers. By hand with ANANKE_RANDOM_COUNT and ANANKE_RANDOM_SEED.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "generate.h"
#include "judge.h"
#include "settings.h"
#include "text.h"

namespace mechanisms {
namespace {

constexpr long kUsualCount = 13;  ///< one of each family
constexpr double kTolerance = 1e-9;

struct System {
    const char* name;
    Units units;  ///< powers of ten of the numbers of length, mass, time
};

const std::vector<System>& systems() {
    static const std::vector<System> all{
        {"mm, t, s", {3, -3, 0}},        {"um, kg, s", {6, 0, 0}},  {"km, kg, s", {-3, 0, 0}},
        {"mass 1e-12", {0, -12, 0}},     {"mass 1e9", {0, 9, 0}},   {"ms", {0, 0, 3}},
        {"10,000 s", {0, 0, -4}},        {"um, ug, us", {6, 9, 6}}, {"nm, ng, s", {9, 12, 0}},
        {"Gm, Gt, 1e6 s", {-9, -12, -6}}};
    return all;
}

std::string without_numbers(const std::string& text) {
    static const std::regex number(R"re([0-9]+\.?[0-9]*(e[+-]?[0-9]+)?)re");
    return std::regex_replace(text, number, "#");
}

struct Count {
    int runs = 0, right = 0, wrong = 0, refused = 0, other_end = 0, other_words = 0;
};

void keep(const Mechanism& mechanism, std::uint64_t seed, const System& system,
          const std::string& what) {
    std::string name = mechanism.family + "-" + std::to_string(seed) + "-" + system.name + ".ank";
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == ','; }, '_');
    std::ofstream(work_folder() / name) << "# " << what.substr(0, what.find('\n')) << "\n"
                                        << model_text(mechanism, system.units, mechanism.family);
}

/// What differs between a run in other units and the one in SI units.
std::string compare(const Mechanism& mechanism, const Reference& reference, const ProgramRun& si,
                    const System& system, Count& count) {
    const ProgramRun run = run_mechanism(mechanism, system.units, reference.times, kTolerance);
    const Finding finding = judge(mechanism, reference, run, system.units, kTolerance);
    ++count.runs;
    if (finding.verdict == Verdict::kWrong) {
        ++count.wrong;
        return finding.detail;
    }
    if (finding.verdict == Verdict::kRefused) {
        ++count.refused;
        return finding.detail;
    }
    if (run.exit_code != si.exit_code) {
        ++count.other_end;
        return "exit " + std::to_string(run.exit_code) + " instead of " +
               std::to_string(si.exit_code) + ": " + run.messages;
    }
    if (without_numbers(run.messages) != without_numbers(si.messages)) {
        ++count.other_words;
        return "\"" + run.messages + "\" instead of \"" + si.messages + "\"";
    }
    ++count.right;
    return "";
}

TEST(Scales, UnitsChangeNeitherMotionNorMessages) {
    const long count = setting("ANANKE_RANDOM_COUNT", kUsualCount);
    const long first = setting("ANANKE_RANDOM_SEED", 1);
    const std::vector<double> times{0.0, 0.21, 0.53, 0.87, 1.1};
    std::map<std::string, Count> table;
    for (long i = 0; i < count; ++i) {
        const auto seed = static_cast<std::uint64_t>(first + i);
        const Mechanism mechanism = generate(seed);
        const Reference reference = refer(mechanism, times, kTolerance);
        const ProgramRun si = run_mechanism(mechanism, {}, times, kTolerance);
        // What is wrong in SI units is found by the other test.
        if (judge(mechanism, reference, si, {}, kTolerance).verdict != Verdict::kRight) {
            continue;
        }
        for (const System& system : systems()) {
            const std::string difference =
                compare(mechanism, reference, si, system, table[system.name]);
            if (!difference.empty()) {
                keep(mechanism, seed, system, difference);
                ADD_FAILURE() << mechanism.family << " " << seed << " in " << system.name << ": "
                              << difference;
            }
        }
    }
    for (const System& system : systems()) {
        const Count& c = table[system.name];
        std::printf("%-14s runs %d  right %d  wrong %d  refused %d  other end %d  other words %d\n",
                    system.name, c.runs, c.right, c.wrong, c.refused, c.other_end, c.other_words);
    }
}

/// Decimal numbers are shifted, not multiplied.
TEST(Scales, NumbersAreShifted) {
    const Units millimetres{3, -3, 0};
    EXPECT_EQ(millimetres.number(0.1, kLength), "1.0000000000000001e2");
    EXPECT_EQ(millimetres.number(-2.5, kMass), "-2.5e-3");
    EXPECT_EQ(millimetres.number(2.5, kForce), "2.5");
    EXPECT_EQ(millimetres.number(0.0, kLength), "0");
}

}  // namespace
}  // namespace mechanisms
