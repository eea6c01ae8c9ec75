// Where a line ends a statement, and which brackets have no partner.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "lang/lexer.h"

namespace ananke::lang {

/// The tokens of a file without the newlines that end no statement; brackets without a partner are
/// reported and marked.
std::vector<Token> apply_line_rules(const Sources& sources, std::vector<Token> tokens,
                                    std::vector<Diagnostic>& diagnostics);

}  // namespace ananke::lang
