# ananke_folder(name USES ... [PRIVATE_USES ...] [TEST_USES ...] [HEADERS folder])
#
# src/<name> becomes the static library ananke_<name>; its *_test.cpp files become the test program
# test_<name>. Sources are found by name so that adding a file is adding a file.
#
# HEADERS names the folder whose precompiled headers it shares: base has those of the standard library
# and fmt, dense those of Eigen besides. Reading them is half of the time to compile a small source.
function(ananke_folder name)
    cmake_parse_arguments(FOLDER "" "HEADERS" "USES;PRIVATE_USES;TEST_USES" ${ARGN})
    set(root ${CMAKE_CURRENT_SOURCE_DIR}/src)
    file(GLOB sources CONFIGURE_DEPENDS ${root}/${name}/*.cpp)
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")

    if(sources)
        add_library(ananke_${name} STATIC ${sources})
        target_include_directories(ananke_${name} PUBLIC $<BUILD_INTERFACE:${root}>)
        target_link_libraries(ananke_${name} PUBLIC ${FOLDER_USES}
            PRIVATE ${FOLDER_PRIVATE_USES} $<BUILD_INTERFACE:ananke_options>)
    else()
        add_library(ananke_${name} INTERFACE)
        target_include_directories(ananke_${name} INTERFACE $<BUILD_INTERFACE:${root}>)
        target_link_libraries(ananke_${name} INTERFACE ${FOLDER_USES} ${FOLDER_PRIVATE_USES})
    endif()

    ananke_share_headers(ananke_${name} "${FOLDER_HEADERS}")

    if(tests)
        add_executable(test_${name} ${tests})
        target_link_libraries(test_${name} PRIVATE ananke_${name} ${FOLDER_TEST_USES} ananke_options GTest::gtest_main)
        ananke_share_test_headers(test_${name})
        add_test(NAME ${name} COMMAND test_${name})
    endif()
endfunction()

set(ananke_standard_headers <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <map> <memory>
    <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# The precompiled headers of another folder; base has its own.
function(ananke_share_headers target owner)
    if(target STREQUAL "ananke_base")
        target_precompile_headers(${target} PRIVATE ${ananke_standard_headers})
    elseif(owner STREQUAL "")
        target_precompile_headers(${target} REUSE_FROM ananke_base)
    else()
        target_precompile_headers(${target} REUSE_FROM ananke_${owner})
    endif()
endfunction()

# The headers that all test programs share: those of the library that tells them their places.
function(ananke_share_test_headers target)
    target_precompile_headers(${target} REUSE_FROM ananke_test_places)
endfunction()
