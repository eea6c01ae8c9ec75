// Calls of functions: those of the language, each by its name in a table, and those of the model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/lowering.h"

namespace ananke::lang {

Value call(Lowering& in, ExprId id);
bool check_arity(Lowering& in, ExprId call, std::string_view name, std::size_t arity);
void define(Lowering& in, const FunctionDefinition& node);

// Arguments of functions and joints (arguments.cpp).

/// No reserved name, no name twice.
bool check_arguments(Lowering& in, const std::vector<Argument>& arguments);
// The arguments of a call in the order of the definition. False after a mistake, which is reported.
bool bind_function(Lowering& in, ExprId call, const std::string& name, const Function& function,
                   std::vector<Local>& out);
bool bind_joint(Lowering& in, ExprId call, const std::string& name, const JointKind& kind,
                std::vector<Local>& out);

}  // namespace ananke::lang
