// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_structure.h"

#include <algorithm>
#include <bit>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// Moves in all six directions: the inverse inertia has a determinant that is not a rounding error.
bool moves_fully(const ProblemBody& body) {
  const SymMat3& i = body.inverse_inertia;
  const double determinant =
      i.xx * (i.yy * i.zz - i.yz * i.yz) - i.xy * (i.xy * i.zz - i.yz * i.xz) + i.xz * (i.xy * i.yz - i.yy * i.xz);
  constexpr double kSingular = 1e-12;
  return body.inverse_mass > 0 && determinant > kSingular * i.xx * i.yy * i.zz;
}

/// Whether one of two vectors is not zero: bits without the sign, and no branches.
bool is_any(const Vec3& a, const Vec3& b) {
  std::uint64_t bits = 0;
  for (const double value : {a.x, a.y, a.z, b.x, b.y, b.z}) bits |= std::bit_cast<std::uint64_t>(value);
  return bits << 1 != 0;
}

// Kinds of rows and bodies.
constexpr std::uint8_t kBounded = 1, kActsOnA = 2, kActsOnB = 4, kResists = 8;
constexpr std::uint8_t kDynamic = 1, kFull = 2;

std::uint8_t kind_of(const JointRow& row) {
  return static_cast<std::uint8_t>((is_bounded(row) ? kBounded : 0) | (is_resistance(row) ? kResists : 0) |
                                   (is_any(row.linear_a, row.angular_a) ? kActsOnA : 0) |
                                   (is_any(row.linear_b, row.angular_b) ? kActsOnB : 0));
}

std::uint8_t kind_of(const ProblemBody& body) {
  return static_cast<std::uint8_t>((body.is_dynamic() ? kDynamic : 0) | (moves_fully(body) ? kFull : 0));
}

}  // namespace

void LdlMechanism::clear() {
  structure.is_full.clear();
  structure.blocks.clear();
  bodies.clear();
  rows.clear();
  block_joint.clear();
}

/// Notes what the result depends on. True: nothing of it has changed.
bool LdlMechanismFinder::is_known(const JointProblem& problem) {
  bool same = std::ranges::equal(problem.joints, joints_) && problem.joint_rows.size() == row_kind_.size() &&
              problem.bodies.size() == body_kind_.size() && std::ranges::equal(problem.left_out, left_out_);
  if (!same) joints_.assign(problem.joints.begin(), problem.joints.end());
  if (!same) left_out_.assign(problem.left_out.begin(), problem.left_out.end());
  row_kind_.resize(problem.joint_rows.size()), body_kind_.resize(problem.bodies.size());
  const auto note = [&](const auto& from, std::vector<std::uint8_t>& kinds) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const std::uint8_t kind = kind_of(from[i]);
      same = same && kinds[i] == kind;
      kinds[i] = kind;
    }
  };
  note(problem.joint_rows, row_kind_);
  note(problem.bodies, body_kind_);
  return same;
}

bool LdlMechanismFinder::find(const JointProblem& problem, ThreadPool* pool, std::vector<LdlMechanism>& mechanisms,
                              std::size_t& count) {
  if (is_known(problem)) return false;
  const auto vertex = [&](std::int32_t body) {
    return (body_kind_[to_index(body)] & kDynamic) != 0 ? body : kNoVertex;
  };
  edges_.clear();
  for (std::size_t k = 0; k < problem.joints.size(); ++k) {
    const JointBlock& joint = problem.joints[k];
    const bool joins = !only_resists(joint) && !problem.leaves_out(k);
    edges_.push_back(joins ? Edge{vertex(joint.body_a), vertex(joint.body_b)} : Edge{});
  }
  finder_.find(edges_, static_cast<std::int32_t>(problem.bodies.size()), pool, islands_);
  adopt_resistance(problem);
  of_island_.assign(to_index(islands_.count), -1);
  local_.assign(problem.bodies.size(), kNoVertex);
  count = 0;
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    if (islands_.of_edge[k] < 0) continue;
    std::int32_t& mechanism = of_island_[to_index(islands_.of_edge[k])];
    if (mechanism < 0) {
      mechanism = static_cast<std::int32_t>(count++);
      if (count > mechanisms.size()) mechanisms.emplace_back();
      mechanisms[count - 1].clear();
    }
    add_joint(problem, static_cast<std::int32_t>(k), mechanisms[to_index(mechanism)]);
  }
  return true;
}

bool LdlMechanismFinder::only_resists(const JointBlock& joint) const {
  return std::all_of(row_kind_.begin() + joint.first_row, row_kind_.begin() + joint.first_row + joint.row_count,
                     [](std::uint8_t kind) { return (kind & kResists) != 0; });
}

/// Resistance belongs to the mechanism that other joints make of its bodies, as friction of a hinge does. It makes none
/// by itself: a heap of balls that roll badly is no mechanism.
void LdlMechanismFinder::adopt_resistance(const JointProblem& problem) {
  is_joined_.assign(to_index(islands_.count), 0);
  for (const std::int32_t island : islands_.of_edge)
    if (island >= 0) is_joined_[to_index(island)] = 1;
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const JointBlock& joint = problem.joints[k];
    if (!only_resists(joint)) continue;
    std::int32_t island = -1;
    bool is_one = true;
    for (const std::int32_t body : {joint.body_a, joint.body_b}) {
      if ((body_kind_[to_index(body)] & kDynamic) == 0) continue;
      const std::int32_t its = islands_.of_vertex[to_index(body)];
      is_one = is_one && (island < 0 || island == its);
      island = its;
    }
    if (island >= 0 && is_one && is_joined_[to_index(island)] != 0) islands_.of_edge[k] = island;
  }
}

/// Numbers in the order of first appearance, so that copies of a mechanism have equal structures.
std::int32_t LdlMechanismFinder::local_body(std::int32_t body, LdlMechanism& mechanism) {
  const std::uint8_t kind = body_kind_[to_index(body)];
  if ((kind & kDynamic) == 0) return kNoVertex;
  std::int32_t& local = local_[to_index(body)];
  if (local == kNoVertex) {
    local = static_cast<std::int32_t>(mechanism.bodies.size());
    mechanism.bodies.push_back(body);
    mechanism.structure.is_full.push_back((kind & kFull) != 0);
  }
  return local;
}

void LdlMechanismFinder::add_joint(const JointProblem& problem, std::int32_t joint, LdlMechanism& mechanism) {
  const JointBlock& given = problem.joints[to_index(joint)];
  LdlBlock equalities;
  equalities.body_a = local_body(given.body_a, mechanism);
  equalities.body_b = local_body(given.body_b, mechanism);
  const auto include = [&](LdlBlock& block, std::int32_t index) {
    const std::uint8_t kind = row_kind_[to_index(index)];
    ++block.degree;
    block.acts_on_a = block.acts_on_a && (kind & kActsOnA) != 0;
    block.acts_on_b = block.acts_on_b && (kind & kActsOnB) != 0;
    mechanism.rows.push_back(index);
  };
  const auto finish = [&](const LdlBlock& block) {
    mechanism.structure.blocks.push_back(block);
    mechanism.block_joint.push_back(joint);
  };
  const LdlBlock empty = equalities;
  const auto bounded = [&](std::int32_t k) { return (row_kind_[to_index(k)] & kBounded) != 0; };
  for (std::int32_t k = given.first_row; k < given.first_row + given.row_count; ++k)
    if (!bounded(k)) include(equalities, k);
  if (equalities.degree > 0) finish(equalities);
  for (std::int32_t k = given.first_row; k < given.first_row + given.row_count; ++k) {
    if (!bounded(k)) continue;
    LdlBlock single = empty;
    include(single, k);
    finish(single);
  }
}

}  // namespace cairn
