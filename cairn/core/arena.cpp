// SPDX-License-Identifier: MIT
#include "cairn/core/arena.h"

#include <algorithm>
#include <cstdint>

namespace cairn {

namespace {
constexpr std::size_t kSmallestBlock = 4096;
}

Arena::Arena(std::size_t initial_bytes) {
  if (initial_bytes > 0) add_block(initial_bytes);
}

void Arena::reset() {
  if (blocks_.size() > 1) {
    const std::size_t total = capacity();
    blocks_.clear();
    add_block(total);
  }
  if (!blocks_.empty()) blocks_.back().top = 0;
  used_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

void* Arena::take_bytes(std::size_t bytes, std::size_t alignment) {
  if (blocks_.empty()) add_block(bytes + alignment);
  for (;;) {
    Block& block = blocks_.back();
    const auto base = reinterpret_cast<std::uintptr_t>(block.memory.get());
    const std::uintptr_t aligned = (base + block.top + alignment - 1) / alignment * alignment;
    const std::size_t new_top = aligned - base + bytes;
    if (new_top <= block.size) {
      used_ += new_top - block.top;
      block.top = new_top;
      return reinterpret_cast<void*>(aligned);
    }
    add_block(bytes + alignment);
  }
}

void Arena::add_block(std::size_t at_least) {
  const std::size_t last = blocks_.empty() ? 0 : blocks_.back().size;
  const std::size_t size = std::max({at_least, 2 * last, kSmallestBlock});
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size, 0});
}

}  // namespace cairn
