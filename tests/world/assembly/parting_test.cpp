// SPDX-License-Identifier: MIT
// Scenes that begin overlapping come apart slowly and then stay where they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kStep = 1.0 / 60;

World weightless_world(const std::string& solver) {
  WorldSettings settings;
  settings.solver = solver;
  settings.gravity = {};
  return World(settings);
}

/// What the bodies of a world do until `seconds` have gone by.
struct Motion {
  double fastest = 0;       ///< m/s, velocity
  double farthest = 0;      ///< m/s, way per time of a step
  double last_overlap = 0;  ///< m
};

Motion watch(World& world, const std::vector<BodyId>& bodies, double seconds) {
  Motion motion;
  std::vector<Vec3> before;
  for (const BodyId body : bodies) before.push_back(world.view(body).centre);
  for (double t = 0; t < seconds; t += kStep) {
    motion.last_overlap = world.step(kStep).max_overlap;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const BodyView view = world.view(bodies[i]);
      motion.fastest = std::max(motion.fastest, norm(view.velocity.linear));
      motion.farthest = std::max(motion.farthest, norm(view.centre - before[i]) / kStep);
      before[i] = view.centre;
    }
  }
  return motion;
}

TEST(Parting, ChainsComeApartSlowlyAndStay) {
  for (const char* solver : {"soft_step", "gauss_seidel", "jacobi"})
    for (const double overlap : {0.02, 0.1})
      for (const Shape& shape : {Shape(make_box({0.5, 0.5, 0.5})), Shape(make_sphere(0.5))}) {
        World world = weightless_world(solver);
        std::vector<BodyId> bodies;
        for (int i = 0; i < 10; ++i)
          bodies.push_back(world.add_body({.pose = {{0, 0, i * (1 - overlap)}, {}}}, {{.shape = shape}}));
        const Motion motion = watch(world, bodies, 6);
        // The last 3 mm are the solver's: its push-out adds up along the chain.
        EXPECT_LT(motion.fastest, 0.5) << solver << ", " << overlap;
        EXPECT_LT(motion.farthest, 1.5) << solver << ", " << overlap;
        EXPECT_LT(motion.last_overlap, 4e-3) << solver << ", " << overlap;
      }
}

TEST(Parting, ACubeOfBoxesDoesNotBurst) {
  for (const char* solver : {"soft_step", "gauss_seidel"}) {
    World world = weightless_world(solver);
    std::vector<BodyId> bodies;
    for (int i = 0; i < 27; ++i)
      bodies.push_back(world.add_body({.pose = {{0.95 * (i % 3), 0.95 * (i / 3 % 3), 0.95 * (i / 9)}, {}}},
                                      {{.shape = make_box({0.5, 0.5, 0.5})}}));
    const Motion motion = watch(world, bodies, 6);
    EXPECT_LT(motion.fastest, 0.3) << solver;
    for (const BodyId body : bodies) EXPECT_LT(norm(world.view(body).centre - Vec3{0.95, 0.95, 0.95}), 2.2) << solver;
  }
}

}  // namespace
}  // namespace cairn
