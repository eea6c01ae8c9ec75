// Counts every allocation of the test program, Eigen's included (it calls malloc itself).
#pragma once

namespace ananke::solve {

/// Number of allocations so far. Always 0 under the address sanitizer, which owns malloc.
long allocation_count();

}  // namespace ananke::solve
