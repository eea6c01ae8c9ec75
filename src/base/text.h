// Numbers and names as text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ananke {

/// Shortest form that reads back exactly: 0.1, 1e-12, 3.
std::string to_text(double value);

/// A few significant digits for a person: 1.2e-13, 0.0417. Never "0.000000" for a number that is
/// not 0.
std::string to_short_text(double value, int digits = 3);

/// "a", "a and b", "a, b and c".
std::string join_names(std::span<const std::string> names);

/// Number of edits (insert, delete, replace, swap of neighbours) that turn one name into the other.
int edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `wanted`, or "" when none is near enough to be a likely slip.
std::string nearest_name(std::string_view wanted, std::span<const std::string> known);

/// True if `text` matches `pattern`, where `*` stands for any run of characters and all else is
/// literal.
bool matches_wildcard(std::string_view pattern, std::string_view text);

/// Columns of a plain-text table, padded to equal width; numbers of code points, not bytes, count.
std::string format_table(const std::vector<std::vector<std::string>>& rows,
                         std::string_view indent = "  ");

/// Text between the tags or in the quotes of HTML and SVG.
std::string html_escaped(std::string_view text);

/// Number of code points of a UTF-8 string.
std::size_t display_width(std::string_view text);

}  // namespace ananke
