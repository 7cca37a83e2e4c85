// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/assemble_rows.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/dynamics/integrate.h"
#include "cairn/world/assembly/contact_blocks.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr std::int64_t kJointGrain = 64;
constexpr std::int32_t kBlockRows = 6;

/// Part of the last impulses that a step starts from. Where joints hold more than there is to hold (loops, parallel
/// hinges) some impulses cancel and no solver sees them; kept whole they pile up, and as the mechanism turns they no
/// longer cancel. Measured on a loop of seven hinges at 400 sweeps: with all of it the energy grows twentyfold within a
/// second, with 0.95 the residual is 1e-5, with 0.9 1e-8.
constexpr double kKeptImpulse = 0.9;

/// Asks for the parts of a definition that are read: it is longer than most kinds are, and joints wait for memory more
/// than they compute.
constexpr std::size_t kAhead = 4;
void fetch(const JointDef& def) {
  constexpr std::ptrdiff_t kLine = 64;
  const char* from = reinterpret_cast<const char*>(&def);
  for (std::ptrdiff_t line = 0; line < 4; ++line) __builtin_prefetch(from + line * kLine);
  __builtin_prefetch(&def.enabled), __builtin_prefetch(&def.angular);
}

/// Axes that are held: one row each against the fixed frame.
void lock_axes(const Bodies& bodies, Assembly& out) {
  const auto frame = static_cast<std::int32_t>(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::uint32_t locked = bodies.record[i].locked_axes & (kLockX | kLockY | kLockZ);
    if (locked == 0 || !bodies.is_active(i)) continue;
    JointBlock joint{frame, static_cast<std::int32_t>(i), static_cast<std::int32_t>(out.held_rows.size()), 0};
    for (int axis = 0; axis < 3; ++axis) {
      if ((locked & (1u << axis)) == 0) continue;
      JointRow row;
      row.linear_b = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
      row.linear_a = -row.linear_b;
      out.held_rows.push_back(row);
      ++joint.row_count;
    }
    out.held_blocks.push_back(joint);
  }
}

/// Rolling resistance: the relative turning across the normal is held by a torque of at most rolling_radius times the
/// normal impulse, which is that of the last step (two rows per contact), whether or not the solver starts from it.
void resist_rolling(const ContactSource& from, double step_ratio, Assembly& out) {
  for (const Slab& slab : from.cache.slabs()) {
    if (from.is_at_rest(slab)) continue;
    for (const ContactManifold& m : slab.manifolds) {
      if (!takes_part(from, out, m)) continue;
      const ManifoldContext context = manifold_context(from, m);
      const ContactBlock& c = context.block;
      for (std::int32_t j = 0; j < m.count; ++j) {
        const ContactPoint& point = slab.points[to_index(m.first_point + j)];
        const double bound = context.material.rolling_radius * step_ratio * double{point.normal_impulse};
        if (!(bound > 0)) continue;
        out.held_blocks.push_back({c.body_a, c.body_b, static_cast<std::int32_t>(out.held_rows.size()), 2});
        for (const Vec3& axis : {c.tangent1, c.tangent2}) {
          JointRow row;
          row.angular_a = -axis, row.angular_b = axis;
          row.lower = -bound, row.upper = bound;
          out.held_rows.push_back(row);
        }
      }
    }
  }
}

bool takes_part(const Bodies& bodies, const JointState& state) {
  const auto active = [&](std::int32_t body) { return body >= 0 && bodies.is_active(to_index(body)); };
  return state.live && state.rows > 0 && (active(state.body_a) || active(state.body_b));
}

/// Blocks that the rows of a joint are cut into.
std::int32_t block_count(const JointState& state) {
  const std::int32_t bounded = state.rows - state.holding;
  return (state.holding > 0 ? 1 : 0) + (bounded + kBlockRows - 1) / kBlockRows;
}

/// After what is held. The rows of the last step stay where they are: new ones would first be made empty.
void number_rows(const Bodies& bodies, Joints& joints, Assembly& out) {
  joints.first_row.resize(joints.size() + 1), joints.first_block.resize(joints.size() + 1);
  auto row = static_cast<std::int32_t>(out.held_rows.size());
  auto block = static_cast<std::int32_t>(out.held_blocks.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints.first_row[j] = row, joints.first_block[j] = block;
    if (!takes_part(bodies, joints.state[j])) continue;
    row += joints.state[j].rows, block += block_count(joints.state[j]);
  }
  joints.first_row.back() = row, joints.first_block.back() = block;
  out.problem.joint_rows.resize(to_index(row));
  out.problem.joints.resize(to_index(block));
  out.solution.joint_impulse.assign(to_index(row), 0.0);
  std::ranges::copy(out.held_rows, out.problem.joint_rows.begin());
  std::ranges::copy(out.held_blocks, out.problem.joints.begin());
}

void write_blocks(const JointState& state, std::int32_t world_frame, std::int32_t row, JointBlock* block) {
  const std::int32_t a = state.body_a >= 0 ? state.body_a : world_frame;
  if (state.holding > 0) *block++ = {a, state.body_b, row, state.holding};
  for (std::int32_t k = state.holding; k < state.rows; k += kBlockRows)
    *block++ = {a, state.body_b, row + k, std::min(kBlockRows, state.rows - k)};
}

/// Drives that want to move, and whatever is a spring. Stops and friction take energy as contacts do.
bool does_work(const JointRow& row, bool is_moving) {
  return row.compliance > 0 || (is_moving && row.target_velocity != 0 && row.lower == -row.upper);
}

/// J (u + u') / 2: an impulse times it is the kinetic energy that it gives, whatever else acts.
double mean_rate(const Assembly& assembly, const JointState& state, const JointRow& row) {
  const std::vector<ProblemBody>& before = assembly.problem.bodies;
  const std::vector<Velocity>& after = assembly.solution.velocity;
  const auto a = state.body_a >= 0 ? to_index(state.body_a) : before.size() - 1;
  const auto b = to_index(state.body_b);
  return 0.5 * (joint_velocity(row, before[a].velocity, before[b].velocity) + joint_velocity(row, after[a], after[b]));
}

}  // namespace

void place_joint(const Bodies& bodies, const JointDef& def, const JointState& state, double dt, JointPlace& place) {
  const auto pose = [&](std::int32_t body) { return body >= 0 ? bodies.pose[to_index(body)] : Pose{}; };
  place_joint(bodies, def, state, {pose(state.body_a), pose(state.body_b), pose(state.carrier)}, dt, place);
}

void place_joint(const Bodies& bodies, const JointDef& def, const JointState& state, const JointPoses& poses, double dt,
                 JointPlace& place) {
  const auto put = [&](std::int32_t body, const Pose& pose, const Pose& local, Pose& frame, Vec3& centre) {
    if (body < 0) {
      frame = local, centre = local.position;
      return;
    }
    frame = frame_of(bodies, to_index(body), pose) * local, centre = pose.position;
  };
  put(state.body_a, poses.a, def.frame_a, place.frame_a, place.centre_a);
  put(state.body_b, poses.b, def.frame_b, place.frame_b, place.centre_b);
  place.carrier = state.carrier >= 0 ? frame_of(bodies, to_index(state.carrier), poses.carrier) : Pose{};
  place.last_turn = state.turn;
  place.dt = dt;
  place.derive();
}

void assemble_rows(const ContactSource& from, const Bodies& bodies, const WorldSettings& settings, double step_ratio,
                   ThreadPool* pool, Joints& joints, Assembly& out) {
  out.held_blocks.clear(), out.held_rows.clear();
  if (out.any_locked) lock_axes(bodies, out);
  if (from.materials.any_rolling()) resist_rolling(from, step_ratio, out);
  number_rows(bodies, joints, out);
  ContactProblem& problem = out.problem;
  const double impulse_scale = settings.warm_start ? kKeptImpulse * step_ratio : 0.0;
  const auto world_frame = static_cast<std::int32_t>(bodies.size());
  parallel_for(pool, static_cast<std::int64_t>(joints.size()), kJointGrain, [&](std::int64_t begin, std::int64_t end) {
    JointPlace place;
    JointRows rows;
    for (auto j = to_index(begin); j < to_index(end); ++j) {
      JointState& state = joints.state[j];
      if (j + kAhead < joints.size()) fetch(joints.def[j + kAhead]);
      if (!takes_part(bodies, state)) continue;
      place_joint(bodies, joints.def[j], state, problem.dt, place);
      write_rows(joints.def[j], place, rows);
      CAIRN_ASSERT(rows.count == state.rows && rows.holding == state.holding);
      state.turn = rows.turn, state.arm = place.arm_b;
      const bool is_bound_to_frames = state.rows == state.holding && holds_frames(joints.def[j].kind);
      state.reach = is_bound_to_frames ? place.reach() : kUnlimited;
      state.separation = std::sqrt(rows.separation2), state.misalignment = std::sqrt(rows.misalignment2);
      const auto first = to_index(joints.first_row[j]);
      for (std::size_t k = 0; k < to_index(rows.count); ++k) {
        const JointRow& row = problem.joint_rows[first + k] = rows.row[k];
        out.solution.joint_impulse[first + k] = std::clamp(impulse_scale * state.impulse[k], row.lower, row.upper);
      }
      write_blocks(state, world_frame, joints.first_row[j], &problem.joints[to_index(joints.first_block[j])]);
    }
  });
}

void follow_curves(const Bodies& bodies, const Joints& joints, const LaneSolver& solver, ThreadPool* pool,
                   Assembly& out) {
  constexpr double kStill = 2e-3;  // rad of both bodies in a step: bends by some micrometres
  ContactProblem& problem = out.problem;
  const std::span<const std::uint8_t> swept = solver.swept_joints();
  if (swept.empty()) return;
  const auto velocity = [&](std::int32_t body) {
    return problem.bodies[body >= 0 ? to_index(body) : bodies.size()].velocity;
  };
  const auto end_pose = [&](std::int32_t body) {
    if (body < 0) return Pose{};
    const Velocity u = velocity(body);
    return moved(bodies.pose[to_index(body)], {problem.dt * u.linear, problem.dt * u.angular});
  };
  const auto length = [](const Vec3& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); };
  parallel_for(pool, static_cast<std::int64_t>(joints.size()), kJointGrain, [&](std::int64_t begin, std::int64_t end) {
    JointPlace place;
    JointRows rows;
    for (auto j = to_index(begin); j < to_index(end); ++j) {
      const std::int32_t block = joints.first_block[j];
      if (block == joints.first_block[j + 1] || swept[to_index(block)] == 0) continue;
      const JointState& state = joints.state[j];
      if (state.rows > state.holding) continue;  // a stop may end the motion that would be foreseen
      const bool moves_b = out.lanes.can_move(to_index(state.body_b));
      if (solver.sub_steps(out.lanes.batch_of[to_index(moves_b ? state.body_b : state.body_a)]) > 1) continue;
      const Velocity u_a = velocity(state.body_a), u_b = velocity(state.body_b);
      if (problem.dt * (length(u_a.angular) + length(u_b.angular)) <= kStill) continue;
      const JointPoses poses{end_pose(state.body_a), end_pose(state.body_b), end_pose(state.carrier)};
      place_joint(bodies, joints.def[j], state, poses, problem.dt, place);
      write_rows(joints.def[j], place, rows);
      for (std::int32_t k = 0; k < state.holding; ++k) {
        JointRow& row = problem.joint_rows[to_index(joints.first_row[j] + k)];
        const double bend = rows.row[to_index(k)].error - row.error - problem.dt * joint_velocity(row, u_a, u_b);
        if (row.compliance == 0) row.target_velocity -= bend / problem.dt;
      }
    }
  });
}

void scatter_joint_impulses(const Assembly& assembly, ThreadPool* pool, Joints& joints) {
  const ContactProblem& problem = assembly.problem;
  parallel_for(pool, static_cast<std::int64_t>(joints.size()), kJointGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto j = to_index(begin); j < to_index(end); ++j) {
      const std::int32_t first = joints.first_row[j], count = joints.first_row[j + 1] - first;
      JointState& state = joints.state[j];
      state.work = 0;
      if (count == 0) continue;
      Vec3 force, torque;
      for (std::int32_t k = 0; k < count; ++k) {
        const JointRow& row = problem.joint_rows[to_index(first + k)];
        const double impulse = assembly.solution.joint_impulse[to_index(first + k)];
        state.impulse[to_index(k)] = kept_impulse(impulse);
        force += impulse * row.linear_b;
        torque += impulse * (row.angular_b - cross(state.arm, row.linear_b));
        if (does_work(row, k >= state.holding)) state.work += impulse * mean_rate(assembly, state, row);
      }
      state.force = (1 / problem.dt) * force, state.torque = (1 / problem.dt) * torque;
    }
  });
}

}  // namespace cairn
