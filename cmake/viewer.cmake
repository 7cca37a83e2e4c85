# SPDX-License-Identifier: MIT
# CAIRN_VIEWER_SOURCE: the viewer as a C++ file, bundled from viewer/ by node in the build folder; where that is not
# possible, a file that says there is none. Nothing here can make the build fail: neither node nor a network is needed.
set(CAIRN_VIEWER_SOURCE ${PROJECT_SOURCE_DIR}/apps/commands/viewer_script_none.cpp)
set(CAIRN_VIEWER_STATE "off" CACHE INTERNAL "on, no-node or no-packages")
set(viewer_folder ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_build ${PROJECT_BINARY_DIR}/viewer)
find_program(CAIRN_NODE node)
find_program(CAIRN_NPM npm)
if(NOT CAIRN_NODE OR NOT CAIRN_NPM)
  set(CAIRN_VIEWER_STATE "no-node" CACHE INTERNAL "")
  message(STATUS "Viewer: off, `cairn export RUN.h5 run.html` needs node and npm (apt-get install nodejs npm)")
  return()
endif()

# Packages are fetched when the lock file is not the one they were fetched for.
file(SHA256 ${viewer_folder}/package-lock.json viewer_lock)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_folder}/package-lock.json)
if(NOT EXISTS ${viewer_build}/fetched-${viewer_lock})
  file(COPY ${viewer_folder}/package.json ${viewer_folder}/package-lock.json DESTINATION ${viewer_build})
  execute_process(COMMAND ${CAIRN_NPM} ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000
    WORKING_DIRECTORY ${viewer_build} TIMEOUT 120 RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE reason)
  if(NOT result EQUAL 0)
    set(CAIRN_VIEWER_STATE "no-packages" CACHE INTERNAL "")
    string(REGEX MATCH "npm (error|ERR!)[^\n]*" reason "${reason}")
    message(STATUS "Viewer: off, npm could not fetch its packages (${reason}); configure again with a network")
    return()
  endif()
  file(TOUCH ${viewer_build}/fetched-${viewer_lock})
endif()

file(GLOB viewer_parts CONFIGURE_DEPENDS ${viewer_folder}/src/*)
add_custom_command(OUTPUT ${viewer_build}/viewer_script.cpp
  COMMAND ${CAIRN_NODE} ${viewer_folder}/build.mjs ${viewer_build}
  DEPENDS ${viewer_folder}/build.mjs ${viewer_parts} ${viewer_build}/fetched-${viewer_lock}
  COMMENT "Bundling the viewer" VERBATIM)
set(CAIRN_VIEWER_SOURCE ${viewer_build}/viewer_script.cpp)
set(CAIRN_VIEWER_STATE "on" CACHE INTERNAL "")
message(STATUS "Viewer: on")
