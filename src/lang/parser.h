// Tokens to the tree of one file, with all syntax errors in one go.
//
// Binding, tightest first: prime, index and member; ^ (right); unary minus; * /; + -; comparison;
// not; and; or; if-then-else. After an error reading goes on at the next statement.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "lang/ast.h"
#include "lang/limits.h"

namespace ananke::lang {

/// Reads the whole file. Mistakes are appended to `diagnostics`.
Tree parse_file(const Sources& sources, std::uint32_t file, const Limits& limits,
                std::vector<Diagnostic>& diagnostics);

/// Reads a file that holds one setting `name = value` or `name ~ value` and nothing else (given on
/// the command line). False after an error.
bool parse_setting(const Sources& sources, std::uint32_t file, const Limits& limits, Tree& tree,
                   Binding& setting, std::vector<Diagnostic>& diagnostics);

}  // namespace ananke::lang
