// SPDX-License-Identifier: MIT
// What a step leaves out because nothing stirred there. A world that was just restored knows nothing of it and looks at
// everything: after one step it must be the same world, to the last bit of its snapshot.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/core/random.h"
#include "cairn/world/world.h"

namespace cairn {
namespace {

constexpr double kDt = 1.0 / 60;

/// Columns of boxes and other things at rest, a lift, and what can be done to them.
class City {
 public:
  City(std::uint64_t seed, const char* solver, int threads) : random_(seed) {
    WorldSettings settings;
    settings.sleep.enabled = true, settings.sleep.time = 0.1;
    settings.threads = threads;
    choose_solver(settings, solver, {});
    world = World(settings);
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_box({40, 40, 1}), .pose = {{0, 0, -1}, {}}}});
    for (int c = 0; c < 100; ++c)
      for (int k = 0; k < 3; ++k) {
        const Shape shape = c % 4 == 0 ? Shape(make_sphere(0.5)) : Shape(make_box({0.5, 0.5, 0.5}));
        bodies_.push_back(
            world.add_body({.pose = {{(c % 10 - 5) * 3.0, (c / 10 - 5) * 3.0, 0.5 + k}, {}}}, {{.shape = shape}}));
      }
    lift_ = world.add_body({.kind = BodyKind::kinematic, .pose = {{1, 0, 6}, {}}}, {{.shape = make_box({1, 1, 0.1})}});
  }

  void edit() {
    const std::size_t at = random_.below(bodies_.size());
    const BodyId body = bodies_[at];
    const auto u = [&](double a, double b) { return random_.uniform(a, b); };
    WorldSettings settings = world.settings();
    switch (random_.below(16)) {
      case 0: world.set_pose(body, {{u(-12, 12), u(-12, 12), u(3, 6)}, {}}); break;
      case 1: world.remove_body(body), bodies_.erase(bodies_.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 2:
        bodies_.push_back(world.add_body({.pose = {{u(-12, 12), u(-12, 12), 5}, {}}}, {{.shape = make_sphere(0.4)}}));
        break;
      case 3: world.set_kind(body, BodyKind::dynamic), world.add_force(body, {u(-9e3, 9e3), 0, u(0, 2e4)}); break;
      case 4: world.wake(body); break;
      case 5: world.set_velocity(lift_, {{u(-2, 2), u(-2, 2), u(-3, 0)}, {}}); break;
      case 6: world.set_velocity(lift_, {}), world.set_pose(lift_, {{u(-12, 12), u(-12, 12), u(2, 4)}, {}}); break;
      case 7: settings.gravity.x = u(-0.3, 0.3), world.set_settings(settings); break;
      case 8: settings.sleep.time = u(0, 0.3), world.set_settings(settings); break;
      case 9: settings.margin = u(0.01, 0.03), world.set_settings(settings); break;
      case 10: join(body); break;
      case 11:
        if (!world.joints().empty()) world.remove_joint(world.joints().front());
        break;
      case 12: world.set_kind(body, random_.below(2) == 0 ? BodyKind::fixed : BodyKind::dynamic); break;
      case 13: world.set_gravity_scale(body, u(-0.2, 1)); break;
      case 14: world.set_kind(body, BodyKind::dynamic), world.add_force(body, {0, 0, 1e12}); break;  // quarantine
      default: world.release(body); break;
    }
  }

  World world;

 private:
  void join(BodyId body) {
    const BodyId other = bodies_[random_.below(bodies_.size())];
    if (!(other == body)) world.add_joint(world.joint_at(body, other, {world.view(body).centre, {}}, BallJoint{}));
  }

  Random random_;
  std::vector<BodyId> bodies_;
  BodyId lift_;
};

struct Case {
  const char* solver;
  int threads;
};

class AtRest : public testing::TestWithParam<Case> {};

TEST_P(AtRest, WhatIsLeftOutChangesNothing) {
  Random random(5);
  std::int64_t asleep = 0, awake = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    City city(seed, GetParam().solver, GetParam().threads);
    World twin(city.world.settings());
    for (int i = 0; i < 160; ++i) {
      if (i > 30 && random.below(3) == 0) city.edit();
      const bool compares = i % 3 == 0;
      if (compares) {
        ASSERT_FALSE(twin.restore(city.world.save()));
      }
      const StepReport& report = city.world.step(kDt);
      asleep += report.bodies - report.awake_bodies, awake += report.awake_bodies;
      if (!compares) continue;
      const StepReport& other = twin.step(kDt);
      ASSERT_EQ(city.world.state_hash(), twin.state_hash()) << "seed " << seed << " step " << i;
      ASSERT_EQ(city.world.save(), twin.save()) << "seed " << seed << " step " << i;
      ASSERT_EQ(report.kinetic_energy, other.kinetic_energy);
      ASSERT_EQ(report.potential_energy, other.potential_energy);
      ASSERT_EQ(report.mean_overlap, other.mean_overlap);
      ASSERT_EQ(report.sleeping_islands, other.sleeping_islands);
      ASSERT_EQ(report.awake_bodies, other.awake_bodies);
      ASSERT_EQ(city.world.events().size(), twin.events().size());
    }
  }
  EXPECT_GT(asleep, awake) << "most of the city is to sleep";
}

INSTANTIATE_TEST_SUITE_P(Solvers, AtRest,
                         testing::Values(Case{"soft_step", 1}, Case{"soft_step", 3}, Case{"gauss_seidel", 1}),
                         [](const auto& of) { return of.param.solver + std::to_string(of.param.threads); });

TEST(AtRest, OneAwakeBodyWakesItsIslandAlone) {
  City city(1, "soft_step", 1);
  for (int i = 0; i < 60; ++i) city.world.step(kDt);
  ASSERT_EQ(city.world.last_report().awake_bodies, 0);
  city.world.add_body({.pose = {{1.5, 1.5, 3}, {}}}, {{.shape = make_sphere(0.3)}});  // falls between the columns
  for (int i = 0; i < 60; ++i) {
    city.world.step(kDt);
    ASSERT_LE(city.world.last_report().awake_bodies, 1);
  }
  city.world.wake(city.world.bodies()[2]);
  city.world.step(kDt);
  EXPECT_EQ(city.world.last_report().awake_bodies, 3) << "its column";
}

}  // namespace
}  // namespace cairn
