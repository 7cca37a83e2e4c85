// SPDX-License-Identifier: MIT
#include "cairn/core/hash.h"

#include <cinttypes>
#include <cstdio>

namespace cairn {

namespace {

/// Spreads every input bit over the whole word (two rounds of xor-shift and multiply).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xbea225f9eb34556dULL;
  x = (x ^ (x >> 29)) * 0xbea225f9eb34556dULL;
  return x ^ (x >> 32);
}

}  // namespace

Hash128 StateHasher::finish() const {
  const std::uint64_t a = mix(high_ + count_ * 0x9e3779b97f4a7c15ULL);
  const std::uint64_t b = mix(low_ ^ a);
  return {mix(a + b), b};
}

Hash128 hash_bytes(std::string_view bytes) {
  StateHasher hasher;
  hasher.add(static_cast<std::uint64_t>(bytes.size()));
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && at + k < bytes.size(); ++k)
      word |= std::uint64_t{static_cast<unsigned char>(bytes[at + k])} << (8 * k);
    hasher.add(word);
  }
  return hasher.finish();
}

std::string Hash128::to_string() const {
  char text[33];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, high, low);
  return text;
}

}  // namespace cairn
