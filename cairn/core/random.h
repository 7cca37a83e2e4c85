// SPDX-License-Identifier: MIT
// Random numbers: a seeded object, the same sequence on every machine.
//
// The generator is the 64-bit counter scheme "split mix" (Steele, Lea, Flood 2014): state += odd constant, output
// = mixed state. Small, fast, equidistributed over its period of 2^64, more than enough to place scenes.
#pragma once

#include <cstdint>

namespace cairn {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in {0, ..., count - 1}; the bias is below count / 2^64.
  std::uint64_t below(std::uint64_t count) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * count) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace cairn
