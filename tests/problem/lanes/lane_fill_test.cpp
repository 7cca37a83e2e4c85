// SPDX-License-Identifier: MIT
// What is written of a manifold, seen through `prepare`: the warm start changes velocities by M^-1 J^T lambda.
#include <gtest/gtest.h>

#include <vector>

#include "cairn/math/mat3.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "cairn/solvers/soft_step/lane_kernels.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr int kSubSteps = 4;

/// A body of any mass and inertia, or like a ball, or one that cannot move and may be driven.
ProblemBody draw_body(Random& random) {
  ProblemBody body;
  const std::uint64_t kind = random.below(6);
  if (kind == 1) body.velocity = {random_point(random), random_point(random)};
  if (kind <= 1) return body;
  body.inverse_mass = random.uniform(0.2, 2);
  body.inverse_inertia = SymMat3::diagonal(1.5, 1.5, 1.5);
  if (kind > 2) body.inverse_inertia = {3, 2, 4, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  body.velocity = {random_point(random), random_point(random)};
  return body;
}

/// Points in one plane, which is what the faces of shapes give: friction there is a force and a twist.
LaneManifold draw_manifold(Random& random, std::int32_t a, std::int32_t b) {
  ContactBlock block;
  const Frame frame = make_frame(random_direction(random));
  block.body_a = a, block.body_b = b;
  block.normal = frame.normal, block.tangent1 = frame.tangent1, block.tangent2 = frame.tangent2;
  block.friction1 = block.friction2 = 0.5;
  const int count = static_cast<int>(random.below(4)) + 1;
  if (count == 1 && random.below(3) == 0) block.spin_radius = 0.1;
  if (random.below(4) == 0) block.friction2 = 0.25;
  const Vec3 middle_a = random_point(random), middle_b = random_point(random);
  LaneManifold m(block);
  for (int p = 0; p < count; ++p) {
    const Vec3 out = random.uniform(-1, 1) * frame.tangent1 + random.uniform(-1, 1) * frame.tangent2;
    block.arm_a = middle_a + out, block.arm_b = middle_b + out;
    const double spin = block.spin_radius > 0 ? random.uniform(-1, 1) : 0;
    m.add(block, 0, {random.uniform(-0.2, 1), random.uniform(-1, 1), random.uniform(-1, 1), spin});
  }
  return m;
}

/// u + M^-1 J^T lambda / n in double; negative normal impulses are no impulses.
void push(const LaneManifold& m, const std::vector<ProblemBody>& bodies, std::vector<Velocity>& u) {
  const Vec3 tangent2 = cross(m.normal, m.tangent);
  for (const LaneManifold::Point& p : m.points()) {
    const Vec3 f = (1.0 / kSubSteps) *
                   (std::max(0.0, p.impulse[0]) * m.normal + p.impulse[1] * m.tangent + p.impulse[2] * tangent2);
    const Vec3 torque = (m.spin_radius * p.impulse[3] / kSubSteps) * m.normal;
    const auto give = [&](std::int32_t body, const Vec3& arm, double sign) {
      const ProblemBody& mass = bodies[to_index(body)];
      u[to_index(body)].linear += (sign * mass.inverse_mass) * f;
      u[to_index(body)].angular += sign * (mass.inverse_inertia * (cross(arm, f) + torque));
    };
    give(m.body_a, p.arm_a, -1), give(m.body_b, p.arm_b, 1);
  }
}

class LaneFill : public testing::TestWithParam<int> {};

TEST_P(LaneFill, BodiesGetTheImpulsesOfTheirManifolds) {
  Random random(static_cast<std::uint64_t>(GetParam()));
  std::vector<ProblemBody> bodies;
  std::vector<LaneManifold> manifolds;
  for (std::int32_t i = 0; i < 80; ++i) {
    bodies.push_back(draw_body(random)), bodies.push_back(draw_body(random));
    if (!bodies[to_index(2 * i)].is_dynamic() && !bodies[to_index(2 * i) + 1].is_dynamic())
      bodies.back().inverse_mass = 1;
    manifolds.push_back(draw_manifold(random, 2 * i, 2 * i + 1));
  }
  LaneProblem lanes;
  lanes.load_bodies(bodies, nullptr);
  std::vector<LaneKey> keys;
  for (const LaneManifold& m : manifolds) {
    const bool extra = m.spin_radius > 0 || m.friction1 != m.friction2;
    const LaneTraits traits{m.body_a, m.body_b, m.count, extra, m.normal, m.point[0].arm_a, m.point[0].arm_b};
    keys.push_back(lanes.key(traits, {0, 0, 0}));  // no two of them share a body: one colour
  }
  lanes.lay_out(keys);
  for (std::size_t i = 0; i < manifolds.size(); ++i) lanes.fill(i, manifolds[i], kSubSteps);
  const LaneView view{lanes.groups.data(), lanes.data.data(), lanes.bodies.data(), lanes.masses.data(),
                      lanes.records.data()};
  lane_kernels().prepare(view, 0, static_cast<std::int64_t>(lanes.groups.size()));

  std::vector<Velocity> expected;
  for (const ProblemBody& body : bodies) expected.push_back(body.velocity);
  for (const LaneManifold& m : manifolds) push(m, bodies, expected);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Velocity u = lanes.read_body(i, bodies[i], 0, kSubSteps).velocity;
    EXPECT_LT(norm(u.linear - expected[i].linear), 1e-5)
        << "body " << i << ", manifold of kind " << lanes.slots[i / 2].kind;
    EXPECT_LT(norm(u.angular - expected[i].angular), 1e-5)
        << "body " << i << ", manifold of kind " << lanes.slots[i / 2].kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LaneFill, testing::Range(1, 7));

}  // namespace
}  // namespace cairn
