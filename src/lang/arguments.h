// Arguments of functions and joints: their names in a definition, their values in a call.
#pragma once

#include <string>
#include <vector>

#include "lang/lowering.h"

namespace ananke::lang {

/// No reserved name, no name twice.
bool check_arguments(Lowering& in, const std::vector<Argument>& arguments);
// The arguments of a call in the order of the definition. False after a mistake, which is reported.
bool bind_function(Lowering& in, ExprId call, const std::string& name, const Function& function,
                   std::vector<Local>& out);
bool bind_joint(Lowering& in, ExprId call, const std::string& name, const JointKind& kind,
                std::vector<Local>& out);

}  // namespace ananke::lang
