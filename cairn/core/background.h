// SPDX-License-Identifier: MIT
// BackgroundQueue: work that is done one piece after the other by a thread of its own, for what is slow and must not
// hold up a simulation: writing files.
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

}  // namespace cairn
