// load_model_text() with limits of the language of one's own, and with a reader of one's own for
// imported files: for texts of nobody knows whom.
#pragma once

#include <string>

#include "ananke/model.h"
#include "lang/limits.h"
#include "lang/parse_model.h"

namespace ananke {

struct Bounds {
    lang::Limits limits{};
    lang::FileReader read = lang::read_file;
};

Loaded load_model_text(std::string name, std::string text, const LoadOptions& options,
                       const Bounds& bounds);

}  // namespace ananke
