// SPDX-License-Identifier: MIT
#include "cairn/io/isolate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/parallel.h"

namespace cairn {
namespace {

TEST(Isolate, BytesComeBackWhateverTheirSize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{5000001}}) {
    const Expected<std::string> answer = run_isolated([&] { return std::string(size, 'x'); }, 10);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(*answer, std::string(size, 'x'));
  }
}

TEST(Isolate, ACrashIsAnErrorAndTheHostGoesOn) {
  const Expected<std::string> answer = run_isolated(
      []() -> std::string {
        std::raise(SIGKILL);
        return "";
      },
      10);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("signal 9"), std::string::npos) << answer.error().message;
}

TEST(Isolate, AHangIsCutOffAtTheLimit) {
  const Expected<std::string> answer = run_isolated(
      []() -> std::string {
        for (;;) ::pause();
      },
      0.2);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::limit);
  EXPECT_NE(answer.error().message.find("0.2 s"), std::string::npos) << answer.error().message;
}

TEST(Isolate, AnEndlessLoopIsCutOffByItsOwnTime) {
  const Expected<std::string> answer = run_isolated(
      []() -> std::string {
        for (volatile int k = 0;;) k = 1 - k;
      },
      0.2);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::limit);
  EXPECT_NE(answer.error().message.find("0.2 s"), std::string::npos) << answer.error().message;
}

TEST(Isolate, WaitingForABusyMachineIsNoWork) {
  // Longer by the clock than the limit, next to nothing of a processor: as on a machine that others keep busy.
  const Expected<std::string> answer = run_isolated(
      [] {
        ::usleep(2'200'000);
        return std::string("late");
      },
      2);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, "late");
}

TEST(Isolate, WorksBesideAThreadPool) {
  ThreadPool pool(3);
  for (int k = 0; k < 20; ++k) {
    std::vector<double> x(1000);
    parallel_for(&pool, 1000, 10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) x[to_index(i)] = 1;
    });
    const Expected<std::string> answer = run_isolated([&] { return std::to_string(x.size()); }, 10);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(*answer, "1000");
  }
}

TEST(Isolate, ExceptionsAndEarlyExitsAreErrors) {
  EXPECT_FALSE(run_isolated([]() -> std::string { throw std::runtime_error("no"); }, 10));
  EXPECT_FALSE(run_isolated([]() -> std::string { ::_exit(0); }, 10));
  EXPECT_THROW((void)run_isolated([] { return std::string(); }, 0), InputError);
}

}  // namespace
}  // namespace cairn
