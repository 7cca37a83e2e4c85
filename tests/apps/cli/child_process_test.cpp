// SPDX-License-Identifier: MIT
#include "apps/cli/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "cairn/core/errors.h"

namespace cairn::cli {
namespace {

/// The shell is only the program under test here; its script is one argument.
ChildResult shell(const std::string& script, const ChildSettings& settings = {}) {
  return run_child({"/bin/sh", "-c", script}, settings);
}

/// Gone, or a zombie that its new parent has not collected yet: in any case not running.
bool is_running(pid_t process) {
  if (::kill(process, 0) != 0) return false;
  return shell("state=$(sed 's/.*) //' /proc/" + std::to_string(process) + "/stat) && [ \"${state%% *}\" != Z ]").ok();
}

/// A killed process needs a moment to die on a busy machine; the ones here would sleep for 100 s.
bool dies_soon(pid_t process) {
  for (int look = 0; look < 1200; ++look) {
    if (!is_running(process)) return true;
    shell("sleep 0.05");
  }
  return false;
}

/// With longer and longer limits, until it has said something before its time was up: a busy machine may keep a process
/// from beginning.
ChildResult timed_out_run(const std::vector<std::string>& command, ChildSettings settings) {
  ChildResult result;
  for (settings.time_limit = 0.2; settings.time_limit < 100 && result.out.empty(); settings.time_limit *= 4)
    result = run_child(command, settings);
  return result;
}

TEST(ChildProcess, OutputAndStatus) {
  const ChildResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.end, ChildEnd::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(describe(result), "exit status 3");
  EXPECT_TRUE(shell("true").ok());
}

TEST(ChildProcess, ArgumentsAreNotInterpreted) {
  const ChildResult result = run_child({"/bin/echo", "$(id); `id` * 'a b'"});
  EXPECT_EQ(result.out, "$(id); `id` * 'a b'\n");
}

TEST(ChildProcess, ACrashIsASignal) {
  const ChildResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.end, ChildEnd::signalled);
  EXPECT_EQ(result.code, SIGSEGV);
  EXPECT_EQ(describe(result).find("signal 11"), 0u);
}

TEST(ChildProcess, TheTimeLimitKillsTheWholeGroup) {
  // A child with a grandchild that ignores the polite signals; its number is printed first.
  const char* script = "trap '' TERM INT HUP; (trap '' TERM INT HUP; sleep 100) & echo $!; wait";
  const ChildResult result = timed_out_run({"/bin/sh", "-c", script}, {});
  EXPECT_EQ(result.end, ChildEnd::timed_out);
  EXPECT_GE(result.seconds, 0.2);
  const auto grandchild = static_cast<pid_t>(std::atol(result.out.c_str()));
  ASSERT_GT(grandchild, 1);
  EXPECT_TRUE(dies_soon(grandchild));
}

TEST(ChildProcess, AGrandchildThatHoldsThePipesDoesNotKeepUsWaiting) {
  const ChildResult result = shell("sleep 100 & echo $!", {.time_limit = 50});
  EXPECT_EQ(result.end, ChildEnd::exited);
  EXPECT_TRUE(dies_soon(static_cast<pid_t>(std::atol(result.out.c_str()))));
}

TEST(ChildProcess, EndlessOutputIsCutAndStopped) {
  const ChildResult result = timed_out_run({"/usr/bin/yes"}, {.output_limit = 1000});
  EXPECT_EQ(result.end, ChildEnd::timed_out);
  EXPECT_EQ(result.out.size(), 1000u);
}

TEST(ChildProcess, LargeOutputArrivesWhole) {
  const ChildResult result = shell("head -c 700000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero | tr '\\0' y >&2");
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out, std::string(700000, 'x'));
  EXPECT_EQ(result.err, std::string(300000, 'y'));
}

TEST(ChildProcess, TheCallerCanInterrupt) {
  const std::atomic<bool> stop{true};
  EXPECT_EQ(shell("sleep 100", {.interrupt = &stop}).end, ChildEnd::interrupted);
}

TEST(ChildProcess, AMissingProgramIsAResult) {
  const ChildResult result = run_child({"/no/such/program"});
  EXPECT_EQ(result.end, ChildEnd::not_started);
  EXPECT_EQ(result.code, ENOENT);
  EXPECT_THROW(run_child({}), InputError);
}

}  // namespace
}  // namespace cairn::cli
