// SPDX-License-Identifier: MIT
#include "cairn/core/background.h"

#include <chrono>
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

/// Everything but `thread` and `turn` belongs to whoever holds the mutex.
struct BackgroundLoop::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> posted;
  bool woken = false, closing = false;
  std::function<double()> turn;
  std::thread thread;

  void work();
  void rest(std::unique_lock<std::mutex>& lock, double seconds);
};

void BackgroundLoop::Shared::rest(std::unique_lock<std::mutex>& lock, double seconds) {
  const auto due = [&] { return woken || closing || !posted.empty(); };
  if (seconds < 0)
    changed.wait(lock, due);
  else if (seconds > 0)
    changed.wait_for(lock, std::chrono::duration<double>(seconds), due);
  woken = false;
}

void BackgroundLoop::Shared::work() {
  std::unique_lock lock(mutex);
  while (!closing) {
    while (!posted.empty() && !closing) {
      std::function<void()> piece = std::move(posted.front());
      posted.pop_front();
      lock.unlock();
      piece();
      piece = nullptr;
      lock.lock();
    }
    if (closing) return;
    lock.unlock();
    const double seconds = turn();
    lock.lock();
    rest(lock, seconds);
  }
}

BackgroundLoop::BackgroundLoop(std::function<double()> turn) : shared_(std::make_unique<Shared>()) {
  shared_->turn = std::move(turn);
  shared_->thread = std::thread([shared = shared_.get()] { shared->work(); });
}

BackgroundLoop::~BackgroundLoop() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->closing = true;
  }
  shared_->changed.notify_all();
  shared_->thread.join();
}

void BackgroundLoop::post(std::function<void()> work) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->posted.push_back(std::move(work));
  }
  shared_->changed.notify_all();
}

void BackgroundLoop::ask(const std::function<void()>& work) {
  bool done = false;
  post([&] {
    work();
    const std::lock_guard lock(shared_->mutex);
    done = true;
    shared_->changed.notify_all();
  });
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] { return done; });
}

void BackgroundLoop::wake() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->woken = true;
  }
  shared_->changed.notify_all();
}

}  // namespace cairn
