// SPDX-License-Identifier: MIT
// Timers: wall-clock time of a part of the work, on a clock that never goes back.
#pragma once

#include <chrono>

namespace cairn {

class Timer {
 public:
  Timer() : start_(Clock::now()) {}
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

/// Adds the life time of a scope to a sum: { ScopedTimer timing(report.seconds); ... }
class ScopedTimer {
 public:
  explicit ScopedTimer(double& sum) : sum_(sum) {}
  ~ScopedTimer() { sum_ += timer_.seconds(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  double& sum_;
  Timer timer_;
};

}  // namespace cairn
