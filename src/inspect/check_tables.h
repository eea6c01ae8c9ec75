// The findings of check() as tables: what the text and the report page share.
#pragma once

#include <string>
#include <vector>

#include "inspect/check.h"

namespace ananke::inspect {

/// Rows of cells; the first row is the head unless a function says otherwise.
using TextTable = std::vector<std::vector<std::string>>;

/// constraint, kind, multiplier, residual at start, remark.
TextTable constraint_table(const CheckReport& report, const compile::Prepared& prepared);
/// redundant, is a combination of others, mismatch.
TextTable dependence_table(const CheckReport& report, const compile::Prepared& prepared);
/// "rod, wire and link" for each set of rows tied by a dependence.
std::vector<std::string> dependent_sets(const CheckReport& report,
                                        const compile::Prepared& prepared);
/// reaction, on, unique, one of many, shared with. Tells something only where rows are dependent.
TextTable reaction_table(const CheckReport& report, const compile::Prepared& prepared);
/// Name and what it pushes, without a head.
TextTable control_table(const compile::Prepared& prepared);

}  // namespace ananke::inspect
