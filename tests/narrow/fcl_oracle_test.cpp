// SPDX-License-Identifier: MIT
// 100,000 random convex pairs against FCL (its distance for shapes apart, libccd's expanding polytope for overlaps).
//
// The signed distance of convex shapes is the largest gap between two planes across any direction n,
//   max over n of (min over b of n.q) - (max over a of n.p),
// so every direction proves a lower bound, and points of the two shapes prove an upper one. FCL works to 1e-6 and stops
// early on round shapes; where the two disagree by more than kAgree the bounds must prove FCL wrong, never us.
#include <fcl/fcl.h>
#include <gtest/gtest.h>

#include <memory>

#include "cairn/core/index.h"
#include "cairn/narrow/gjk.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

/// FCL's tolerance is 1e-6 on the distance between its bounds; ten times that is allowed for.
constexpr double kAgree = 1e-5;

Eigen::Vector3d to_fcl(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 from_fcl(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

std::shared_ptr<fcl::CollisionGeometryd> to_fcl(const ConvexHull& hull) {
  auto vertices = std::make_shared<std::vector<Eigen::Vector3d>>();
  for (const Vec3& v : hull.data->vertices) vertices->push_back(to_fcl(v));
  auto faces = std::make_shared<std::vector<int>>();
  for (const HullFace& face : hull.data->faces) {
    faces->push_back(face.edge_count);
    for (std::int32_t k = 0; k < face.edge_count; ++k)
      faces->push_back(hull.data->edges[to_index(face.first_edge + k)].vertex);
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.data->faces.size()), faces);
}

/// FCL's cone has its origin half way up, ours a quarter.
fcl::CollisionObjectd to_fcl(const Shape& shape, Pose pose) {
  std::shared_ptr<fcl::CollisionGeometryd> geometry;
  if (const auto* s = std::get_if<Sphere>(&shape)) geometry = std::make_shared<fcl::Sphered>(s->radius);
  if (const auto* s = std::get_if<Box>(&shape))
    geometry = std::make_shared<fcl::Boxd>(2 * s->half.x, 2 * s->half.y, 2 * s->half.z);
  if (const auto* s = std::get_if<Capsule>(&shape))
    geometry = std::make_shared<fcl::Capsuled>(s->radius, 2 * s->half_length);
  if (const auto* s = std::get_if<Cylinder>(&shape))
    geometry = std::make_shared<fcl::Cylinderd>(s->radius, 2 * s->half_height);
  if (const auto* s = std::get_if<Cone>(&shape)) {
    geometry = std::make_shared<fcl::Coned>(s->radius, s->height);
    pose.position += rotate(pose.orientation, Vec3{0, 0, 0.25 * s->height});
  }
  if (const auto* s = std::get_if<ConvexHull>(&shape)) geometry = to_fcl(*s);
  fcl::Transform3d x = fcl::Transform3d::Identity();
  const Quat& q = pose.orientation;
  x.linear() = Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
  x.translation() = to_fcl(pose.position);
  return {geometry, x};
}

double gap_along(const Vec3& n, const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const Vec3 p = transform(pose_a, support(a, rotate_back(pose_a.orientation, n)));
  const Vec3 q = transform(pose_b, support(b, rotate_back(pose_b.orientation, -n)));
  return dot(n, q - p);
}

struct Answer {
  bool failed = false;  ///< FCL gave up
  double distance = 0;
  Vec3 normal;  ///< from a to b
};

Answer ask_fcl(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const fcl::CollisionObjectd first = to_fcl(a, pose_a), second = to_fcl(b, pose_b);
  fcl::DistanceRequestd request(true, true);
  request.gjk_solver_type = fcl::GST_LIBCCD;
  request.distance_tolerance = 1e-6;
  fcl::DistanceResultd result;
  try {
    fcl::distance(&first, &second, request, result);
  } catch (const std::exception&) {
    return {true, 0, {}};
  }
  const Vec3 apart = from_fcl(result.nearest_points[1]) - from_fcl(result.nearest_points[0]);
  const double length = norm(apart);
  const Vec3 n = length > 1e-9 ? (result.min_distance < 0 ? -1 / length : 1 / length) * apart : Vec3{0, 0, 1};
  return {false, result.min_distance, n};
}

/// What the comparison of one pair came to.
enum class Outcome : std::uint8_t { agree, fcl_gave_up, fcl_wrong, we_are_wrong };

Outcome compare(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const ConvexDistance ours = distance(a, pose_a, b, pose_b);
  const Answer theirs = ask_fcl(a, pose_a, b, pose_b);
  if (theirs.failed) return Outcome::fcl_gave_up;
  if (std::fabs(theirs.distance - ours.distance) <= kAgree) {
    // Our normal must prove our distance. Apart, the normal is unique: turned by an angle t it proves no more than
    // d cos t, so both agree within sqrt(2 kAgree / d). Overlaps may have several.
    const bool proven = std::fabs(gap_along(ours.normal, a, pose_a, b, pose_b) - ours.distance) <= kAgree;
    const bool same = ours.distance < 0.01 || dot(ours.normal, theirs.normal) > 1 - 2 * kAgree / ours.distance;
    if (!proven) return Outcome::we_are_wrong;
    if (same) return Outcome::agree;
    return gap_along(theirs.normal, a, pose_a, b, pose_b) < ours.distance - kAgree ? Outcome::fcl_wrong
                                                                                   : Outcome::we_are_wrong;
  }
  // Ours is a proven lower bound above theirs.
  const double lower = gap_along(ours.normal, a, pose_a, b, pose_b);
  if (theirs.distance < ours.distance)
    return lower > theirs.distance + kAgree ? Outcome::fcl_wrong : Outcome::we_are_wrong;
  // Theirs is farther apart, or less deep; apart, two points of the shapes prove that they are not.
  const double off_a = closest_point(a, transform_back(pose_a, ours.on_a)).distance;
  const double off_b = closest_point(b, transform_back(pose_b, ours.on_b)).distance;
  const bool bounded = ours.distance > 0 && std::max(off_a, off_b) <= kAgree;
  return bounded ? Outcome::fcl_wrong : Outcome::we_are_wrong;
}

TEST(FclOracle, HundredThousandRandomPairs) {
  Random random(81);
  std::array<int, 4> count{};
  int pairs = 0, deep = 0;
  while (pairs < 100000) {
    const auto first = convex_shapes(random), second = convex_shapes(random);
    for (const auto& [name_a, a] : first) {
      for (const auto& [name_b, b] : second) {
        const Pose pose_a = random_pose(random);
        const Pose pose_b{pose_a.position + random_point(random, 2.2), random_pose(random).orientation};
        const Outcome outcome = compare(a, pose_a, b, pose_b);
        ++count[to_index(outcome)];
        ++pairs;
        deep += distance(a, pose_a, b, pose_b).distance < 0 ? 1 : 0;
        EXPECT_NE(outcome, Outcome::we_are_wrong)
            << name_a << ' ' << name_b << ", pair " << pairs << ": ours " << distance(a, pose_a, b, pose_b).distance
            << ", FCL " << ask_fcl(a, pose_a, b, pose_b).distance;
      }
    }
  }
  // Printed for whoever wonders how much an oracle is worth.
  std::cout << count[0] << " agree, FCL gave up " << count[1] << " times, was proven wrong " << count[2] << " times; "
            << deep << " pairs overlap\n";
  EXPECT_GT(count[0], 90000);
  EXPECT_GT(deep, 20000);
}

}  // namespace
}  // namespace cairn
