// SPDX-License-Identifier: MIT
// BackgroundQueue: work that is done one piece after the other by a thread of its own, for what is slow and must not
// hold up a simulation: writing files. BackgroundLoop: a simulation that must not be held up by those who watch it.
//
// At most `most` pieces wait; who brings another one waits with it. So memory stays bounded, and nothing is ever
// dropped. The first exception of a piece ends the work: pieces behind it are thrown away, and the exception reaches
// the caller with his next push() or finish().
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace cairn {

class BackgroundQueue {
 public:
  explicit BackgroundQueue(std::size_t most);
  /// Does what still waits; exceptions are lost.
  ~BackgroundQueue();
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  void push(std::function<void()> work);
  /// Returns when all is done.
  void finish();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// A thread that takes turns until its owner goes. Between two turns it does what was posted, in order. Neither a turn
/// nor what is posted may throw.
class BackgroundLoop {
 public:
  /// A turn returns how many seconds to rest before the next one; below zero: until something is posted or wake() is
  /// called, which ends every rest.
  explicit BackgroundLoop(std::function<double()> turn);
  /// Ends after the turn or the piece under way; what still waits is not done.
  ~BackgroundLoop();
  BackgroundLoop(const BackgroundLoop&) = delete;
  BackgroundLoop& operator=(const BackgroundLoop&) = delete;

  void post(std::function<void()> work);
  /// Posts it and returns when it is done. Not from the loop itself.
  void ask(const std::function<void()>& work);
  void wake();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace cairn
