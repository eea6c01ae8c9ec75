# sleef::sleef, for the build and for programs that link the installed library. Debian's package
# brings no CMake files of its own.
if(NOT TARGET sleef::sleef)
    find_library(SLEEF_LIBRARY sleef REQUIRED)
    add_library(sleef::sleef UNKNOWN IMPORTED)
    set_target_properties(sleef::sleef PROPERTIES IMPORTED_LOCATION ${SLEEF_LIBRARY})
endif()
