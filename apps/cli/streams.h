// SPDX-License-Identifier: MIT
// stdout and stderr of the program. Printing never fails half-way, so that files are written even where nobody can read
// the table: what could not be written is remembered, and the program ends with a message and an exit code.
#pragma once

#include <string>

namespace cairn::cli {

/// Takes over both streams, before anything is printed. A stream that was closed by the caller gets a descriptor that
/// takes nothing: else the next file that is opened would get its number, and the results.
void open_streams();

/// Brings out what is buffered. The system's words for why some of stdout was lost, or an empty text. What stderr loses
/// does not count: those are messages for people.
std::string lost_output();

}  // namespace cairn::cli
