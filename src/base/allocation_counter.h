// For tests: counts every allocation of the program, those of C libraries and of Eigen included.
// Replaces malloc: include it in exactly one source of a test program.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "base/sanitizers.h"

namespace ananke {

inline long allocations_so_far = 0;

}  // namespace ananke

#if !ANANKE_ADDRESS_SANITIZER  // the address sanitizer owns malloc; the count stays 0 there

extern "C" {
void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
    ++ananke::allocations_so_far;
    return __libc_malloc(size);
}
}

#endif
