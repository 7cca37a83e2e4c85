// SPDX-License-Identifier: MIT
// Progress and interruption: what a person at a terminal sees while something takes long.
#pragma once

#include <atomic>
#include <string>

#include "cairn/core/timer.h"

namespace cairn::cli {

/// On a terminal one line of stderr, rewritten in place once half a second has passed; in a file a line every ten
/// seconds.
class Progress {
 public:
  /// `limit`: seconds that it may take at most, if that is known.
  explicit Progress(std::string what, double limit = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const std::string& state);

 private:
  std::string what_;
  double limit_;
  Timer since_start_, since_update_;
  bool terminal_, shown_ = false;
};

/// The text without control characters, which a file name could use to write on the user's terminal.
std::string printable(std::string text);

/// Set by SIGINT, SIGTERM and SIGHUP after `catch_interrupts`; a second signal ends the program at once.
const std::atomic<bool>& interrupted();
/// 128 + the signal that came: what shells expect.
int interrupt_code();
void catch_interrupts();

}  // namespace cairn::cli
