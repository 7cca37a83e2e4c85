// SPDX-License-Identifier: MIT
// KeptVector: a std::vector whose memory can be kept by others. Views of a world's bodies (World::arrays) stay readable
// after the vector grew, was replaced or is gone.
//
// Every block of memory counts who uses it: the vector, and everybody who called keep_memory. The last one frees it.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace cairn {

/// Stands before the elements of a block; as wide as a cache line, so that they begin on one of their own.
struct alignas(64) KeptBlock {
  std::atomic<std::size_t> users{1};

  static KeptBlock* before(const void* elements) {
    return static_cast<KeptBlock*>(const_cast<void*>(elements)) - 1;  // NOLINT: the block is never const
  }
  void release() {
    if (users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    this->~KeptBlock();
    ::operator delete (this, std::align_val_t{alignof(KeptBlock)});
  }
};

template <class T>
struct KeptAllocator {
  using value_type = T;
  static_assert(alignof(T) <= alignof(KeptBlock));

  KeptAllocator() = default;
  template <class U>
  KeptAllocator(const KeptAllocator<U>&) {}  // NOLINT: implicit, as the standard asks

  T* allocate(std::size_t count) {
    if (count > (std::numeric_limits<std::size_t>::max() - sizeof(KeptBlock)) / sizeof(T)) throw std::bad_alloc();
    void* memory = ::operator new (sizeof(KeptBlock) + count * sizeof(T), std::align_val_t{alignof(KeptBlock)});
    return reinterpret_cast<T*>(new (memory) KeptBlock + 1);
  }
  void deallocate(T* elements, std::size_t) { KeptBlock::before(elements)->release(); }

  friend bool operator==(const KeptAllocator&, const KeptAllocator&) { return true; }
};

/// For elements without destructor only: what the vector destroys stays readable as it was.
template <class T>
using KeptVector = std::vector<T, KeptAllocator<T>>;

/// Keeps the memory that a vector has now, for as long as the result lives. Null for a vector without memory.
template <class T>
std::shared_ptr<const void> keep_memory(const KeptVector<T>& vector) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (vector.capacity() == 0) return nullptr;
  KeptBlock* block = KeptBlock::before(vector.data());
  block->users.fetch_add(1, std::memory_order_relaxed);
  return {static_cast<const void*>(block), [block](const void*) { block->release(); }};
}

}  // namespace cairn
