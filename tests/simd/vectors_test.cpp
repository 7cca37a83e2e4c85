// SPDX-License-Identifier: MIT
#include "cairn/simd/vectors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

/// Entry (i, j) of a square is 10 i + j; afterwards it must be 10 j + i.
template <class Lanes, int kSize>
void expect_transposed() {
  Lanes row[kSize];
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) row[i][j] = static_cast<float>(10 * i + j);
  transpose(row);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) EXPECT_EQ(row[i][j], 10 * j + i) << i << " " << j;
}

TEST(SimdVectors, RowsBecomeColumns) {
  expect_transposed<Float4, 4>();
  expect_transposed<Double4, 4>();
  expect_transposed<Double8, 8>();
}

TEST(SimdVectors, BroadcastKeepsTheSignOfZero) {
  Double4 v;
  broadcast(-0.0, v);
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(v[k] == 0 && std::signbit(v[k]));
}

TEST(SimdVectors, AbsoluteTakesTheSignOfEveryNumber) {
  Double4 v{-1, 2, -0.0, -INFINITY};
  absolute(v, v);
  EXPECT_EQ(v[0], 1);
  EXPECT_EQ(v[1], 2);
  EXPECT_FALSE(std::signbit(v[2]));
  EXPECT_EQ(v[3], INFINITY);
}

TEST(SimdVectors, BitsTellTheLanes) {
  const Double4 v{1, -1, 3, -3};
  EXPECT_EQ(bits_of(v > 0), 0b0101U);
  const Float4 low{1, -1, -1, -1}, high{-1, -1, 1, 1};
  EXPECT_EQ(bits_of(low > 0, high > 0), 0b11000001U);
}

TEST(SimdVectors, ShuffleAndConvert) {
  const Double4 v{0, 1, 2, 3}, w{4, 5, 6, 0.1};
  Double4 turned, across;
  shuffle<1, 2, 3, 0>(v, turned);
  shuffle<3, 4, 5, 7>(v, w, across);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(turned[k], (k + 1) % 4);
  EXPECT_EQ(across[0], 3);
  EXPECT_EQ(across[2], 5);
  Float4 rounded;
  convert(across, rounded);
  EXPECT_EQ(rounded[3], 0.1f);
}

TEST(SimdVectors, MemoryNeedNotBeAligned) {
  double from[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, to[9] = {};
  Double8 v;
  get_lanes(from + 1, v);
  put_lanes(v, to + 1, 3 * sizeof(double));
  EXPECT_EQ(v[7], 8);
  EXPECT_EQ(to[3], 3);
  EXPECT_EQ(to[4], 0);
}

}  // namespace
}  // namespace cairn
