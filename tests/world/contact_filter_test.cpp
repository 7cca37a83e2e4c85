// SPDX-License-Identifier: MIT
// The caller's contact filter: what it is asked, in which order, and what it may not do.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "cairn/world/world.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 60;

BodyId add_floor(World& world) {
  return world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
}
BodyId add_box(World& world, const Vec3& p) {
  return world.add_body({.pose = {p, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
}

/// A floor with boxes that lie and fall on it.
std::vector<BodyId> add_boxes(World& world) {
  std::vector<BodyId> boxes{add_floor(world)};
  for (int i = 0; i < 6; ++i) boxes.push_back(add_box(world, {0.9 * (i % 3), 0, 0.5 + 1.05 * (i / 3)}));
  return boxes;
}

TEST(ContactFilter, RefusedPairsPassThroughEachOther) {
  World world;
  const BodyId floor = add_floor(world), ghost = add_box(world, {0, 0, 0.6}), box = add_box(world, {3, 0, 0.6});
  world.set_contact_filter([&](const ShapePair& pair) {
    EXPECT_EQ(pair.body_a, floor);
    EXPECT_EQ(world.body_of(pair.shape_b), pair.body_b);
    return pair.body_b != ghost;
  });
  World empty;
  const BodyId falling = add_box(empty, {0, 0, 0.6});
  for (int i = 0; i < 60; ++i) world.step(kStep), empty.step(kStep);
  EXPECT_EQ(world.view(ghost).pose.position.z, empty.view(falling).pose.position.z);
  EXPECT_NEAR(world.view(ghost).pose.position.z, 0.6 - 9.81 / 2, 0.1);
  EXPECT_NEAR(world.view(box).pose.position.z, 0.5, 0.005);
}

TEST(ContactFilter, OneThatAcceptsAllChangesNoBit) {
  World plain, filtered;
  add_boxes(plain), add_boxes(filtered);
  std::vector<std::pair<ShapeId, ShapeId>> asked;
  filtered.set_contact_filter([&](const ShapePair& pair) {
    asked.emplace_back(pair.shape_a, pair.shape_b);
    return true;
  });
  for (int i = 0; i < 120; ++i) {
    asked.clear();
    plain.step(kStep), filtered.step(kStep);
    ASSERT_EQ(plain.state_hash(), filtered.state_hash()) << "step " << i;
    EXPECT_TRUE(std::is_sorted(asked.begin(), asked.end()));
    EXPECT_EQ(static_cast<std::int64_t>(asked.size()), filtered.last_report().pairs);
  }
}

TEST(ContactFilter, OneWayPlatform) {
  World world;
  const BodyId platform =
      world.add_body({.kind = BodyKind::fixed, .pose = {{0, 0, 2}, {}}}, {{.shape = make_box({2, 2, 0.1})}});
  const BodyId ball = world.add_body({.velocity = {{0, 0, 8}, {}}}, {{.shape = make_sphere(0.2)}});
  // From below it may pass: as long as its lowest point is below the upper side.
  world.set_contact_filter([&](const ShapePair& pair) {
    const BodyId other = pair.body_a == platform ? pair.body_b : pair.body_a;
    return world.view(other).pose.position.z - 0.2 > 2.05;
  });
  for (int i = 0; i < 180; ++i) world.step(kStep);
  EXPECT_NEAR(world.view(ball).pose.position.z, 2.3, 0.01);
}

TEST(ContactFilter, AnswersMayChangeWhileNothingMoves) {
  WorldSettings settings;
  settings.sleep.enabled = true;
  World world(settings);
  add_floor(world);
  const BodyId box = add_box(world, {0, 0, 0.5});
  bool may_touch = true;
  world.set_contact_filter([&](const ShapePair&) { return may_touch; });
  for (int i = 0; i < 120; ++i) world.step(kStep);
  ASSERT_TRUE(world.view(box).asleep);
  may_touch = false;
  world.step(kStep);
  EXPECT_TRUE(world.contacts().empty());
  world.wake(box);
  for (int i = 0; i < 10; ++i) world.step(kStep);
  EXPECT_LT(world.view(box).pose.position.z, 0.45);
  may_touch = true;
  for (int i = 0; i < 120; ++i) world.step(kStep);
  EXPECT_GT(world.view(box).pose.position.z, 0.45);
}

TEST(ContactFilter, MayNotEdit) {
  World world;
  add_floor(world);
  const BodyId box = add_box(world, {0, 0, 0.5});
  int asked = 0;
  world.set_contact_filter([&](const ShapePair&) {
    ++asked;
    EXPECT_NE(refusal([&] { world.remove_body(box); }).find("contact filter"), std::string::npos);
    EXPECT_NE(refusal([&] { world.add_body({}, {{.shape = make_sphere(1)}}); }), "");
    EXPECT_NE(refusal([&] { world.set_velocity(box, {{1, 0, 0}, {}}); }), "");
    EXPECT_NE(refusal([&] { world.set_contact_filter({}); }), "");
    EXPECT_NE(refusal([&] { world.step(kStep); }), "");
    EXPECT_TRUE(world.restore("").has_value());
    return true;
  });
  world.step(kStep);
  EXPECT_GT(asked, 0);
  world.set_velocity(box, {{1, 0, 0}, {}});
}

TEST(ContactFilter, OneThatThrowsLeavesTheWorldAsItWas) {
  World plain, thrown;
  add_boxes(plain), add_boxes(thrown);
  for (int i = 0; i < 60; ++i) {
    if (i % 7 == 3) {
      const Hash128 before = thrown.state_hash();
      thrown.set_contact_filter([](const ShapePair&) -> bool { throw std::runtime_error("no"); });
      EXPECT_THROW(thrown.step(kStep), std::runtime_error);
      EXPECT_EQ(thrown.state_hash(), before);
      EXPECT_EQ(thrown.step_count(), i);
      thrown.set_contact_filter({});
    }
    plain.step(kStep), thrown.step(kStep);
    ASSERT_EQ(plain.state_hash(), thrown.state_hash()) << "step " << i;
  }
}

/// A ball that crosses a thin plate within one step.
struct Shot {
  World world;
  BodyId plate = world.add_body({.kind = BodyKind::fixed}, {{.shape = make_box({1, 1, 0.005})}});
  BodyId ball = world.add_body({.pose = {{0, 0, 2}, {}}, .velocity = {{0, 0, -300}, {}}, .continuous = true},
                               {{.shape = make_sphere(0.02)}});
  double height() const { return world.view(ball).pose.position.z; }
};

TEST(ContactFilter, IsAskedOnTheWayOfAContinuousBody) {
  Shot stopped, refused;
  refused.world.set_contact_filter([](const ShapePair&) { return false; });
  stopped.world.step(kStep), refused.world.step(kStep);
  EXPECT_GT(stopped.height(), 0);
  EXPECT_NEAR(refused.height(), 2 - 300 * kStep, 0.01);
}

TEST(ContactFilter, OneThatThrowsOnTheWayIsHeardAfterTheStep) {
  Shot shot;
  shot.world.set_contact_filter([](const ShapePair&) -> bool { throw std::runtime_error("not now"); });
  EXPECT_THROW(shot.world.step(kStep), std::runtime_error);
  EXPECT_EQ(shot.world.last_report().step, 1);
  EXPECT_NEAR(shot.height(), 2 - 300 * kStep, 0.01);
  shot.world.set_contact_filter({});
  shot.world.step(kStep);
  EXPECT_EQ(shot.world.last_report().step, 2);
}

TEST(ContactFilter, StaysWhenAStateIsRestored) {
  World world;
  add_floor(world);
  add_box(world, {0, 0, 0.5});
  world.set_contact_filter([](const ShapePair&) { return false; });
  ASSERT_FALSE(world.restore(world.save()));
  world.step(kStep);
  EXPECT_EQ(world.last_report().contacts, 0);
}

}  // namespace
}  // namespace cairn
