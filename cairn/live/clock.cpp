// SPDX-License-Identifier: MIT
#include "cairn/live/clock.h"

namespace cairn {

namespace {

constexpr double kMostDebt = 0.1;  // s: what is later than that is not made up for
constexpr double kWindow = 1;      // s, of the rate

}  // namespace

void LiveClock::start(double now, double time) {
  anchor_ = {now, time};
  samples_ = {anchor_};
}

void LiveClock::set_speed(double factor, double now, double time) {
  speed_ = factor;
  start(now, time);
}

double LiveClock::until_due(double now, double time, double dt) {
  const double late = now - anchor_.now - (time + dt - anchor_.time) / speed_;
  if (late < 0) return -late;
  if (late > kMostDebt) anchor_ = {now, time + dt};
  return 0;
}

void LiveClock::stepped(double now, double time) {
  samples_.push_back({now, time});
  while (samples_.size() > 2 && samples_[1].now <= now - kWindow) samples_.pop_front();
}

double LiveClock::rate(double now) const {
  if (samples_.size() < 2 || !(now > samples_.front().now)) return 0;
  return (samples_.back().time - samples_.front().time) / (now - samples_.front().now);
}

}  // namespace cairn
