#include "solve/allocation_count.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/allocation_counter.h"

namespace ananke::solve {

long allocation_count() {
    return allocations_so_far;
}

#if !ANANKE_ADDRESS_SANITIZER
TEST(AllocationCount, SeesOperatorNew) {
    const long before = allocation_count();
    const auto number = std::make_unique<double>(1.0);
    volatile const double* use = number.get();
    static_cast<void>(*use);
    EXPECT_GT(allocation_count(), before);
}
#endif

}  // namespace ananke::solve
