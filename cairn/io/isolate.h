// SPDX-License-Identifier: MIT
// Work on untrusted input in a process of its own: a crash or an endless loop there is an error value here.
#pragma once

#include <functional>
#include <string>

#include "cairn/core/errors.h"

namespace cairn {

/// How much longer than its limit a child may wait.
inline constexpr double kIsolationPatience = 6;

/// Runs `work` in a child process and returns the bytes it gave. An error where the child ends by a signal, takes
/// longer than `seconds`, or delivers less than it promised. The seconds are those of the processor, so that a busy
/// machine does not use them up; a child that waits instead of working gets kIsolationPatience times as many by the
/// clock. What `work` changes in memory stays in the child; it must not start threads, and exceptions that leave it are
/// an error.
///
/// Only the calling thread exists in the child. `work` may allocate: glibc's malloc is taken over in a consistent state
/// by fork. It must not take other locks that a thread of this process may hold at the moment (HDF5 itself among them:
/// do not use it elsewhere at the same time).
Expected<std::string> run_isolated(const std::function<std::string()>& work, double seconds);

}  // namespace cairn
