#include "simulate/friction_decision.h"

#include <array>

#include "simulate/text_model.h"

namespace ananke::simulate {
namespace {

/// Two blocks of mass 1 on a floor, mu g = 3 for the first and 5 for the second, joined by a rod
/// where there is one.
std::string blocks(double force, const std::string& rod) {
    return "coordinate x, y, zx, zy\n"
           "particle P mass 1 at (x, 0, zx)\n"
           "particle Q mass 1 at (y, 1, zy)\n"
           "gravity (0, 0, -10)\n"
           "constraint under_P: zx = 0\n"
           "constraint under_Q: zy = 0\n" +
           rod +
           "friction on under_P: coulomb(mu = 0.3)\n"
           "friction on under_Q: coulomb(mu = 0.5)\n"
           "force on x = " +
           std::to_string(force) + "\n";
}

/// What is decided at x' and y': "stick" or the direction of slip, of both.
std::string decided(const std::string& text, double vx, double vy) {
    const std::shared_ptr<compile::Prepared> prepared = testing::prepare_text(text);
    dynamics::Evaluator evaluator(prepared->compiled, prepared->parameters);
    FrictionDecision decision(evaluator, {});
    const std::array<double, 4> q{0.0, 1.0, 0.0, 0.0};
    const std::array<double, 4> v{vx, vy, 0.0, 0.0};
    evaluator.scales().see(q.data(), v.data());
    const auto changes = decision.settle(0.0, q.data(), v.data());
    EXPECT_TRUE(changes) << changes.error().message;
    std::string result;
    for (int f = 0; f < decision.count(); ++f) {
        result += evaluator.sticks(f)               ? "stick "
                  : evaluator.direction(f)[0] > 0.0 ? "slip+ "
                  : evaluator.direction(f)[0] < 0.0 ? "slip- "
                                                    : "none ";
    }
    return result;
}

TEST(FrictionDecision, HoldsUpToTheLimit) {
    EXPECT_EQ(decided(blocks(2.99, ""), 0.0, 0.0), "stick stick ");
    EXPECT_EQ(decided(blocks(3.01, ""), 0.0, 0.0), "slip+ stick ");
    EXPECT_EQ(decided(blocks(-3.01, ""), 0.0, 0.0), "slip- stick ");
}

// What slips keeps its direction, whatever pushes.
TEST(FrictionDecision, SlipHasTheDirectionOfTheVelocity) {
    EXPECT_EQ(decided(blocks(9.0, ""), -0.5, 0.5), "slip- slip+ ");
}

// Joined blocks give way together, at the sum of their limits, 8.
TEST(FrictionDecision, JoinedBlocksHoldTogether) {
    const std::string rod = "constraint rod: y - x = 1\n";
    EXPECT_EQ(decided(blocks(7.99, rod), 0.0, 0.0), "stick stick ");
    EXPECT_EQ(decided(blocks(8.01, rod), 0.0, 0.0), "slip+ slip+ ");
}

}  // namespace
}  // namespace ananke::simulate
