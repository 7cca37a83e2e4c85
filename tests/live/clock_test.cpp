// SPDX-License-Identifier: MIT
// Pacing, in a world whose clock the test turns.
#include "cairn/live/clock.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cairn {
namespace {

/// Runs for `seconds` of the world, each step costing `cost`; the simulated time in the end.
double run(LiveClock& clock, double seconds, double dt, double cost) {
  double now = 0, time = 0;
  clock.start(now, time);
  while (now < seconds) {
    const double rest = clock.until_due(now, time, dt);
    if (rest > 0) {
      now += rest;
      continue;
    }
    EXPECT_LE(time + dt, clock.speed() * now + 1e-9) << "faster than asked";
    now += cost, time += dt;
    clock.stepped(now, time);
  }
  return time;
}

TEST(LiveClock, RealTimeIsKept) {
  LiveClock clock;
  EXPECT_NEAR(run(clock, 10, 0.01, 0.002), 10, 0.02);
  EXPECT_NEAR(clock.rate(10), 1, 0.02);
}

TEST(LiveClock, SpeedIsAFactor) {
  LiveClock clock;
  clock.set_speed(0.25, 0, 0);
  EXPECT_NEAR(run(clock, 8, 0.01, 0.001), 2, 0.02);
  EXPECT_NEAR(clock.rate(8), 0.25, 0.02);
  clock.set_speed(4, 0, 0);
  EXPECT_NEAR(run(clock, 2, 0.01, 0.001), 8, 0.05);
}

TEST(LiveClock, WhatIsTooSlowFallsBehindAndSaysSo) {
  LiveClock clock;
  EXPECT_NEAR(run(clock, 10, 0.01, 0.04), 2.5, 0.05);
  EXPECT_NEAR(clock.rate(10), 0.25, 0.02);
}

TEST(LiveClock, LostTimeIsNotMadeUpFor) {
  LiveClock clock;
  clock.start(0, 0);
  double now = 5, time = 0;  // nothing happened for five seconds
  int hurried = 0;
  while (clock.until_due(now, time, 0.01) == 0) ++hurried, time += 0.01, now += 1e-6;
  EXPECT_LE(hurried, 2);
}

TEST(LiveClock, TheRateIsOfTheLastSecond) {
  LiveClock clock;
  clock.start(0, 0);
  double now = 0, time = 0;
  for (int k = 0; k < 100; ++k) clock.stepped(now += 0.1, time += 0.1);  // ten seconds in real time
  for (int k = 0; k < 30; ++k) clock.stepped(now += 0.1, time += 0.05);  // three at half of it
  EXPECT_NEAR(clock.rate(now), 0.5, 1e-9);
  EXPECT_EQ(LiveClock().rate(3), 0);
}

}  // namespace
}  // namespace cairn
