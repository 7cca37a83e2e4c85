// SPDX-License-Identifier: MIT
#include "cairn/solvers/soft_step/lane_joint_groups.h"

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/graph/edges.h"
#include "cairn/simd/simd.h"
#include "cairn/solvers/ldl/ldl_structure.h"
#include "cairn/solvers/soft_step/joint_lanes.h"

namespace cairn {

namespace {

constexpr std::size_t kOpenGroups = 8;  // the last ones, among which a place for a joint is looked for

/// Which bodies of a joint can move.
std::uint8_t moves_of(const JointBlock& joint, const LaneProblem& lanes) {
  const auto moves = [&](std::int32_t body) { return lanes.can_move(to_index(body)) ? 1 : 0; };
  return static_cast<std::uint8_t>(2 * moves(joint.body_a) + moves(joint.body_b));
}

/// The way back: u' <- u' + change, of which the last two are 0. No two lanes have the same record, but nobody's.
inline void scatter(Double8 (&change)[kJointLanes], const std::int32_t* records, LaneProblem& lanes) {
  transpose(change);
  for (int lane = 0; lane < kJointLanes; ++lane) {
    float* to = lanes.bodies[to_index(records[lane])].velocity;
    Float8 now;
    Double8 next;
    get_lanes(to, now);
    convert(now, next);
    next += change[lane];
    convert(next, now);
    put_lanes(now, to);
  }
}

/// L of a body (LaneProblem::scale_row) for all rows of a joint; zero if it cannot move.
struct Root {
  double shift = 0, turn[6] = {};

  Root(const LaneProblem& lanes, std::size_t body) {
    if (!lanes.can_move(body)) return;
    const LaneMass& mass = lanes.masses[to_index(lanes.body_of[body])];
    shift = double{mass.shift};
    for (int k = 0; k < 6; ++k) turn[k] = double{mass.turn[k]};
  }
  /// J L of one row, to one lane.
  void scale(const Vec3& linear, const Vec3& angular, int lane, Double8* to) const {
    to[0][lane] = shift * linear.x;
    to[1][lane] = shift * linear.y;
    to[2][lane] = shift * linear.z;
    to[3][lane] = turn[0] * angular.x + turn[1] * angular.y + turn[3] * angular.z;
    to[4][lane] = turn[2] * angular.y + turn[4] * angular.z;
    to[5][lane] = turn[5] * angular.z;
  }
};

}  // namespace

inline void LaneJointGroups::find_bias(const Law& law, const Lanes& error, Pass pass, Lanes& bias) {
  bias = law.rate * error;
  bias = bias > -law.cap ? bias : -law.cap;
  bias = bias < law.cap ? bias : law.cap;
  if (pass == Pass::rigid) bias *= law.stays;
}

inline void LaneJointGroups::get_slots(const Group& group, std::int32_t row, std::span<const double> from, Lanes& to) {
  const std::int32_t* slot = group.slot[row];
  if (group.is_side_by_side) return get_lanes(from.data() + slot[0], to);
  to = Lanes{};
  for (int l = 0; l < group.count; ++l) to[l] = from[to_index(slot[l])];
}

inline void LaneJointGroups::put_slots(const Group& group, std::int32_t row, const Lanes& from, std::span<double> to) {
  const std::int32_t* slot = group.slot[row];
  if (group.is_side_by_side) return put_lanes(from, to.data() + slot[0]);
  for (int l = 0; l < group.count; ++l) to[to_index(slot[l])] = from[l];
}

void LaneJointGroups::load(const JointProblem& part, std::span<const std::int32_t> slots, const LaneProblem& lanes) {
  if (!is_known(part, slots, lanes)) form_groups(part, slots, lanes);
  const Lanes zero{};
  const Stabilisation& s = part.law->stabilisation;
  rigid_ = {zero + s.joint_rate / part.law->dt, zero + s.max_push, zero, zero + 1, zero};
  bounded_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].is_rigid = true;
    for (int lane = 0; lane < groups_[g].count; ++lane) fill(part, lanes, g, lane);
    if (!groups_[g].is_rigid) fill_laws(part, g);
  }
}

bool LaneJointGroups::is_known(const JointProblem& part, std::span<const std::int32_t> slots,
                               const LaneProblem& lanes) const {
  bool same = std::ranges::equal(joints_, part.joints) && std::ranges::equal(slots_, slots);
  for (std::size_t k = 0; same && k < joints_.size(); ++k) same = moves_[k] == moves_of(joints_[k], lanes);
  return same;
}

/// A group with room, of the joint's colour and with as many rows; groups_.size(): none.
std::size_t LaneJointGroups::find_group(std::size_t joint) const {
  const std::size_t from = groups_.size() - std::min(groups_.size(), kOpenGroups);
  for (std::size_t g = from; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (!group.is_side_by_side && group.rows == joints_[joint].row_count && group.count < kLanes &&
        group.colour == colouring_.colour[joint])
      return g;
  }
  return groups_.size();
}

LaneJointGroups::Group& LaneJointGroups::add_group(std::size_t joint) {
  Group& group = groups_.emplace_back();
  group.rows = joints_[joint].row_count, group.colour = colouring_.colour[joint];
  return group;
}

void LaneJointGroups::place(std::int32_t joint, Group& group) const {
  const int lane = group.count++;
  const JointBlock& block = joints_[to_index(joint)];
  group.joint[lane] = joint;
  for (std::int32_t r = 0; r < group.rows; ++r) group.slot[r][lane] = slots_[to_index(block.first_row + r)];
}

/// How many joints from by_slot_[first] on can stand in a group whose slots lie side by side; 0: not even one.
int LaneJointGroups::count_side_by_side(std::size_t first) const {
  const auto joint = [&](int lane) -> const JointBlock& { return joints_[to_index(by_slot_[first + to_index(lane)])]; };
  const auto slot = [&](int lane, std::int32_t r) { return slots_[to_index(joint(lane).first_row + r)]; };
  const auto follows = [&](int lane) {
    const std::size_t next = first + to_index(lane);
    if (next >= by_slot_.size() || joint(lane).row_count != joint(0).row_count) return false;
    if (colouring_.colour[to_index(by_slot_[next])] != colouring_.colour[to_index(by_slot_[first])]) return false;
    for (std::int32_t r = 0; r < joint(0).row_count; ++r)
      if (slot(lane, r) != slot(0, r) + lane) return false;
    return true;
  };
  int count = 1;
  while (count < kLanes && follows(count)) ++count;
  for (std::int32_t r = 0; r < joint(0).row_count; ++r) {
    const auto from = to_index(slot(0, r));
    if (from % kLanes != 0 || from + kLanes > is_used_.size()) return 0;
    if (std::any_of(&is_used_[from] + count, &is_used_[from] + kLanes, [](std::uint8_t used) { return used != 0; }))
      return 0;
  }
  return count;
}

void LaneJointGroups::form_side_by_side() {
  is_placed_.assign(joints_.size(), 0);
  by_slot_.clear();
  for (std::size_t k = 0; k < joints_.size(); ++k)
    if (joints_[k].row_count > 0) by_slot_.push_back(static_cast<std::int32_t>(k));
  const auto first_slot = [&](std::int32_t k) { return slots_[to_index(joints_[to_index(k)].first_row)]; };
  std::ranges::sort(by_slot_, {}, first_slot);
  is_used_.assign(slots_.empty() ? 0 : to_index(*std::ranges::max_element(slots_)) + kLanes, 0);
  for (const std::int32_t slot : slots_) is_used_[to_index(slot)] = 1;
  for (std::size_t k = 0; k < by_slot_.size();) {
    const int count = count_side_by_side(k);
    if (count > 1) {
      Group& group = add_group(to_index(by_slot_[k]));
      group.is_side_by_side = true;
      for (int lane = 0; lane < count; ++lane) {
        const std::int32_t joint = by_slot_[k + to_index(lane)];
        place(joint, group), is_placed_[to_index(joint)] = 1;
      }
    }
    k += to_index(std::max(count, 1));
  }
}

/// Joints of one colour have no body in common that can move. Colours depend on the joints of a mechanism alone, so
/// that a body gets the impulses of its joints in the same order whatever other mechanisms there are.
void LaneJointGroups::colour_joints(const LaneProblem& lanes) {
  const auto vertex = [&](std::int32_t b) { return lanes.can_move(to_index(b)) ? b : kNoVertex; };
  edges_.clear();
  for (const JointBlock& joint : joints_) edges_.push_back({vertex(joint.body_a), vertex(joint.body_b)});
  colour_edges_greedy(edges_, static_cast<std::int32_t>(lanes.body_of.size()), sets_, colouring_);
}

void LaneJointGroups::form_groups(const JointProblem& part, std::span<const std::int32_t> slots,
                                  const LaneProblem& lanes) {
  joints_.assign(part.joints.begin(), part.joints.end()), slots_.assign(slots.begin(), slots.end());
  moves_.clear(), groups_.clear();
  for (const JointBlock& joint : joints_) moves_.push_back(moves_of(joint, lanes));
  colour_joints(lanes);
  form_side_by_side();
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    if (joints_[k].row_count == 0 || is_placed_[k] != 0) continue;
    const std::size_t g = find_group(k);
    place(static_cast<std::int32_t>(k), g == groups_.size() ? add_group(k) : groups_[g]);
  }
  std::ranges::stable_sort(groups_, {}, &Group::colour);
  std::int32_t rows = 0;
  for (Group& group : groups_) group.first = rows, rows += group.rows;
  rows_.assign(to_index(rows), Row{}), laws_.assign(to_index(rows), Law{});
}

void LaneJointGroups::fill(const JointProblem& part, const LaneProblem& lanes, std::size_t g, int lane) {
  Group& group = groups_[g];
  const JointBlock& joint = joints_[to_index(group.joint[lane])];
  const auto a = to_index(joint.body_a), b = to_index(joint.body_b);
  const auto nobody = static_cast<std::int32_t>(lanes.bodies.size()) - 1;
  if (lane == 0) std::fill_n(group.record_a, kLanes, nobody), std::fill_n(group.record_b, kLanes, nobody);
  group.record_a[lane] = lanes.can_move(a) ? lanes.body_of[a] : nobody;
  group.record_b[lane] = lanes.can_move(b) ? lanes.body_of[b] : nobody;
  const Root root_a(lanes, a), root_b(lanes, b);
  const bool moves = lanes.moves_itself[a] != 0 || lanes.moves_itself[b] != 0;
  for (std::int32_t r = 0; r < group.rows; ++r) {
    const JointRow& from = part.joint_rows[to_index(joint.first_row + r)];
    Row& to = rows_[to_index(group.first + r)];
    root_a.scale(from.linear_a, from.angular_a, lane, to.a);
    root_b.scale(from.linear_b, from.angular_b, lane, to.b);
    to.fixed[lane] = (moves ? joint_velocity(from, lanes.still[a], lanes.still[b]) : 0.0) - from.target_velocity;
    to.first_error[lane] = to.error[lane] = from.error;
    const bool bounded = is_bounded(from);
    group.is_rigid = group.is_rigid && !bounded && from.compliance == 0;
    if (bounded && (from.compliance > 0 || moves_bodies(part.bodies[a], part.bodies[b], from)))
      bounded_.push_back({static_cast<std::int32_t>(g), lane, r, joint.first_row + r});
  }
}

void LaneJointGroups::fill_laws(const JointProblem& part, std::size_t g) {
  const Group& group = groups_[g];
  for (int lane = 0; lane < group.count; ++lane)
    for (std::int32_t r = 0; r < group.rows; ++r) {
      const std::int32_t first = joints_[to_index(group.joint[lane])].first_row;
      const JointRow& from = part.joint_rows[to_index(first + r)];
      Law& to = laws_[to_index(group.first + r)];
      const bool bounded = is_bounded(from), rigid = from.compliance == 0;
      to.rate[lane] = rigid ? rigid_.rate[lane] : 1 / (from.damping * from.compliance + part.law->dt);
      to.cap[lane] = rigid ? rigid_.cap[lane] : std::numeric_limits<double>::infinity();
      to.softness[lane] = rigid ? 0 : joint_softness(*part.law, from);
      to.follows[lane] = bounded ? 0 : 1;
      to.stays[lane] = bounded || !rigid ? 1 : 0;
    }
}

template <LaneJointGroups::Pass pass>
inline void LaneJointGroups::find_group_residuals(const Group& group, const LaneProblem& lanes,
                                                  std::span<const double> impulse, std::span<double> minus_y) {
  constexpr bool kBiased = pass == Pass::biased;
  Lanes u[kLanes], w[kLanes], moved_a[kLanes]{}, moved_b[kLanes]{}, sum, bias, now;
  gather_velocities(lanes, group.record_a, u), gather_velocities(lanes, group.record_b, w);
  if constexpr (kBiased)
    gather_displacements(lanes, group.record_a, moved_a), gather_displacements(lanes, group.record_b, moved_b);
  for (std::int32_t r = 0; r < group.rows; ++r) {
    Row& row = rows_[to_index(group.first + r)];
    const Law& law = group.is_rigid ? rigid_ : laws_[to_index(group.first + r)];
    if constexpr (kBiased) {
      dot(row.a, moved_a, row.b, moved_b, sum);
      row.error = row.first_error + law.follows * sum;
    }
    dot(row.a, u, row.b, w, sum);
    sum = row.fixed + sum;
    if (kBiased || !group.is_rigid) {
      find_bias(law, row.error, pass, bias);
      sum += bias;
    }
    if (!group.is_rigid) {
      get_slots(group, r, impulse, now);
      sum += law.softness * now;
    }
    sum = -sum;
    put_slots(group, r, sum, minus_y);
  }
}

void LaneJointGroups::find_residuals(Pass pass, const LaneProblem& lanes, std::span<const double> impulse,
                                     std::span<double> minus_y) {
  run_wide([&] {
    for (const Group& group : groups_) {
      if (pass == Pass::biased)
        find_group_residuals<Pass::biased>(group, lanes, impulse, minus_y);
      else
        find_group_residuals<Pass::rigid>(group, lanes, impulse, minus_y);
    }
  });
}

void LaneJointGroups::push(std::span<const double> change, LaneProblem& lanes) const {
  run_wide([&] {
    for (const Group& group : groups_) {
      Lanes by, on_a[kLanes]{}, on_b[kLanes]{};
      for (std::int32_t r = 0; r < group.rows; ++r) {
        const Row& row = rows_[to_index(group.first + r)];
        get_slots(group, r, change, by);
        for (int k = 0; k < 6; ++k) {
          on_a[k] += row.a[k] * by;
          on_b[k] += row.b[k] * by;
        }
      }
      scatter(on_a, group.record_a, lanes), scatter(on_b, group.record_b, lanes);
    }
  });
}

void LaneJointGroups::visit_held_rows(Pass pass, const JointProblem& part, std::span<const std::uint8_t> is_swept,
                                      std::span<double> impulse, LaneProblem& lanes) {
  for (const Held& held : bounded_) {
    if (is_swept[to_index(held.joint_row)] == 0) continue;
    const Group& group = groups_[to_index(held.group)];
    const int l = held.lane;
    double& mine = impulse[to_index(group.slot[held.row][l])];
    const Row& row = rows_[to_index(group.first + held.row)];
    const Law& law = laws_[to_index(group.first + held.row)];
    float* u = lanes.bodies[to_index(group.record_a[l])].velocity;
    float* w = lanes.bodies[to_index(group.record_b[l])].velocity;
    Lanes bias;
    find_bias(law, row.error, pass, bias);
    double y = row.fixed[l] + bias[l] + law.softness[l] * mine, stiffness = law.softness[l];
    for (int k = 0; k < 6; ++k) {
      const double a = row.a[k][l], b = row.b[k][l];
      y += a * double{u[k]} + b * double{w[k]};
      stiffness += a * a + b * b;
    }
    if (!(stiffness > 0)) continue;
    const JointRow& bounds = part.joint_rows[to_index(held.joint_row)];
    const double next = std::clamp(mine - y / stiffness, bounds.lower, bounds.upper);
    const double change = next - mine;
    mine = next;
    for (int k = 0; k < 6; ++k) {
      u[k] = static_cast<float>(double{u[k]} + row.a[k][l] * change);
      w[k] = static_cast<float>(double{w[k]} + row.b[k][l] * change);
    }
  }
}

}  // namespace cairn
