#include "base/growing_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace ananke {
namespace {

TEST(GrowingArray, KeepsWhatItHoldsWhileItGrows) {
    GrowingArray<std::uint32_t> array;
    EXPECT_TRUE(array.empty());
    constexpr std::uint32_t kCount = 1'000'000;  // beyond the size from which it grows by an eighth
    for (std::uint32_t i = 0; i < kCount; ++i) {
        array.push_back(i);
    }
    array.push_back(array[7]);
    ASSERT_EQ(array.size(), kCount + 1);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(array[i], i);
    }
    EXPECT_EQ(array[kCount], 7U);
    array.resize(kCount + 100, 5);
    EXPECT_EQ(array[kCount], 7U);
    EXPECT_EQ(array[kCount + 99], 5U);
    array.resize(3, 0);
    array.shrink_to_fit();
    EXPECT_EQ(array.size(), 3U);
    EXPECT_EQ(array[2], 2U);
}

TEST(GrowingArray, CopiesAreIndependent) {
    GrowingArray<int> array;
    array.resize(10, 4);
    GrowingArray<int> copy = array;
    copy[3] = 1;
    EXPECT_EQ(array[3], 4);
    array = std::move(copy);
    EXPECT_EQ(array[3], 1);
    array = GrowingArray<int>();
    EXPECT_EQ(array.size(), 0U);
    array.shrink_to_fit();
    EXPECT_EQ(array.begin(), array.end());
}

}  // namespace
}  // namespace ananke
