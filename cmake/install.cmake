# SPDX-License-Identifier: MIT
# cmake --install gives headers, the libraries and find_package(cairn) -> cairn::cairn, with the components files and
# live -> cairn::files and cairn::live. Each component has its own list of targets: who does not ask for files needs no
# HDF5.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cairn_package ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
# cairn_install(SET TARGETS... FOLDERS...): the targets as one list, and the headers of these folders of cairn/.
function(cairn_install set)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "" "TARGETS;FOLDERS")
  install(TARGETS ${part_TARGETS} EXPORT cairn-${set})
  install(EXPORT cairn-${set} NAMESPACE cairn:: DESTINATION ${cairn_package})
  foreach(folder ${part_FOLDERS})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/cairn/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cairn
      FILES_MATCHING PATTERN "*.h")
  endforeach()
endfunction()

cairn_install(targets TARGETS cairn cairn_flags
  FOLDERS broad core dynamics geometry graph joints math measures narrow problem simd solvers world)
install(FILES ${PROJECT_SOURCE_DIR}/cairn/cairn.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cairn)
if(CAIRN_BUILD_FILES)
  cairn_install(files-targets TARGETS cairn_files FOLDERS io record scenefile)
  cairn_install(live-targets TARGETS cairn_live FOLDERS live)
  install(FILES ${PROJECT_SOURCE_DIR}/cairn/files.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cairn)
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
