// Where the results go: a CSV file, and the generated part of a page in docs/.
#pragma once

#include <string>

#include "base/result.h"

namespace ananke::bench {

/// CPU, cores, system, compiler and its options: one sentence.
std::string machine();

Result<void> write_file(const std::string& path, const std::string& text);

/// Puts `text` between the lines `<!-- begin: part -->` and `<!-- end: part -->` of the page.
Result<void> replace_part(const std::string& page, const std::string& part,
                          const std::string& text);

}  // namespace ananke::bench
