// SPDX-License-Identifier: MIT
// Threads: the only door to them. A resident pool of workers and one call, parallel_for.
//
// Contract
//   * parallel_for(pool, count, grain, body) calls body(begin, end) for the ranges [0, grain), [grain, 2 grain), ...
//     of [0, count), each exactly once, in any order and on any thread, and returns when all are done.
//   * The ranges depend on count and grain alone, never on the pool, so a body whose ranges are independent gives
//     the same bits for any number of workers, none included (pool == nullptr).
//   * The caller works too and can finish alone: a worker that is not scheduled never holds anything up.
//   * A call from inside a body, or from a second thread while the pool is busy, runs on the calling thread.
//   * Where bodies throw, out of memory for instance, one of their exceptions reaches the caller once no thread is
//   inside
//     any body; the other ranges may or may not have been done.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace cairn {

class ThreadPool {
 public:
  /// Workers in addition to the caller: thread_count - 1. Threads the system refuses are done without.
  explicit ThreadPool(int thread_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const;

  using Block = void (*)(void* context, std::int64_t block);

  /// Runs block(context, i) for i in [0, count); see the contract above.
  void run(std::int64_t count, Block block, void* context);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// More threads than this are refused where numbers of them are given, on every machine alike.
inline constexpr int kMostThreads = 256;

/// A pool for `thread_count` threads, or none at all for one thread. 0 means every processor this process may use, up
/// to kMostThreads. InputError for a number that is none.
std::unique_ptr<ThreadPool> make_pool(int thread_count);
/// InputError unless it lies in [0, kMostThreads].
void check_threads(int thread_count);

/// Tells threads apart: no two that live at the same time have the same, and none has 0.
std::uintptr_t this_thread_mark();

/// Processors this process may use: the affinity mask, cut by the control group's quota.
int available_processors();

template <class Body>
void parallel_for(ThreadPool* pool, std::int64_t count, std::int64_t grain, Body&& body) {
  if (count <= 0) return;
  const std::int64_t blocks = (count + grain - 1) / grain;
  auto call = [&](std::int64_t block) { body(block * grain, std::min(count, (block + 1) * grain)); };
  if (pool == nullptr || blocks == 1) {
    for (std::int64_t block = 0; block < blocks; ++block) call(block);
    return;
  }
  using Call = decltype(call);
  pool->run(
      blocks, [](void* context, std::int64_t block) { (*static_cast<Call*>(context))(block); }, &call);
}

/// The same, one index at a time: `visit(i)` for every i below count.
template <class Visit>
void for_each_index(ThreadPool* pool, std::size_t count, std::int64_t grain, Visit&& visit) {
  parallel_for(pool, static_cast<std::int64_t>(count), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) visit(static_cast<std::size_t>(i));
  });
}

/// Sum, maximum, ... of a function over ranges, combined in the order of the ranges: same bits for any pool.
/// `map(begin, end)` gives the value of one range, `combine(a, b)` joins two. Allocates nothing: the ranges are done in
/// rounds of as many as fit on the stack.
template <class T, class Map, class Combine>
T parallel_reduce(ThreadPool* pool, std::int64_t count, std::int64_t grain, T initial, Map&& map, Combine&& combine) {
  constexpr std::int64_t kRound = 512;
  std::array<T, static_cast<std::size_t>(kRound)> partial;
  T result = initial;
  for (std::int64_t first = 0; first < count; first += kRound * grain) {
    const std::int64_t here = std::min(count - first, kRound * grain);
    parallel_for(pool, here, grain, [&](std::int64_t begin, std::int64_t end) {
      partial[static_cast<std::size_t>(begin / grain)] = map(first + begin, first + end);
    });
    const std::int64_t blocks = (here + grain - 1) / grain;
    for (std::int64_t i = 0; i < blocks; ++i) result = combine(result, partial[static_cast<std::size_t>(i)]);
  }
  return result;
}

}  // namespace cairn
