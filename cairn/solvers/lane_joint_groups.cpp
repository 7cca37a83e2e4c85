// SPDX-License-Identifier: MIT
#include "cairn/solvers/lane_joint_groups.h"

#include <algorithm>

#include "cairn/core/simd.h"
#include "cairn/solvers/ldl_structure.h"

namespace cairn {

namespace {

constexpr std::size_t kOpenGroups = 8;  // the last ones, among which a place for a joint is looked for
constexpr int kWidth = 8;
using Eight = double __attribute__((vector_size(64)));

/// Six numbers of eight bodies out of their records, turned: out[k][lane].
inline void gather(const LaneProblem& lanes, const std::int32_t* records, bool displacement, Eight* out) {
  const float* from[kWidth];
  for (int lane = 0; lane < kWidth; ++lane) {
    const LaneBody& body = lanes.bodies[static_cast<std::size_t>(records[lane])];
    from[lane] = displacement ? body.displacement : body.velocity;
  }
  for (int k = 0; k < 6; ++k)
    out[k] = Eight{double{from[0][k]}, double{from[1][k]}, double{from[2][k]}, double{from[3][k]},
                   double{from[4][k]}, double{from[5][k]}, double{from[6][k]}, double{from[7][k]}};
}

/// The way back: u' <- u' + change. No two lanes have the same record, but nobody's.
inline void scatter(const Eight* change, const std::int32_t* records, LaneProblem& lanes) {
  for (int lane = 0; lane < kWidth; ++lane) {
    float* to = lanes.bodies[static_cast<std::size_t>(records[lane])].velocity;
    for (int k = 0; k < 6; ++k) to[k] = static_cast<float>(double{to[k]} + change[k][lane]);
  }
}

/// a.u + b.w of eight rows, summed in the order of the columns.
inline void dot(const Eight* a, const Eight* u, const Eight* b, const Eight* w, Eight& sum) {
  sum = a[0] * u[0];
  for (int k = 1; k < 6; ++k) sum += a[k] * u[k];
  for (int k = 0; k < 6; ++k) sum += b[k] * w[k];
}

}  // namespace

inline void LaneJointGroups::find_bias(const Row& row, Pass pass, Lanes& bias) {
  bias = row.rate * row.error;
  bias = bias > -row.cap ? bias : -row.cap;
  bias = bias < row.cap ? bias : row.cap;
  if (pass == Pass::rigid) bias *= row.stays;
}

void LaneJointGroups::load(const ContactProblem& part, const LaneProblem& lanes) {
  form_groups(part, lanes);
  bounded_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (int lane = 0; lane < groups_[g].count; ++lane) fill(part, lanes, g, lane);
}

/// A group with room, as many rows and none of the joint's bodies; groups_.size(): none.
std::size_t LaneJointGroups::find_group(const JointBlock& joint, const LaneProblem& lanes) const {
  const std::size_t from = groups_.size() - std::min(groups_.size(), kOpenGroups);
  for (std::size_t g = from; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (group.rows != joint.row_count || group.count == kLanes) continue;
    const auto shares = [&](std::int32_t k) {
      const JointBlock& other = joints_[static_cast<std::size_t>(k)];
      const auto meets = [&](std::int32_t body) {
        return lanes.can_move(static_cast<std::size_t>(body)) && (body == other.body_a || body == other.body_b);
      };
      return meets(joint.body_a) || meets(joint.body_b);
    };
    if (std::none_of(group.joint, group.joint + group.count, shares)) return g;
  }
  return groups_.size();
}

void LaneJointGroups::form_groups(const ContactProblem& part, const LaneProblem& lanes) {
  const auto moves = [&](std::int32_t body) { return lanes.can_move(static_cast<std::size_t>(body)) ? 1 : 0; };
  bool same = joints_ == part.joints;
  for (std::size_t k = 0; same && k < joints_.size(); ++k)
    same = moves_[k] == 2 * moves(joints_[k].body_a) + moves(joints_[k].body_b);
  if (same) return;
  joints_ = part.joints;
  moves_.clear(), groups_.clear();
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const JointBlock& joint = joints_[k];
    moves_.push_back(static_cast<std::uint8_t>(2 * moves(joint.body_a) + moves(joint.body_b)));
    if (joint.row_count == 0) continue;
    const std::size_t g = find_group(joint, lanes);
    if (g == groups_.size()) groups_.emplace_back().rows = joint.row_count;
    groups_[g].joint[groups_[g].count++] = static_cast<std::int32_t>(k);
  }
  std::int32_t rows = 0;
  for (Group& group : groups_) {
    group.first = rows;
    rows += group.rows;
    std::fill(group.first_row, group.first_row + kLanes, static_cast<std::int32_t>(part.joint_rows.size()));
    for (int lane = 0; lane < group.count; ++lane)
      group.first_row[lane] = joints_[static_cast<std::size_t>(group.joint[lane])].first_row;
  }
  rows_.assign(static_cast<std::size_t>(rows), Row{});
}

void LaneJointGroups::fill(const ContactProblem& part, const LaneProblem& lanes, std::size_t g, int lane) {
  Group& group = groups_[g];
  const JointBlock& joint = joints_[static_cast<std::size_t>(group.joint[lane])];
  const auto a = static_cast<std::size_t>(joint.body_a), b = static_cast<std::size_t>(joint.body_b);
  const auto nobody = static_cast<std::int32_t>(lanes.bodies.size()) - 1;
  if (lane == 0) std::fill_n(group.record_a, kLanes, nobody), std::fill_n(group.record_b, kLanes, nobody);
  group.record_a[lane] = lanes.can_move(a) ? lanes.body_of[a] : nobody;
  group.record_b[lane] = lanes.can_move(b) ? lanes.body_of[b] : nobody;
  const Stabilisation& s = part.stabilisation;
  for (std::int32_t r = 0; r < group.rows; ++r) {
    const JointRow& from = part.joint_rows[static_cast<std::size_t>(joint.first_row + r)];
    Row& to = rows_[static_cast<std::size_t>(group.first + r)];
    const Velocity row_a = lanes.scale_row(a, {from.linear_a, from.angular_a});
    const Velocity row_b = lanes.scale_row(b, {from.linear_b, from.angular_b});
    const double in_a[6] = {row_a.linear.x,  row_a.linear.y,  row_a.linear.z,
                            row_a.angular.x, row_a.angular.y, row_a.angular.z};
    const double in_b[6] = {row_b.linear.x,  row_b.linear.y,  row_b.linear.z,
                            row_b.angular.x, row_b.angular.y, row_b.angular.z};
    for (int k = 0; k < 6; ++k) to.a[k][lane] = in_a[k], to.b[k][lane] = in_b[k];
    const bool bounded = is_bounded(from), rigid = from.compliance == 0;
    to.fixed[lane] = joint_velocity(from, lanes.still[a], lanes.still[b]) - from.target_velocity;
    to.rate[lane] = rigid ? s.joint_rate / part.dt : 1 / (from.damping * from.compliance + part.dt);
    to.cap[lane] = rigid ? s.max_push : std::numeric_limits<double>::infinity();
    to.first_error[lane] = to.error[lane] = from.error;
    to.softness[lane] = rigid ? 0 : joint_softness(part, from);
    to.follows[lane] = bounded ? 0 : 1;
    to.stays[lane] = bounded || !rigid ? 1 : 0;
    if (bounded) bounded_.push_back({static_cast<std::int32_t>(g), lane, r});
  }
}

void LaneJointGroups::find_residuals(Pass pass, const LaneProblem& lanes, std::span<const double> impulse,
                                     std::span<double> y) {
  run_wide([&] {
    for (const Group& group : groups_) {
      Lanes u[6], w[6], moved_a[6], moved_b[6], sum, bias, now{};
      gather(lanes, group.record_a, false, u), gather(lanes, group.record_b, false, w);
      if (pass == Pass::biased)
        gather(lanes, group.record_a, true, moved_a), gather(lanes, group.record_b, true, moved_b);
      for (std::int32_t r = 0; r < group.rows; ++r) {
        Row& row = rows_[static_cast<std::size_t>(group.first + r)];
        if (pass == Pass::biased) {
          dot(row.a, moved_a, row.b, moved_b, sum);
          row.error = row.first_error + row.follows * sum;
        }
        dot(row.a, u, row.b, w, sum);
        for (int l = 0; l < group.count; ++l) now[l] = impulse[static_cast<std::size_t>(group.first_row[l] + r)];
        find_bias(row, pass, bias);
        sum = row.fixed + sum + bias + row.softness * now;
        for (int l = 0; l < group.count; ++l) y[static_cast<std::size_t>(group.first_row[l] + r)] = sum[l];
      }
    }
  });
}

void LaneJointGroups::push(std::span<const double> change, LaneProblem& lanes) const {
  run_wide([&] {
    for (const Group& group : groups_) {
      Lanes by{}, on_a[6] = {}, on_b[6] = {};
      for (std::int32_t r = 0; r < group.rows; ++r) {
        const Row& row = rows_[static_cast<std::size_t>(group.first + r)];
        for (int l = 0; l < group.count; ++l) by[l] = change[static_cast<std::size_t>(group.first_row[l] + r)];
        for (int k = 0; k < 6; ++k) on_a[k] += row.a[k] * by, on_b[k] += row.b[k] * by;
      }
      scatter(on_a, group.record_a, lanes), scatter(on_b, group.record_b, lanes);
    }
  });
}

void LaneJointGroups::visit_held_rows(Pass pass, const ContactProblem& part, std::span<const std::uint8_t> taken,
                                      std::span<double> impulse, LaneProblem& lanes) {
  for (const Held& held : bounded_) {
    const Group& group = groups_[static_cast<std::size_t>(held.group)];
    const auto index = static_cast<std::size_t>(group.first_row[held.lane] + held.row);
    if (taken[index] != 0) continue;
    const Row& row = rows_[static_cast<std::size_t>(group.first + held.row)];
    const int l = held.lane;
    float* u = lanes.bodies[static_cast<std::size_t>(group.record_a[l])].velocity;
    float* w = lanes.bodies[static_cast<std::size_t>(group.record_b[l])].velocity;
    Lanes bias;
    find_bias(row, pass, bias);
    double y = row.fixed[l] + bias[l] + row.softness[l] * impulse[index], stiffness = row.softness[l];
    for (int k = 0; k < 6; ++k) {
      y += row.a[k][l] * double{u[k]} + row.b[k][l] * double{w[k]};
      stiffness += row.a[k][l] * row.a[k][l] + row.b[k][l] * row.b[k][l];
    }
    if (!(stiffness > 0)) continue;
    const JointRow& bounds = part.joint_rows[index];
    const double next = std::clamp(impulse[index] - y / stiffness, bounds.lower, bounds.upper);
    const double change = next - impulse[index];
    impulse[index] = next;
    for (int k = 0; k < 6; ++k) {
      u[k] = static_cast<float>(double{u[k]} + row.a[k][l] * change);
      w[k] = static_cast<float>(double{w[k]} + row.b[k][l] * change);
    }
  }
}

}  // namespace cairn
