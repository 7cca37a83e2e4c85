// SPDX-License-Identifier: MIT
#include "apps/cli/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

extern char** environ;

namespace cairn::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A pipe from the child: `write_end` is handed over, `read_end` never blocks us.
class OutputPipe {
 public:
  OutputPipe() {
    std::array<int, 2> ends;
    if (::pipe(ends.data()) != 0) return;
    read_end_ = ends[0];
    write_end_ = ends[1];
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(read_end_, F_SETFL, O_NONBLOCK);
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;
  ~OutputPipe() {
    close_write_end();
    close_read_end();
  }

  bool usable() const { return write_end_ >= 0; }
  int write_end() const { return write_end_; }
  int read_end() const { return read_end_; }  ///< -1 once everything has been read
  void close_write_end() { close(write_end_); }
  void close_read_end() { close(read_end_); }

  /// Appends what has arrived to `text`, up to `limit` bytes in all; the rest is dropped so that the child never
  /// blocks.
  void drain(std::string& text, std::size_t limit) {
    std::array<char, 65536> buffer;
    // Bounded, because a child that never stops writing must not keep us from looking at the clock.
    for (int reads = 0; reads < 32 && read_end_ >= 0; ++reads) {
      const ssize_t got = ::read(read_end_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return close_read_end();
      text.append(buffer.data(), std::min(to_index(got), limit - std::min(limit, text.size())));
    }
  }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }
  int read_end_ = -1, write_end_ = -1;
};

/// Starts the program in a process group of its own, with default signal handling; errno, or 0.
int spawn(const std::vector<std::string>& argv, int out, int err, pid_t& child) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);

  // Signals that we ignore or block (an interrupt handler, a broken pipe) must not be so in the child.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults, unblocked;
  sigemptyset(&unblocked);
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &unblocked);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  const int failure = ::posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

/// Sleeps until output arrives, but no longer than the next look at the child, the clock and the interrupt.
void wait_for_output(const OutputPipe& out, const OutputPipe& err) {
  constexpr int kLookEveryMs = 5;
  std::array<pollfd, 2> pipes{{{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}}};
  ::poll(pipes.data(), pipes.size(), kLookEveryMs);  // entries with a negative descriptor are ignored
}

/// Has the child ended, and how? The zombie is left in place (WNOWAIT), so that its group id stays ours to kill.
bool has_ended(pid_t child, ChildResult& result) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != child)
    return false;
  result.end = info.si_code == CLD_EXITED ? ChildEnd::exited : ChildEnd::signalled;
  result.code = info.si_status;
  return true;
}

/// Follows the child until it ends or has to be ended.
void follow(pid_t child, OutputPipe& out, OutputPipe& err, const ChildSettings& settings, ChildResult& result) {
  const Clock::time_point start = Clock::now();
  while (true) {
    wait_for_output(out, err);
    out.drain(result.out, settings.output_limit);
    err.drain(result.err, settings.output_limit);
    if (has_ended(child, result)) break;
    if (settings.interrupt && settings.interrupt->load()) result.end = ChildEnd::interrupted;
    if (settings.time_limit > 0 && seconds_since(start) > settings.time_limit) result.end = ChildEnd::timed_out;
    if (result.end != ChildEnd::not_started) break;
  }
  result.seconds = seconds_since(start);
}

}  // namespace

std::string describe(const ChildResult& result) {
  switch (result.end) {
    case ChildEnd::exited: return fmt::format("exit status {}", result.code);
    case ChildEnd::signalled: return fmt::format("signal {} ({})", result.code, ::strsignal(result.code));
    case ChildEnd::timed_out: return "time limit";
    case ChildEnd::interrupted: return "interrupted";
    case ChildEnd::not_started: break;
  }
  return fmt::format("cannot be started ({})", ::strerror(result.code));
}

ChildResult run_child(const std::vector<std::string>& argv, const ChildSettings& settings) {
  require(!argv.empty() && !argv[0].empty(), "a child process needs a program to run");
  ChildResult result;
  OutputPipe out, err;
  if (!out.usable() || !err.usable()) {
    result.code = errno;
    return result;
  }
  pid_t child = 0;
  result.code = spawn(argv, out.write_end(), err.write_end(), child);
  if (result.code != 0) return result;
  out.close_write_end();
  err.close_write_end();

  follow(child, out, err, settings, result);
  ::kill(-child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  // What was written before the end is still in the pipes.
  out.drain(result.out, settings.output_limit);
  err.drain(result.err, settings.output_limit);
  return result;
}

}  // namespace cairn::cli
