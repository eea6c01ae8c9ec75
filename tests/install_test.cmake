# cmake -D BUILD=... -D SOURCE=... -D COMPILER=... -D FLAGS=... -P install_test.cmake
#
# Installs the build under its own folder, builds tests/consumer against the installed package and
# compares what it prints with the closed form: x'' = -4 x, x(0) = 1, so x(1) = cos 2 = -0.416147.
cmake_minimum_required(VERSION 3.25)
set(root ${BUILD}/install_test)
file(REMOVE_RECURSE ${root})

function(must_run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT code EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nended with ${code}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

must_run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${root}/prefix)
foreach(file bin/ananke include/ananke/ananke.h share/ananke/models/duffing.ank share/doc/ananke/LICENSE)
    if(NOT EXISTS ${root}/prefix/${file})
        message(FATAL_ERROR "${file} is not installed")
    endif()
endforeach()
must_run(${root}/prefix/bin/ananke check ${root}/prefix/share/ananke/models/duffing.ank)

must_run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${root}/consumer
    -D CMAKE_PREFIX_PATH=${root}/prefix -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_BUILD_TYPE=Release)
must_run(${CMAKE_COMMAND} --build ${root}/consumer)
must_run(${root}/consumer/consumer)
if(NOT output STREQUAL "x(1) = -0.416147\n")
    message(FATAL_ERROR "the consumer printed ${output}")
endif()

# Nothing installed may point into the build or the source.
file(GLOB package ${root}/prefix/lib*/cmake/ananke/*.cmake ${root}/prefix/lib*/*/cmake/ananke/*.cmake)
if(NOT package)
    message(FATAL_ERROR "the CMake package is not installed")
endif()
foreach(file IN LISTS package)
    file(READ ${file} text)
    string(FIND "${text}" "${SOURCE}" place)
    if(NOT place EQUAL -1)
        message(FATAL_ERROR "${file} mentions ${SOURCE}")
    endif()
endforeach()
