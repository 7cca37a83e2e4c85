// SPDX-License-Identifier: MIT
// The background queue: everything is done, in order, and failures reach the caller.
#include "cairn/core/background.h"
#include "cairn/core/index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace cairn {
namespace {

TEST(BackgroundQueue, DoesEverythingInOrder) {
  std::vector<int> done;
  BackgroundQueue queue(3);
  for (int k = 0; k < 1000; ++k) queue.push([&done, k] { done.push_back(k); });
  queue.finish();
  ASSERT_EQ(done.size(), 1000u);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(done[to_index(k)], k);
}

TEST(BackgroundQueue, TheCallerWaitsWhileItIsFull) {
  std::atomic<int> started{0};
  std::atomic<bool> open{false};
  BackgroundQueue queue(2);
  const auto blocked = [&] {
    ++started;
    while (!open) std::this_thread::yield();
  };
  for (int k = 0; k < 3; ++k) queue.push(blocked);  // one at work, two waiting
  std::atomic<bool> pushed{false};
  std::thread caller([&] { queue.push(blocked), pushed = true; });
  while (started == 0) std::this_thread::yield();
  EXPECT_FALSE(pushed);
  open = true;
  caller.join();
  queue.finish();
  EXPECT_EQ(started, 4);
}

TEST(BackgroundQueue, TheFirstFailureReachesTheCallerAndEndsTheWork) {
  int done = 0;
  BackgroundQueue queue(100);
  queue.push([] { throw std::runtime_error("no"); });
  EXPECT_THROW(
      {
        for (int k = 0; k < 100; ++k) queue.push([&] { ++done; });
        queue.finish();
      },
      std::runtime_error);
  EXPECT_THROW(queue.push([&] { ++done; }), std::runtime_error);
  EXPECT_THROW(queue.finish(), std::runtime_error);
}

TEST(BackgroundQueue, TheDestructorFinishesWhatWaits) {
  int done = 0;
  {
    BackgroundQueue queue(10);
    for (int k = 0; k < 10; ++k) queue.push([&] { ++done; });
  }
  EXPECT_EQ(done, 10);
}

TEST(BackgroundLoop, TakesTurnsUntilItsOwnerGoes) {
  std::atomic<int> turns{0};
  {
    BackgroundLoop loop([&] { return ++turns < 100 ? 0.0 : -1.0; });
    while (turns < 100) std::this_thread::yield();
  }
  EXPECT_EQ(turns, 100);  // then it rested
}

TEST(BackgroundLoop, DoesWhatIsPostedInOrderBetweenTurns) {
  std::vector<int> done;
  std::atomic<bool> in_turn{false};
  bool interleaved = false;
  BackgroundLoop loop([&] {
    in_turn = true;
    std::this_thread::yield();
    in_turn = false;
    return 0.0001;
  });
  for (int k = 0; k < 1000; ++k)
    loop.post([&, k] {
      interleaved = interleaved || in_turn;
      done.push_back(k);
    });
  loop.ask([] {});  // after all of them
  ASSERT_EQ(done.size(), 1000u);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(done[to_index(k)], k);
  EXPECT_FALSE(interleaved);
}

TEST(BackgroundLoop, ARestEndsWhenItIsWoken) {
  std::atomic<int> turns{0};
  BackgroundLoop loop([&] {
    ++turns;
    return -1.0;
  });
  for (int k = 1; k <= 20; ++k) {
    while (turns < k) std::this_thread::yield();
    loop.wake();
  }
  while (turns < 21) std::this_thread::yield();
  int asked = 0;
  loop.ask([&] { asked = 1; });
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace cairn
