// SPDX-License-Identifier: MIT
// Gate: work that must be done before any reader goes on, and is done by the one that comes first.
//
// One thread changes things and closes the gate; later any number of threads pass it. The first of them does the work,
// the others wait for it. Closing and passing at the same time is the caller's mistake.
#pragma once

#include <atomic>

namespace cairn {

class Gate {
 public:
  void close() { state_.store(kClosed, std::memory_order_release); }

  /// If work throws, the gate stays closed and the exception reaches this caller.
  template <class Work>
  void pass(Work&& work) {
    for (;;) {
      int state = state_.load(std::memory_order_acquire);
      if (state == kOpen) return;
      if (state == kBusy) {
        state_.wait(kBusy, std::memory_order_acquire);
      } else if (state_.compare_exchange_strong(state, kBusy, std::memory_order_acquire)) {
        const Busy busy{*this};
        work();
        state_.store(kOpen, std::memory_order_release);
      }
    }
  }

 private:
  static constexpr int kClosed = 0, kBusy = 1, kOpen = 2;

  /// Nobody waits for ever, however the work ends.
  struct Busy {
    Gate& gate;
    ~Busy() {
      int state = kBusy;
      gate.state_.compare_exchange_strong(state, kClosed, std::memory_order_release);
      gate.state_.notify_all();
    }
  };

  std::atomic<int> state_{kClosed};
};

}  // namespace cairn
