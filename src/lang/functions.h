// Calls of functions: those of the language, each by its name in a table, and those of the model.
#pragma once

#include <string_view>

#include "lang/lowering.h"

namespace ananke::lang {

Value call(Lowering& in, ExprId id);
bool check_arity(Lowering& in, ExprId call, std::string_view name, std::size_t arity);
void define(Lowering& in, const FunctionDefinition& node);

}  // namespace ananke::lang
