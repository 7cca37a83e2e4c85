// SPDX-License-Identifier: MIT
#include "cairn/solvers/island_parts.h"

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

void begin_islands(const ContactProblem& problem, ContactSolution& solution) {
  if (solution.contact_impulse.empty()) solution.contact_impulse.assign(problem.contacts.size(), {});
  if (solution.joint_impulse.empty()) solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
  require(solution.contact_impulse.size() == problem.contacts.size() &&
              solution.joint_impulse.size() == problem.joint_rows.size(),
          "the warm start has another number of contacts or joint rows than the problem: pass an empty one");
  solution.contact_carry.clear();
  solution.velocity.resize(problem.bodies.size()), solution.displacement.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Velocity& v = solution.velocity[i] = free_velocity(problem, static_cast<std::int32_t>(i));
    solution.displacement[i] = {problem.dt * v.linear, problem.dt * v.angular};
  }
}

void complete_island(const ContactProblem& island, ContactSolution& solution) {
  solution.velocity.resize(island.bodies.size()), solution.displacement.resize(island.bodies.size());
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    solution.velocity[i] = free_velocity(island, static_cast<std::int32_t>(i));
  add_contact_impulses(island, solution, solution.velocity);
  add_joint_impulses(island, solution, solution.velocity);
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    solution.displacement[i] = {island.dt * solution.velocity[i].linear, island.dt * solution.velocity[i].angular};
}

/// Contacts and joints by island, in the order of the problem.
void IslandParts::find(const ContactProblem& problem, ThreadPool* pool) {
  const auto edge = [&](const auto& block) {
    const auto vertex = [&](std::int32_t body) {
      return problem.bodies[to_index(body)].is_dynamic() ? body : kNoVertex;
    };
    return Edge{vertex(block.body_a), vertex(block.body_b)};
  };
  edges_.clear();
  for (const ContactBlock& c : problem.contacts) edges_.push_back(edge(c));
  for (const JointBlock& j : problem.joints) edges_.push_back(edge(j));
  finder_.find(edges_, static_cast<std::int32_t>(problem.bodies.size()), pool, islands_);
  first_.assign(to_index(islands_.count) + 1, 0);
  for (const std::int32_t island : islands_.of_edge)
    if (island >= 0) ++first_[to_index(island) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  members_.resize(to_index(first_.back()));
  for (std::size_t k = 0; k < islands_.of_edge.size(); ++k)
    if (const std::int32_t island = islands_.of_edge[k]; island >= 0)
      members_[to_index(first_[to_index(island)]++)] = static_cast<std::int32_t>(k);
  for (std::size_t i = first_.size() - 1; i > 0; --i) first_[i] = first_[i - 1];  // filling moved them on by one
  first_[0] = 0;
  local_.assign(problem.bodies.size(), -1);
}

bool IslandParts::is_empty(std::int32_t island) const {
  return first_[to_index(island)] == first_[to_index(island) + 1];
}

/// Numbers in the order of first appearance.
void IslandParts::renumber(const ContactProblem& problem, std::int32_t& body, IslandPart& part) {
  std::int32_t& number = local_[to_index(body)];
  if (number < 0) {
    number = static_cast<std::int32_t>(part.bodies.size());
    part.bodies.push_back(body);
    part.problem.bodies.push_back(problem.bodies[to_index(body)]);
  }
  body = number;
}

void IslandParts::add_contact(const ContactProblem& problem, const ContactSolution& solution,
                              std::span<const std::int32_t> colours, std::size_t contact, IslandPart& part) {
  part.contacts.push_back(static_cast<std::int32_t>(contact));
  ContactBlock& block = part.problem.contacts.emplace_back(problem.contacts[contact]);
  part.solution.contact_impulse.push_back(solution.contact_impulse[contact]);
  if (!colours.empty()) part.colours.push_back(colours[contact]);
  renumber(problem, block.body_a, part), renumber(problem, block.body_b, part);
}

void IslandParts::add_joint(const ContactProblem& problem, const ContactSolution& solution, std::size_t joint,
                            IslandPart& part) {
  part.joints.push_back(static_cast<std::int32_t>(joint));
  const JointBlock& given = problem.joints[joint];
  JointBlock& block = part.problem.joints.emplace_back(given);
  part.first_row.push_back(given.first_row);
  block.first_row = static_cast<std::int32_t>(part.problem.joint_rows.size());
  for (std::int32_t k = given.first_row; k < given.first_row + given.row_count; ++k) {
    part.problem.joint_rows.push_back(problem.joint_rows[to_index(k)]);
    part.solution.joint_impulse.push_back(solution.joint_impulse[to_index(k)]);
  }
  renumber(problem, block.body_a, part), renumber(problem, block.body_b, part);
}

void IslandParts::extract(const ContactProblem& problem, const ContactSolution& solution,
                          std::span<const std::int32_t> colours, std::int32_t island, IslandPart& part) {
  part.problem.dt = problem.dt, part.problem.stabilisation = problem.stabilisation;
  part.problem.bodies.clear(), part.problem.contacts.clear();
  part.problem.joints.clear(), part.problem.joint_rows.clear();
  part.solution.contact_impulse.clear(), part.solution.joint_impulse.clear(), part.solution.contact_carry.clear();
  part.bodies.clear(), part.contacts.clear(), part.joints.clear(), part.colours.clear(), part.first_row.clear();
  const auto at = to_index(island);
  for (auto m = to_index(first_[at]); m < to_index(first_[at + 1]); ++m) {
    const auto k = to_index(members_[m]);
    if (k < problem.contacts.size())
      add_contact(problem, solution, colours, k, part);
    else
      add_joint(problem, solution, k - problem.contacts.size(), part);
  }
  for (const std::int32_t body : part.bodies) local_[to_index(body)] = -1;
}

void IslandPart::write_back(ContactSolution& whole) const {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!problem.bodies[i].is_dynamic()) continue;
    whole.velocity[to_index(bodies[i])] = solution.velocity[i];
    whole.displacement[to_index(bodies[i])] = solution.displacement[i];
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const auto k = to_index(contacts[i]);
    whole.contact_impulse[k] = solution.contact_impulse[i];
    if (!whole.contact_carry.empty()) whole.contact_carry[k] = solution.contact_impulse[i];
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const JointBlock& joint = problem.joints[i];
    for (std::int32_t k = 0; k < joint.row_count; ++k)
      whole.joint_impulse[to_index(first_row[i] + k)] = solution.joint_impulse[to_index(joint.first_row + k)];
  }
}

}  // namespace cairn
