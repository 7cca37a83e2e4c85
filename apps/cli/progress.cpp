// SPDX-License-Identifier: MIT
#include "apps/cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace cairn::cli {

namespace {

constexpr double kSilent = 0.5, kInterval = 0.1;  // seconds, on a terminal
constexpr double kLogInterval = 10;               // seconds, in a file

std::atomic<bool> interrupt_flag{false};
std::atomic<int> interrupt_signal{SIGINT};

void on_signal(int signal) {
  if (!interrupt_flag) interrupt_signal = signal;
  if (interrupt_flag.exchange(true)) _exit(128 + signal);
}

}  // namespace

Progress::Progress(std::string what, double limit)
    : what_(std::move(what)), limit_(limit), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(const std::string& state) {
  if (terminal_ ? since_start_.seconds() < kSilent || (shown_ && since_update_.seconds() < kInterval)
                : since_update_.seconds() < kLogInterval)
    return;
  const std::string most = limit_ > 0 ? fmt::format(" of at most {:.0f}", limit_) : "";
  fmt::print(stderr, "{}{}: {} ({:.1f} s{}){}", terminal_ ? "\r\033[K" : "", what_, state, since_start_.seconds(), most,
             terminal_ ? "" : "\n");
  std::fflush(stderr);
  shown_ = terminal_;
  since_update_.restart();
}

std::string printable(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) c = '?';
  return text;
}

const std::atomic<bool>& interrupted() { return interrupt_flag; }

int interrupt_code() { return 128 + interrupt_signal; }

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

}  // namespace cairn::cli
