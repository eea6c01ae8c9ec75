// Curves as a picture for papers and scripts: SVG or PNG, in the style of the report page.
#pragma once

#include "ananke/show.h"
#include "base/result.h"

namespace ananke::io {

/// Unit of a recorded quantity where its name tells one: t is s, force[c:P].x is N; "" if unknown.
std::string unit_of(std::string_view column);

}  // namespace ananke::io
