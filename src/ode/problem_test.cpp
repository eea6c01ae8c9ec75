#include "ode/problem.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "ode/dop853.h"

namespace ananke::ode {
namespace {

std::string refusal(const Options& options, std::size_t size = 2) {
    const Result<void> checked = check_options(options, size);
    return checked ? "" : checked.error().message;
}

TEST(Options, WhatCannotBeRightIsRefusedWithItsValue) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refusal({}), "");
    EXPECT_EQ(refusal({.rtol = 0.0, .atol_each = {1e-9, 1e-3}}), "");
    EXPECT_EQ(refusal({.rtol = -1.0}),
              "the relative tolerance is -1, expected a number of at least 0");
    EXPECT_EQ(refusal({.atol = 0.0}), "the absolute tolerance is 0, expected a number above 0");
    EXPECT_EQ(refusal({.atol = kNan}), "the absolute tolerance is nan, expected a number above 0");
    EXPECT_EQ(refusal({.atol_each = {1e-9}}), "1 absolute tolerances are given for 2 components");
    EXPECT_EQ(refusal({.atol_each = {1e-9, -2.0}}),
              "an absolute tolerance is -2, expected a number above 0");
    EXPECT_EQ(refusal({.initial_step = -0.1}),
              "the initial step is -0.1, expected a number of at least 0");
    EXPECT_EQ(refusal({.max_step = 0.0}), "the largest step is 0, expected a number above 0");
    EXPECT_EQ(refusal({.max_step = 1.0, .min_step = 2.0}),
              "the least step is 2, expected a number from 0 to the largest step");
}

TEST(Options, AreCheckedByTheStepper) {
    const auto rhs = [](double, std::span<const double>, std::span<double>) {
        return Evaluation::ok();
    };
    const Result<Dop853> made = Dop853::create({.size = 1, .rhs = rhs}, {.rtol = -1.0});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace ananke::ode
