// SPDX-License-Identifier: MIT
#include "cairn/solvers/island_parts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/refusal.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

/// The island of every body, by joining neighbours until nothing changes; bodies that cannot move join nothing.
std::vector<int> slow_islands(const ContactProblem& problem) {
  std::vector<int> island(problem.bodies.size());
  for (std::size_t i = 0; i < island.size(); ++i) island[i] = static_cast<int>(i);
  bool changed = true;
  const auto join = [&](std::int32_t a, std::int32_t b) {
    if (!problem.bodies[to_index(a)].is_dynamic() || !problem.bodies[to_index(b)].is_dynamic()) return;
    const int least = std::min(island[to_index(a)], island[to_index(b)]);
    changed = changed || island[to_index(a)] != least || island[to_index(b)] != least;
    island[to_index(a)] = island[to_index(b)] = least;
  };
  while (changed) {
    changed = false;
    for (const ContactBlock& c : problem.contacts) join(c.body_a, c.body_b);
    for (const JointBlock& j : problem.joints) join(j.body_a, j.body_b);
  }
  return island;
}

/// Impulses that tell whose they are.
ContactSolution numbered(const ContactProblem& problem) {
  ContactSolution solution;
  begin_islands(problem, solution);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) solution.contact_impulse[k][0] = static_cast<double>(k);
  for (std::size_t k = 0; k < problem.joint_rows.size(); ++k) solution.joint_impulse[k] = 1000 + static_cast<double>(k);
  return solution;
}

TEST(IslandParts, EveryContactAndJointIsInThePartOfItsIsland) {
  Random random(61);
  IslandParts parts;
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE("cluster " + std::to_string(round));
    const RandomCluster cluster = random_cluster(random, {.bodies = 20, .pairs = 9, .joints = 4});
    const ContactProblem& problem = cluster.problem;
    const std::vector<int> island = slow_islands(problem);
    const ContactSolution solution = numbered(problem);
    parts.find(problem, nullptr);
    std::multiset<std::int32_t> contacts, joints;
    for (std::int32_t i = 0; i < parts.count(); ++i) {
      if (parts.is_empty(i)) continue;
      IslandPart part;
      parts.extract(problem, solution, {}, i, part);
      std::set<int> islands;
      for (std::size_t b = 0; b < part.bodies.size(); ++b) {
        const auto whole = to_index(part.bodies[b]);
        EXPECT_EQ(part.problem.bodies[b], problem.bodies[whole]);
        if (problem.bodies[whole].is_dynamic()) islands.insert(island[whole]);
      }
      EXPECT_EQ(islands.size(), 1u) << "bodies that nothing joins";
      for (std::size_t k = 0; k < part.contacts.size(); ++k) {
        contacts.insert(part.contacts[k]);
        const ContactBlock& c = problem.contacts[to_index(part.contacts[k])];
        EXPECT_EQ(part.bodies[to_index(part.problem.contacts[k].body_a)], c.body_a);
        EXPECT_EQ(part.bodies[to_index(part.problem.contacts[k].body_b)], c.body_b);
        EXPECT_EQ(part.solution.contact_impulse[k][0], part.contacts[k]);
      }
      for (const std::int32_t joint : part.joints) joints.insert(joint);
    }
    EXPECT_EQ(contacts.size(), problem.contacts.size());
    EXPECT_EQ(joints.size(), problem.joints.size());
    EXPECT_EQ((std::set<std::int32_t>(contacts.begin(), contacts.end()).size()), contacts.size()) << "one part each";
  }
}

TEST(IslandParts, WriteBackPutsAnAnswerWhereItBelongs) {
  Random random(62);
  const RandomCluster cluster = random_cluster(random, {.bodies = 20, .pairs = 9, .joints = 4});
  const ContactProblem& problem = cluster.problem;
  const ContactSolution before = numbered(problem);
  ContactSolution whole;
  begin_islands(problem, whole);
  IslandParts parts;
  parts.find(problem, nullptr);
  for (std::int32_t i = 0; i < parts.count(); ++i) {
    if (parts.is_empty(i)) continue;
    parts.extract(problem, before, {}, i);
    complete_island(parts.part().problem, parts.part().solution);
    parts.write_back(whole);
  }
  // All impulses of the whole at once give the same velocities, and each impulse came back to its number.
  ContactSolution wanted = before;
  complete_island(problem, wanted);
  EXPECT_EQ(whole.contact_impulse, before.contact_impulse);
  EXPECT_EQ(whole.joint_impulse, before.joint_impulse);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    EXPECT_NEAR(norm(whole.velocity[i].linear - wanted.velocity[i].linear), 0, 1e-9) << "body " << i;
    EXPECT_NEAR(norm(whole.velocity[i].angular - wanted.velocity[i].angular), 0, 1e-9) << "body " << i;
  }
}

TEST(IslandParts, AWarmStartOfAnotherProblemIsRefused) {
  Random random(63);
  const RandomCluster cluster = random_cluster(random, {});
  ContactSolution solution;
  solution.contact_impulse.resize(1);
  EXPECT_NE(refusal([&] { begin_islands(cluster.problem, solution); }).find("pass an empty one"), std::string::npos);
}

}  // namespace
}  // namespace cairn
