// SPDX-License-Identifier: MIT
// Wide and its records, compiled for every instruction set, against the arithmetic of single floats.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/simd/wide_test.cpp"
#include "cairn/simd/each_target.h"
//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "cairn/simd/wide-inl.h"
#include "cairn/simd/wide_records-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

constexpr int kMost = 16;
using W = Wide<kMost>;

/// The numbers of memory by `formula`, W::kCount at a time.
template <class Formula>
HWY_INLINE void compute(const float (&a)[kMost], const float (&b)[kMost], float (&out)[kMost], Formula&& formula) {
  for (int lane = 0; lane < kMost; lane += W::kCount) formula(W::load(a + lane), W::load(b + lane)).store(out + lane);
}

void expect_bits(const float (&got)[kMost], float (*formula)(float, float), const float (&a)[kMost],
                 const float (&b)[kMost]) {
  for (int k = 0; k < kMost; ++k) {
    const float wanted = formula(a[k], b[k]);
    EXPECT_TRUE(std::memcmp(&got[k], &wanted, sizeof wanted) == 0 || (std::isnan(got[k]) && std::isnan(wanted)))
        << k << ": " << got[k] << " instead of " << wanted;
  }
}

void check_operators() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  alignas(64)
      const float a[kMost] = {1, -2, 0.1f, 3e30f, -0.0f, 0, 7, -1e-30f, kInfinity, 5, 2, 9, -4, 1.5f, 0.3f, 1e-40f};
  alignas(64) const float b[kMost] = {3, 5, 0.7f, 1e20f, 0, -0.0f, 7, 1e-20f, 2, NAN, -2, 3, 8, 1.5f, 0.1f, 3};
  alignas(64) float out[kMost];
  compute(a, b, out, [](W x, W y) HWY_ATTR { return x * y + 0.5f; });
  expect_bits(
      out, [](float x, float y) { return x * y + 0.5f; }, a, b);
  compute(a, b, out, [](W x, W y) HWY_ATTR { return x - y - 2.0f * x; });
  expect_bits(
      out, [](float x, float y) { return x - y - 2.0f * x; }, a, b);
  compute(a, b, out, [](W x, W y) HWY_ATTR { return -(x / y); });
  expect_bits(
      out, [](float x, float y) { return -(x / y); }, a, b);
  compute(a, b, out, [](W x, W y) HWY_ATTR { return sqrt(x * x + y); });
  expect_bits(
      out, [](float x, float y) { return std::sqrt(x * x + y); }, a, b);
  compute(a, b, out, [](W x, W y) HWY_ATTR { return larger(x, y); });
  expect_bits(
      out, [](float x, float y) { return x > y ? x : y; }, a, b);
  compute(a, b, out, [](W x, W y) HWY_ATTR { return smaller(x, y); });
  expect_bits(
      out, [](float x, float y) { return x < y ? x : y; }, a, b);
  compute(a, b, out, [](W x, W y) HWY_ATTR { return select((x == y) & (x > 0.0f), 1.0f, select_or_zero(x < y, y)); });
  expect_bits(
      out, [](float x, float y) { return x == y && x > 0 ? 1.0f
                                         : x < y         ? y
                                                         : 0.0f; }, a, b);
}

/// Record k has the numbers 100 k + j; lane l asks for record 3 l mod 16.
void check_records() {
  alignas(64) float records[kMost * 8], to[kMost * 8];
  std::int32_t index[kMost];
  for (int k = 0; k < kMost; ++k) {
    index[k] = 3 * k % kMost;
    for (int j = 0; j < 8; ++j) records[8 * k + j] = static_cast<float>(100 * k + j);
  }
  std::fill_n(to, kMost * 8, -1.0f);
  constexpr int kUsed = 13;  // lanes that are stored
  for (int lane = 0; lane < kUsed; lane += W::kCount) {
    W column[8];
    load_records<8, 8>(records, index + lane, column);
    alignas(64) float numbers[kMost];
    column[5].store(numbers);
    for (int l = 0; l < W::kCount; ++l) EXPECT_EQ(numbers[l], static_cast<float>(100 * index[lane + l] + 5));
    store_records6<8>(column, to, index + lane, kUsed - lane);
  }
  for (int l = 0; l < kMost; ++l)
    for (int j = 0; j < 8; ++j)
      EXPECT_EQ(to[8 * index[l] + j], l >= kUsed ? -1
                                      : j < 6    ? static_cast<float>(100 * index[l] + j)
                                                 : 0)
          << l << " " << j;
}

const char* check() {
  check_operators();
  check_records();
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {
namespace {

HWY_EXPORT(check);

TEST(SimdWide, IsTheArithmeticOfSingleFloatsInEverySet) {
  std::set<std::string> names;
  for (const std::string& name : simd_names()) {
    SCOPED_TRACE(name);
    force_simd(name);
    names.insert(HWY_DISPATCH_TABLE(check)[index_of_chosen_set()]());
  }
  force_simd("auto");
  EXPECT_EQ(names.size(), simd_names().size());
}

}  // namespace
}  // namespace cairn
#endif
