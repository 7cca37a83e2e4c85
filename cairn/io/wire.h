// SPDX-License-Identifier: MIT
// A ProblemFile, or the error instead of it, as bytes (core/bytes.h) for a pipe.
#pragma once

#include <string>

#include "cairn/core/errors.h"
#include "cairn/io/problem_file.h"

namespace cairn {

std::string encode(const Expected<ProblemFile>& result);

/// What was encoded. Throws InputError where the bytes are no such thing: everything is checked again, since the sender
/// may have been damaged by what it read.
Expected<ProblemFile> decode(const std::string& bytes);

}  // namespace cairn
