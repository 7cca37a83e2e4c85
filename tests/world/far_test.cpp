// SPDX-License-Identifier: MIT
// Far from the origin: positions are doubles and contacts are relative to their bodies, so that no origin needs
// shifting.
#include <gtest/gtest.h>

#include "cairn/world/world.h"

namespace cairn {
namespace {

/// Where ten boxes that stand on each other are after five seconds, relative to the place of the stack.
std::vector<Vec3> stack_at(double distance, const std::string& solver) {
  WorldSettings settings;
  settings.solver = solver;
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  std::vector<BodyId> boxes;
  for (int i = 0; i < 10; ++i)
    boxes.push_back(
        world.add_body({.pose = {{distance, distance, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}}));
  for (int i = 0; i < 300; ++i) world.step(1.0 / 60);
  std::vector<Vec3> places;
  for (const BodyId box : boxes) places.push_back(world.view(box).pose.position - Vec3{distance, distance, 0});
  return places;
}

TEST(Far, AStackStandsAtHundredKilometresAsAtTheOrigin) {
  for (const char* solver : {"soft_step", "gauss_seidel"}) {
    const std::vector<Vec3> here = stack_at(0, solver), there = stack_at(1e5, solver);
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_LT(norm(here[i] - there[i]), 1e-7) << solver << " box " << i;
  }
}

}  // namespace
}  // namespace cairn
