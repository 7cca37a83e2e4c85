// SPDX-License-Identifier: MIT
// A warm step of a world allocates nothing.
#include "cairn/world/world.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "cairn/core/index.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

void add_ball_grid(World& world) {
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int i = 0; i < 400; ++i)
    world.add_body({.pose = {{1.01 * (i % 20), 1.01 * (i / 20), 0.5}, {}}}, {{.shape = make_sphere(0.5)}});
}

void add_box_pile(World& world) {
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12 - i; ++j)
      world.add_body({.pose = {{1.05 * j + 0.52 * i, 0, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
}

/// A bowl of triangles with a few of every shape.
void add_mixed_on_mesh(World& world) {
  std::vector<Vec3> points;
  std::vector<std::array<std::int32_t, 3>> triangles;
  for (std::int32_t r = 0; r < 9; ++r)
    for (std::int32_t c = 0; c < 9; ++c) {
      points.push_back({c - 4.0, r - 4.0, 0.05 * ((r - 4) * (r - 4) + (c - 4) * (c - 4))});
      if (r == 8 || c == 8) continue;
      const std::int32_t i = 9 * r + c;
      triangles.push_back({i, i + 1, i + 10}), triangles.push_back({i, i + 10, i + 9});
    }
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_mesh(points, triangles)}});
  const Shape shapes[] = {make_sphere(0.3), make_box({0.3, 0.2, 0.2}), make_capsule(0.2, 0.2), make_cylinder(0.25, 0.2),
                          make_cone(0.3, 0.5)};
  for (int i = 0; i < 40; ++i)
    world.add_body({.pose = {{0.9 * (i % 4 - 1.5), 0.9 * (i / 4 % 4 - 1.5), 1 + 0.9 * (i / 16)}, {}}},
                   {{.shape = shapes[i % 5]}});
}

/// Chains on the ground, a driven hinge with stops and a ball with a cone: rows of every sort.
void add_mechanisms(World& world) {
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int c = 0; c < 20; ++c) {
    BodyId last{};
    for (int k = 0; k < 6; ++k) {
      const BodyId link =
          world.add_body({.pose = {{0.5 * k, 0.5 * c, 0.1}, {}}}, {{.shape = make_box({0.2, 0.1, 0.1})}});
      JointAxis axis;
      axis.motion = AxisMotion::limited, axis.lower = -1, axis.upper = 1;
      axis.drive = {DriveKind::position, 0, 0, 10, 1, 50};
      axis.friction = 0.1;
      const Pose at = frame_along({0.5 * k - 0.25, 0.5 * c, 0.1}, {0, 1, 0});
      if (k > 0)
        world.add_joint(
            world.joint_at(last, link, at, k % 2 == 0 ? JointKind(HingeJoint{axis}) : BallJoint{1, axis, 1}));
      last = link;
    }
  }
}

/// Chains that swing, of two lengths, some so fast that their joints are closed piece by piece.
void add_swinging_chains(World& world) {
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, -20)}});
  world.add_body({.pose = {{0, -5, -19.5}, {}}}, {{.shape = make_sphere(0.5)}});
  for (int c = 0; c < 12; ++c) {
    BodyId last{};
    for (int k = 0; k < 4 + c % 2; ++k) {
      const BodyId link =
          world.add_body({.pose = {{0.5 * k + 0.25, 1.0 * c, 0}, {}}, .velocity = {{}, {0, c < 6 ? 40.0 : 1.0, 0}}},
                         {{.shape = make_box({0.2, 0.1, 0.1}), .mask = 0}});
      world.add_joint(world.joint_at(last, link, {{0.5 * k, 1.0 * c, 0}, {}}, BallJoint{}));
      last = link;
    }
  }
}

/// A net that hangs on one edge, and limbs that lie: soft_step sweeps their joints.
void add_net(World& world) {
  constexpr int kSize = 9;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, -20)}});
  std::vector<BodyId> balls;
  for (int k = 0; k < kSize * kSize; ++k) {
    const Vec3 at{double(k / kSize), 0, -double(k % kSize)};
    balls.push_back(world.add_body({.kind = k % kSize > 0 ? BodyKind::dynamic : BodyKind::fixed, .pose = {at}},
                                   {{.shape = make_sphere(0.4), .mask = 0}}));
    const auto join = [&](int other) {
      const Vec3 there = world.view(balls[to_index(k - other)]).pose.position;
      world.add_joint(world.joint_at(balls[to_index(k - other)], balls.back(), {0.5 * (at + there), {}}, BallJoint{}));
    };
    if (k % kSize > 0) join(1);
    if (k % kSize > 0 && k / kSize > 0) join(kSize);
  }
  BodyId last{};
  for (int k = 0; k < 12; ++k) {
    const BodyId limb = world.add_body({.pose = {{0.3 * k, 5, -19.9}, {}}}, {{.shape = make_box({0.12, 0.1, 0.1})}});
    const JointAxis twist{.motion = AxisMotion::limited, .lower = -0.4, .upper = 0.4, .friction = 0.1};
    if (k > 0)
      world.add_joint(
          world.joint_at(last, limb, frame_along({0.3 * k - 0.15, 5, -19.9}, {1, 0, 0}), BallJoint{0.5, twist, 0.2}));
    last = limb;
  }
}

struct Scene {
  const char* name;
  void (*add)(World&);
  int warm_up;                       ///< steps until the scene has come to rest, and with it the sizes of all arrays
  std::string solver = "soft_step";  ///< to be tried besides gauss_seidel
};

class WarmStep : public testing::TestWithParam<Scene> {};

TEST_P(WarmStep, AllocatesNothing) {
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds check invariants, which allocates";
#endif
  for (const std::string& solver : {std::string("gauss_seidel"), GetParam().solver})
    for (const bool sleep : {false, true}) {
      const int threads = sleep ? 1 : 2;
      WorldSettings settings;
      settings.solver = solver;
      settings.measure_residual = settings.solver != "soft_step";  // else lanes go by way of a problem
      settings.threads = threads;
      settings.sleep.enabled = sleep;
      settings.sleep.time = 1e6;  // nobody falls asleep, but the bookkeeping runs
      World world(settings);
      GetParam().add(world);
      for (int i = 0; i < GetParam().warm_up; ++i) world.step(1.0 / 60);
      const long before = allocation_count();
      for (int i = 0; i < 10; ++i) {
        world.step(1.0 / 60);
        ASSERT_EQ(allocation_count() - before, 0) << threads << " threads, sleep " << sleep << ", step " << i;
      }
      EXPECT_GT(world.last_report().contacts, 0);
      // Asleep, too.
      settings.sleep.time = 0;
      settings.sleep.linear_speed = settings.sleep.angular_speed = 10;
      if (!sleep) continue;
      world.set_settings(settings);
      for (int i = 0; i < 3; ++i) world.step(1.0 / 60);
      const long asleep = allocation_count();
      world.step(1.0 / 60);
      EXPECT_EQ(allocation_count() - asleep, 0);
      EXPECT_EQ(world.last_report().awake_bodies, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Worlds, WarmStep,
                         testing::Values(Scene{"ball_grid", add_ball_grid, 60}, Scene{"box_pile", add_box_pile, 120},
                                         Scene{"mixed_on_mesh", add_mixed_on_mesh, 600},
                                         Scene{"mechanisms", add_mechanisms, 60, "ldl_pgs"},
                                         Scene{"swinging_chains", add_swinging_chains, 60, "ldl_pgs"},
                                         Scene{"net", add_net, 60}),
                         [](const auto& each) { return std::string(each.param.name); });

/// Continuous bodies that bounce between walls many times in a step, side by side: all touch the walls at the same
/// time.
TEST(WarmContinuousStep, AllocatesNothing) {
  WorldSettings settings;
  settings.gravity = {}, settings.measure_residual = false, settings.threads = 2;
  World world(settings);
  const Material elastic{.friction = 0, .restitution = 1};
  for (const double x : {-1.0, 1.0})
    world.add_body({.kind = BodyKind::fixed, .pose = {{x, 0, 0}, {}}},
                   {{.shape = make_box({0.01, 50, 50}), .material = elastic}});
  for (int i = 0; i < 30; ++i)
    world.add_body({.pose = {{0, i - 15.0, 0}, {}}, .velocity = {{330, 0, 0}, {}}, .continuous = true},
                   {{.shape = make_sphere(0.05), .material = elastic}});
  const auto hits = [&] {
    world.step(1.0 / 60);
    return world.events().size();
  };
  for (int i = 0; i < 200; ++i) hits();
  const long before = allocation_count();
  std::size_t met = 0;
  for (int i = 0; i < 20; ++i) met += hits();
  EXPECT_EQ(allocation_count() - before, 0);
  EXPECT_GT(met, 100u);
}

TEST(Queries, OfAWarmWorldAllocateNothing) {
  World world;
  add_box_pile(world);
  std::vector<RayCast> rays;
  for (int i = 0; i < 200; ++i) rays.push_back({{0.06 * i, -0.2, 20}, {0, 0.01, -1}, 30});
  const std::vector<ShapeCast> casts(50, {make_sphere(0.3), {{3, 0, 20}, {}}, {0, 0, -20}});
  std::vector<std::optional<WorldHit>> hits(rays.size()), cast_hits(casts.size());
  HitLists lists;
  const auto ask = [&] {
    world.step(1.0 / 60);
    const std::int64_t before = allocation_count();
    world.cast_ray({3, 0, 20}, {0, 0, -1}, 30);
    world.cast_shape(make_sphere(0.3), {{3, 0, 20}, {}}, {0, 0, -20});
    world.cast_rays(rays, hits), world.cast_shapes(casts, cast_hits);
    world.cast_rays_all(rays, lists);
    return allocation_count() - before;
  };
  for (int i = 0; i < 10; ++i) ask();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(), 0);
}

}  // namespace
}  // namespace cairn
