// SPDX-License-Identifier: MIT
// Random clusters of bodies in contact, for tests of solvers: positions are kept, so that arms agree with each other
// and angular momentum can be summed.
#pragma once

#include <utility>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/math/mat3.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

struct RandomCluster {
  ContactProblem problem;
  std::vector<Vec3> position;  ///< per body, of its centre of mass
};

struct ClusterShape {
  int bodies = 10;
  int pairs = 20;        ///< of bodies that touch, each in up to four points
  double friction = 0;   ///< coefficient of all contacts
  bool grounded = true;  ///< body 0 cannot move
  int joints = 0;        ///< ball joints between random bodies, every other one soft
};

inline Vec3 random_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size), z = random.uniform(-size, size);
  return {x, y, z};
}

/// Rows that hold two bodies together at a point.
inline void add_ball_joint(RandomCluster& cluster, std::int32_t a, std::int32_t b, const Vec3& point,
                           double compliance) {
  ContactProblem& problem = cluster.problem;
  problem.joints.push_back({a, b, static_cast<std::int32_t>(problem.joint_rows.size()), 3});
  const Vec3 arm_a = point - cluster.position[to_index(a)];
  const Vec3 arm_b = point - cluster.position[to_index(b)];
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
    JointRow row;
    row.linear_a = -axis, row.angular_a = -cross(arm_a, axis);
    row.linear_b = axis, row.angular_b = cross(arm_b, axis);
    row.compliance = compliance;
    problem.joint_rows.push_back(row);
  }
}

inline RandomCluster random_cluster(Random& random, const ClusterShape& shape) {
  RandomCluster cluster;
  ContactProblem& problem = cluster.problem;
  for (int i = 0; i < shape.bodies; ++i) {
    ProblemBody body;
    cluster.position.push_back(random_vector(random, 2));
    if (i > 0 || !shape.grounded) {
      body.inverse_mass = random.uniform(0.5, 2);
      body.inverse_inertia = SymMat3::diagonal(random.uniform(1, 5), random.uniform(1, 5), random.uniform(1, 5));
      body.velocity = {random_vector(random, 1), random_vector(random, 1)};
    }
    problem.bodies.push_back(body);
  }
  const auto two_bodies = [&] {
    const auto count = static_cast<std::uint64_t>(shape.bodies);
    const auto a = static_cast<std::int32_t>(random.below(count));
    const auto b = static_cast<std::int32_t>((static_cast<std::uint64_t>(a) + 1 + random.below(count - 1)) % count);
    return std::pair{a, b};
  };
  for (int i = 0; i < shape.pairs; ++i) {
    const auto [a, b] = two_bodies();
    const Frame frame = make_frame(normalised(random_vector(random, 1)));
    const std::uint64_t points = 1 + random.below(4);
    for (std::uint64_t k = 0; k < points; ++k) {
      ContactBlock c;
      c.body_a = a, c.body_b = b;
      c.normal = frame.normal, c.tangent1 = frame.tangent1, c.tangent2 = frame.tangent2;
      const Vec3 point = random_vector(random, 2);
      c.arm_a = point - cluster.position[to_index(a)];
      c.arm_b = point - cluster.position[to_index(b)];
      c.friction1 = c.friction2 = shape.friction;
      problem.contacts.push_back(c);
    }
  }
  for (int i = 0; i < shape.joints; ++i) {
    const auto [a, b] = two_bodies();
    add_ball_joint(cluster, a, b, random_vector(random, 2), i % 2 == 0 ? 0.0 : 1e-4);
  }
  return cluster;
}

}  // namespace cairn
