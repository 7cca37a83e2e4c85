// SPDX-License-Identifier: MIT
#include "cairn/simd/simd.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::array<const char*, 4> kNames{"scalar", "sse4", "avx2", "avx512"};

/// What the processor has by Highway's tests, which ask for all parts of a set; the baseline is always there.
std::vector<Simd> find_sets() {
  std::vector<Simd> sets{Simd::scalar};
#if HWY_ARCH_X86
  const std::int64_t supported = hwy::SupportedTargets();
  if ((supported & HWY_SSE4) != 0) sets.push_back(Simd::sse4);
  if ((supported & HWY_AVX2) != 0) sets.push_back(Simd::avx2);
  if ((supported & HWY_AVX3) != 0) sets.push_back(Simd::avx512);
#endif
  return sets;
}

const std::vector<Simd>& sets_of_machine() {
  static const std::vector<Simd> kSets = find_sets();
  return kSets;
}

void choose(Simd set) { detail::simd_choice.store(static_cast<int>(set), std::memory_order_relaxed); }

}  // namespace

std::atomic<int> detail::simd_choice{-1};

/// Whoever is second finds the same.
Simd detail::choose_simd() {
  choose(sets_of_machine().back());
  return sets_of_machine().back();
}

std::vector<std::string> simd_names() {
  std::vector<std::string> names;
  for (const Simd set : sets_of_machine()) names.emplace_back(kNames[to_index(set)]);
  return names;
}

void force_simd(std::string_view name) {
  if (name == "auto") return choose(sets_of_machine().back());
  for (const Simd set : sets_of_machine())
    if (name == kNames[to_index(set)]) return choose(set);
  std::vector<std::string> names = simd_names();
  names.emplace_back("auto");
  fail_input(fmt::format("this machine has no instruction set \"{}\"; it has {}", name, fmt::join(names, ", ")));
}

}  // namespace cairn
