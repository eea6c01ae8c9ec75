#include "ode/stepper.h"

#include <gtest/gtest.h>

namespace ananke::ode {
namespace {

// A stretch without steps, an integrator that has just started, has no smallest step.
TEST(Statistics, StretchesOfARunAddUp) {
    Statistics sum;
    add(sum, {.steps = 2, .rejected = 1, .smallest_step = 0.1, .largest_step = 0.4});
    add(sum, {.rejected = 3, .last_error = 7.0});
    add(sum, {.steps = 1, .smallest_step = 0.2, .largest_step = 0.2, .last_error = 0.5});
    EXPECT_EQ(sum.steps, 3u);
    EXPECT_EQ(sum.rejected, 4u);
    EXPECT_EQ(sum.smallest_step, 0.1);
    EXPECT_EQ(sum.largest_step, 0.4);
    EXPECT_EQ(sum.last_error, 0.5);
}

}  // namespace
}  // namespace ananke::ode
