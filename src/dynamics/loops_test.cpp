// Large systems with loops: the work per body does not grow with the system, and the answer is that
// of the dense solver.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "large.h"

namespace ananke::pipeline {
namespace {

/// A ring of N bodies, upright; its first joint is at the top.
std::string ring(int bodies, const std::string& more, const std::string& joint = "spherical",
                 double inertia = 1.0 / 12.0) {
    const std::string axis = joint == "revolute" ? ", (0, 1, 0)" : "";
    return fmt::format(
        R"(parameter N = {0}, l = 0.1, R = l/(2*sin(pi/N)), m = 0.2, J = {1}*m*l^2, h = R*cos(pi/N)
gravity (0, 0, -9.81)
for i in 1..N {{
  body B[i] mass m inertia (J, 1.1*J, 1.2*J) at (h*sin(2*pi*(i-0.5)/N), 0, h*cos(2*pi*(i-0.5)/N)),
       orientation rotation((0, 1, 0), 2*pi*(i-0.5)/N) omega ~ (0.3, 1, -0.5)
}}
for i in 2..N {{ joint j[i]: {2}(B[i-1] at (l/2, 0, 0), B[i] at (-l/2, 0, 0){3}) }}
joint close: {2}(B[N] at (l/2, 0, 0), B[1] at (-l/2, 0, 0){3})
{4}
)",
        bodies, inertia, joint, axis, more);
}
const char* const kHook = "joint hook: spherical(ground at (h*sin(pi/N), 0, h*cos(pi/N)), B[1])";
const char* const kHookAtJoint = "joint hook: spherical(ground at (0, 0, R), B[1] at (-l/2, 0, 0))";
const char* const kManyHooks = R"(for k in 0..N/10-1 {
  joint hook[k]: spherical(ground at (h*sin(2*pi*(10*k+0.5)/N), 0, h*cos(2*pi*(10*k+0.5)/N)), B[10*k+1])
})";
const char* const kPlane =
    "for k in 1..N { joint rail[k]: point_on_plane(ground, B[k], (0, 1, 0)) }";

/// Two chains a, b with rungs r between them.
std::string ladder(int bodies, const std::string& more) {
    return fmt::format(R"(parameter K = {}, L = 0.2, W = 0.15
gravity (0, 0, -9.81)
for i in 1..K {{
  body a[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), 0, 0) omega ~ (0, 1, 0)
  body b[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), W, 0)
  body r[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*i, W/2, 0)
}}
for i in 2..K {{
  joint pa[i]: spherical(a[i-1] at (L/2, 0, 0), a[i] at (-L/2, 0, 0))
  joint pb[i]: spherical(b[i-1] at (L/2, 0, 0), b[i] at (-L/2, 0, 0))
}}
for i in 1..K {{
  joint ra[i]: spherical(a[i] at (L/2, 0, 0), r[i] at (0, -W/2, 0))
  joint rb[i]: spherical(b[i] at (L/2, 0, 0), r[i] at (0, W/2, 0))
}}
{}
)",
                       bodies / 3, more);
}

/// A net of bars on ball joints, four meshes wide, wavy: a[i][j] goes along x and b[i][j] along y
/// from the node (i, j), where all others that end there hang on one of these two.
std::string net(int bodies) {
    return fmt::format(R"(parameter K = {}, C = 4, L = 0.2
define bend(i, j) = 0.03*sin(1.3*i + 0.7*j)
gravity (0, 0, -9.81)
for i in 1..K {{ for j in 1..C {{
  body a[i][j] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i+0.5), L*j, (bend(i, j) + bend(i+1, j))/2)
  body b[i][j] mass 1 inertia (0.01, 0.02, 0.03) at (L*i, L*(j+0.5), (bend(i, j) + bend(i, j+1))/2)
  joint n[i][j]: spherical(a[i][j] at (-L/2, 0, (bend(i, j) - bend(i+1, j))/2), b[i][j] at (0, -L/2, (bend(i, j) - bend(i, j+1))/2))
}} }}
joint hook: spherical(ground at (L, L, bend(1, 1)), a[1][1] at (-L/2, 0, (bend(1, 1) - bend(2, 1))/2))
for i in 2..K {{ for j in 1..C {{
  joint x[i][j]: spherical(a[i-1][j] at (L/2, 0, (bend(i, j) - bend(i-1, j))/2), b[i][j] at (0, -L/2, (bend(i, j) - bend(i, j+1))/2))
}} }}
for i in 1..K {{ for j in 2..C {{
  joint y[i][j]: spherical(b[i][j-1] at (0, L/2, (bend(i, j) - bend(i, j-1))/2), a[i][j] at (-L/2, 0, (bend(i, j) - bend(i+1, j))/2))
}} }}
)",
                       bodies / 8);
}

/// A trunk of which every body carries a loop of three twigs.
std::string tree(int bodies) {
    return fmt::format(R"(parameter K = {}, L = 0.2
gravity (0, 0, -9.81)
for i in 1..K {{
  body trunk[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), 0, 0) omega ~ (0, 0.5, 0)
  body left[i] mass 0.1 inertia (0.001, 0.002, 0.003) at (L*(i - 0.75), 0, 0.1)
  body right[i] mass 0.1 inertia (0.001, 0.002, 0.003) at (L*(i - 0.25), 0, 0.1)
  body top[i] mass 0.1 inertia (0.001, 0.002, 0.003) at (L*(i - 0.5), 0, 0.2)
  joint tu[i]: spherical(trunk[i] at (-L/4, 0, 0), left[i] at (0, 0, -0.1))
  joint tv[i]: spherical(trunk[i] at (L/4, 0, 0), right[i] at (0, 0, -0.1))
  joint uw[i]: spherical(left[i] at (0, 0, 0.1), top[i] at (-L/4, 0, 0))
  joint vw[i]: spherical(right[i] at (0, 0, 0.1), top[i] at (L/4, 0, 0))
}}
joint root: spherical(ground, trunk[1] at (-L/2, 0, 0))
for i in 2..K {{ joint s[i]: spherical(trunk[i-1] at (L/2, 0, 0), trunk[i] at (-L/2, 0, 0)) }}
)",
                       bodies / 4);
}

struct Family {
    const char* name;
    std::string (*text)(int bodies);
    std::size_t operations;  ///< per body, at most
};

const std::vector<Family>& families() {
    static const std::vector<Family> all{
        {"free ring", [](int n) { return ring(n, ""); }, 560},
        {"ring hung up in a body", [](int n) { return ring(n, kHook); }, 560},
        {"ring hung up in a joint", [](int n) { return ring(n, kHookAtJoint); }, 560},
        {"ring on many hooks", [](int n) { return ring(n, kManyHooks); }, 560},
        {"ring on a plane", [](int n) { return ring(n, kPlane); }, 660},
        {"ring of compact bodies", [](int n) { return ring(n, kHook, "spherical", 1e-3); }, 560},
        {"ring of hinges", [](int n) { return ring(n, "", "revolute"); }, 1650},
        {"hinges hung up", [](int n) { return ring(n, kHook, "revolute"); }, 1650},
        {"free ladder", [](int n) { return ladder(n, ""); }, 720},
        {"ladder on one hook",
         [](int n) { return ladder(n, "joint h: spherical(ground, a[1] at (-L/2, 0, 0))"); }, 720},
        {"net", net, 2000},
        {"tree with loops", tree, 900}};
    return all;
}

TEST(Loops, OperationsPerBodyDoNotGrow) {
    for (const Family& one : families()) {
        SCOPED_TRACE(one.name);
        const auto per_body = [&](int bodies) {
            return program_of(one.text(bodies)).instruction_count() /
                   static_cast<std::size_t>(bodies);
        };
        const std::size_t few = per_body(160);
        const std::size_t many = per_body(400);
        EXPECT_LT(many, one.operations);
        EXPECT_LT(static_cast<double>(many), 1.06 * static_cast<double>(few));
    }
}

TEST(Loops, AgreeWithTheDenseSolver) {
    for (const Family& one : families()) {
        SCOPED_TRACE(one.name);
        const Loaded loaded = load_text("loops.ank", one.text(40));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        compare(*loaded.prepared, 1e-9, false);
    }
}

// The order of a run stays sound while the ring moves.
TEST(Loops, ALargeRingSwings) {
    const Loaded loaded = load_text("ring.ank", ring(160, kHook));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    ASSERT_TRUE(loaded.prepared->compiled->is_large());
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 0.05}, .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_LT(run.summary.largest_energy_imbalance, 1e-9);
    for (const simulate::RowSummary& row : run.summary.constraints) {
        EXPECT_LT(row.residual, 1e-12) << row.name;
        EXPECT_LT(row.rate, 1e-12) << row.name;
    }
}

}  // namespace
}  // namespace ananke::pipeline
