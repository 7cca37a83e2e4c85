// SPDX-License-Identifier: MIT
// Meters that run beside a world allocate nothing per step.
#include <gtest/gtest.h>

#include "cairn/measures/balance.h"
#include "cairn/measures/jitter.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

TEST(Meters, AddAllocatesNothing) {
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds check invariants, which allocates";
#endif
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int i = 0; i < 20; ++i)
    world.add_body({.pose = {{1.5 * i, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  for (int i = 0; i < 30; ++i) world.step(1.0 / 60);
  JitterMeter jitter;
  BalanceMeter balance;
  jitter.begin(world, 1.0 / 60, 10);
  balance.begin(world);
  const long before = allocation_count();
  for (int i = 0; i < 10; ++i) {
    world.step(1.0 / 60);
    jitter.add(world);
    balance.add(world);
  }
  EXPECT_EQ(allocation_count() - before, 0);
  EXPECT_EQ(jitter.result().steps, 10);
}

}  // namespace
}  // namespace cairn
