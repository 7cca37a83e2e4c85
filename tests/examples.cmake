# SPDX-License-Identifier: MIT
# Runs a program of the guide and compares what it prints with the file beside its source.
# cmake -DPROGRAM=... -DARGUMENTS=... -DEXPECTED=... -P examples.cmake
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}.\nIt printed:\n${output}${errors}\nIt should print (${EXPECTED}):\n${expected}")
endif()
