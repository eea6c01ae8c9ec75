// Which of several initial values counts.
#include "lang/starts.h"

#include <gtest/gtest.h>

namespace ananke::lang {
namespace {

using Origin = Starts::Origin;

mech::InitialValue value_at(std::uint32_t place, bool exact) {
    return {0, false, {}, exact, {0, place, place}};
}

/// The place of the value that counts.
std::uint32_t chosen(const Starts& starts) {
    return starts.values().at(0).span.begin;
}

TEST(Starts, ExactBeatsGuessInEitherOrder) {
    Starts starts;
    EXPECT_FALSE(starts.add(value_at(1, false), Origin::kModel));
    EXPECT_FALSE(starts.add(value_at(2, true), Origin::kModel));
    EXPECT_FALSE(starts.add(value_at(3, false), Origin::kModel));
    EXPECT_EQ(chosen(starts), 2U);
}

TEST(Starts, TheImportingFileBeatsTheImportedOne) {
    Starts starts;
    EXPECT_FALSE(starts.add(value_at(1, true), Origin::kImported));
    EXPECT_FALSE(starts.add(value_at(2, false), Origin::kModel));
    EXPECT_EQ(chosen(starts), 2U);
}

TEST(Starts, TheFirstOfTwoExactValuesStaysAndIsNamed) {
    Starts starts;
    EXPECT_FALSE(starts.add(value_at(1, true), Origin::kModel));
    EXPECT_EQ(starts.add(value_at(2, true), Origin::kModel).value().begin, 1U);
    EXPECT_EQ(chosen(starts), 1U);
}

TEST(Starts, PositionsAndVelocitiesAreApart) {
    Starts starts;
    starts.add({1, true, {}, true, {}}, Origin::kModel);
    starts.add({1, false, {}, true, {}}, Origin::kModel);
    ASSERT_EQ(starts.values().size(), 2U);
    starts.remove(1, 0);
    ASSERT_EQ(starts.values().size(), 1U);
    EXPECT_TRUE(starts.values()[0].velocity);
}

}  // namespace
}  // namespace ananke::lang
