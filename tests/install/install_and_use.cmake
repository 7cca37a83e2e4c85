# SPDX-License-Identifier: MIT
# Installs the build into a folder of its own, builds a user's project against it, without and with files, and runs it.
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
# build(NAME OPTIONS...): the user's project in a folder of that name.
function(build name)
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/install -B ${WORK}/${name} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release -DCAIRN_EXAMPLE=${SOURCE}/examples/bead.cpp ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
endfunction()

# The engine alone, where the libraries of files cannot be found.
build(engine -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON -DCMAKE_DISABLE_FIND_PACKAGE_pugixml=ON)
run(${WORK}/engine/user)
if(NOT output MATCHES "converged: bead moves at 1 m/s, impulse 3 N s")
  message(FATAL_ERROR "unexpected output: ${output}")
endif()
run(ldd ${WORK}/engine/user)
if(output MATCHES "hdf5|pugixml|json")
  message(FATAL_ERROR "the engine is linked with libraries of files: ${output}")
endif()

build(files -DCAIRN_USER_FILES=ON)
run(${WORK}/files/file_user ${SOURCE}/examples/scenes/tower.json ${WORK}/tower.hdf5)
if(NOT output MATCHES "^the contacts of a scene with")
  message(FATAL_ERROR "unexpected output: ${output}")
endif()
run(${WORK}/prefix/bin/cairn --version)
