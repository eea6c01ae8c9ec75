#include "mech/values.h"

#include <gtest/gtest.h>

#include "mech/model_builder.h"

namespace ananke::mech {
namespace {

using namespace testing;

TEST(ParameterValues, EachIsEvaluatedOverTheEarlierOnes) {
    Builder m;
    const F a = m.parameter("a", 3);
    const F b = m.parameter("b", 2.0 * a);
    m.parameter("c", sqrt(b - 2.0));
    EXPECT_EQ(parameter_values(m.model).value(), (std::vector<double>{3, 6, 2}));
    const std::vector<Override> overrides{{"a", 9}};
    EXPECT_EQ(parameter_values(m.model, overrides).value(), (std::vector<double>{9, 18, 4}));
    const std::vector<Override> cut{{"b", 11}};
    EXPECT_EQ(parameter_values(m.model, cut).value(), (std::vector<double>{3, 11, 3}));
}

TEST(ParameterValues, FailuresNameTheParameter) {
    Builder m;
    const F length = m.parameter("length", 1);
    m.parameter("root", sqrt(-length));
    const auto nan = parameter_values(m.model);
    ASSERT_FALSE(nan);
    EXPECT_EQ(nan.error().code, ErrorCode::kNotFinite);
    EXPECT_EQ(
        nan.error().message,
        "the value of parameter 'root' is not a finite number: sqrt(-length) with -length = -1");

    const std::vector<Override> typo{{"lenght", 2}};
    const auto unknown = parameter_values(m.model, typo);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(unknown.error().message,
              "the model has no parameter 'lenght'; did you mean 'length'?");
    const std::vector<Override> stranger{{"stiffness", 2}};
    EXPECT_EQ(parameter_values(m.model, stranger).error().message,
              "the model has no parameter 'stiffness'");
}

TEST(InitialValues, WhatIsNotMentionedIsAGuessOfZero) {
    Builder m;
    const F a = m.parameter("a", 3);
    const Q x = m.coordinate("x"), y = m.coordinate("y");
    m.model.initial.push_back({x.index, false, (2.0 * a).e, true, {}});
    m.model.initial.push_back({y.index, true, a.e, false, {}});
    const auto values = parameter_values(m.model).value();
    const InitialState state = initial_values(m.model, values).value();
    EXPECT_EQ(state.q, (std::vector<double>{6, 0}));
    EXPECT_EQ(state.v, (std::vector<double>{0, 3}));
    EXPECT_EQ(state.q_exact, (std::vector<bool>{true, false}));
    EXPECT_EQ(state.v_exact, (std::vector<bool>{false, false}));

    const std::vector<Override> overrides{{"y'", 7}, {"x", 1}};
    const InitialState changed = initial_values(m.model, values, overrides).value();
    EXPECT_EQ(changed.q, (std::vector<double>{1, 0}));
    EXPECT_EQ(changed.v, (std::vector<double>{0, 7}));
    EXPECT_EQ(changed.v_exact, (std::vector<bool>{false, true}));

    const std::vector<Override> unknown{{"angle", 1}};
    EXPECT_EQ(initial_values(m.model, values, unknown).error().message,
              "the model has no coordinate 'angle'");
    m.model.initial.push_back({x.index, true, (a / (a - 3.0)).e, true, {}});
    EXPECT_EQ(initial_values(m.model, values).error().message,
              "the initial value of x' is not a finite number: a/(a - 3) with a - 3 = 0");
}

}  // namespace
}  // namespace ananke::mech
