# SPDX-License-Identifier: MIT
# voro++ ships no CMake config: Voro::Voro from its header and library.
find_path(VORO_INCLUDE_DIR voro++/voro++.hh)
find_library(VORO_LIBRARY voro++)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Voro REQUIRED_VARS VORO_LIBRARY VORO_INCLUDE_DIR)
if(Voro_FOUND AND NOT TARGET Voro::Voro)
  add_library(Voro::Voro UNKNOWN IMPORTED)
  set_target_properties(Voro::Voro PROPERTIES
    IMPORTED_LOCATION "${VORO_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${VORO_INCLUDE_DIR}")
endif()
mark_as_advanced(VORO_INCLUDE_DIR VORO_LIBRARY)
