// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/joint_errors.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace cairn {

namespace {

constexpr std::int64_t kJointGrain = 64;

/// Displacement of a body over the step, before anything is projected.
Velocity displacement_of(const ProjectionStep& step, std::int32_t body) {
  if (body < 0) return {};
  const auto i = to_index(body);
  if (step.bodies->is_active(i)) return step.assembly->solution.displacement[i];
  return step.bodies->is_moving_kinematic(i) ? add_scaled({}, step.assembly->problem.dt, step.bodies->velocity[i])
                                             : Velocity{};
}

bool surely_holds(const ProjectionStep& step, std::size_t joint) {
  constexpr double kSure = 0.99;  // of the tolerance: the rest is for rounding
  const JointState& state = step.joints->state[joint];
  const std::int32_t first = step.joints->first_row[joint], end = step.joints->first_row[joint + 1];
  if (first == end) return true;
  const ContactProblem& problem = step.assembly->problem;
  const auto length = [](const Vec3& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); };
  const Velocity way_a = displacement_of(step, state.body_a), way_b = displacement_of(step, state.body_b);
  const double turn = length(way_a.angular) + length(way_b.angular);
  const double bend = most_bend(turn, length(way_b.linear - way_a.linear), state.reach);
  const double left = kSure * step.settings->tolerance - bend;
  if (!(turn <= 1 && left >= 0)) return false;
  const auto velocity = [&](std::int32_t body) {
    return step.assembly->solution.velocity[body >= 0 ? to_index(body) : step.bodies->size()];
  };
  const Velocity u_a = velocity(state.body_a), u_b = velocity(state.body_b);
  for (std::int32_t k = first; k < end; ++k) {
    const JointRow& row = problem.joint_rows[to_index(k)];
    const double way = joint_velocity(row, way_a, way_b);
    const double target = problem.dt * (joint_velocity(row, u_a, u_b) - row.target_velocity);
    const bool holds = std::fabs(row.error + way) <= left && std::fabs(way - target) <= left;
    if (row.compliance == 0 && !holds) return false;
  }
  return true;
}

}  // namespace

bool JointErrors::surely_hold(const ProjectionStep& step) {
  std::atomic<bool> all = true;
  parallel_for(step.pool, static_cast<std::int64_t>(step.joints->size()), kJointGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto j = to_index(begin); j < to_index(end) && all; ++j)
                   if (!step.is_swept(j) && !surely_holds(step, j)) all = false;
               });
  return all;
}

void JointErrors::begin(const ProjectionStep& step) {
  const ContactProblem& problem = step.assembly->problem;
  const Joints& joints = *step.joints;
  const std::vector<Velocity>& u = step.assembly->solution.velocity;
  of_joint_.assign(joints.size(), {});
  target_.assign(problem.joint_rows.size(), 0.0), errors_.assign(problem.joint_rows.size(), 0.0);
  held_.assign(problem.joint_rows.size(), 0);
  // C(x) + dt J u'
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const auto i = to_index(k);
      const JointRow& row = problem.joint_rows[i];
      const double rate = joint_velocity(row, u[to_index(joint.body_a)], u[to_index(joint.body_b)]);
      target_[i] = row.error + problem.dt * (rate - row.target_velocity);
    }
  // Locked axes come before the joints; they are straight, but must stay as they are. Rolling resistance need not.
  for (std::size_t k = 0; k < to_index(joints.first_row.front()); ++k)
    held_[k] = is_bounded(problem.joint_rows[k]) ? 0 : 1;
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (std::int32_t k = joints.first_row[j]; k < joints.first_row[j + 1]; ++k)
      held_[to_index(k)] =
          k - joints.first_row[j] < joints.state[j].holding && problem.joint_rows[to_index(k)].compliance == 0;
}

/// `late`: empty where errors are measured from the targets.
void JointErrors::measure_rows(std::size_t joint, std::int32_t first_row, const JointRows& rows,
                               std::span<JointRow> late) {
  const bool is_late = !late.empty();
  Sums& sums = of_joint_[joint] = {};
  const auto first = to_index(first_row);
  for (std::size_t k = 0; k < to_index(rows.count); ++k) {
    const JointRow& row = rows.row[k];
    // Beyond a stop there is an error; drives and friction that are rigid have none.
    const bool is_stop = row.error != 0, is_held = static_cast<int>(k) < rows.holding;
    const bool is_projected = row.compliance == 0 && (is_held || is_stop);
    if (is_projected) sums.apart = std::max(sums.apart, std::fabs(row.error));
    if (is_late) held_[first + k] = is_projected ? 1 : 0, late[first + k] = row;
    double& error = errors_[first + k] = 0;
    if (held_[first + k] != 0) error = row.error - (is_late ? 0.0 : target_[first + k]);
    sums.merit += error * error, sums.largest = std::max(sums.largest, std::fabs(error));
  }
}

void JointErrors::measure(const ProjectionStep& step, const ProjectedMechanisms& mechanisms, const TrialPoses& trial,
                          std::span<JointRow> rows) {
  const Joints& joints = *step.joints;
  const bool all = mechanisms.progress.empty();
  parallel_for(step.pool, static_cast<std::int64_t>(joints.size()), kJointGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 JointPlace place;
                 JointRows now;
                 for (auto j = to_index(begin); j < to_index(end); ++j) {
                   if (joints.first_row[j] == joints.first_row[j + 1] || step.is_swept(j)) continue;
                   const std::int32_t m = all ? -1 : mechanisms.of_joint(joints, j);
                   if (!all && !(m >= 0 && mechanisms.progress[to_index(m)].is_open())) continue;
                   const JointState& state = joints.state[j];
                   const auto pose = [&](std::int32_t body) { return trial.of(step, mechanisms, body); };
                   const JointPoses poses{pose(state.body_a), pose(state.body_b), pose(state.carrier)};
                   place_joint(*step.bodies, joints.def[j], state, poses, step.assembly->problem.dt, place);
                   write_rows(joints.def[j], place, now);
                   measure_rows(j, joints.first_row[j], now, rows);
                 }
               });
}

void JointErrors::measure_from_targets(const ProjectionStep& step, const ProjectedMechanisms& mechanisms,
                                       const TrialPoses& trial) {
  measure(step, mechanisms, trial, {});
}

void JointErrors::measure_at(const ProjectionStep& step, const ProjectedMechanisms& mechanisms, const TrialPoses& trial,
                             std::span<JointRow> rows) {
  measure(step, mechanisms, trial, rows);
}

void JointErrors::sum(const ProjectionStep& step, const ProjectedMechanisms& mechanisms) {
  total_.assign(mechanisms.progress.size(), {});
  for (std::size_t j = 0; j < step.joints->size(); ++j) {
    const std::int32_t m = mechanisms.of_joint(*step.joints, j);
    if (m < 0) continue;
    Sums& total = total_[to_index(m)];
    total.merit += of_joint_[j].merit;
    total.largest = std::max(total.largest, of_joint_[j].largest);
    total.apart = std::max(total.apart, of_joint_[j].apart);
  }
}

bool JointErrors::all_within(double tolerance) const {
  return std::ranges::all_of(of_joint_, [&](const Sums& sums) { return is_within(sums, tolerance); });
}

bool JointErrors::is_within(const Sums& sums, double tolerance) {
  return !(sums.largest > tolerance || sums.apart > tolerance);
}

}  // namespace cairn
