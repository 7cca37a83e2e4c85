// SPDX-License-Identifier: MIT
// Timers: wall-clock time of a part of the work, on a clock that never goes back; and processor time of all threads.
#pragma once

#include <chrono>
#include <ctime>

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

/// Processor time of the whole process.
class CpuTimer {
 public:
  CpuTimer() : start_(now()) {}
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_;
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
