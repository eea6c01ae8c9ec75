# klu::klu of SuiteSparse, for the build and for programs that link the installed library. Debian's
# package brings no CMake files of its own.
if(NOT TARGET klu::klu)
    find_library(KLU_LIBRARY klu REQUIRED)
    find_path(KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
    add_library(klu::klu UNKNOWN IMPORTED)
    set_target_properties(klu::klu PROPERTIES
        IMPORTED_LOCATION ${KLU_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${KLU_INCLUDE})
endif()
