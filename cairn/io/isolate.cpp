// SPDX-License-Identifier: MIT
#include "cairn/io/isolate.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "cairn/core/index.h"

namespace cairn {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeader = 8;       // bytes: the length of what follows, least significant first
constexpr std::size_t kPiece = 1 << 16;  // bytes per read: what a pipe holds
constexpr int kNoAnswer = 70;            // exit code of a child whose work threw

std::string header_for(std::size_t size) {
  std::string bytes(kHeader, '\0');
  for (std::size_t k = 0; k < kHeader; ++k) bytes[k] = static_cast<char>(static_cast<std::uint64_t>(size) >> (8 * k));
  return bytes;
}

bool is_complete(const std::string& bytes) {
  return bytes.size() >= kHeader && bytes.compare(0, kHeader, header_for(bytes.size() - kHeader)) == 0;
}

bool write_all(int descriptor, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += to_index(count);
  }
  return true;
}

/// Ends this process by SIGPROF when it has used so many seconds of a processor. The kernel's own limit, which nothing
/// in the process can take back, stands a second behind.
void limit_processor_time(double seconds) {
  const double whole = std::floor(seconds);
  const timeval left{static_cast<time_t>(whole), static_cast<suseconds_t>(1e6 * (seconds - whole))};
  const itimerval timer{{}, left};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
  const auto cpu = static_cast<rlim_t>(std::ceil(seconds)) + 1;
  const rlimit cpu_limit{cpu, cpu};
  ::setrlimit(RLIMIT_CPU, &cpu_limit);
}

/// The child: no core files, no crash handlers of the host, and an end of its own should the parent disappear.
[[noreturn]] void run_child(const std::function<std::string()>& work, int descriptor, double seconds) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGPROF}) std::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  limit_processor_time(seconds);
  bool good = false;
  try {
    const std::string answer = work();
    good = write_all(descriptor, header_for(answer.size())) && write_all(descriptor, answer);
  } catch (...) {
    // The parent sees an answer that is not complete.
  }
  ::_exit(good ? 0 : kNoAnswer);  // without the host's exit handlers
}

/// Reads until the answer is complete or the child closes the pipe; false when the time is up first. Not the end of
/// file alone: a process forked by another thread at the same moment may hold the pipe open.
bool read_until(Clock::time_point deadline, int descriptor, std::string& bytes) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, 1000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return true;
    const std::size_t size = bytes.size();
    bytes.resize(size + kPiece);
    const ssize_t count = ::read(descriptor, bytes.data() + size, kPiece);
    bytes.resize(size + to_index(std::max<ssize_t>(count, 0)));
    if (count == 0 || (count < 0 && errno != EINTR) || is_complete(bytes)) return true;
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0;  // the host reaps children itself; the frame says whether the answer is complete
  return status;
}

}  // namespace

Expected<std::string> run_isolated(const std::function<std::string()>& work, double seconds) {
  require(seconds > 0 && seconds <= 86400, "the time limit must lie in (0, 86400] seconds");
  int ends[2];
  if (::pipe(ends) != 0) return Error{ErrorKind::io, fmt::format("no pipe: {}", std::strerror(errno))};
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(kIsolationPatience * seconds));
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run_child(work, ends[1], seconds);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return Error{ErrorKind::io, fmt::format("no process for reading: {}", std::strerror(errno))};
  }
  std::string bytes;
  const bool in_time = read_until(deadline, ends[0], bytes);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  const int status = wait_for(child);
  const bool used_up = WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGXCPU);
  if (!in_time || used_up) return Error{ErrorKind::limit, fmt::format("took longer than the limit of {} s", seconds)};
  if (WIFSIGNALED(status))
    return Error{ErrorKind::bad_input, fmt::format("ended the reading process by signal {}", WTERMSIG(status))};
  if (!is_complete(bytes)) return Error{ErrorKind::bad_input, "gave no complete answer"};
  bytes.erase(0, kHeader);
  return bytes;
}

}  // namespace cairn
