// SPDX-License-Identifier: MIT
#include "cairn/simd/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "cairn/solvers/soft_step/lane_kernels.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

/// Forces an instruction set for a scope.
struct Forced {
  explicit Forced(const std::string& name) { force_simd(name); }
  ~Forced() { force_simd("auto"); }
};

/// From where it was called: each form of `run_wide` is a place of its own.
[[gnu::noinline]] void* caller() { return __builtin_return_address(0); }

void* place_of_wide_code() {
  void* place = nullptr;
  int turns = 0;
  run_wide([&] {
    place = caller();
    ++turns;  // so that the call above is none in tail position
  });
  EXPECT_EQ(turns, 1);
  return place;
}

TEST(Simd, IsOneChoiceForLanesAndForWideLoops) {
  std::set<void*> places;
  std::set<std::string> lanes;
  for (const std::string& name : simd_names()) {
    const Forced forced(name);
    lanes.insert(lane_kernels().name);
    places.insert(place_of_wide_code());
  }
  EXPECT_EQ(lanes.size(), simd_names().size());
  // scalar and sse4 share the baseline of wide loops.
  const std::size_t above_baseline = simd_names().size() - std::min<std::size_t>(simd_names().size(), 2);
  EXPECT_EQ(places.size(), 1 + above_baseline);
}

TEST(Simd, TheBestIsChosenUnlessOneIsForced) {
  void* const best = place_of_wide_code();
  const std::string lanes = lane_kernels().name;
  {
    const Forced forced(simd_names().back());
    EXPECT_EQ(place_of_wide_code(), best);
    EXPECT_EQ(lane_kernels().name, lanes);
  }
  force_simd("scalar");
  EXPECT_EQ(chosen_simd(), Simd::scalar);
  force_simd("auto");
  EXPECT_EQ(place_of_wide_code(), best);
}

TEST(Simd, UnknownNamesAreRefusedAndChangeNothing) {
  const Forced forced("scalar");
  for (const char* name : {"", "avx1024", "AVX2", "Auto"}) {
    EXPECT_NE(refusal([&] { force_simd(name); }).find("it has scalar"), std::string::npos) << name;
    EXPECT_EQ(chosen_simd(), Simd::scalar);
  }
}

}  // namespace
}  // namespace cairn
