// SPDX-License-Identifier: MIT
#include "tests/fuzz/trial.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace cairn::fuzz {

namespace {

/// Of processor time for one sequence, with which even a sanitizer comes far: more is an endless loop.
constexpr long kMostSeconds = 300;
constexpr int kFound = 42;  ///< exit code of a child that has written down what it found

/// What a child tells its parent, in memory that both see: it is there however the child ends.
struct Note {
  std::uint64_t number;
  char kind[64], text[2048];
};

class SharedNote {
 public:
  SharedNote() {
    void* memory = mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory to share with a child process");
    note_ = static_cast<Note*>(memory);
  }
  ~SharedNote() { munmap(note_, sizeof(Note)); }
  SharedNote(const SharedNote&) = delete;
  SharedNote& operator=(const SharedNote&) = delete;
  Note* operator->() const { return note_; }
  void write(const std::string& kind, const std::string& text) const {
    std::strncpy(note_->kind, kind.c_str(), sizeof(note_->kind) - 1);
    std::strncpy(note_->text, text.c_str(), sizeof(note_->text) - 1);
  }

 private:
  Note* note_;
};

void limit_processor_time() {
  const itimerval limit{{0, 0}, {kMostSeconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

/// Never returns.
[[noreturn]] void be_child(const SharedNote& note, std::uint64_t first, std::uint64_t count,
                           const std::function<void(std::uint64_t)>& play, Noise noise) {
  if (noise == Noise::silent) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  }
  for (std::uint64_t k = first; k < first + count; ++k) {
    note->number = k;
    limit_processor_time();
    try {
      play(k);
    } catch (const Finding& finding) {
      note.write(finding.kind, finding.what());
      _exit(kFound);
    } catch (const std::exception& error) {
      note.write("an exception escapes", error.what());
      _exit(kFound);
    }
  }
  _exit(0);
}

std::string ending(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) return "an endless loop";
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("the process ends with code {}", WEXITSTATUS(status));
}

}  // namespace

std::optional<Verdict> try_in_child(std::uint64_t first, std::uint64_t count,
                                    const std::function<void(std::uint64_t)>& play, Noise noise) {
  const SharedNote note;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process for a trial: fork failed");
  if (child == 0) be_child(note, first, count, play, noise);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kFound) return Verdict{note->number, note->kind, note->text};
  return Verdict{note->number, ending(status), "the message of the process is above the calls below"};
}

Sequence shrink(Sequence sequence, const std::string& kind, int most_trials) {
  int trials = 0;
  const auto fails = [&](const Sequence& candidate) {
    ++trials;
    const auto verdict = try_in_child(
        0, 1, [&](std::uint64_t) { judge(candidate); }, Noise::silent);
    return verdict && verdict->kind == kind;
  };
  // Larger pieces first; from the end, since what comes after the failure is never needed.
  bool again = true;
  while (again && trials < most_trials) {
    again = false;
    for (std::size_t piece = std::max<std::size_t>(1, sequence.calls.size() / 2); piece > 0; piece /= 2)
      for (std::size_t end = sequence.calls.size(); end > 0 && trials < most_trials;) {
        const std::size_t begin = end > piece ? end - piece : 0;
        Sequence candidate = sequence;
        candidate.calls.erase(candidate.calls.begin() + static_cast<std::ptrdiff_t>(begin),
                              candidate.calls.begin() + static_cast<std::ptrdiff_t>(end));
        if (fails(candidate)) {
          sequence = std::move(candidate);
          again = true;
        }
        end = begin;
      }
  }
  return sequence;
}

}  // namespace cairn::fuzz
