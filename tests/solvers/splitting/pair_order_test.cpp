// SPDX-License-Identifier: MIT
#include "cairn/solvers/splitting/pair_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cairn/core/index.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

/// All bodies but the first can move.
std::vector<std::int32_t> slots_of(const ContactProblem& problem) {
  std::vector<std::int32_t> slot;
  std::int32_t next = 0;
  for (const ProblemBody& body : problem.bodies) slot.push_back(body.is_dynamic() ? next++ : kNoVertex);
  return slot;
}

TEST(PairOrder, SortsPairsByBodiesAndTheirContactsByWhereTheyAre) {
  ContactProblem problem;
  problem.bodies.resize(4);
  for (const std::size_t b : {1u, 2u, 3u}) problem.bodies[b].inverse_mass = 1;
  const auto add = [&](std::int32_t a, std::int32_t b, double x) {
    ContactBlock c;
    c.body_a = a, c.body_b = b;
    (a < b ? c.arm_a : c.arm_b).x = x;
    problem.contacts.push_back(c);
  };
  add(3, 2, 1), add(0, 2, 5), add(1, 3, 2), add(2, 3, 0), add(1, 0, 3), add(0, 1, 2);
  problem.joints = {{3, 1, 0, 2}, {2, 1, 2, 1}};
  problem.joint_rows.resize(3);
  const std::vector<std::int32_t> slot = slots_of(problem);
  PairOrder order;
  order.sort(problem, slot, 3, nullptr);
  EXPECT_EQ(std::vector<std::int32_t>(order.contacts().begin(), order.contacts().end()),
            (std::vector<std::int32_t>{5, 4, 2, 1, 3, 0}));
  EXPECT_EQ(std::vector<std::int32_t>(order.rows().begin(), order.rows().end()), (std::vector<std::int32_t>{2, 0, 1}));
  ASSERT_EQ(order.pairs().size(), 5u);
  const Edge expected[] = {{0, kNoVertex}, {0, 1}, {0, 2}, {1, kNoVertex}, {1, 2}};
  const int contacts[] = {2, 0, 1, 1, 2}, rows[] = {0, 1, 2, 0, 0};
  for (std::size_t p = 0; p < 5; ++p) {
    EXPECT_EQ(order.pairs()[p].edge, expected[p]);
    EXPECT_EQ(order.pairs()[p].contact_end - order.pairs()[p].contact_begin, contacts[p]);
    EXPECT_EQ(order.pairs()[p].row_end - order.pairs()[p].row_begin, rows[p]);
  }
}

TEST(PairOrder, TellsEqualContactsApartByTheImpulsesTheyBeginFrom) {
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 1;
  problem.contacts.resize(4);
  for (ContactBlock& contact : problem.contacts) contact.body_b = 1;
  const std::vector<std::array<double, 4>> start{{3, 0, 0, 0}, {1, 2, 0, 0}, {1, 1, 0, 0}, {NAN, 0, 0, 0}};
  PairOrder order;
  order.sort(problem, slots_of(problem), 1, nullptr, start);
  EXPECT_EQ(std::vector<std::int32_t>(order.contacts().begin(), order.contacts().end()),
            (std::vector<std::int32_t>{2, 1, 0, 3}));
}

TEST(PairOrder, JoinsConnectedPairsUpToTheLimit) {
  Random random(3110);
  ClusterShape shape;
  shape.bodies = 60, shape.pairs = 150, shape.joints = 10;
  const ContactProblem problem = random_cluster(random, shape).problem;
  const std::vector<std::int32_t> slot = slots_of(problem);
  PairOrder plain, joined;
  for (PairOrder* order : {&plain, &joined}) order->sort(problem, slot, 59, nullptr);
  joined.join(7);
  const auto sorted = [](std::span<const std::int32_t> list) {
    return std::multiset<std::int32_t>(list.begin(), list.end());
  };
  EXPECT_EQ(sorted(joined.contacts()), sorted(plain.contacts()));
  EXPECT_EQ(sorted(joined.rows()), sorted(plain.rows()));
  EXPECT_LT(joined.group_start().size(), plain.pairs().size() / 3) << "most groups are full";
  EXPECT_EQ(joined.group_start().back(), static_cast<std::int32_t>(plain.pairs().size()));
  std::int32_t contact = 0, row = 0;
  for (std::size_t g = 0; g + 1 < joined.group_start().size(); ++g) {
    const std::int32_t first = joined.group_start()[g], last = joined.group_start()[g + 1];
    EXPECT_LE(last - first, 7);
    // Connected: every pair is reached from the first.
    std::set<std::int32_t> bodies{joined.pairs()[to_index(first)].edge.a};
    for (std::int32_t round = first; round < last; ++round)
      for (std::int32_t p = first; p < last; ++p) {
        const Edge& edge = joined.pairs()[to_index(p)].edge;
        if (bodies.count(edge.a) == 0 && (edge.b == kNoVertex || bodies.count(edge.b) == 0)) continue;
        bodies.insert(edge.a);
        if (edge.b != kNoVertex) bodies.insert(edge.b);
      }
    for (std::int32_t p = first; p < last; ++p) {
      const BodyPairRange& pair = joined.pairs()[to_index(p)];
      EXPECT_EQ(bodies.count(pair.edge.a), 1u);
      EXPECT_EQ(pair.contact_begin, contact) << "no gaps";
      EXPECT_EQ(pair.row_begin, row);
      contact = pair.contact_end, row = pair.row_end;
    }
  }
}

}  // namespace
}  // namespace cairn
