# What src/dense/dense.h declares as compiled elsewhere is compiled from the same list.
set(dense_header ${CMAKE_CURRENT_SOURCE_DIR}/src/dense/dense.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dense_header})
file(READ ${dense_header} dense_list)
string(FIND "${dense_list}" "namespace Eigen {" dense_begin)
string(SUBSTRING "${dense_list}" ${dense_begin} -1 dense_list)
string(REPLACE "extern template" "template" dense_list "${dense_list}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/dense.cpp CONTENT "#include \"dense/dense.h\"

@dense_list@" @ONLY)
add_library(ananke_dense STATIC ${CMAKE_BINARY_DIR}/generated/dense.cpp)
target_include_directories(ananke_dense PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)
target_link_libraries(ananke_dense PUBLIC ananke_base $<BUILD_INTERFACE:Eigen3::Eigen>
    PRIVATE $<BUILD_INTERFACE:ananke_options>)
target_precompile_headers(ananke_dense PRIVATE ${ananke_standard_headers} ${dense_header})
