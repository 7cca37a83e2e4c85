# SPDX-License-Identifier: MIT
# cmake --install gives headers, the libraries and find_package(cairn) -> cairn::cairn, with the components files and
# live -> cairn::files and cairn::live. Each component has its own list of targets: who does not ask for files needs no
# HDF5.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cairn_package ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)
# cairn_install(SET TARGETS... HEADERS...): the targets as one list, and these headers.
function(cairn_install set)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "" "TARGETS;HEADERS")
  install(TARGETS ${part_TARGETS} EXPORT cairn-${set})
  install(EXPORT cairn-${set} NAMESPACE cairn:: DESTINATION ${cairn_package})
  foreach(header ${part_HEADERS})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  endforeach()
endfunction()

cairn_install(targets TARGETS cairn cairn_flags HEADERS ${cairn_public_headers})
if(CAIRN_BUILD_FILES)
  cairn_install(files-targets TARGETS cairn_files HEADERS ${cairn_files_public_headers})
  cairn_install(live-targets TARGETS cairn_live HEADERS ${cairn_live_public_headers})
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cairn-config.cmake.in
  ${PROJECT_BINARY_DIR}/cairn-config.cmake INSTALL_DESTINATION ${cairn_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairn-config.cmake ${PROJECT_BINARY_DIR}/cairn-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake
  DESTINATION ${cairn_package})
if(TARGET cairn_cli)
  install(TARGETS cairn_cli)
endif()
