// SPDX-License-Identifier: MIT
// Adding, removing and changing bodies and shapes between steps.
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/index.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kStep = 1.0 / 60;

BodyId add_ball(World& world, const Vec3& p, double radius = 0.5) {
  return world.add_body({.pose = {p, {}}}, {{.shape = make_sphere(radius)}});
}

TEST(Bodies, AreListedInOrderOfSlots) {
  World world;
  const BodyId a = add_ball(world, {}), b = add_ball(world, {3, 0, 0}), c = add_ball(world, {6, 0, 0});
  EXPECT_EQ(world.bodies(), (std::vector<BodyId>{a, b, c}));
  world.remove_body(b);
  EXPECT_EQ(world.bodies(), (std::vector<BodyId>{a, c}));
  EXPECT_FALSE(world.contains(b));
  const BodyId d = add_ball(world, {9, 0, 0});
  EXPECT_EQ(d.index, b.index);
  EXPECT_NE(d.generation, b.generation);
  EXPECT_EQ(world.bodies(), (std::vector<BodyId>{a, d, c}));
  EXPECT_EQ(world.body_count(), 3u);
}

TEST(Shapes, KnowTheirBodyAndDefinition) {
  World world;
  const BodyId body = world.add_body({.user = 7}, {{.shape = make_sphere(0.5), .user = 8}});
  const ShapeId extra =
      world.add_shape(body, {.shape = make_box({0.1, 0.2, 0.3}), .pose = {{1, 0, 0}, {}}, .density = 5});
  ASSERT_EQ(world.shapes_of(body).size(), 2u);
  EXPECT_EQ(world.body_of(extra), body);
  EXPECT_EQ(world.shape_def(extra).density, 5);
  EXPECT_EQ(world.shape_def(world.shapes_of(body)[0]).user, 8u);
  EXPECT_EQ(world.view(body).user, 7u);
  world.remove_shape(extra);
  EXPECT_FALSE(world.contains(extra));
  EXPECT_EQ(world.shapes_of(body).size(), 1u);
}

TEST(Shapes, AddedAndRemovedChangeTheMassAndLeaveTheFrame) {
  World world;
  const Pose pose{{1, 2, 3}, turn_about({0, 1, 0}, 0.4)};
  const BodyId body = world.add_body({.pose = pose}, {{.shape = make_sphere(0.5)}});
  const double one = world.view(body).mass;
  const ShapeId extra = world.add_shape(body, {.shape = make_sphere(0.5), .pose = {{2, 0, 0}, {}}});
  EXPECT_NEAR(world.view(body).mass, 2 * one, 1e-12 * one);
  EXPECT_LT(norm(world.view(body).centre - transform(pose, {1, 0, 0})), 1e-14);
  EXPECT_LT(norm(world.view(body).pose.position - pose.position), 1e-14);
  world.remove_shape(extra);
  EXPECT_NEAR(world.view(body).mass, one, 1e-12 * one);
  EXPECT_LT(norm(world.view(body).centre - pose.position), 1e-14);
}

TEST(Shapes, TheLastWithMassStays) {
  World world;
  const BodyId body = add_ball(world, {});
  EXPECT_THROW(world.remove_shape(world.shapes_of(body)[0]), InputError);
  world.set_mass(body, {1, {}, SymMat3::diagonal(1, 1, 1)});
  world.remove_shape(world.shapes_of(body)[0]);
  EXPECT_TRUE(world.shapes_of(body).empty());
  world.step(kStep);
}

TEST(Shapes, ThatCannotGiveMassAreRefusedWithoutATrace) {
  World world;
  const BodyId body = add_ball(world, {0, 0, 5});
  const double mass = world.view(body).mass;
  EXPECT_THROW(world.add_shape(body, {.shape = make_half_space({0, 0, 1}, 0)}), InputError);
  EXPECT_THROW(world.add_shape(body, {.shape = make_box({1e4, 1e4, 1e4}), .density = 1e6}), InputError);
  EXPECT_EQ(world.shapes_of(body).size(), 1u);
  EXPECT_EQ(world.view(body).mass, mass);
  world.step(kStep);
  EXPECT_TRUE(is_finite(world.view(body).pose));
}

TEST(Mass, GivenReplacesThatOfTheShapes) {
  World world;
  const BodyId body = add_ball(world, {});
  world.set_mass(body, {3, {0.1, 0, 0}, SymMat3::diagonal(1, 2, 2.5)});
  EXPECT_EQ(world.view(body).mass, 3);
  EXPECT_EQ(world.view(body).inertia, SymMat3::diagonal(1, 2, 2.5));
  EXPECT_LT(norm(world.view(body).centre - Vec3{0.1, 0, 0}), 1e-15);
  EXPECT_LT(norm(world.view(body).pose.position), 1e-15);
}

TEST(Kind, CanChange) {
  World world;
  const BodyId body = add_ball(world, {0, 0, 5});
  world.step(kStep);
  world.set_kind(body, BodyKind::fixed);
  EXPECT_EQ(world.view(body).kind, BodyKind::fixed);
  EXPECT_EQ(world.view(body).velocity, Velocity{});
  const Pose stays = world.view(body).pose;
  run(world, 10, kStep);
  EXPECT_EQ(world.view(body).pose, stays);
  world.set_kind(body, BodyKind::kinematic);
  world.set_velocity(body, {{1, 0, 0}, {}});
  run(world, 60, kStep);
  EXPECT_NEAR(world.view(body).pose.position.x, 1, 1e-12);
  EXPECT_EQ(world.view(body).pose.position.z, stays.position.z);
  world.set_kind(body, BodyKind::dynamic);
  world.step(kStep);
  EXPECT_LT(world.view(body).velocity.linear.z, 0);
  const BodyId floor = world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  EXPECT_THROW(world.set_kind(floor, BodyKind::dynamic), InputError);
  EXPECT_EQ(world.view(floor).kind, BodyKind::fixed);
}

TEST(Kinematic, CarriesWhatLiesOnIt) {
  World world(exact_settings());
  const BodyId lift =
      world.add_body({.kind = BodyKind::kinematic, .velocity = {{0.5, 0, 1}, {}}}, {{.shape = make_box({1, 1, 0.1})}});
  const BodyId box = world.add_body({.pose = {{0, 0, 0.6}, {}}, .velocity = {{0.5, 0, 1}, {}}},
                                    {{.shape = make_box({0.5, 0.5, 0.5})}});
  run(world, 120, kStep);
  EXPECT_NEAR(world.view(lift).pose.position.z, 2, 1e-12);
  EXPECT_NEAR(world.view(box).pose.position.z, 2.6, 1e-3);
  EXPECT_NEAR(world.view(box).pose.position.x, 1, 1e-3);
}

TEST(Teleport, MovesContactsToo) {
  World world;
  add_ramp(world, 0, rough(0.5));
  const BodyId ball = add_ball(world, {0, 0, 0.5});
  run(world, 5, kStep);
  EXPECT_EQ(world.last_report().contacts, 1);
  world.set_pose(ball, {{0, 0, 5}, {}});
  world.step(kStep);
  EXPECT_EQ(world.last_report().contacts, 0);
  world.set_pose(ball, {{7, 0, 0.5}, {}});
  world.set_velocity(ball, {});
  run(world, 10, kStep);
  EXPECT_EQ(world.last_report().contacts, 1);
  EXPECT_NEAR(world.view(ball).pose.position.z, 0.5, 3e-3);
}

TEST(Filter, DecidesWhoMeetsWhom) {
  World world;
  const BodyId floor =
      world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .layer = 2}});
  const BodyId ball = add_ball(world, {0, 0, 0.5});
  run(world, 5, kStep);
  EXPECT_EQ(world.last_report().contacts, 1);
  world.set_filter(world.shapes_of(ball)[0], 1, ~2u);
  run(world, 5, kStep);
  EXPECT_EQ(world.last_report().contacts, 0);
  world.set_filter(world.shapes_of(ball)[0], 1, ~0u);
  world.set_filter(world.shapes_of(floor)[0], 2, ~1u);
  world.step(kStep);
  EXPECT_EQ(world.last_report().contacts, 0) << "both must agree";
}

TEST(Collision, OfTwoBodiesCanBeSwitchedOff) {
  World world;
  add_ramp(world, 0, rough(0.5));
  const BodyId a = add_ball(world, {0, 0, 0.5}), b = add_ball(world, {0.9, 0, 0.5});
  world.set_collision(a, b, false);
  run(world, 5, kStep);
  EXPECT_EQ(world.last_report().contacts, 2);
  EXPECT_NEAR(world.view(b).pose.position.x, 0.9, 1e-9);
  world.set_collision(b, a, true);
  run(world, 5, kStep);
  EXPECT_EQ(world.last_report().contacts, 3);
  EXPECT_GT(world.view(b).pose.position.x, 0.9);
}

TEST(Collision, SwitchedOffIsForgottenWithTheBody) {
  World world;
  const BodyId a = add_ball(world, {0, 0, 0});
  BodyId b = add_ball(world, {0.9, 0, 0});
  world.set_collision(a, b, false);
  world.step(kStep);
  world.remove_body(b);
  b = add_ball(world, {0.9, 0, 0});  // takes the slot
  world.step(kStep);
  EXPECT_EQ(world.last_report().contacts, 1);
}

TEST(Material, ChangesFriction) {
  World world(exact_settings());
  const Ramp ramp = add_ramp(world, 20 * kDegree, rough(1));
  const BodyId block = world.add_body({.pose = {0.5 * ramp.up, ramp.turn}},
                                      {{.shape = make_box({0.5, 0.5, 0.5}), .material = rough(1)}});
  run(world, 30, kStep);
  EXPECT_LT(norm(world.view(block).velocity.linear), 1e-6);
  world.set_material(world.shapes_of(block)[0], rough(0));
  run(world, 60, kStep);
  expect_relative("speed", dot(world.view(block).velocity.linear, ramp.down), kGravity * std::sin(20 * kDegree), 5e-3);
}

TEST(Material, MoreThanTheTableHoldsStillCombine) {
  World world(exact_settings());
  add_ramp(world, 0, rough(1));
  std::vector<BodyId> blocks;
  for (int i = 0; i < 100; ++i)
    blocks.push_back(
        world.add_body({.pose = {{0, 2.0 * i, 0.1}, {}}, .velocity = {{3, 0, 0}, {}}},
                       {{.shape = make_box({0.5, 0.5, 0.1}),
                         .material = {.friction = 0.001 * (i + 1), .friction_rule = CombineRule::multiply}}}));
  run(world, 30, kStep);
  for (int i = 0; i < 100; ++i)
    EXPECT_NEAR(world.view(blocks[to_index(i)]).velocity.linear.x, 3 - 0.001 * (i + 1) * kGravity / 2, 1e-6);
}

TEST(Settings, CanChangeBetweenSteps) {
  World world;
  add_ramp(world, 0, rough(0.5));
  const BodyId ball = add_ball(world, {0, 0, 3});
  run(world, 10, kStep);
  WorldSettings settings = world.settings();
  settings.gravity = {1, 0, 0};
  settings.broad_phase = "grid";
  settings.threads = 2;
  settings.solver = "jacobi";
  world.set_settings(settings);
  const double before = world.view(ball).velocity.linear.x;
  run(world, 60, kStep);
  EXPECT_NEAR(world.view(ball).velocity.linear.x - before, 1, 1e-12);
}

TEST(ASlot, KeepsNothingOfTheBodyBefore) {
  World world;
  add_ramp(world, 0, rough(0.5));
  const BodyId first =
      world.add_body({.pose = {{0, 0, 0.5}, {}}, .linear_damping = 9, .gravity_scale = 0, .locked_axes = kLockAll},
                     {{.shape = make_sphere(0.5)}});
  world.add_force(first, {1e6, 0, 0});
  run(world, 5, kStep);
  world.remove_body(first);
  const BodyId second = add_ball(world, {0, 0, 3});
  ASSERT_EQ(first.index, second.index);
  run(world, 6, kStep);
  EXPECT_EQ(world.view(second).velocity.linear.x, 0);
  EXPECT_NEAR(world.view(second).velocity.linear.z, -0.1 * kGravity, 1e-12);
}

}  // namespace
}  // namespace cairn
