#include "solve/allocation_count.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

#if !defined(__SANITIZE_ADDRESS__)

namespace {
long count = 0;
}

extern "C" {
void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
    ++count;
    return __libc_malloc(size);
}
}

namespace ananke::solve {

long allocation_count() {
    return count;
}

TEST(AllocationCount, SeesOperatorNew) {
    const long before = allocation_count();
    const auto number = std::make_unique<double>(1.0);
    volatile const double* use = number.get();
    static_cast<void>(*use);
    EXPECT_GT(allocation_count(), before);
}

}  // namespace ananke::solve

#else

namespace ananke::solve {

long allocation_count() {
    return 0;
}

}  // namespace ananke::solve

#endif
