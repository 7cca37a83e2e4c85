// SPDX-License-Identifier: MIT
// State hash: 128 bits that are equal when two states are equal bit for bit.
//
// Used by tests and by the program to show that results do not depend on threads, runs or instruction sets. Not
// cryptographic. Values are hashed as 64-bit little-endian words in the order given; -0.0 counts as 0.0.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cairn {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  std::string to_string() const;  ///< 32 hexadecimal digits
};

class StateHasher {
 public:
  void add(std::uint64_t word) {
    // Two lanes with different odd multipliers; each word reaches every bit of both within two further words.
    high_ = std::rotl(high_ ^ word, 29) * 0x9e3779b97f4a7c15ULL;
    low_ = std::rotl(low_ + (word ^ high_), 41) * 0xd6e8feb86659fd93ULL;
    ++count_;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value)); }
  void add(std::span<const double> values) {
    for (const double value : values) add(value);
  }

  Hash128 finish() const;

 private:
  std::uint64_t high_ = 0x243f6a8885a308d3ULL;
  std::uint64_t low_ = 0x13198a2e03707344ULL;
  std::uint64_t count_ = 0;
};

/// Of bytes, eight to a word, least significant first, zeros after the last. Any change within one word changes it.
Hash128 hash_bytes(std::string_view bytes);

}  // namespace cairn
