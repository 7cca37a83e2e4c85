// SPDX-License-Identifier: MIT
// Contacts on their way into lanes, wherever they come from: the contact cache of a world or a ContactProblem. One
// grouping and one gathering, so that both give the same lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/graph/islands.h"
#include "cairn/problem/lanes/lane_problem.h"

namespace cairn {

/// Points that the source keeps together: a manifold of the cache, or one contact of a problem.
struct PointRun {
  std::int32_t run = 0;          ///< its number in the source
  std::int32_t first_point = 0;  ///< in the source
  std::int32_t count = 0;        ///< points
  std::int32_t pair = 0;         ///< the source's number of the pair
};

/// Points that stand in one lane: up to four that follow each other, of one pair of bodies and with one frame.
struct LaneRun {
  std::int32_t run = 0;          ///< the first of the source's runs in it
  std::int32_t first_point = 0;  ///< in the source
  std::int32_t count = 0;        ///< points
  std::int32_t ordinal = 0;      ///< how many lanes of its pair come before it
  std::int32_t pair = 0;         ///< the source's number of the pair
};

/// Cuts runs of points into lanes. Runs of one pair that have the same frame share a lane while it has room.
class LaneGrouping {
 public:
  /// `has_frame_of(run)` says whether the new run has the frame of an earlier one; it is asked for runs of one pair
  /// only.
  template <class HasFrameOf, class Visit>
  void add(const PointRun& next, HasFrameOf&& has_frame_of, Visit&& visit) {
    const bool same_pair = has_pair_ && next.pair == lane_.pair;
    const bool joins = same_pair && lane_.count > 0 && lane_.count < kMostPoints && has_frame_of(lane_.run);
    std::int32_t taken = joins ? std::min(next.count, kMostPoints - lane_.count) : 0;
    lane_.count += taken;
    std::int32_t ordinal = same_pair ? lane_.ordinal + 1 : 0;
    for (; taken < next.count; ++ordinal) {
      finish(visit);
      const std::int32_t here = std::min(next.count - taken, kMostPoints);
      lane_ = {next.run, next.first_point + taken, here, ordinal, next.pair};
      has_pair_ = true;
      taken += here;
    }
  }
  /// After the last run.
  template <class Visit>
  void finish(Visit&& visit) {
    if (lane_.count > 0) visit(lane_);
    lane_.count = 0;
  }

 private:
  LaneRun lane_;
  bool has_pair_ = false;
};

/// The manifold of a lane from its contacts, one after the other: `contact(p, block, impulse)` fills in those of point
/// p in a right-handed frame.
template <class Contact>
void gather_lane(const ContactProblem& problem, int count, Contact&& contact, LaneManifold& m) {
  ContactBlock block;
  std::array<double, 4> impulse{};
  for (int p = 0; p < count; ++p) {
    contact(p, block, impulse);
    if (p == 0) m = LaneManifold(block);
    double approach = 0;
    if (block.restitution > 0)
      approach = contact_velocity(block, problem.bodies[to_index(block.body_a)].velocity,
                                  problem.bodies[to_index(block.body_b)].velocity)[0];
    m.add(block, approach, impulse);
  }
}

/// Shares the friction of a manifold among its points by what they carry, with the same force and torque. Lanes know
/// one friction force at the middle and one twist about the normal; how they are shared is free, and only in proportion
/// to the normal impulses does every point obey Coulomb's law where the manifold does. `x`, `y`: places of the points
/// along the tangents; of the impulses the tangential parts change.
inline void share_friction_by_load(std::span<const double> x, std::span<const double> y,
                                   std::span<std::array<double, 4>> impulse) {
  double load = 0, force1 = 0, force2 = 0, mx = 0, my = 0;
  for (std::size_t p = 0; p < impulse.size(); ++p) {
    load += impulse[p][0], force1 += impulse[p][1], force2 += impulse[p][2];
    mx += impulse[p][0] * x[p], my += impulse[p][0] * y[p];
  }
  if (!(load > 0) || impulse.size() < 2) return;
  mx /= load, my /= load;
  double twist = 0, spread = 0, extent = 0;  // about the middle of the load
  for (std::size_t p = 0; p < impulse.size(); ++p) {
    const double dx = x[p] - mx, dy = y[p] - my;
    twist += dx * impulse[p][2] - dy * impulse[p][1];
    spread += impulse[p][0] / load * (dx * dx + dy * dy), extent += dx * dx + dy * dy;
  }
  if (!(spread > 1e-9 * extent)) return;  // one point carries all: it cannot twist
  for (std::size_t p = 0; p < impulse.size(); ++p) {
    const double share = impulse[p][0] / load, around = twist / spread;
    impulse[p][1] = share * (force1 - around * (y[p] - my));
    impulse[p][2] = share * (force2 + around * (x[p] - mx));
  }
}
/// The same for contacts of a problem that stand in one lane, by their arms.
inline void share_friction_by_load(std::span<const ContactBlock> contacts, std::span<std::array<double, 4>> impulse) {
  std::array<double, kMostPoints> x{}, y{};
  for (std::size_t p = 0; p < contacts.size(); ++p) {
    const Vec3 from_first = contacts[p].arm_b - contacts[0].arm_b;
    x[p] = dot(contacts[0].tangent1, from_first), y[p] = dot(contacts[0].tangent2, from_first);
  }
  // tangent2 may be of the other hand: turning from 1 to 2 is then the other way round, for twist and places alike.
  share_friction_by_load({x.data(), contacts.size()}, {y.data(), contacts.size()}, impulse);
}

/// How a solver sorts islands into batches: those that it treats alike.
class LaneBatching {
 public:
  virtual ~LaneBatching() = default;
  /// 0 .. kMostBatches - 1. An island of a body that nothing touches has no counts.
  virtual int batch_of(const IslandCounts& counts) const = 0;
  /// Over how many sub-steps the impulses of a batch are spread.
  virtual int sub_steps(int batch) const = 0;
  /// The fewest sub-steps of an island with contacts.
  virtual int fewest_sub_steps() const = 0;
  /// The same of every batch.
  std::array<int, kMostBatches> spread() const {
    std::array<int, kMostBatches> spread{};
    for (int batch = 0; batch < kMostBatches; ++batch) spread[to_index(batch)] = sub_steps(batch);
    return spread;
  }
};

/// Counts the joints of each island. Locked axes and rolling resistance are none.
inline void count_joints(const ContactProblem& problem, const Islands& islands, const LaneProblem& lanes,
                         std::span<IslandCounts> counts) {
  for (const JointBlock& joint : problem.joints) {
    const auto a = to_index(joint.body_a), b = to_index(joint.body_b);
    const bool moves_a = lanes.can_move(a), moves_b = lanes.can_move(b);
    const std::int32_t island = moves_b ? islands.of_vertex[b] : moves_a ? islands.of_vertex[a] : -1;
    const JointRow& first = problem.joint_rows[to_index(joint.first_row)];
    if (island < 0 || !std::isinf(first.lower) || !std::isinf(first.upper)) continue;
    IslandCounts& count = counts[to_index(island)];
    (moves_a && moves_b ? count.joints : count.anchors) += 1;
  }
}

/// The batch of each island, and of each body (LaneProblem::batch_of) by its island; bodies without one have batch 0.
inline void assign_batches(const LaneBatching& batching, const Islands& islands, std::span<const IslandCounts> counts,
                           std::vector<std::uint8_t>& of_island, LaneProblem& lanes) {
  of_island.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    of_island[i] = static_cast<std::uint8_t>(batching.batch_of(counts[i]));
  lanes.batch_of.assign(lanes.body_of.size(), 0);
  const std::size_t vertices = std::min(lanes.batch_of.size(), islands.of_vertex.size());
  for (std::size_t i = 0; i < vertices; ++i)
    if (islands.of_vertex[i] >= 0) lanes.batch_of[i] = of_island[to_index(islands.of_vertex[i])];
}

}  // namespace cairn
