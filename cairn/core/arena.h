// SPDX-License-Identifier: MIT
// Arena: scratch memory of one step, given back all at once.
//
// The first use may allocate; after `reset` the same memory serves again, so that a warm step allocates nothing.
// Blocks that did not fit are merged into one large enough block at the next reset.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace cairn {

class Arena {
 public:
  explicit Arena(std::size_t initial_bytes = 0);

  /// Uninitialised storage for `count` trivially destructible values, valid until `reset`.
  template <class T>
  std::span<T> take(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
    return {static_cast<T*>(take_bytes(count * sizeof(T), alignof(T))), count};
  }

  /// Forgets everything taken. Allocates only if the last round did not fit into one block.
  void reset();

  std::size_t used() const { return used_; }
  std::size_t capacity() const;

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
    std::size_t top = 0;
  };

  void* take_bytes(std::size_t bytes, std::size_t alignment);
  void add_block(std::size_t at_least);

  std::vector<Block> blocks_;  ///< the last one is being filled
  std::size_t used_ = 0;       ///< bytes taken since the last reset, padding included
};

}  // namespace cairn
