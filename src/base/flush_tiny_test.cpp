#include "base/flush_tiny.h"

#include <gtest/gtest.h>

#include <limits>

namespace ananke {
namespace {

double half_of_the_smallest() {
    volatile double smallest = std::numeric_limits<double>::min();
    volatile double half = 0.5;
    return smallest * half;
}

TEST(FlushTiny, TinyResultsAreZeroOnlyWhileItLives) {
    EXPECT_GT(half_of_the_smallest(), 0.0);
    double inside = 1.0;
    {
        const FlushTiny flush;
        { const FlushTiny nested; }
        inside = half_of_the_smallest();  // compared outside, where operands are not flushed
    }
#if defined(__SSE2__) || defined(__aarch64__)
    EXPECT_EQ(inside, 0.0);
#endif
    EXPECT_GT(half_of_the_smallest(), 0.0);
}

}  // namespace
}  // namespace ananke
