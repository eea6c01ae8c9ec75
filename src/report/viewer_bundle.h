// The report page's program and style, built from app/viewer and carried by this program.
#pragma once

#include <string_view>

namespace ananke::report {

/// Both are empty where the program was built without node.
std::string_view viewer_script();
std::string_view viewer_style();

}  // namespace ananke::report
