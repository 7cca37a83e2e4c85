// SPDX-License-Identifier: MIT
#include "cairn/simd/fused.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"

namespace cairn {
namespace {

/// sums[i] + a x[i], as many at a time as the chosen set takes.
std::vector<double> add_products(double a, const std::vector<double>& x, std::vector<double> sums) {
  run_fused([&](auto fused) {
    using Wide = typename decltype(fused)::Widest;
    constexpr std::size_t kLanes = sizeof(Wide) / sizeof(double);
    for (std::size_t at = 0; at + kLanes <= x.size(); at += kLanes) {
      Wide factor, other, sum;
      fused.broadcast(a, factor);
      get_lanes(x.data() + at, other);
      get_lanes(sums.data() + at, sum);
      fused.multiply_add(factor, other, sum);
      put_lanes(sum, sums.data() + at);
    }
  });
  return sums;
}

/// (1 + e)^2 - (1 + 2 e) is e^2 with one rounding, and 0 with two, for e = 2^-30.
TEST(Fused, RoundsOnceWithEverySet) {
  const double e = std::ldexp(1.0, -30);
  for (const std::string& set : simd_names()) {
    force_simd(set);
    for (const double sum : add_products(1 + e, std::vector<double>(8, 1 + e), std::vector<double>(8, -(1 + 2 * e))))
      EXPECT_EQ(sum, e * e) << set;
  }
  force_simd("auto");
}

TEST(Fused, GivesTheSameBitsWithEverySet) {
  Random random(5);
  std::vector<double> x(8000), sums(8000), wanted;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = random.uniform(-1, 1) * std::ldexp(1.0, static_cast<int>(i % 60) - 30);
    sums[i] = random.uniform(-1, 1);
  }
  const double a = random.uniform(1, 2);
  for (std::size_t i = 0; i < x.size(); ++i) wanted.push_back(std::fma(a, x[i], sums[i]));
  for (const std::string& set : simd_names()) {
    force_simd(set);
    EXPECT_EQ(add_products(a, x, sums), wanted) << set;
  }
  force_simd("auto");
}

}  // namespace
}  // namespace cairn
