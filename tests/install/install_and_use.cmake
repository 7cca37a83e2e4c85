# SPDX-License-Identifier: MIT
# Installs the build into a folder of its own, builds a user's project against it, and runs that.
# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -P install_and_use.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/install -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release -DCAIRN_EXAMPLE=${SOURCE}/examples/bead.cpp)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/user)
if(NOT output MATCHES "converged: bead moves at 1 m/s, impulse 3 N s")
  message(FATAL_ERROR "unexpected output: ${output}")
endif()
run(${WORK}/prefix/bin/cairn --version)
