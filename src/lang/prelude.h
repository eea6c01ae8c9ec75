// The definitions that every model knows: the files of prelude/, carried inside the program.
#pragma once

#include <span>
#include <string_view>

namespace ananke::lang {

struct PreludeFile {
    std::string_view name;  ///< "prelude/joints.ank"
    std::string_view text;
};

std::span<const PreludeFile> prelude();

}  // namespace ananke::lang
