# Compiler options shared by every target.

add_library(ananke_options INTERFACE)
target_compile_options(ananke_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
    # gcc 12 warns of impossible overlaps and bounds inside std::string (its bugs 105651, 105329).
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overread>"
    # gcc's -Wconversion does not include signs in C++: Eigen counts in signed numbers, the standard
    # library in unsigned ones.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>
    # fma is chosen once, in the straight-line program; the compiler must not add its own.
    -ffp-contract=off)

if(ANANKE_SANITIZE)
    target_compile_options(ananke_options INTERFACE
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
        $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/sanitize.ignore>)
    target_compile_definitions(ananke_options INTERFACE _GLIBCXX_ASSERTIONS)
    target_link_options(ananke_options INTERFACE -fsanitize=address,undefined)
endif()

if(ANANKE_FUZZ)
    # Counts of branches taken and operands compared, by which the fuzzer knows that an input is new.
    # The address sanitizer finds what the four other checks do, which take a third of the time.
    target_compile_options(ananke_options INTERFACE
        -fsanitize=fuzzer-no-link -fno-sanitize=null,alignment,object-size,vptr)
endif()

# ccache reads precompiled headers only as written here: the compiler names them in what it preprocesses, and
# ccache does not ask which of their macros a source uses. Paths count from the tree's parent, so that several
# trees share what they have in common.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    get_filename_component(ccache_base ${CMAKE_SOURCE_DIR} DIRECTORY)
    set(ccache_launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_BASEDIR=${ccache_base} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_launcher})
    set(CMAKE_C_COMPILER_LAUNCHER ${ccache_launcher})
    target_compile_options(ananke_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
