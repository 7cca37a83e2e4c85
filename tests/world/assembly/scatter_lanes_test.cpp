// SPDX-License-Identifier: MIT
// Impulses on their way through lanes and back, without a solver in between.
#include <gtest/gtest.h>

#include <vector>

#include "cairn/math/mat3.h"
#include "cairn/solvers/soft_step/lane_kernels.h"
#include "cairn/solvers/soft_step/soft_step.h"
#include "cairn/world/assembly/assemble_lanes.h"
#include "tests/world/small_world.h"

namespace cairn {
namespace {

/// The force of a manifold, and the moment of its friction about the normal through the middle of its points.
struct Load {
  Vec3 force;
  double twist = 0;
};

Load load_of(const ContactManifold& m, const Slab& slab) {
  const Frame frame = make_frame(m.normal);
  Load load;
  Vec3 middle;
  const std::span<const ContactPoint> points{slab.points.data() + m.first_point, to_index(m.count)};
  for (const ContactPoint& p : points) middle += (1.0 / m.count) * p.position;
  for (const ContactPoint& p : points) {
    const Vec3 f = double{p.tangent_impulse[0]} * frame.tangent1 + double{p.tangent_impulse[1]} * frame.tangent2;
    load.force += double{p.normal_impulse} * m.normal + f;
    load.twist += dot(m.normal, cross(p.position - middle, f));
  }
  return load;
}

std::vector<Load> loads_of(const ContactCache& cache) {
  std::vector<Load> loads;
  for (const Slab& slab : cache.slabs())
    for (const ContactManifold& m : slab.manifolds) loads.push_back(load_of(m, slab));
  return loads;
}

class ScatterLanes : public testing::TestWithParam<int> {};

TEST_P(ScatterLanes, GivesBackTheImpulsesThatWerePacked) {
  constexpr double kScale = 0.5;
  SmallWorld world = random_heap(static_cast<std::uint64_t>(GetParam()));
  const SoftStepSolver solver(SoftStepSettings{});
  const std::vector<Load> before = loads_of(world.cache);
  assemble_lanes(world.source(kScale), solver, nullptr, world.assembly);
  LaneProblem& lanes = world.assembly.lanes;
  const LaneView view{lanes.groups.data(), lanes.data.data(), lanes.bodies.data(), lanes.masses.data(),
                      lanes.records.data()};
  lane_kernels().prepare(view, 0, static_cast<std::int64_t>(lanes.groups.size()));
  scatter_lanes(world.source(), solver, world.assembly, world.cache, nullptr);
  const std::vector<Load> after = loads_of(world.cache);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_LT(norm(after[i].force - kScale * before[i].force), 1e-5) << "manifold " << i;
    EXPECT_NEAR(after[i].twist, kScale * before[i].twist, 1e-5) << "manifold " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Heaps, ScatterLanes, testing::Range(1, 7));

}  // namespace
}  // namespace cairn
