// SPDX-License-Identifier: MIT
// Random continuous bodies thrown at a wall, alone and in crowds: none passes, with any solver that runs worlds.
// CAIRN_FAST_BODIES=10000 throws that many per solver instead of a few.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "cairn/core/random.h"
#include "cairn/solvers/solver_table.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kWallHalf = 100;  ///< m, half the side of the wall

double log_uniform(Random& random, double low, double high) { return low * std::pow(high / low, random.uniform()); }

Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Shape random_convex(Random& random, double size) {
  const double thin = size * log_uniform(random, 0.1, 1);
  switch (random.below(6)) {
    case 0: return make_sphere(size);
    case 1: return make_box({size, thin, thin});
    case 2: return make_box({size, size, thin});
    case 3: return make_capsule(thin, size);
    case 4: return make_cylinder(thin, size);
    default: return make_cone(size, size);
  }
}

std::vector<ShapeDef> random_shapes(Random& random, double size) {
  const double restitution = random.below(3) == 0 ? random.uniform() : 0.0;
  const Material material{.friction = random.uniform(0, 0.8), .restitution = restitution};
  if (random.below(5) != 0) return {{.shape = random_convex(random, size), .material = material, .density = 3000}};
  const Shape one = random_convex(random, 0.5 * size), other = random_convex(random, 0.5 * size);
  const Pose left{{0, -0.5 * size, 0}, {}}, right{{0, 0.5 * size, 0}, {}};
  if (random.below(2) == 0)
    return {{.shape = make_compound({{one, left}, {other, right}}), .material = material, .density = 3000}};
  return {{.shape = one, .pose = left, .material = material, .density = 3000},
          {.shape = other, .pose = right, .material = material, .density = 3000}};
}

Shape sheet() {  // seen from -x
  const double s = kWallHalf;
  return make_mesh({{Vec3{0, -s, -s}, {0, s, -s}, {0, s, s}, {0, -s, s}}}, {{{0, 2, 1}, {0, 3, 2}}});
}

/// The wall stands across x. Fixed, or moved, or turned, or free and heavy.
BodyId add_wall(World& world, Random& random) {
  const double half = 0.5 * log_uniform(random, 1e-3, 0.5);
  const std::vector<ShapeDef> plate{{.shape = make_box({half, kWallHalf, kWallHalf}), .density = 1e5}};
  switch (random.below(6)) {
    case 0: return world.add_body({.kind = BodyKind::fixed}, {{.shape = sheet()}});
    case 1:
      return world.add_body({.kind = BodyKind::kinematic, .velocity = {{random.uniform(-80, 80), 0, 0}, {}}}, plate);
    case 2:
      return world.add_body({.kind = BodyKind::kinematic, .velocity = {{}, {0, 0, random.uniform(-1, 1)}}}, plate);
    case 3: return world.add_body({.velocity = {{random.uniform(-30, 30), 0, 0}, {}}}, plate);
    default: return world.add_body({.kind = BodyKind::fixed}, plate);
  }
}

struct Throw {
  BodyId wall;
  std::vector<BodyId> bodies;
};

/// One body, or a crowd that flies along, or one that flies head on into another before the wall.
Throw make_throw(World& world, Random& random) {
  Throw result{add_wall(world, random), {}};
  const std::size_t count = random.below(3) == 0 ? 4 + random.below(9) : 1;
  const double size = log_uniform(random, 5e-3, 0.3), speed = log_uniform(random, 20, 2000);
  const double spin = random.below(2) == 0 ? 0.0 : log_uniform(random, 1, 200);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 aim{1, random.uniform(-1, 1), random.uniform(-1, 1)};
    // On a lattice, far enough from one another not to overlap.
    const auto place = static_cast<double>(i);
    const Vec3 at{-2 - 4 * size * std::floor(place / 4), 4 * size * std::fmod(place, 2),
                  4 * size * std::fmod(std::floor(place / 2), 2)};
    const bool waits = count > 1 && random.below(4) == 0;
    const Vec3 velocity = waits ? Vec3{} : speed * random.uniform(0.8, 1) * normalised(aim);
    result.bodies.push_back(world.add_body({.pose = {at, turn_about(aim, random.uniform(0, 3))},
                                            .velocity = {velocity, random_vector(random, spin)},
                                            .continuous = true},
                                           random_shapes(random, size)));
  }
  return result;
}

/// Whether the way from `before` to `now`, as seen from the wall, goes through it. Near its edges nobody can say: seen
/// from a wall that turns the way is a curve.
bool passes(const Vec3& before, const Vec3& now) {
  const double most = 0.9 * kWallHalf;
  return before.x < 0 && now.x >= 0 && std::fabs(now.y) < most && std::fabs(now.z) < most;
}

/// How many of a throw pass.
int count_passed(const std::string& solver, std::uint64_t seed, int& thrown) {
  Random random(seed);
  WorldSettings settings;
  choose_solver(settings, solver, {});
  settings.gravity = {};
  if (!has_own_iterations(solver)) settings.iterations = 30;
  World world(settings);
  const Throw scene = make_throw(world, random);
  const double dt = random.below(4) == 0 ? 1.0 / 240 : 1.0 / 60;
  const auto seen = [&](BodyId body) { return transform_back(world.view(scene.wall).pose, world.view(body).centre); };
  std::vector<Vec3> before;
  for (const BodyId body : scene.bodies) before.push_back(seen(body));
  std::vector<bool> passed(scene.bodies.size(), false);
  for (int k = 0; k < 12; ++k) {
    world.step(dt);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const Vec3 now = seen(scene.bodies[i]);
      passed[i] = passed[i] || passes(before[i], now);
      before[i] = now;
    }
  }
  thrown += static_cast<int>(scene.bodies.size());
  return static_cast<int>(std::count(passed.begin(), passed.end(), true));
}

class FastBodies : public testing::TestWithParam<std::string> {};

TEST_P(FastBodies, NonePasses) {
  const char* many = std::getenv("CAIRN_FAST_BODIES");
  const int wanted = many != nullptr ? std::atoi(many) : 60;
  int thrown = 0, passed = 0;
  for (std::uint64_t seed = 1; thrown < wanted; ++seed) {
    const int here = count_passed(GetParam(), seed, thrown);
    passed += here;
    EXPECT_EQ(here, 0) << "seed " << seed;
  }
  RecordProperty("thrown", thrown);
  RecordProperty("passed", passed);
}

std::vector<std::string> solvers() {
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_table()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, FastBodies, testing::ValuesIn(solvers()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace cairn
