// SPDX-License-Identifier: MIT
// Every kernel over wide vectors, switched through the instruction sets of this machine: the same bits as without any.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/geometry/box.h"
#include "cairn/geometry/half_space.h"
#include "cairn/geometry/sphere.h"
#include "cairn/narrow/collide_box.h"
#include "cairn/qp/qp_matrix.h"
#include "cairn/simd/simd.h"
#include "cairn/solvers/ldl/ldl_factor.h"
#include "cairn/world/contacts/make_contacts.h"
#include "cairn/world/world.h"
#include "scenes/mechanism_problems.h"

namespace cairn {
namespace {

/// What a kernel has computed, byte by byte.
class Result {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }
  friend bool operator==(const Result&, const Result&) = default;
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

/// Runs `kernel` with every set and compares.
void expect_same_bits(const std::function<Result()>& kernel, std::size_t least_size) {
  force_simd("scalar");
  const Result expected = kernel();
  EXPECT_GE(expected.size(), least_size) << "too little was computed to compare";
  for (const std::string& name : simd_names()) {
    force_simd(name);
    EXPECT_TRUE(kernel() == expected) << name;
  }
  force_simd("auto");
}

Vec3 some_point(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}
Pose some_pose(Random& random, double size) {
  const Vec3 at = some_point(random, size), axis = some_point(random, 1);
  return {at, normalised(Quat{1, axis.x, axis.y, axis.z})};
}

/// Box against box, and the contacts made of them: new ones, then with impulses carried over.
Result collide_boxes() {
  Random random(5);
  Result result;
  for (int i = 0; i < 2000; ++i) {
    const Box a{{0.5, random.uniform(0.2, 1), 0.5}}, b{{random.uniform(0.2, 1), 0.5, 0.5}};
    Pose at_a = some_pose(random, 0.1), at_b = some_pose(random, 0.8);
    if (i % 2 == 0) at_b = {at_a.position + Vec3{random.uniform(-0.3, 0.3), 0.1, 0.98}, at_a.orientation};
    const Manifold manifold = collide_box_box(a, at_a, b, at_b, 0.02);
    result.add(manifold.count);
    if (manifold.count == 0) continue;
    ContactPoint points[4], next[4];
    ContactAnchor anchors[4];
    make_contacts({manifold, at_a, at_b, {}, {}}, points, anchors);
    for (ContactPoint& point : points) point.normal_impulse = 2, point.tangent_impulse[0] = 0.7f;
    const auto count = to_index(manifold.count);
    make_contacts({manifold, at_a, at_b, {points, count}, {0.6, 0, 0.8}}, next, anchors);
    for (std::size_t k = 0; k < count; ++k) {
      result.add(manifold.point[k].on_a), result.add(manifold.point[k].on_b), result.add(manifold.point[k].separation);
      result.add(next[k].position), result.add(next[k].separation), result.add(next[k].feature);
      for (const float impulse : next[k].tangent_impulse) result.add(impulse);
      for (const float x : anchors[k].on_a) result.add(x);
      result.add(anchors[k].offset);
    }
  }
  return result;
}

TEST(SimdKernels, BoxesAndTheirContacts) { expect_same_bits(collide_boxes, 100000); }

/// Pairs of boxes and balls that move, and a query.
Result find_pairs_in_tree() {
  Random random(9);
  Result result;
  const std::unique_ptr<BroadPhase> tree = make_broad_phase("tree");
  std::vector<Aabb> boxes(3000);
  std::vector<BoundingBall> balls(boxes.size());
  std::vector<Vec3> at(boxes.size());
  for (Vec3& p : at) p = some_point(random, 10);
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i] += some_point(random, 0.2);
      boxes[i] = {at[i] - Vec3{0.4, 0.4, 0.4}, at[i] + Vec3{0.4, 0.4, 0.4}};
      balls[i] = {at[i], 0.5};
    }
    std::vector<BroadPair> pairs;
    tree->find_pairs(boxes, std::vector<ProxyFilter>(boxes.size()), balls, nullptr, pairs);
    for (const BroadPair& pair : pairs) result.add(pair.a), result.add(pair.b);
    std::vector<std::int32_t> inside;
    tree->find_overlaps({{-3, -3, -3}, {3, 2, 1}}, inside);
    for (const std::int32_t proxy : inside) result.add(proxy);
  }
  return result;
}

TEST(SimdKernels, TreeOfTheBroadPhase) { expect_same_bits(find_pairs_in_tree, 10000); }

/// The factor of a track of 24 links, one at a time or eight side by side.
Result factor_track(int lanes) {
  const ContactProblem problem = scenes::track_ring(24, 0.01);
  LdlMechanismFinder finder;
  std::vector<LdlMechanism> mechanisms;
  std::size_t count = 0;
  finder.find(problem, nullptr, mechanisms, count);
  LdlFactor factor;
  factor.reset(std::make_shared<const LdlProgram>(mechanisms[0].structure,
                                                  LdlProgramSettings{LdlHubs::hub, LdlOrdering::automatic, 20}),
               lanes);
  const LdlMechanism* const only = &mechanisms[0];
  factor.load(problem, {&only, 1}, std::vector<std::uint8_t>(problem.joint_rows.size(), 1));
  factor.factor({1e-11, 1e-7});
  Random random(3);
  const auto rows = static_cast<std::int32_t>(mechanisms[0].rows.size());
  for (std::int32_t r = 0; r < rows; ++r) factor.set_rhs(0, r, random.uniform(-1, 1));
  factor.solve(2);
  Result result;
  for (std::int32_t r = 0; r < rows; ++r) result.add(factor.impulse(0, r));
  return result;
}

TEST(SimdKernels, BlockLdlOfOneMechanism) {
  expect_same_bits([] { return factor_track(1); }, 500);
}
TEST(SimdKernels, BlockLdlOfEightMechanisms) {
  expect_same_bits([] { return factor_track(8); }, 500);
}

/// Banded Cholesky in tiles, products and sums of the quadratic programs.
Result solve_band() {
  constexpr int kSize = 300, kBand = 70, kCount = 11;
  Random random(4);
  std::vector<double> values(std::size_t{kSize} * (kBand + 1));
  for (double& value : values) value = random.uniform(-1, 1);
  for (std::size_t j = 0; j < kSize; ++j) values[j * (kBand + 1)] = 2.0 * kBand + 1;
  const BandedMatrix matrix(kSize, kBand, values);
  std::vector<std::int32_t> all(kSize);
  for (std::size_t i = 0; i < kSize; ++i) all[i] = static_cast<std::int32_t>(i);
  std::vector<double> x(std::size_t{kSize} * kCount), y(kSize);
  for (double& value : x) value = random.uniform(-1, 1);
  const auto factor = matrix.make_factor();
  EXPECT_TRUE(factor->factor(all, nullptr));
  factor->solve(x, kCount, nullptr);
  matrix.multiply({x.data(), kSize}, y, nullptr);
  Result result;
  for (const double value : x) result.add(value);
  for (const double value : y) result.add(value);
  return result;
}

TEST(SimdKernels, BandedCholesky) { expect_same_bits(solve_band, 10000); }

/// Lanes of contacts of boxes and of balls, and groups of joints: a pile with chains hanging into it.
Result step_pile() {
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int i = 0; i < 12; ++i) {
    const double x = 1.1 * (i % 4), y = 1.2 * (i / 4);
    world.add_body({.pose = {{x, y, 0.5}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
    world.add_body({.pose = {{x + 0.1, y, 1.6}}}, {{.shape = make_sphere(0.5)}});
    BodyId above{};
    for (int k = 0; k < 3; ++k) {
      const double z = 4.2 - 0.6 * k;
      const BodyId link = world.add_body({.pose = {{x, y, z}}, .velocity = {.linear = {0.3 * k, 0.1, 0}}},
                                         {{.shape = make_sphere(0.2)}});
      JointDef joint{.body_a = above, .body_b = link};
      joint.frame_a.position = k == 0 ? Vec3{x, y, z + 0.3} : Vec3{0, 0, -0.3};
      joint.frame_b.position = {0, 0, 0.3};
      joint.kind = BallJoint{};
      world.add_joint(joint);
      above = link;
    }
  }
  Result result;
  for (int i = 0; i < 60; ++i) {
    world.step(1.0 / 60);
    const Hash128 hash = world.state_hash();
    result.add(hash.low), result.add(hash.high);
  }
  return result;
}

TEST(SimdKernels, LanesOfContactsAndGroupsOfJoints) { expect_same_bits(step_pile, 900); }

}  // namespace
}  // namespace cairn
