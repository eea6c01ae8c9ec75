# The report page: app/viewer built by node into one script and one style, which the program carries.
# Without node and npm everything else is built; `ananke run --report` then says what to install.
set(ANANKE_VIEWER_SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/app/viewer CACHE PATH "Sources of the report page")
set(viewer_source ${ANANKE_VIEWER_SOURCE})
set(viewer_bundle ${CMAKE_BINARY_DIR}/viewer)
option(ANANKE_VIEWER "Build the report page (needs node and npm)" ON)
find_program(NODE_PROGRAM node)
find_program(NPM_PROGRAM npm)

set(viewer_built FALSE)
if(ANANKE_VIEWER AND NODE_PROGRAM AND NPM_PROGRAM AND EXISTS ${viewer_source}/package-lock.json)
    set(viewer_built TRUE)
    file(GLOB_RECURSE viewer_files CONFIGURE_DEPENDS ${viewer_source}/src/*)
    file(GLOB viewer_settings CONFIGURE_DEPENDS ${viewer_source}/*.json ${viewer_source}/*.ts ${viewer_source}/*.html)
    add_custom_command(
        OUTPUT ${viewer_bundle}/viewer.js ${viewer_bundle}/viewer.css
        COMMAND ${CMAKE_SOURCE_DIR}/scripts/build-viewer.sh ${viewer_source} ${viewer_bundle}
        DEPENDS ${viewer_files} ${viewer_settings} ${CMAKE_SOURCE_DIR}/scripts/build-viewer.sh
        COMMENT "Building the report page"
        VERBATIM)
elseif(ANANKE_VIEWER AND EXISTS ${viewer_source}/package-lock.json)
    message(STATUS "No node or npm: the program is built without the report page (--report). "
        "On Debian: apt-get install nodejs npm")
endif()

# Parts of the binary: the assembler includes the files as they are.
if(viewer_built)
    set(viewer_parts "
asm(\".section .rodata\\n\"
    \"ananke_viewer_script:\\n.incbin \\\"${viewer_bundle}/viewer.js\\\"\\n\"
    \"ananke_viewer_script_end:\\n.byte 0\\n\"
    \"ananke_viewer_style:\\n.incbin \\\"${viewer_bundle}/viewer.css\\\"\\n\"
    \"ananke_viewer_style_end:\\n.byte 0\\n\"
    \".global ananke_viewer_script\\n.global ananke_viewer_script_end\\n\"
    \".global ananke_viewer_style\\n.global ananke_viewer_style_end\\n.text\\n\");
")
    set(viewer_symbols "
extern \"C\" {
extern const char ananke_viewer_script[], ananke_viewer_script_end[];
extern const char ananke_viewer_style[], ananke_viewer_style_end[];
}
")
    set(viewer_script "std::string_view(ananke_viewer_script, static_cast<std::size_t>(ananke_viewer_script_end - ananke_viewer_script))")
    set(viewer_style "std::string_view(ananke_viewer_style, static_cast<std::size_t>(ananke_viewer_style_end - ananke_viewer_style))")
else()
    set(viewer_parts "")
    set(viewer_symbols "")
    set(viewer_script "{}")
    if(ANANKE_FUZZ)
        set(viewer_script "\"// pages are written here, and shown to nobody\"")
    endif()
    set(viewer_style "{}")
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/viewer_bundle.cpp CONTENT
"#include \"report/viewer_bundle.h\"

#include <cstddef>
@viewer_parts@@viewer_symbols@
namespace ananke::report {

std::string_view viewer_script() {
    return @viewer_script@;
}

std::string_view viewer_style() {
    return @viewer_style@;
}

}  // namespace ananke::report
" @ONLY)
target_sources(ananke_report PRIVATE ${CMAKE_BINARY_DIR}/generated/viewer_bundle.cpp)
if(viewer_built)
    set_source_files_properties(${CMAKE_BINARY_DIR}/generated/viewer_bundle.cpp PROPERTIES
        OBJECT_DEPENDS "${viewer_bundle}/viewer.js;${viewer_bundle}/viewer.css")
endif()
