// SPDX-License-Identifier: MIT
#include "cairn/core/background.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace cairn {

/// Everything but `thread` belongs to whoever holds the mutex.
struct BackgroundQueue::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  std::size_t most = 1;
  bool busy = false, closing = false;
  std::exception_ptr failure;
  std::thread thread;

  void work();
  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }
};

void BackgroundQueue::Shared::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return !waiting.empty() || closing; });
    if (waiting.empty()) return;
    std::function<void()> piece = std::move(waiting.front());
    waiting.pop_front();
    busy = true;
    lock.unlock();
    changed.notify_all();  // there is room for another piece
    std::exception_ptr failed;
    try {
      piece();
      piece = nullptr;
    } catch (...) {
      failed = std::current_exception();
    }
    lock.lock();
    busy = false;
    if (failed) failure = failed, waiting.clear();
    changed.notify_all();
  }
}

BackgroundQueue::BackgroundQueue(std::size_t most) : shared_(std::make_unique<Shared>()) {
  shared_->most = most > 0 ? most : 1;
  shared_->thread = std::thread([shared = shared_.get()] { shared->work(); });
}

BackgroundQueue::~BackgroundQueue() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->closing = true;
  }
  shared_->changed.notify_all();
  shared_->thread.join();
}

void BackgroundQueue::push(std::function<void()> work) {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] { return shared_->waiting.size() < shared_->most || shared_->failure; });
  shared_->rethrow();
  shared_->waiting.push_back(std::move(work));
  lock.unlock();
  shared_->changed.notify_all();
}

void BackgroundQueue::finish() {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] { return shared_->waiting.empty() && !shared_->busy; });
  shared_->rethrow();
}

}  // namespace cairn
