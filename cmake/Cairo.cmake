# cairo::cairo, for the build and for programs that link the installed library.
if(NOT TARGET cairo::cairo)
    find_library(CAIRO_LIBRARY cairo REQUIRED)
    find_path(CAIRO_INCLUDE_DIR cairo.h PATH_SUFFIXES cairo REQUIRED)
    add_library(cairo::cairo UNKNOWN IMPORTED)
    set_target_properties(cairo::cairo PROPERTIES IMPORTED_LOCATION ${CAIRO_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${CAIRO_INCLUDE_DIR})
endif()
