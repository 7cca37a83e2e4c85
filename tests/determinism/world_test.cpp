// SPDX-License-Identifier: MIT
// A world has the same bits in every step, for any number of threads and any broad phase.
#include "cairn/world/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/random.h"
#include "cairn/geometry/hull_builder.h"
#include "cairn/simd/simd.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr int kSteps = 150;

Vec3 cell(int i, double spacing, double height) {
  return {spacing * (i % 5 - 2), spacing * (i / 5 % 5 - 2), height + spacing * (i / 25)};
}

Quat random_turn(Random& random) {
  return turn_about({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)}, random.uniform(0, 3));
}

void add_walls(World& world) {
  add_ramp(world, 0, rough(0.5));
  for (const Vec3& n : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}})
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space(n, -3)}});
}

void add_spheres(World& world) {
  Random random(1);
  add_walls(world);
  for (int i = 0; i < 200; ++i)
    world.add_body(
        {.pose = {cell(i, 1.01, 0.6) + Vec3{random.uniform(0, 0.1), 0, 0}, {}}},
        {{.shape = make_sphere(random.uniform(0.3, 0.5)), .material = {.friction = 0.4, .restitution = 0.3}}});
}

void add_boxes(World& world) {
  Random random(2);
  add_walls(world);
  for (int i = 0; i < 100; ++i)
    world.add_body({.pose = {cell(i, 1.01, 0.8), random_turn(random)}}, {{.shape = make_box({0.4, 0.3, 0.25})}});
}

void add_mixed_on_mesh(World& world) {
  Random random(3);
  std::vector<Vec3> points;
  std::vector<std::array<std::int32_t, 3>> triangles;
  for (std::int32_t r = 0; r < 9; ++r)
    for (std::int32_t c = 0; c < 9; ++c) {
      points.push_back({c - 4.0, r - 4.0, 0.05 * ((r - 4) * (r - 4) + (c - 4) * (c - 4)) + random.uniform(0, 0.1)});
      if (r == 8 || c == 8) continue;
      const std::int32_t i = 9 * r + c;
      triangles.push_back({i, i + 1, i + 10}), triangles.push_back({i, i + 10, i + 9});
    }
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_mesh(points, triangles)}});
  for (int i = 0; i < 60; ++i) {
    const Shape shapes[] = {make_sphere(0.3), make_box({0.3, 0.2, 0.2}), make_capsule(0.2, 0.2),
                            make_cylinder(0.25, 0.2), make_cone(0.3, 0.5)};
    world.add_body({.pose = {cell(i, 0.9, 1.5), random_turn(random)}}, {{.shape = shapes[i % 5]}});
  }
}

void add_sleeping_pile(World& world) {
  WorldSettings settings = world.settings();
  settings.sleep.enabled = true;
  settings.sleep.time = 0.3;
  world.set_settings(settings);
  add_ramp(world, 0, rough(0.6));
  for (int tower = 0; tower < 12; ++tower)
    for (int i = 0; i < 5; ++i)
      world.add_body({.pose = {{3.0 * (tower % 4), 3.0 * (tower / 4), 0.5 + i}, {}}},
                     {{.shape = make_box({0.5, 0.5, 0.5})}});
  world.add_body({.pose = {{0, 0, 9}, {}}}, {{.shape = make_sphere(0.5)}});  // wakes the first tower
}

void add_hulls(World& world) {
  Random random(5);
  add_walls(world);
  for (int i = 0; i < 60; ++i) {
    std::vector<Vec3> points;
    for (int k = 0; k < 14; ++k)
      points.push_back({random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4)});
    world.add_body({.pose = {cell(i, 1.01, 0.8), random_turn(random)}}, {{.shape = make_hull(points)}});
  }
}

struct Scene {
  const char* name;
  void (*add)(World&);
};

class EveryScene : public testing::TestWithParam<Scene> {
 protected:
  static WorldSettings settings(int threads, const std::string& broad_phase) {
    WorldSettings s;
    s.iterations = 20;
    s.threads = threads, s.broad_phase = broad_phase;
    s.measure_residual = false;
    return s;
  }
  /// Steps both and compares after each.
  static void expect_same(const WorldSettings& a, const WorldSettings& b) {
    World first(a), second(b);
    GetParam().add(first), GetParam().add(second);
    std::int64_t contacts = 0;
    for (int i = 0; i < kSteps; ++i) {
      contacts += first.step(1.0 / 60).contacts, second.step(1.0 / 60);
      ASSERT_EQ(first.state_hash(), second.state_hash())
          << b.threads << " threads, " << b.broad_phase << ", step " << i;
    }
    EXPECT_GT(contacts, 1000) << "the scene must have contacts to be a test";
    for (const BodyId id : first.bodies()) EXPECT_TRUE(is_finite(first.view(id).pose));
  }
};

TEST_P(EveryScene, HasTheSameBitsForAnyNumberOfThreads) {
  for (const int threads : {2, 3, 8}) expect_same(settings(1, "tree"), settings(threads, "tree"));
}

TEST_P(EveryScene, HasTheSameBitsForEveryBroadPhase) {
  for (const std::string& name : broad_phase_names())
    if (name != "tree") expect_same(settings(1, "tree"), settings(1, name));
}

TEST_P(EveryScene, HasTheSameBitsInLanesForThreadsInstructionSetsAndBothWaysIntoThem) {
  WorldSettings one = settings(1, "tree");
  one.solver = "soft_step";
  for (const int threads : {2, 3, 8}) {
    WorldSettings several = one;
    several.threads = threads;
    expect_same(one, several);
  }
  // By way of a problem in double, which is also judged.
  WorldSettings judged = one;
  judged.measure_residual = true;
  expect_same(one, judged);
  std::vector<Hash128> hashes;
  for (const std::string& name : simd_names()) {
    force_simd(name);
    World world(one);
    GetParam().add(world);
    for (int i = 0; i < kSteps; ++i) world.step(1.0 / 60);
    hashes.push_back(world.state_hash());
    force_simd("auto");
  }
  for (const Hash128& hash : hashes) EXPECT_EQ(hash, hashes.front());
}

/// What a pile at rest keeps from step to step must not outlive an edit.
TEST(WorldInLanes, SeeEveryEditOfAPileAtRest) {
  WorldSettings settings;
  settings.solver = "soft_step", settings.measure_residual = false, settings.sleep.enabled = false;
  World lanes(settings);
  settings.measure_residual = true;  // by way of a problem, which keeps nothing
  World judged(settings);
  add_sleeping_pile(lanes), add_sleeping_pile(judged);
  ASSERT_EQ(lanes.bodies().size(), judged.bodies().size());
  const auto run = [&](const char* after) {
    for (int i = 0; i < 20; ++i) {
      lanes.step(1.0 / 60), judged.step(1.0 / 60);
      ASSERT_EQ(lanes.state_hash(), judged.state_hash()) << i << " steps after " << after;
    }
  };
  const auto edit = [&](const char* what, auto&& change) {
    for (World* world : {&lanes, &judged}) change(*world, world->bodies());
    run(what);
  };
  for (int i = 0; i < 5; ++i) run("the beginning");
  EXPECT_GT(lanes.last_report().recycled, 0);
  edit("a slippery box", [](World& w, const std::vector<BodyId>& b) {
    w.set_material(w.shapes_of(b[7]).front(), {.friction = 0.05, .restitution = 0});
  });
  edit("a box that bounces", [](World& w, const std::vector<BodyId>& b) {
    w.set_material(w.shapes_of(b[12]).front(), {.friction = 0.5, .restitution = 0.5});
    w.set_velocity(b[12], {{0, 0, 2}, {}});
  });
  edit("a fixed box", [](World& w, const std::vector<BodyId>& b) { w.set_kind(b[17], BodyKind::fixed); });
  edit("a box that is driven", [](World& w, const std::vector<BodyId>& b) {
    w.set_kind(b[22], BodyKind::kinematic);
    w.set_velocity(b[22], {{0.1, 0, 0}, {}});
  });
  edit("a box that stops", [](World& w, const std::vector<BodyId>& b) { w.set_velocity(b[22], {}); });
  edit("a long box's inertia", [](World& w, const std::vector<BodyId>& b) {
    w.set_mass(b[27], {.mass = 500, .centre = {}, .inertia = {80, 90, 50, 0, 0, 0}});
  });
  edit("a box less", [](World& w, const std::vector<BodyId>& b) { w.remove_body(b[32]); });
  edit("another gravity", [](World& w, const std::vector<BodyId>&) {
    WorldSettings changed = w.settings();
    changed.gravity = {1, 0, -9};
    w.set_settings(changed);
  });
}

TEST(WorldInLanes, HasAProblemToCaptureWhenAsked) {
  WorldSettings settings;
  settings.solver = "soft_step", settings.measure_residual = false;
  World world(settings);
  add_boxes(world);
  world.keep_warm_start(true);
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
  EXPECT_GT(world.last_report().contacts, 0);
  EXPECT_EQ(static_cast<std::int64_t>(world.problem().contacts.size()), world.last_report().contacts);
}

INSTANTIATE_TEST_SUITE_P(Worlds, EveryScene,
                         testing::Values(Scene{"spheres", add_spheres}, Scene{"boxes", add_boxes},
                                         Scene{"mixed_on_mesh", add_mixed_on_mesh},
                                         Scene{"sleeping_pile", add_sleeping_pile}, Scene{"hulls", add_hulls}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace cairn
