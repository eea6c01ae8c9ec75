// SHA-256, by which the policy of a page names the one script and the one style that it may run.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ananke::report {

/// FIPS 180-4, section 6.2.
std::array<std::byte, 32> sha256(std::string_view text);

}  // namespace ananke::report
