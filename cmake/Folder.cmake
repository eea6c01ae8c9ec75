# ananke_folder(name USES ... [PRIVATE_USES ...] [TEST_USES ...])
#
# src/<name> becomes the static library ananke_<name>; its *_test.cpp files become the test program
# test_<name>. Sources are found by name so that adding a file is adding a file.
function(ananke_folder name)
    cmake_parse_arguments(FOLDER "" "" "USES;PRIVATE_USES;TEST_USES" ${ARGN})
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

    if(tests)
        add_executable(test_${name} ${tests})
        target_link_libraries(test_${name} PRIVATE ananke_${name} ${FOLDER_TEST_USES} ananke_options GTest::gtest_main)
        target_compile_definitions(test_${name} PRIVATE
            ANANKE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
        add_test(NAME ${name} COMMAND test_${name})
    endif()
endfunction()
