// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/projection_work.h"

#include <cmath>

#include "cairn/dynamics/integrate.h"

namespace cairn {

bool ProjectionStep::is_swept(std::size_t joint) const {
  const std::int32_t block = joints->first_block[joint];
  return !swept.empty() && block < joints->first_block[joint + 1] && swept[to_index(block)] != 0;
}

JointProblem ProjectionStep::without_swept(const ContactProblem& problem) const {
  JointProblem part(problem);
  part.left_out = swept;
  return part;
}

void ProjectedMechanisms::number(const ContactProblem& problem) {
  progress.assign(ldl.mechanism_count(), {});
  of_block.assign(problem.joints.size(), -1);
  of_body.assign(problem.bodies.size(), -1);
  for (std::size_t m = 0; m < progress.size(); ++m) {
    const LdlMechanism& mechanism = ldl.mechanism(m);
    for (const std::int32_t joint : mechanism.block_joint) of_block[to_index(joint)] = static_cast<std::int32_t>(m);
    for (const std::int32_t body : mechanism.bodies) of_body[to_index(body)] = static_cast<std::int32_t>(m);
  }
}

std::int32_t ProjectedMechanisms::of_joint(const Joints& joints, std::size_t joint) const {
  const std::int32_t block = joints.first_block[joint];
  return block < joints.first_block[joint + 1] ? of_block[to_index(block)] : -1;
}

Pose TrialPoses::of(const ProjectionStep& step, const ProjectedMechanisms& mechanisms, std::int32_t body) const {
  if (body < 0) return {};
  const auto i = to_index(body);
  const Bodies& bodies = *step.bodies;
  const double dt = step.assembly->problem.dt;
  if (is_projecting && mechanisms.of_body[i] >= 0 && mechanisms.progress[to_index(mechanisms.of_body[i])].is_open())
    return pose[i];
  if (bodies.is_active(i))
    return moved(bodies.pose[i], add_scaled(step.assembly->solution.displacement[i], dt, moves[i]));
  if (bodies.is_moving_kinematic(i)) return moved(bodies.pose[i], add_scaled({}, dt, bodies.velocity[i]));
  return bodies.pose[i];
}

void add_impulses(const ContactProblem& problem, const LdlMechanism& mechanism, std::span<const double> impulse,
                  std::span<Velocity> to) {
  Velocity fixed;
  const auto body = [&](std::int32_t i) -> Velocity& {
    const auto k = to_index(i);
    return problem.bodies[k].is_dynamic() ? to[k] : fixed;
  };
  std::size_t row = 0;
  for (std::size_t b = 0; b < mechanism.structure.blocks.size(); ++b) {
    const JointBlock& joint = problem.joints[to_index(mechanism.block_joint[b])];
    for (std::int32_t k = 0; k < mechanism.structure.blocks[b].degree; ++k, ++row) {
      const auto index = to_index(mechanism.rows[row]);
      apply_joint_impulse(problem, joint, problem.joint_rows[index], impulse[index], body(joint.body_a),
                          body(joint.body_b));
    }
  }
}

double joint_power(const ContactProblem& problem, const LdlMechanism& mechanism, std::span<const double> impulse,
                   std::span<const Velocity> u) {
  double sum = 0;
  std::size_t row = 0;
  for (std::size_t b = 0; b < mechanism.structure.blocks.size(); ++b) {
    const JointBlock& joint = problem.joints[to_index(mechanism.block_joint[b])];
    for (std::int32_t k = 0; k < mechanism.structure.blocks[b].degree; ++k, ++row) {
      const auto index = to_index(mechanism.rows[row]);
      sum += impulse[index] *
             joint_velocity(problem.joint_rows[index], u[to_index(joint.body_a)], u[to_index(joint.body_b)]);
    }
  }
  return sum;
}

double energy_share(double given, double taken) {
  return given > 0 && given > taken ? std::sqrt(std::max(taken, 0.0) / given) : 1.0;
}

}  // namespace cairn
