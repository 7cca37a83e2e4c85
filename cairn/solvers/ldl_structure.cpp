// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl_structure.h"

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

bool is_zero(const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

}  // namespace

void LdlMechanism::clear() {
  structure.is_full.clear();
  structure.blocks.clear();
  bodies.clear();
  rows.clear();
  block_joint.clear();
}

void LdlMechanismFinder::find(const ContactProblem& problem, ThreadPool* pool, std::vector<LdlMechanism>& mechanisms,
                              std::size_t& count) {
  const auto vertex = [&](std::int32_t body) {
    return problem.bodies[static_cast<std::size_t>(body)].is_dynamic() ? body : kNoVertex;
  };
  edges_.clear();
  for (const JointBlock& joint : problem.joints) edges_.push_back({vertex(joint.body_a), vertex(joint.body_b)});
  finder_.find(edges_, static_cast<std::int32_t>(problem.bodies.size()), pool, islands_);
  of_island_.assign(static_cast<std::size_t>(islands_.count), -1);
  local_.assign(problem.bodies.size(), kNoVertex);
  count = 0;
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    if (islands_.of_edge[k] < 0) continue;
    std::int32_t& mechanism = of_island_[static_cast<std::size_t>(islands_.of_edge[k])];
    if (mechanism < 0) {
      mechanism = static_cast<std::int32_t>(count++);
      if (count > mechanisms.size()) mechanisms.emplace_back();
      mechanisms[count - 1].clear();
    }
    add_joint(problem, static_cast<std::int32_t>(k), mechanisms[static_cast<std::size_t>(mechanism)]);
  }
}

/// Numbers in the order of first appearance, so that copies of a mechanism have equal structures.
std::int32_t LdlMechanismFinder::local_body(const ContactProblem& problem, std::int32_t body, LdlMechanism& mechanism) {
  const ProblemBody& b = problem.bodies[static_cast<std::size_t>(body)];
  if (!b.is_dynamic()) return kNoVertex;
  std::int32_t& local = local_[static_cast<std::size_t>(body)];
  if (local == kNoVertex) {
    local = static_cast<std::int32_t>(mechanism.bodies.size());
    mechanism.bodies.push_back(body);
    mechanism.structure.is_full.push_back(moves_fully(b));
  }
  return local;
}

void LdlMechanismFinder::add_joint(const ContactProblem& problem, std::int32_t joint, LdlMechanism& mechanism) {
  const JointBlock& given = problem.joints[static_cast<std::size_t>(joint)];
  LdlBlock equalities;
  equalities.body_a = local_body(problem, given.body_a, mechanism);
  equalities.body_b = local_body(problem, given.body_b, mechanism);
  const auto include = [&](LdlBlock& block, std::int32_t index) {
    const JointRow& row = problem.joint_rows[static_cast<std::size_t>(index)];
    ++block.degree;
    block.acts_on_a = block.acts_on_a && !(is_zero(row.linear_a) && is_zero(row.angular_a));
    block.acts_on_b = block.acts_on_b && !(is_zero(row.linear_b) && is_zero(row.angular_b));
    mechanism.rows.push_back(index);
  };
  const auto finish = [&](const LdlBlock& block) {
    mechanism.structure.blocks.push_back(block);
    mechanism.block_joint.push_back(joint);
  };
  const LdlBlock empty = equalities;
  const auto bounded = [&](std::int32_t k) { return is_bounded(problem.joint_rows[static_cast<std::size_t>(k)]); };
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
