# SPDX-License-Identifier: MIT
# cmake --install gives headers, the library and find_package(cairn) -> cairn::cairn.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS cairn cairn_flags EXPORT cairn-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cairn/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cairn
  FILES_MATCHING PATTERN "*.h")
install(EXPORT cairn-targets NAMESPACE cairn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cairn-config.cmake.in
  ${PROJECT_BINARY_DIR}/cairn-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairn-config.cmake ${PROJECT_BINARY_DIR}/cairn-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
if(TARGET cairn_cli)
  install(TARGETS cairn_cli)
endif()
