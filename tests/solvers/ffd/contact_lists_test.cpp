// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/contact_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cairn/core/parallel.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

TEST(ContactLists, HoldTheContactsOfEachBodyHardOnesFirst) {
  Random random(81);
  const RandomCluster cluster = random_cluster(random, {.bodies = 12, .pairs = 40});
  const ContactProblem& problem = cluster.problem;
  ContactLists lists;
  lists.make(problem, nullptr);
  std::size_t all = 0, longest = 0;
  for (std::size_t body = 0; body < problem.bodies.size(); ++body) {
    std::multiset<std::pair<std::int32_t, bool>> wanted, found;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k)
      for (const bool is_b : {false, true})
        if (const ContactBlock& c = problem.contacts[k];
            to_index(is_b ? c.body_b : c.body_a) == body && problem.bodies[body].is_dynamic())
          wanted.insert({static_cast<std::int32_t>(k), is_b});
    EXPECT_EQ(lists.first(body), static_cast<std::int64_t>(all));
    SideRank last = SideRank::hard;
    for (const ContactSide& side : lists[body]) {
      found.insert({side.contact, side.is_b});
      EXPECT_GE(side.rank, last) << "hard ones come first";
      last = side.rank;
      const ContactBlock& c = problem.contacts[to_index(side.contact)];
      const bool other_moves = problem.bodies[to_index(side.is_b ? c.body_a : c.body_b)].is_dynamic();
      EXPECT_EQ(side.rank, other_moves ? SideRank::soft : SideRank::hard);
    }
    EXPECT_EQ(found, wanted) << "body " << body;
    all += found.size(), longest = std::max(longest, found.size());
  }
  EXPECT_EQ(lists.size(), all);
  EXPECT_EQ(lists.longest(nullptr), longest);
}

TEST(ContactLists, AreInOneOrderWhateverTheThreadsAndTheNumbersOfTheContacts) {
  Random random(82);
  RandomCluster cluster = random_cluster(random, {.bodies = 300, .pairs = 2000});
  ContactLists lists;
  lists.make(cluster.problem, nullptr);
  const auto arms = [&](std::size_t body) {
    std::vector<double> of_body;
    for (const ContactSide& side : lists[body]) {
      const ContactBlock& c = cluster.problem.contacts[to_index(side.contact)];
      of_body.push_back(side.is_b ? c.arm_b.x : c.arm_a.x);
    }
    return of_body;
  };
  std::vector<std::vector<double>> wanted;
  for (std::size_t body = 0; body < 300; ++body) wanted.push_back(arms(body));
  const auto pool = make_pool(3);
  std::reverse(cluster.problem.contacts.begin(), cluster.problem.contacts.end());
  for (int round = 0; round < 3; ++round) {
    lists.make(cluster.problem, pool.get());
    for (std::size_t body = 0; body < 300; ++body) ASSERT_EQ(arms(body), wanted[body]) << "body " << body;
  }
}

}  // namespace
}  // namespace cairn
