// SPDX-License-Identifier: MIT
// LiveClock: when the steps of a run are due that is to be so many times as fast as the world, and how fast it is.
// Seconds of the world (`now`) and of the simulation (`time`) come from outside, so that it can be tested without
// waiting.
#pragma once

#include <deque>

namespace cairn {

class LiveClock {
 public:
  explicit LiveClock(double time = 0) { start(0, time); }

  /// From here on, at the speed asked for.
  void start(double now, double time);
  void set_speed(double factor, double now, double time);
  double speed() const { return speed_; }

  /// Seconds until a step from `time` over dt is due: never earlier than its end is reached at that speed. 0: now. A
  /// run that cannot follow falls behind, and does not hurry later.
  double until_due(double now, double time, double dt);
  void stepped(double now, double time);

  /// Simulated over real seconds, over about the last second; 0 without a step.
  double rate(double now) const;

 private:
  struct Sample {
    double now, time;
  };
  double speed_ = 1;
  Sample anchor_{0, 0};         ///< where the simulation was to be, and when
  std::deque<Sample> samples_;  ///< of the last second, and one before
};

}  // namespace cairn
