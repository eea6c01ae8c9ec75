# hdf5::hdf5, with which the tests read what the program writes. Debian keeps header and library of its serial build in folders
# of their own.
if(NOT TARGET hdf5::hdf5)
    find_library(HDF5_C_LIBRARY NAMES hdf5 hdf5_serial PATH_SUFFIXES hdf5/serial REQUIRED)
    find_path(HDF5_C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
    add_library(hdf5::hdf5 UNKNOWN IMPORTED)
    set_target_properties(hdf5::hdf5 PROPERTIES IMPORTED_LOCATION ${HDF5_C_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${HDF5_C_INCLUDE_DIR})
endif()
