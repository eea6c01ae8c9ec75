# The files of prelude/ as C++ text, so that the program carries its own joints.
file(GLOB prelude_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/prelude/*.ank)
set(entries "")
foreach(path ${prelude_files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    get_filename_component(name ${path} NAME)
    file(READ ${path} content)
    # A literal may not be longer than 64 kB: one per line.
    string(REPLACE "\n" "\n)ank\" R\"ank(" content "${content}")
    string(APPEND entries "    {\"prelude/${name}\", R\"ank(${content})ank\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/prelude.cpp CONTENT
"#include \"lang/prelude.h\"

#include <array>

namespace ananke::lang {
namespace {

constexpr PreludeFile kFiles[] = {
@entries@};

}  // namespace

std::span<const PreludeFile> prelude() {
    return kFiles;
}

}  // namespace ananke::lang
" @ONLY)
target_sources(ananke_lang PRIVATE ${CMAKE_BINARY_DIR}/generated/prelude.cpp)
