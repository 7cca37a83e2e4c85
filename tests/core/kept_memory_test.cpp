// SPDX-License-Identifier: MIT
// Memory that outlives its vector.
#include "cairn/core/kept_memory.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace cairn {
namespace {

TEST(KeptMemory, StaysAsItWasWhenTheVectorGrows) {
  KeptVector<double> vector{1, 2, 3};
  vector.shrink_to_fit();
  const double* before = vector.data();
  const auto kept = keep_memory(vector);
  vector[1] = 5;  // still the same memory
  EXPECT_EQ(before[1], 5);
  vector.resize(1000, 7);
  ASSERT_NE(vector.data(), before);
  vector[1] = 9;
  EXPECT_EQ(before[0], 1);
  EXPECT_EQ(before[1], 5);
  EXPECT_EQ(before[2], 3);
}

TEST(KeptMemory, OutlivesItsVector) {
  std::shared_ptr<const void> kept;
  const double* elements = nullptr;
  {
    KeptVector<double> vector(64, 2.5);
    elements = vector.data();
    kept = keep_memory(vector);
    KeptVector<double> other = std::move(vector);  // the block changes its owner, not its place
    EXPECT_EQ(other.data(), elements);
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(elements[i], 2.5);
}

TEST(KeptMemory, IsAlignedAndNullForNothing) {
  KeptVector<double> vector;
  EXPECT_EQ(keep_memory(vector), nullptr);
  vector.push_back(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(vector.data()) % 64, 0u);
  EXPECT_NE(keep_memory(vector), nullptr);
}

}  // namespace
}  // namespace cairn
