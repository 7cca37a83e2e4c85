// SPDX-License-Identifier: MIT
// Mechanisms as frozen problems: the ones of Mizerski 2020 (track, wheeled vehicle, fifty constraints) and a few more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/random.h"
#include "cairn/problem/contact_problem.h"

namespace cairn::scenes {

/// Builds a problem body by body and joint by joint. Bodies are given by their centre and fall under gravity.
class MechanismBuilder {
 public:
  /// `disorder`: anchors and axes of joints and velocities of bodies are moved by random amounts up to this: 0 is the
  /// ideal geometry, in which loops of parallel hinges are redundant.
  explicit MechanismBuilder(double disorder, std::uint64_t seed = 1) : disorder_(disorder), random_(seed) {}

  std::int32_t add_body(const Vec3& centre, double mass = 1, double size = 0.5);
  std::int32_t add_ground();  ///< a body that cannot move, at the origin

  /// Joint with that many rows at a point: 1 rod along the axis, 2 rails, 3 ball, 4 cylindrical, 5 hinge, 6 fixed.
  void join(std::int32_t a, std::int32_t b, int rows, const Vec3& anchor, const Vec3& axis);

  /// A contact of body b (or a) with the other at a point, normal from a to b, friction 0.5.
  void touch(std::int32_t a, std::int32_t b, const Vec3& point, const Vec3& normal);

  ContactProblem take() { return std::move(problem_); }

 private:
  Vec3 jitter();

  double disorder_;
  Random random_;
  ContactProblem problem_;
  std::vector<Vec3> centre_;
};

/// `links` links joined to a ring by hinges: link k to link k + 1. The track of Mizerski 2020 has 40.
ContactProblem track_ring(int links, double disorder = 0);

/// A chassis and one part per joint, joined by that many rows each.
ContactProblem wheeled_vehicle(std::span<const int> rows, double disorder = 0);

/// The dimensions of the vehicle of Mizerski 2020, 88 rows: eight hinges and twelve cylindrical joints, in the order in
/// which two per shard give its shards.
std::vector<int> vehicle_rows();

/// Fifty constraints, 246 rows: seven bodies in a row with 7, 3, 3, 3, 3, 3, 7 legs, of which the first fifteen have
/// two hinges in series and the others one; the ends of the first two legs are ball joints.
ContactProblem tree_of_fifty(double disorder = 0);

/// `count` dolls of 16 bodies with 11 ball joints and 4 hinges each; all alike but for their place and motion.
ContactProblem ragdolls(int count, double disorder = 0);

/// A chain of `links` bodies of 1 kg hanging from the ground by ball joints, with a load at its end.
ContactProblem hanging_chain(int links, double load, double disorder = 0);

/// Three bars on four hinges with parallel axes, closed by the ground: three rows are redundant.
ContactProblem four_bar(double disorder = 0);

/// A chain of planks on hinges between two posts, with balls resting on the planks: joints and contacts at once.
ContactProblem bridge(int planks, double load);

}  // namespace cairn::scenes
