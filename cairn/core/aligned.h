// SPDX-License-Identifier: MIT
// AlignedVector: a vector whose first element stands at the beginning of a cache line. A large one asks for large
// pages: with small ones a sweep over tens of megabytes spends a good part of its time finding out where they are.
#pragma once

#include <cstddef>
#include <vector>

namespace cairn {

inline constexpr std::size_t kCacheLine = 64;

/// Memory for AlignedVector; throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory, std::size_t bytes);

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_aligned(count * sizeof(T))); }
  void deallocate(T* p, std::size_t count) { free_aligned(p, count * sizeof(T)); }

  template <class U>
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator<U>&) {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace cairn
