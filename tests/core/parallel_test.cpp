// SPDX-License-Identifier: MIT
#include "cairn/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {
namespace {

TEST(Parallel, OneThreadNeedsNoPool) {
  EXPECT_EQ(make_pool(1), nullptr);
  EXPECT_THROW(make_pool(-5), InputError);
  EXPECT_EQ(make_pool(3)->thread_count(), 3);
  EXPECT_GE(available_processors(), 1);
}

TEST(Parallel, EveryRangeIsVisitedExactlyOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    const auto pool = make_pool(threads);
    for (const std::int64_t count : {0, 1, 7, 64, 1000}) {
      for (const std::int64_t grain : {1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> visits(to_index(count));
        parallel_for(pool.get(), count, grain, [&](std::int64_t begin, std::int64_t end) {
          EXPECT_EQ(begin % grain, 0);
          for (std::int64_t i = begin; i < end; ++i) ++visits[to_index(i)];
        });
        for (const auto& visit : visits) ASSERT_EQ(visit.load(), 1);
      }
    }
  }
}

TEST(Parallel, ReductionsHaveTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  const auto sum = [&](ThreadPool* pool) {
    return parallel_reduce(
        pool, static_cast<std::int64_t>(values.size()), 1000, 0.0,
        [&](std::int64_t begin, std::int64_t end) {
          return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
        },
        [](double a, double b) { return a + b; });
  };
  const double expected = sum(nullptr);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(sum(make_pool(threads).get()), expected) << threads;
}

TEST(Parallel, ReductionsCombineEveryRangeInOrder) {
  // Joining letters is not commutative: the result spells the ranges out. More ranges than one round holds.
  for (const std::int64_t count : {0, 1, 511, 512, 513, 1700}) {
    std::string expected;
    for (std::int64_t i = 0; i < count; i += 1) expected += static_cast<char>('a' + i % 23);
    for (const int threads : {1, 3}) {
      const std::string joined = parallel_reduce(
          make_pool(threads).get(), count, 1, std::string(),
          [](std::int64_t begin, std::int64_t) { return std::string(1, static_cast<char>('a' + begin % 23)); },
          [](const std::string& a, const std::string& b) { return a + b; });
      EXPECT_EQ(joined, expected);
    }
  }
}

TEST(Parallel, StaysCorrectWithManySmallJobsOnAnOversubscribedMachine) {
  // Eight workers on however few processors, with two more threads burning them: the caller must always get through.
  std::atomic<bool> stop{false};
  std::vector<std::thread> burners;
  for (int i = 0; i < 2; ++i)
    burners.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
      }
    });
  const auto pool = make_pool(8);
  std::vector<int> values(256, 0);
  for (int job = 0; job < 5000; ++job)
    parallel_for(pool.get(), 256, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++values[to_index(i)];
    });
  stop = true;
  for (std::thread& burner : burners) burner.join();
  for (const int value : values) ASSERT_EQ(value, 5000);
}

TEST(Parallel, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  for (const int threads : {1, 2, 8}) {
    const auto pool = make_pool(threads);
    for (const std::int64_t thrower : {0, 1, 63}) {
      std::atomic<int> inside{0};
      const auto body = [&](std::int64_t begin, std::int64_t) {
        ++inside;
        struct Leave {
          std::atomic<int>& count;
          ~Leave() { --count; }
        } leave{inside};
        if (begin >= thrower) throw std::bad_alloc();
      };
      EXPECT_THROW(parallel_for(pool.get(), 64, 1, body), std::bad_alloc);
      EXPECT_EQ(inside.load(), 0);  // no thread is left in a body that is gone
      std::atomic<int> sum{0};
      parallel_for(pool.get(), 64, 1, [&](std::int64_t, std::int64_t) { ++sum; });
      EXPECT_EQ(sum.load(), 64);
    }
  }
}

TEST(Parallel, NestedAndConcurrentCallsRunOnTheCallersThread) {
  const auto pool = make_pool(3);
  std::atomic<int> sum{0};
  parallel_for(pool.get(), 8, 1, [&](std::int64_t, std::int64_t) {
    parallel_for(pool.get(), 10, 2,
                 [&](std::int64_t begin, std::int64_t end) { sum += static_cast<int>(end - begin); });
  });
  EXPECT_EQ(sum.load(), 80);

  sum = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int job = 0; job < 500; ++job)
        parallel_for(pool.get(), 16, 4,
                     [&](std::int64_t begin, std::int64_t end) { sum += static_cast<int>(end - begin); });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 4 * 500 * 16);
}

}  // namespace
}  // namespace cairn
