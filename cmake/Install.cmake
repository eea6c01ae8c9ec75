# make install: program, static libraries, public headers, gallery, licence, and a CMake package, so
# that another project says find_package(ananke) and links ananke::ananke.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ananke)
set(folders base sym mech classify typeset lang code dense solve ode compile dynamics simulate inspect io report api)
foreach(folder IN LISTS folders)
    set_target_properties(ananke_${folder} PROPERTIES EXPORT_NAME ${folder})
    install(TARGETS ananke_${folder} EXPORT anankeTargets)
endforeach()
set_target_properties(ananke_api PROPERTIES EXPORT_NAME ananke)
target_compile_features(ananke_api PUBLIC cxx_std_20)

install(EXPORT anankeTargets NAMESPACE ananke:: DESTINATION ${package_dir})
configure_package_config_file(cmake/anankeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/anankeConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/anankeConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES cmake/Sleef.cmake cmake/Klu.cmake cmake/Cairo.cmake ${CMAKE_CURRENT_BINARY_DIR}/anankeConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/anankeConfigVersion.cmake DESTINATION ${package_dir})

install(DIRECTORY include/ananke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ananke/models)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Installs into the build folder and builds a project against it.
set(consumer_flags "")
if(ANANKE_SANITIZE)
    set(consumer_flags "-fsanitize=address,undefined")
endif()
add_test(NAME install COMMAND ${CMAKE_COMMAND}
    -D BUILD=${CMAKE_BINARY_DIR} -D SOURCE=${CMAKE_SOURCE_DIR} -D FLAGS=${consumer_flags}
    -D COMPILER=${CMAKE_CXX_COMPILER} -P ${CMAKE_SOURCE_DIR}/tests/install_test.cmake)
