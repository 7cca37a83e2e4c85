// SPDX-License-Identifier: MIT
#include "cairn/core/aligned.h"

#include <sys/mman.h>

#include <new>

namespace cairn {

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

bool is_large(std::size_t bytes) { return bytes >= kLargePage / 2 && bytes <= ~std::size_t{0} - kLargePage; }

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  if (!is_large(bytes)) return ::operator new (bytes, std::align_val_t{kCacheLine});
  const std::size_t size = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* memory = ::operator new (size, std::align_val_t{kLargePage});
  madvise(memory, size, MADV_HUGEPAGE);  // a wish: where there are none, small ones do
  return memory;
}

void free_aligned(void* memory, std::size_t bytes) {
  ::operator delete (memory, std::align_val_t{is_large(bytes) ? kLargePage : kCacheLine});
}

}  // namespace cairn
