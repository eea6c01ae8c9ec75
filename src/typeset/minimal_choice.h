// Which motion variables describe the system, and which of them are independent.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "typeset/minimal.h"

namespace ananke::typeset {

struct MinimalChoice {
    std::vector<MotionVariable> variables;  ///< n: speeds as declared, then coordinates
    std::vector<std::size_t> independent;   ///< as asked for; empty if nothing was
    std::vector<std::string> notes;
};

/// Declared speeds first, completed by velocities of coordinates to n independent combinations of
/// q' at the state. What the user asked for is checked: names, number, and that the constraints
/// leave them free.
Result<MinimalChoice> choose_motion_variables(Model& model, const Equations& equations,
                                              const MinimalOptions& options,
                                              const sym::Values<double>& at);

}  // namespace ananke::typeset
