// SPDX-License-Identifier: MIT
#include "tests/allocation/counter.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "cairn/core/index.h"

namespace {
std::atomic<long> allocations{0};

/// nullptr when there is no memory.
void* counted(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::size_t number(std::align_val_t alignment) { return cairn::to_index(alignment); }
}  // namespace

// Every form: those that are left out come from the sanitizers' runtime, are not counted, and do not go with our
// delete.
[[gnu::noinline]] void* operator new(std::size_t n) { return or_throw(counted(n)); }
[[gnu::noinline]] void* operator new[](std::size_t n) { return or_throw(counted(n)); }
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) { return or_throw(counted(n, number(a))); }
[[gnu::noinline]] void* operator new[](std::size_t n, std::align_val_t a) { return or_throw(counted(n, number(a))); }
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted(n); }
[[gnu::noinline]] void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return counted(n); }
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(n, number(a));
}
[[gnu::noinline]] void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(n, number(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }

namespace cairn {

long allocation_count() { return allocations.load(); }

}  // namespace cairn
