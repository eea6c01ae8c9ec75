// Texts of reports and warnings that must stay readable, as a person gets them.
#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "pipeline.h"
#include "program.h"

namespace ananke::tests {
namespace {

/// The lines that begin with this.
std::string lines_with(const std::string& text, const std::string& begin) {
    std::istringstream in(text);
    std::string found;
    for (std::string line; std::getline(in, line);) {
        found += line.rfind(begin, 0) == 0 ? line + "\n" : "";
    }
    return found;
}

// The crank-shaper with a parameter for an angle: the direction of a slider's force is long.
TEST(Words, NoLineOfACheckIsLong) {
    const Scratch scratch;
    scratch.write("shaper.ank", R"(
parameter r = 0.1, d = 0.25, L = 0.55, w = 8
parameter a0 = atan2(d, r)
planar body crank mass 1 inertia r^2/12 at (r/2, d) omega w
planar body arm   mass 3 inertia L^2/4 at ~ (L/2*cos(a0), L/2*sin(a0)) angle ~ a0
planar body block mass 0.3 inertia 1e-4 at ~ (r, d) angle ~ a0
joint main: revolute(ground at (0, d, 0), crank at (-r/2, 0, 0))
joint pin:  revolute(crank at (r/2, 0, 0), block)
joint slot: prismatic(arm at (-L/2, 0, 0), block, axis = (1, 0, 0) in arm)
joint foot: revolute(ground, arm at (-L/2, 0, 0))
simulate until 1
)");
    const Outcome check = scratch.run("ananke check shaper.ank");
    EXPECT_EQ(check.exit_code, 0) << check.all();
    std::istringstream lines(check.out);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 250U) << line;
    }
    EXPECT_NE(check.out.find("  slot.side2 twists arm: lambda[slot.side2] * (a vector of "),
              std::string::npos)
        << check.out;
    EXPECT_NE(check.out.find(" characters: see `ananke derive`)\n"), std::string::npos)
        << check.out;
}

TEST(Words, APlaceIsALabelAsItIsWritten) {
    const Scratch scratch;
    scratch.write("label.ank",
                  "parameter r = 0.2\ngravity (0, -9.81, 0)\n"
                  "planar body crank mass 1 inertia 0.1 at (r/2, 0)\n"
                  "joint main: revolute(ground at (0, 0.1*0, 0), crank at (-r/2, 0, 0))\n");
    const Outcome derive = scratch.run("ananke derive label.ank --as latex");
    EXPECT_EQ(lines_with(derive.out, "  \\mathbf{F}^{\\mathrm{pin}_{1,\\mathrm{main}}}_{\\text"),
              "  \\mathbf{F}^{\\mathrm{pin}_{1,\\mathrm{main}}}_{\\text{crank at (-r/2, 0, 0)}} &= "
              "\\lambda_{\\mathrm{pin}_{1,\\mathrm{main}}}\\,\\left(1,\\ 0,\\ 0\\right) \\\\\n")
        << derive.all();
}

TEST(Words, AWrongSignIsWarnedOf) {
    const Scratch scratch;
    scratch.write("sign.ank",
                  "coordinate x\nkinetic x'^2/2\npotential -50*x^2/2\ninitial x = 0.1\n"
                  "simulate until 10 every 2\n");
    EXPECT_EQ(lines_with(scratch.run("ananke run sign.ank").out, "warning"),
              "warning     the energy has grown from 0.25 to 4.62e+23 up to t = 4: nothing of the "
              "start is left in the digits; is the sign of a force or a potential wrong?\n");
}

TEST(Words, ALawThatAnswersItsOwnConditionIsTold) {
    const Scratch scratch;
    scratch.write("rail.ank",
                  "coordinate x, z\nparticle P mass 1 at (x, 0, z)\ngravity (0, 0, -9.81)\n"
                  "constraint rail: z = x^2/2\n"
                  "force on x = if reaction(rail) > 12 then -5 else 0\n"
                  "initial x = 1, x' = 0\nsimulate until 2\n");
    const Outcome run = scratch.run("ananke run rail.ank");
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err,
              "ananke: at t = 0.3812101: the condition 12 < reaction(rail) has no answer: when it "
              "becomes true, the law changes the reaction so that left less right jumps by "
              "2.64322, back to where it came from; let the law pass from one to the other over a "
              "range of the reaction (96 rows up to t = 0.3812101 are kept)\n");
}

// No slope of the law says that it feeds back; it jumps where the reaction brings it.
TEST(Words, ReactionsThatNoLawFits) {
    const Scratch scratch;
    scratch.write("jump.ank",
                  "coordinate x, z\nparticle P mass 1 at (x, 0, z)\ngravity (0, 0, -9.81)\n"
                  "constraint rail: z = x^2/2\n"
                  "force on x = -5*(reaction(rail) - 12)/abs(reaction(rail) - 12)\n"
                  "initial x = 1, x' = 0\nsimulate until 2 every 0.5\n");
    const Outcome run = scratch.run("ananke run jump.ank");
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err.find("ananke: at t = 0.50196"), 0U) << run.err;
    EXPECT_NE(run.err.find(": no reactions were found that fit the forces that depend on them: "
                           "where such a law jumps or has no value, none need exist (2 rows up to "
                           "t = 0.50196"),
              std::string::npos)
        << run.err;
}

// Time as a factor makes no constraint affine: nothing of it is free of the velocities.
TEST(Words, KindsOfConstraintsWithTime) {
    const Scratch scratch;
    scratch.write("kinds.ank",
                  "coordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                  "constraint a: x' = cos(t)*y'*z\nconstraint b: z' = y + t\n"
                  "initial y' = 0.1\n");
    const Outcome check = scratch.run("ananke check kinds.ank");
    EXPECT_EQ(lines_with(check.out, "  a   "),
              "  a           nonholonomic, linear  unique      0\n");
    EXPECT_EQ(lines_with(check.out, "  b   "),
              "  b           nonholonomic, affine  unique      0\n");
}

// The recipe of docs/language.md.
TEST(Words, AConstraintIsSwitchedOnByAnEvent) {
    const Scratch scratch;
    scratch.write("latch.ank",
                  "parameter on = 0\ncoordinate x, z\nparticle P mass 1 at (x, 0, z)\n"
                  "gravity (0, 0, -9.81)\nconstraint floor: on*z = 0\n"
                  "event land: z = 0 falling { on = 1, z' = 0 }\n"
                  "initial z = 1, x' = 1\nsimulate until 1 every 0.5\n");
    const Outcome run = scratch.run("ananke run latch.ank --only t,x,z");
    EXPECT_EQ(run.exit_code, 0) << run.all();
    EXPECT_NE(run.out.find("  1.0  1.0  0.0"), std::string::npos) << run.out;
    EXPECT_EQ(
        lines_with(run.out, "  t = 0.45"),
        "  t = 0.451523641   land (reset+parameter): z' -4.429446918070025 -> 0, on 0 -> 1\n");
}

}  // namespace
}  // namespace ananke::tests
