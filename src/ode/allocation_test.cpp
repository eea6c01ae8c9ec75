#include "base/allocation_counter.h"
#include "ode/stepper_suite.h"

namespace ananke::ode {

long allocation_count() {
    return allocations_so_far;
}

}  // namespace ananke::ode
