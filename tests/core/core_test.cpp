// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>

#include "cairn/core/arena.h"
#include "cairn/core/errors.h"
#include "cairn/core/handle.h"
#include "cairn/core/hash.h"
#include "cairn/core/names.h"
#include "cairn/core/random.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

TEST(Errors, RequireThrowsWithTheCure) {
  EXPECT_NO_THROW(require(true, "unused"));
  try {
    require(false, "mass must be positive");
    FAIL() << "require let a false condition pass";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "mass must be positive");
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  }
}

TEST(Errors, ExpectedHoldsAValueOrAnError) {
  const Expected<int> good = 3;
  const Expected<int> bad = Error{ErrorKind::io, "no such file"};
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "no such file");
  EXPECT_THROW(Expected<int>(bad).value_or_throw(), InputError);
}

struct Thing;

TEST(Handles, StaleForgedAndNullAreRefused) {
  HandlePool<Thing> pool;
  const Handle<Thing> first = pool.create();
  EXPECT_TRUE(pool.is_valid(first));
  EXPECT_FALSE(pool.is_valid({}));
  EXPECT_FALSE(pool.is_valid({7, 0}));
  EXPECT_TRUE(pool.destroy(first));
  EXPECT_FALSE(pool.is_valid(first));
  EXPECT_FALSE(pool.destroy(first)) << "a second delete must be refused";
  const Handle<Thing> second = pool.create();
  EXPECT_EQ(second.index, first.index) << "the slot is reused";
  EXPECT_NE(second.generation, first.generation);
  EXPECT_FALSE(pool.is_valid(first));
}

TEST(Handles, RestoredPoolGivesOutTheSameHandles) {
  HandlePool<Thing> pool, copy;
  std::vector<Handle<Thing>> handles;
  for (int k = 0; k < 6; ++k) handles.push_back(pool.create());
  for (const std::size_t k : {4u, 1u, 3u}) pool.destroy(handles[k]);
  copy.restore(pool.state());
  for (const Handle<Thing>& handle : handles) EXPECT_EQ(copy.is_valid(handle), pool.is_valid(handle));
  for (const std::uint32_t slot : {3u, 1u, 4u, 6u}) {
    const Handle<Thing> next = copy.create();
    EXPECT_EQ(next.index, slot) << "last in, first out";
    EXPECT_EQ(next, pool.create());
  }
}

TEST(Handles, StatesThatContradictThemselvesAreRefused) {
  constexpr std::uint32_t kLast = 0xffffffff;
  using State = HandlePool<Thing>::State;
  HandlePool<Thing> pool;
  pool.create();
  EXPECT_NO_THROW(HandlePool<Thing>().restore(State{{0, 3, kLast}, {1, 0, 0}, {1}})) << "the last slot is used up";
  for (const State& bad : {State{{0, 3}, {1, 0}, {}},      // free, but not listed
                           State{{0, 3}, {1, 0}, {1, 1}},  // twice
                           State{{0, 3}, {1, 0}, {1, 0}},  // in use
                           State{{0, 3}, {1, 0}, {1, 2}},  // out of range
                           State{{0, 3}, {1, 2}, {}},      // neither live nor free
                           State{{0, 3}, {1}, {}}}) {
    EXPECT_THROW(pool.restore(bad), InputError);
    EXPECT_TRUE(pool.is_valid({0, 0}));
    EXPECT_EQ(pool.slot_count(), 1u);
  }
}

TEST(Arena, AlignsGrowsAndReusesItsMemory) {
  Arena arena;
  for (int round = 0; round < 3; ++round) {
    const auto bytes = arena.take<char>(3);
    const auto doubles = arena.take<double>(1000);
    std::memset(bytes.data(), round, bytes.size());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(doubles.data()) % alignof(double), 0u);
    for (double& value : doubles) value = round;
    EXPECT_GE(arena.used(), 8003u);
    arena.reset();
    EXPECT_EQ(arena.used(), 0u);
  }
  const std::size_t settled = arena.capacity();
  arena.take<double>(1000);
  EXPECT_EQ(arena.capacity(), settled) << "a warm round must not allocate";
}

TEST(Hash, DependsOnEveryValueAndOnTheOrder) {
  const auto hash = [](std::initializer_list<double> values) {
    StateHasher hasher;
    for (const double value : values) hasher.add(value);
    return hasher.finish();
  };
  EXPECT_EQ(hash({1, 2, 3}), hash({1, 2, 3}));
  EXPECT_EQ(hash({0.0}), hash({-0.0}));
  std::set<std::string> seen;
  for (const auto& values :
       {hash({}), hash({0}), hash({0, 0}), hash({1, 2}), hash({2, 1}), hash({1, 2.0000000000000004})})
    seen.insert(values.to_string());
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_EQ(hash({1}).to_string().size(), 32u);
}

TEST(Hash, OneBitChangesAboutHalfOfTheBits) {
  double total = 0;
  for (int bit = 0; bit < 64; ++bit) {
    StateHasher a, b;
    a.add(std::uint64_t{0});
    b.add(std::uint64_t{1} << bit);
    const Hash128 x = a.finish(), y = b.finish();
    total += std::popcount(x.high ^ y.high) + std::popcount(x.low ^ y.low);
  }
  EXPECT_NEAR(total / 64, 64, 8);
}

TEST(Hash, OfBytesChangesWithEveryBitAndWithTheLength) {
  std::string bytes = "nineteen characters";
  std::set<std::string> seen{hash_bytes(bytes).to_string(), hash_bytes(bytes + '\0').to_string(),
                             hash_bytes("").to_string()};
  for (char& byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ (1 << bit));
      seen.insert(hash_bytes(bytes).to_string());
      byte = static_cast<char>(byte ^ (1 << bit));
    }
  EXPECT_EQ(seen.size(), 3 + 8 * bytes.size());
}

TEST(Random, IsTheSameSequenceEverywhere) {
  Random random(1);
  // First outputs of split mix with seed 1, computed independently from the published recurrence.
  EXPECT_EQ(random.next(), 0x910a2dec89025cc1ULL);
  EXPECT_EQ(random.next(), 0xbeeb8da1658eec67ULL);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = random.uniform(-1, 3);
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 3);
    sum += value;
  }
  EXPECT_NEAR(sum / 100000, 1, 0.02);
  for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(7), 7u);
}

TEST(Names, NumbersTakeUpTheWholeText) {
  EXPECT_EQ(parse_number<int>("n", "-12"), -12);
  EXPECT_EQ(parse_number<std::int64_t>("n", "4294967297"), 4294967297);
  EXPECT_EQ(parse_number<double>("x", "2.5e-3"), 2.5e-3);
  for (const char* text : {"", " 1", "1 ", "1x", "0x10", "2.5", "99999999999"})
    EXPECT_EQ(refusal([&] { parse_number<int>("n", text); }),
              "setting n=" + std::string(text) + ": the value must be a whole number");
  for (const std::string text : {"1,5", "nan", "-nan", "inf", "-inf", "1e999"})
    EXPECT_EQ(refusal([&] { parse_number<double>("x", text); }),
              "setting x=" + text + ": the value must be a finite number");
}

TEST(Names, OnlyNearOnesAreGuessed) {
  const std::vector<std::string> solvers{"pgs", "jacobi", "ldl_pgs"};
  EXPECT_EQ(nearest_name("jacobbi", solvers), "jacobi");
  EXPECT_EQ(nearest_name("jac", solvers), "jacobi");
  EXPECT_EQ(nearest_name("foo", solvers), "");
  EXPECT_EQ(did_you_mean("tower_x", {"hopper", "wall"}), "");
  EXPECT_EQ(did_you_mean("wal", {"hopper", "wall"}, '"'), " (did you mean \"wall\"?)");
}

}  // namespace
}  // namespace cairn
