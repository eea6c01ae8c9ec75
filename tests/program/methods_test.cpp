// The method of a run as a person asks for it: --drift energy, --stiff.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "program.h"

namespace ananke::tests {
namespace {

// m x'' + c x' + k x = 0: two decays, 1/s and 1e6/s.
const std::string kOverdamped =
    "parameter m = 1e-6, c = 1, k = 1\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\n"
    "force on x = -c*x'\ninitial x = 1, x' = 0\n";

TEST(EnergyLevel, IsRefusedWithTheReason) {
    const Scratch scratch;
    const std::string start = "coordinate x, y\nparticle P mass 1 at (x, y, 0)\n";
    const std::string end = "initial x = 1, y = 0, y' = 1\nsimulate until 1\n";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"force on x = -x'\n", "its forces do work; write those that have one as a potential"},
        {"potential cos(t)*x\n", "its kinetic or potential energy depends on the time itself"},
        {"constraint speed: x'^2 + y'^2 = 1\n",
         "the constraint speed is not homogeneous in the velocities and may do work"},
        {"constraint moving: y = sin(t)\n",
         "the constraint moving is not homogeneous in the velocities and may do work"},
        {"nonideal on x = -x'\n", "its nonideal forces or frictions do work"}};
    for (const auto& [line, why] : cases) {
        scratch.write("m.ank", start + line + end);
        const Outcome run = scratch.run("ananke run m.ank --drift energy");
        EXPECT_EQ(run.exit_code, 1) << line;
        EXPECT_EQ(run.err,
                  "ananke: --drift energy needs a model that conserves its energy: " + why + "\n");
    }
}

TEST(Stiff, TheModelOrThePersonAsksForIt) {
    const Scratch scratch;
    scratch.write("a.ank", kOverdamped + "simulate until 10\n");
    scratch.write("b.ank", kOverdamped + "simulate until 10 stiff\n");
    const Outcome explicitly = scratch.run("ananke run a.ank --max-steps 5000 -q");
    EXPECT_EQ(explicitly.exit_code, 2);
    const Outcome asked = scratch.run("ananke run a.ank --stiff --max-steps 5000 --csv -");
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    const Outcome said = scratch.run("ananke run b.ank --max-steps 5000 --csv -");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(asked.out, said.out);
}

TEST(Cli, CheckPrintsThePredictedCostOfTheMethods) {
    const Scratch scratch;
    const Outcome small = scratch.run("ananke check models/n_four_bar.ank --set N=2 --cost");
    EXPECT_EQ(small.exit_code, 0) << small.err;
    EXPECT_NE(small.out.find("\n  *  full matrices"), std::string::npos) << small.out;
    EXPECT_NE(small.out.find("\n  *  one program"), std::string::npos) << small.out;
    EXPECT_NE(small.out.find("one program of up to 5000 operations"), std::string::npos)
        << small.out;
    const Outcome large = scratch.run("ananke check models/n_four_bar.ank --set N=60 --cost");
    EXPECT_NE(large.out.find("for 363 coordinates and 362 constraint rows"), std::string::npos)
        << large.out;
    EXPECT_NE(large.out.find("\n  *  sparse matrices"), std::string::npos) << large.out;
}

}  // namespace
}  // namespace ananke::tests
