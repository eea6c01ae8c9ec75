// One run, several recorders.
#pragma once

#include <memory>
#include <vector>

#include "sim/record.h"

namespace ananke::io {

/// Every recorder gets every call, also when one of them fails; the first failure is the answer.
std::unique_ptr<sim::Recorder> tee(std::vector<std::unique_ptr<sim::Recorder>> recorders);

}  // namespace ananke::io
