// SPDX-License-Identifier: MIT
// How the pool works: a job is a number of blocks, cut into one share per thread. The ticket of a share holds
// (end << 32 | next) in one word; a thread claims block `next` by raising it with compare-exchange, and adds what it
// finished to `done`. A claim that succeeds proves that the job it belongs to is the current one and unfinished, so its
// function may be read afterwards; a late worker that finds next == end everywhere has nothing to do with the job any
// more and never touches it.
//
// A thread begins with its own share and takes from the others when that is done. So loops over the same things, as the
// sweeps of a solver are, find them in the cache of the processor that had them the time before.
//
// Waiting: spin for a short time, then sleep on a futex (std::atomic::wait). With more threads than processors
// nobody spins, and no more workers are woken than processors can run.
#include "cairn/core/parallel.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cairn {

namespace {

constexpr auto kSpinTime = std::chrono::microseconds(200);
constexpr std::int64_t kMaxBlocks = 0xffffffff;
thread_local bool inside_job = false;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Spins until `ready()` or until the time is up; true when ready.
template <class Ready>
bool spin(bool allowed, Ready&& ready) {
  if (ready()) return true;
  if (!allowed) return false;
  const auto deadline = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

/// The quota of the control group in processors, or a large number where there is none.
double control_group_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 1e9;
  try {
    return std::stod(quota) / period;
  } catch (const std::exception&) {
    return 1e9;
  }
}

}  // namespace

int available_processors() {
  int count = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  const double quota = std::ceil(control_group_quota());
  if (quota < count) count = static_cast<int>(quota);
  return std::max(count, 1);
}

std::uintptr_t this_thread_mark() {
  static thread_local char mark;
  return reinterpret_cast<std::uintptr_t>(&mark);
}

struct ThreadPool::Shared {
  // The current job: written by the caller before `ticket` is published, read after a successful claim.
  Block block = nullptr;
  void* context = nullptr;

  std::uint32_t count = 0;  // blocks of the job

  struct alignas(64) Share {
    std::atomic<std::uint64_t> ticket{0};  // end << 32 | next
  };
  std::vector<Share> shares;  // the caller's, then one per worker

  alignas(64) std::atomic<std::uint32_t> done{0};   // finished blocks of the current job
  alignas(64) std::atomic<std::uint32_t> epoch{0};  // raised with every job; idle workers sleep on it
  std::atomic<bool> failed{false};  // a block of the current job threw; `failure` is what the first of them did
  std::exception_ptr failure;
  std::atomic<int> sleepers{0};
  std::atomic<bool> busy{false};
  std::atomic<bool> stop{false};
  bool may_spin = true;
  int wake_limit = 0;  // workers worth waking for one job
  std::vector<std::thread> workers;

  static bool is_left(std::uint64_t ticket) { return (ticket & 0xffffffff) < (ticket >> 32); }
  bool has_work() const {
    return std::any_of(shares.begin(), shares.end(),
                       [](const Share& share) { return is_left(share.ticket.load(std::memory_order_acquire)); });
  }

  /// Claims and runs blocks of one share until none is left; returns their number.
  std::uint32_t work_on(Share& share) {
    std::uint32_t finished = 0;
    std::uint64_t t = share.ticket.load(std::memory_order_acquire);
    while (is_left(t)) {
      if (!share.ticket.compare_exchange_weak(t, t + 1, std::memory_order_acq_rel)) continue;
      try {
        block(context, static_cast<std::int64_t>(t & 0xffffffff));
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
      ++finished;
      t = share.ticket.load(std::memory_order_acquire);
    }
    return finished;
  }

  /// Runs blocks until none is left, those of share `mine` first.
  void work(std::size_t mine) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      const std::size_t at = mine + k < shares.size() ? mine + k : mine + k - shares.size();
      const std::uint32_t finished = work_on(shares[at]);
      if (finished == 0) continue;
      const std::uint32_t all = count;  // read before the last block is counted: until then the job is the current one
      if (done.fetch_add(finished, std::memory_order_acq_rel) + finished == all) done.notify_one();
    }
  }

  void worker_loop(std::size_t mine) {
    inside_job = true;  // whatever a body calls runs on this thread
    for (;;) {
      const std::uint32_t seen = epoch.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_acquire)) return;
      if (spin(may_spin, [this] { return has_work(); })) {
        work(mine);
        continue;
      }
      sleepers.fetch_add(1);
      if (!has_work() && !stop.load()) epoch.wait(seen);
      sleepers.fetch_sub(1);
    }
  }

  /// Cuts the blocks into shares of nearly the same size.
  void publish() {
    const std::uint64_t threads = shares.size();
    for (std::uint64_t i = 0; i < threads; ++i) {
      const std::uint64_t next = count * i / threads, end = count * (i + 1) / threads;
      shares[i].ticket.store(end << 32 | next, std::memory_order_seq_cst);
    }
  }

  void wake(std::int64_t blocks) {
    epoch.fetch_add(1);
    const int asleep = sleepers.load();
    const auto wanted = static_cast<int>(std::min<std::int64_t>({blocks - 1, wake_limit, asleep}));
    for (int i = 0; i < wanted; ++i) epoch.notify_one();
  }

  void wait() {
    auto finished = [this] { return done.load(std::memory_order_acquire) == count; };
    while (!spin(may_spin, finished)) {
      const std::uint32_t now = done.load(std::memory_order_acquire);
      if (now != count) done.wait(now);
    }
  }
};

ThreadPool::ThreadPool(int thread_count) : shared_(std::make_unique<Shared>()) {
  const int processors = available_processors();
  shared_->may_spin = thread_count <= processors;
  shared_->wake_limit = std::max(1, std::min(thread_count, processors) - 1);
  shared_->shares = std::vector<Shared::Share>(to_index(std::max(thread_count, 1)));
  for (int i = 1; i < thread_count; ++i) {
    try {
      shared_->workers.emplace_back([shared = shared_.get(), i] { shared->worker_loop(to_index(i)); });
    } catch (const std::system_error&) {
      break;  // fewer workers, same results
    }
  }
}

ThreadPool::~ThreadPool() {
  shared_->stop.store(true);
  shared_->epoch.fetch_add(1);
  shared_->epoch.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

int ThreadPool::thread_count() const { return static_cast<int>(shared_->workers.size()) + 1; }

void ThreadPool::run(std::int64_t count, Block block, void* context) {
  Shared& s = *shared_;
  const bool alone = inside_job || s.workers.empty() || count > kMaxBlocks || s.busy.exchange(true);
  if (alone) {
    for (std::int64_t i = 0; i < count; ++i) block(context, i);
    return;
  }
  s.block = block;
  s.context = context;
  s.count = static_cast<std::uint32_t>(count);
  s.done.store(0, std::memory_order_relaxed);
  s.publish();
  s.wake(count);
  inside_job = true;
  s.work(0);
  inside_job = false;
  s.wait();
  const std::exception_ptr failure = s.failed.exchange(false) ? std::exchange(s.failure, nullptr) : nullptr;
  s.busy.store(false, std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
}

void check_threads(int thread_count) {
  if (thread_count < 0 || thread_count > kMostThreads)
    fail_input(
        fmt::format("threads is {}, it must lie in [0, {}]; 0 takes every processor", thread_count, kMostThreads),
        ErrorKind::limit);
}

std::unique_ptr<ThreadPool> make_pool(int thread_count) {
  check_threads(thread_count);
  if (thread_count == 0) thread_count = std::min(available_processors(), kMostThreads);
  return thread_count == 1 ? nullptr : std::make_unique<ThreadPool>(thread_count);
}

}  // namespace cairn
