// SPDX-License-Identifier: MIT
// Other programs, run at arm's length: with a time limit, their output captured, and whatever happens to them returned
// as a result. The only file of the program that starts processes.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace cairn::cli {

struct ChildSettings {
  double time_limit = 0;               ///< seconds of wall time; 0: none
  std::size_t output_limit = 1 << 20;  ///< bytes kept of stdout and of stderr each; the rest is read and dropped
  const std::atomic<bool>* interrupt = nullptr;  ///< polled; when true the child is ended
};

enum class ChildEnd {
  exited,       ///< by itself: `code` is its exit status
  signalled,    ///< by a signal it did not catch: `code` is the signal
  timed_out,    ///< the time limit was reached and its process group was killed
  interrupted,  ///< the caller asked to stop; its process group was killed
  not_started,  ///< the program cannot be run: `code` is errno
};

struct ChildResult {
  ChildEnd end = ChildEnd::not_started;
  int code = 0;
  double seconds = 0;  ///< wall time from start to end
  std::string out;     ///< stdout, up to the limit
  std::string err;     ///< stderr, up to the limit

  bool ok() const { return end == ChildEnd::exited && code == 0; }
};

/// "exit status 3", "signal 11 (Segmentation fault)", "time limit": for messages.
std::string describe(const ChildResult& result);

/// Runs argv[0] (a path, or a name looked up on PATH) with the given arguments: no shell, so nothing in them is
/// interpreted. The child reads from /dev/null and leads its own process group; when it ends, or is ended, all that is
/// left of the group gets SIGKILL, so no grandchild stays behind.
ChildResult run_child(const std::vector<std::string>& argv, const ChildSettings& settings = {});

}  // namespace cairn::cli
