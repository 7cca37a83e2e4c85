// SPDX-License-Identifier: MIT
// The fields that a sweep reads and writes, found by trial: a field is written if it changes, and read if changing it
// changes anything else.
#include "cairn/solvers/soft_step/lane_work.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/solvers/soft_step/lane_kernels.h"

namespace cairn {
namespace {

constexpr std::size_t kBodies = 2 * kLanes;

/// One group full of numbers that leave nothing out: points press, some apart and some not, contacts slide and stick.
struct Trial {
  LaneKind kind;
  LaneFields f = lane_fields(kind);
  AlignedVector<float> data;
  std::vector<LaneBody> bodies{kBodies};
  std::vector<LaneMass> masses{kBodies};
  LaneGroup group;

  explicit Trial(LaneKind of) : kind(of), data(to_index(f.size * kLanes)) {
    Random random(7);
    for (float& value : data) value = static_cast<float>(random.uniform(0.2, 1.0));
    for (LaneBody& body : bodies)
      for (int k = 0; k < 6; ++k) {
        body.velocity[k] = static_cast<float>(random.uniform(-0.1, 0.1));
        body.displacement[k] = static_cast<float>(random.uniform(-0.1, 0.1));
      }
    for (int lane = 0; lane < kLanes; ++lane) {
      set_index(f.body_b, lane, lane);
      if (kind.two_bodies) set_index(f.body_a, lane, kLanes + lane);
      data[to_index(f.friction * kLanes + lane)] = lane % 2 == 0 ? 0.01f : 10.0f;
      for (int i = 0; i < kind.points; ++i)
        for (const int at : {f.gap, f.separation})
          data[to_index((f.point + i * f.point_size + at) * kLanes + lane)] = lane % 4 < 2 ? -0.01f : 0.001f;
    }
    group.kind = static_cast<std::uint16_t>(kind.index());
    group.lanes = kLanes;
  }
  void set_index(int field, int lane, std::int32_t index) {
    std::memcpy(&data[to_index(field * kLanes + lane)], &index, sizeof(index));
  }
  void sweep(LaneSweep which) {
    LanePass pass;
    pass.inverse_h = 240;
    for (int side = 0; side < 2; ++side)
      pass.rate[side] = 30, pass.mass_scale[side] = 0.6f, pass.impulse_scale[side] = 0.4f;
    pass.push = 3;
    pass.biased = which == LaneSweep::soft;
    pass.refresh = pass.last = !pass.biased;
    if (pass.last) pass.sum = pass.bouncing_sum = LaneSum::add;
    lane_kernels().sweep({&group, data.data(), bodies.data(), masses.data()}, pass, 0, 1);
  }
  std::span<float> field(int i) { return {data.data() + i * kLanes, kLanes}; }
  static bool equal(std::span<const float> x, std::span<const float> y) {
    return std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
  }
};

std::set<int> written_fields(LaneKind kind, LaneSweep which) {
  Trial before(kind), after(kind);
  after.sweep(which);
  std::set<int> written;
  for (int i = 0; i < before.f.size; ++i)
    if (!Trial::equal(before.field(i), after.field(i))) written.insert(i);
  return written;
}

/// Fields whose change is seen anywhere else, or in themselves other than as they were.
std::set<int> read_fields(LaneKind kind, LaneSweep which, const std::set<int>& written) {
  std::set<int> read;
  Trial plain(kind);
  plain.sweep(which);
  for (int i = 0; i < plain.f.size; ++i) {
    Trial changed(kind);
    if (i == changed.f.body_b || (kind.two_bodies && i == changed.f.body_a)) {
      const int first = i == changed.f.body_b ? 0 : kLanes;
      for (int lane = 0; lane < kLanes; ++lane) changed.set_index(i, lane, first + (lane + 1) % kLanes);
    } else {
      for (float& value : changed.field(i)) value *= 1.25f;
    }
    changed.sweep(which);
    bool seen = written.count(i) != 0;  // with its cache line
    for (int k = 0; k < plain.f.size && !seen; ++k) seen = k != i && !Trial::equal(plain.field(k), changed.field(k));
    for (std::size_t b = 0; b < kBodies && !seen; ++b)
      seen = !Trial::equal(plain.bodies[b].velocity, changed.bodies[b].velocity);
    if (seen) read.insert(i);
  }
  return read;
}

TEST(LaneWork, FieldsAreThoseThatASweepReadsAndWrites) {
  for (int index = 0; index < kLaneKinds; ++index)
    for (const LaneSweep which : {LaneSweep::soft, LaneSweep::rigid}) {
      const LaneKind kind = lane_kind(index);
      const LaneWork work = lane_work(kind, which);
      const std::set<int> written = written_fields(kind, which), read = read_fields(kind, which, written);
      EXPECT_EQ(work.fields_written, static_cast<int>(written.size())) << "kind " << index;
      EXPECT_EQ(work.fields_read, static_cast<int>(read.size()))
          << "kind " << index << (which == LaneSweep::soft ? " soft" : " rigid");
    }
}

/// Counted by hand, line by line.
TEST(LaneWork, FlopsOfOnePointBetweenTwoBodies) {
  EXPECT_EQ(lane_work({1, true, false}, LaneSweep::soft).flops, 75);
  EXPECT_EQ(lane_work({1, true, false}, LaneSweep::rigid).flops, 243 + 3);  // and three sums
  EXPECT_EQ(lane_work({1, true, false}, LaneSweep::soft).bytes(), 4 * (16 + 1) + 32 * (2 + 2));
}

TEST(LaneWork, FlopsOfTwoBalls) {
  constexpr LaneKind kBalls{1, true, false, true};
  EXPECT_EQ(lane_work(kBalls, LaneSweep::soft).flops, 42);
  EXPECT_EQ(lane_work(kBalls, LaneSweep::rigid).flops, 138 + 3);  // and three sums
  EXPECT_EQ(lane_work(kBalls, LaneSweep::soft).bytes(), 4 * (10 + 1) + 16 * (2 + 2));
}

}  // namespace
}  // namespace cairn
