// SPDX-License-Identifier: MIT
#include "cairn/solvers/soft_step/joint_choice.h"

#include <algorithm>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr double kCheap = 1200;            // flops of a factor per joint: a hinge in a chain 400, a ragdoll 3200
constexpr double kMostFlops = 4e6;         // of a factor that a heavy mechanism may have: about a millisecond
constexpr std::size_t kMostBlocks = 4096;  // for which a program is made only to find out what it costs
constexpr double kHeavy = 300;             // mass ratio times depth that sweeps do not hold

/// Joints, however many blocks of rows each has; `loops`: by how many more than a tree they are.
struct Counts {
  std::int64_t joints = 0, loops = 0;
  bool has_bounds = false;
};

bool acts_on_one(const LdlBlock& block) { return block.body_a == kNoVertex || block.body_b == kNoVertex; }

Counts count_joints(const JointProblem& problem, const LdlMechanism& mechanism) {
  Counts counts;
  const std::vector<LdlBlock>& blocks = mechanism.structure.blocks;
  bool is_held = false;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    is_held = is_held || acts_on_one(blocks[k]);
    const bool goes_on = k > 0 && blocks[k].body_a == blocks[k - 1].body_a && blocks[k].body_b == blocks[k - 1].body_b;
    counts.joints += goes_on ? 0 : 1;
  }
  counts.has_bounds =
      std::ranges::any_of(mechanism.rows, [&](std::int32_t k) { return is_bounded(problem.joint_rows[to_index(k)]); });
  counts.loops = counts.joints - mechanism.structure.body_count() + (is_held ? 0 : 1);
  return counts;
}

/// A motor or a servo: it wants to be somewhere or to move, and not only to hold against motion as friction does.
bool is_drive(const JointRow& row) { return is_bounded(row) && row.lower == -row.upper && !is_resistance(row); }

/// Axes along which a body is locked: directions of the world through its centre, without an error to go back by.
bool is_locked_axis(const JointRow& row) {
  const Vec3& n = row.linear_b;
  return row.error == 0 && !is_bounded(row) && row.compliance == 0 && row.angular_a == Vec3{} &&
         row.angular_b == Vec3{} && (n == Vec3{1, 0, 0} || n == Vec3{0, 1, 0} || n == Vec3{0, 0, 1});
}
bool has_locked_axes(const JointProblem& problem, const LdlMechanism& mechanism) {
  return std::ranges::any_of(mechanism.block_joint, [&](std::int32_t k) {
    const JointBlock& joint = problem.joints[to_index(k)];
    return std::ranges::all_of(problem.joint_rows.subspan(to_index(joint.first_row), to_index(joint.row_count)),
                               is_locked_axis);
  });
}

/// Largest mass over the smallest.
double mass_ratio(const JointProblem& problem, const LdlMechanism& mechanism) {
  double least = 0, most = 0;
  for (const std::int32_t body : mechanism.bodies) {
    const double inverse = problem.bodies[to_index(body)].inverse_mass;
    if (!(inverse > 0)) continue;
    least = least == 0 ? inverse : std::min(least, inverse), most = std::max(most, inverse);
  }
  return least > 0 ? most / least : 1.0;
}

}  // namespace

/// Joints from what holds the mechanism, or from its first body, to the body that is farthest.
std::int32_t JointChoice::find_depth(const LdlMechanism& mechanism) {
  const std::vector<LdlBlock>& blocks = mechanism.structure.blocks;
  distance_.assign(mechanism.bodies.size(), -1);
  const auto reach = [&](std::int32_t body, std::int32_t distance) {
    if (body == kNoVertex || distance_[to_index(body)] >= 0) return false;
    distance_[to_index(body)] = distance;
    return true;
  };
  bool any = false;
  for (const LdlBlock& block : blocks)
    if (acts_on_one(block)) any = reach(block.body_a == kNoVertex ? block.body_b : block.body_a, 1) || any;
  if (!any) reach(0, 0);
  std::int32_t depth = any ? 1 : 0;
  for (bool grows = true; grows; depth += grows ? 1 : 0) {
    grows = false;
    for (const LdlBlock& block : blocks)
      for (const auto& [from, to] : {std::pair{block.body_a, block.body_b}, std::pair{block.body_b, block.body_a}})
        if (from != kNoVertex && distance_[to_index(from)] == depth) grows = reach(to, depth + 1) || grows;
  }
  return depth;
}

JointChoice::Cost JointChoice::find_cost(const JointProblem& problem, const LdlMechanism& mechanism) {
  Cost cost;
  cost.is_held = std::ranges::any_of(mechanism.structure.blocks, acts_on_one);
  const Counts counts = count_joints(problem, mechanism);
  cost.is_cheap = counts.loops == 0 && !counts.has_bounds;  // of a chain or a tree every joint costs the same
  if (cost.is_cheap) return cost;
  cost.depth = find_depth(mechanism);
  cost.fits = mechanism.structure.blocks.size() <= kMostBlocks;
  if (!cost.fits) return cost;
  LdlCache::Entry entry;
  cache_.find(mechanism.structure, entry);
  const double flops = entry.program->counts().factor_flops;
  cost.fits = flops <= kMostFlops;
  cost.is_cheap = flops <= kCheap * static_cast<double>(counts.joints);
  return cost;
}

bool JointChoice::sweeps(const JointProblem& problem, std::size_t m, JointSolve wanted) const {
  if (wanted == JointSolve::direct) return false;
  const LdlMechanism& mechanism = mechanisms_[m];
  const Cost& cost = costs_[m];
  if (wanted == JointSolve::sweeps) return !has_locked_axes(problem, mechanism);
  if (cost.is_cheap) return false;
  if (!cost.fits) return true;
  const auto drives = [&](std::int32_t k) { return is_drive(problem.joint_rows[to_index(k)]); };
  return mass_ratio(problem, mechanism) * cost.depth <= kHeavy && std::ranges::none_of(mechanism.rows, drives) &&
         !has_locked_axes(problem, mechanism);
}

bool JointChoice::is_passive(const JointProblem& problem, std::size_t m) const {
  const auto is_at_rest = [&](std::int32_t body) {
    const ProblemBody& b = problem.bodies[to_index(body)];
    return b.is_dynamic() || b.velocity == Velocity{};
  };
  return costs_[m].is_held &&
         std::ranges::none_of(mechanisms_[m].rows,
                              [&](std::int32_t k) {
                                const JointRow& row = problem.joint_rows[to_index(k)];
                                return row.compliance > 0 || is_drive(row) ||
                                       (!is_bounded(row) && row.target_velocity != 0);
                              }) &&
         std::ranges::all_of(mechanisms_[m].block_joint, [&](std::int32_t k) {
           const JointBlock& joint = problem.joints[to_index(k)];
           return is_at_rest(joint.body_a) && is_at_rest(joint.body_b);
         });
}

void JointChoice::choose(const JointProblem& problem, JointSolve wanted, ThreadPool* pool) {
  if (finder_.find(problem, pool, mechanisms_, mechanism_count_)) {
    ++generation_;
    cache_.begin_round();
    costs_.clear();
    for (std::size_t m = 0; m < mechanism_count_; ++m) costs_.push_back(find_cost(problem, mechanisms_[m]));
  }
  next_.assign(problem.joints.size(), 0);
  swept_ = 0;
  passive_.clear();
  for (std::size_t m = 0; m < mechanism_count_; ++m) {
    if (!sweeps(problem, m, wanted)) continue;
    ++swept_;
    if (is_passive(problem, m)) passive_.push_back(m);
    for (const std::int32_t joint : mechanisms_[m].block_joint) next_[to_index(joint)] = 1;
  }
  if (swept_ == 0) next_.clear();
  if (next_ != is_swept_) ++generation_;
  is_swept_.swap(next_);
}

}  // namespace cairn
