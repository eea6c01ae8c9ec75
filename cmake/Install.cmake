# make install: the program, the gallery and the licence.
include(GNUInstallDirs)
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ananke/models)
