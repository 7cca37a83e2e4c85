// SPDX-License-Identifier: MIT
// Reading HDF5 in a process of its own, so that a file made to crash the library is one clear error.
#pragma once

#include <functional>
#include <string>

#include "cairn/core/bytes.h"
#include "cairn/core/errors.h"

namespace cairn {

/// Does `work` in a child process: its bytes, or its error with the name of the file.
Expected<std::string> read_isolated(const std::string& path, double time_limit,
                                    const std::function<void(ByteWriter&)>& work);

}  // namespace cairn
