// SPDX-License-Identifier: MIT
// Numbers of the block LDL against dense elimination, in all forms, one mechanism at a time and in lanes.
#include "cairn/solvers/ldl/ldl_factor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "scenes/mechanism_problems.h"
#include "tests/solvers/ldl/dense_joints.h"

namespace cairn {
namespace {

constexpr double kRedundant = 1e-7;
constexpr LdlHubs kForms[] = {LdlHubs::plain, LdlHubs::shatter, LdlHubs::hub};

struct Case {
  ContactProblem problem;
  LdlMechanism mechanism;
};

Case case_of(ContactProblem problem) {
  Case result{std::move(problem), {}};
  LdlMechanismFinder finder;
  std::vector<LdlMechanism> mechanisms;
  std::size_t count = 0;
  finder.find(result.problem, nullptr, mechanisms, count);
  EXPECT_EQ(count, 1U);
  result.mechanism = mechanisms[0];
  return result;
}

std::vector<double> some_rhs(std::size_t n) {
  Random random(3);
  std::vector<double> r(n);
  for (double& value : r) value = random.uniform(-1, 1);
  return r;
}

/// The same mechanism in all lanes.
void load(LdlFactor& factor, const ContactProblem& problem, const LdlMechanism& mechanism,
          const std::vector<std::uint8_t>& active) {
  const LdlMechanism* const only = &mechanism;
  factor.load(problem, {&only, 1}, active);
}

LdlFactor factor_of(const Case& c, LdlHubs hubs, int lanes, double eps, int hub_rows = 20) {
  LdlFactor factor;
  factor.reset(std::make_shared<const LdlProgram>(c.mechanism.structure,
                                                  LdlProgramSettings{hubs, LdlOrdering::automatic, hub_rows}),
               lanes);
  const std::vector<std::uint8_t> all(c.problem.joint_rows.size(), 1);
  load(factor, c.problem, c.mechanism, all);
  factor.factor({eps, kRedundant});
  return factor;
}

/// Impulses by joint row of the problem.
std::vector<double> solve(const Case& c, LdlFactor& factor, int lane, const std::vector<double>& rhs, int refinements) {
  const std::vector<std::int32_t>& rows = c.mechanism.rows;
  for (std::size_t r = 0; r < rows.size(); ++r)
    factor.set_rhs(lane, static_cast<std::int32_t>(r), rhs[to_index(rows[r])]);
  factor.solve(refinements);
  std::vector<double> impulse(rhs.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    impulse[to_index(rows[r])] = factor.impulse(lane, static_cast<std::int32_t>(r));
  return impulse;
}

double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double value : v) most = std::max(most, std::fabs(value));
  return most;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

void expect_like_dense(const Case& c, double tolerance, int hub_rows = 20) {
  const std::vector<double> rhs = some_rhs(c.problem.joint_rows.size());
  const std::vector<double> exact = solve_dense(dense_joint_matrix(c.problem), rhs);
  for (const LdlHubs hubs : kForms) {
    LdlFactor factor = factor_of(c, hubs, 1, 1e-12, hub_rows);
    EXPECT_EQ(factor.dropped_rows(0), 0);
    EXPECT_LT(distance(solve(c, factor, 0, rhs, 1), exact), tolerance * largest(exact)) << static_cast<int>(hubs);
  }
}

TEST(LdlFactor, OneBallJointByHand) {
  // A 2 kg body held at its centre: H = 1/2 in every row.
  scenes::MechanismBuilder build(0);
  const std::int32_t ground = build.add_ground();
  build.join(ground, build.add_body({1, 2, 3}, 2), 3, {1, 2, 3}, {0, 0, 1});
  const Case c = case_of(build.take());
  LdlFactor factor = factor_of(c, LdlHubs::hub, 1, 0);
  const std::vector<double> impulse = solve(c, factor, 0, {1, 2, -3}, 0);
  EXPECT_DOUBLE_EQ(impulse[0], 2);
  EXPECT_DOUBLE_EQ(impulse[1], 4);
  EXPECT_DOUBLE_EQ(impulse[2], -6);
}

TEST(LdlFactor, MechanismsOfDoc004LikeDense) {
  expect_like_dense(case_of(scenes::track_ring(40, 0.1)), 1e-10);
  expect_like_dense(case_of(scenes::wheeled_vehicle(scenes::vehicle_rows(), 0.1)), 1e-10);
  expect_like_dense(case_of(scenes::tree_of_fifty(0.1)), 1e-10);
  expect_like_dense(case_of(scenes::ragdolls(1, 0.05)), 1e-10);
}

TEST(LdlFactor, EveryDegreeInChainsRingsAndStars) {
  for (int degree = 1; degree <= 6; ++degree) {
    for (const bool closed : {false, true}) {
      scenes::MechanismBuilder build(0.3, static_cast<std::uint64_t>(degree));
      for (int i = 0; i < 8; ++i) build.add_body({static_cast<double>(i), 0, 0}, 1.0 + i);
      for (int i = 0; i + 1 < 8; ++i) build.join(i, i + 1, degree, {i + 0.5, 0, 0}, {0, 1, 0});
      if (closed && degree < 6) build.join(7, 0, degree, {0, 0, 3}, {1, 0, 0});  // six would be redundant
      expect_like_dense(case_of(build.take()), 1e-10);
    }
    expect_like_dense(case_of(scenes::wheeled_vehicle(std::vector<int>(9, degree), 0.2)), 1e-10, 6);
  }
}

TEST(LdlFactor, HubsJoinedToEachOtherAndByRods) {
  scenes::MechanismBuilder build(0.05);
  const std::int32_t left = build.add_body({0, 0, 0}, 10), right = build.add_body({4, 0, 0}, 30);
  for (int i = 0; i < 5; ++i) {
    build.join(left, build.add_body({0, 1.0 + i, 0}), 5, {0, 0.5 + i, 0}, {0, 1, 0});
    build.join(right, build.add_body({4, 1.0 + i, 0}), 4, {4, 0.5 + i, 0}, {0, 1, 0});
  }
  const std::int32_t rod = build.add_body({2, 0, 0});
  build.join(left, rod, 3, {1, 0, 0}, {0, 0, 1});
  build.join(rod, right, 3, {3, 0, 0}, {0, 0, 1});
  build.join(left, right, 1, {2, 1, 0}, {1, 1, 0});
  expect_like_dense(case_of(build.take()), 1e-10);
}

TEST(LdlFactor, RandomMechanismsLikeDense) {
  for (int trial = 0; trial < 60; ++trial) {
    Random random(static_cast<std::uint64_t>(trial));
    scenes::MechanismBuilder build(0.4, static_cast<std::uint64_t>(trial));
    const int bodies = 2 + static_cast<int>(random.below(18));
    const std::int32_t ground = build.add_ground();
    for (int i = 1; i <= bodies; ++i)
      build.add_body({static_cast<double>(i), random.uniform(-1, 1), random.uniform(-1, 1)}, random.uniform(0.2, 20));
    int freedom = 6 * bodies;
    if (trial % 2 == 0) build.join(ground, 1, 3, {0, 0, 0}, {0, 0, 1}), freedom -= 3;
    for (int i = 2; i <= bodies; ++i) {
      const int degree = 1 + static_cast<int>(random.below(5));
      const auto other = static_cast<std::int32_t>(1 + random.below(static_cast<std::uint64_t>(std::min(i - 1, 4))));
      build.join(other, i, degree, {i - 0.5, random.uniform(-1, 1), 0}, {1, 1, 1}), freedom -= degree;
    }
    if (freedom > 20 && bodies > 3) build.join(2, bodies, 1, {1, 2, 3}, {0, 1, 0});  // a loop
    Case c = case_of(build.take());
    if (trial % 3 == 0)
      for (JointRow& row : c.problem.joint_rows) row.compliance = 1e-4;
    expect_like_dense(c, 1e-9, trial % 4 == 0 ? 6 : 12);
  }
}

TEST(LdlFactor, FormsGiveTheSameImpulses) {
  const Case c = case_of(scenes::wheeled_vehicle(scenes::vehicle_rows(), 0.1));
  const std::vector<double> rhs = some_rhs(c.problem.joint_rows.size());
  std::vector<std::vector<double>> impulse;
  for (const LdlHubs hubs : kForms) {
    LdlFactor factor = factor_of(c, hubs, 1, 0);
    impulse.push_back(solve(c, factor, 0, rhs, 0));
  }
  EXPECT_LT(distance(impulse[0], impulse[1]), 1e-9);
  EXPECT_LT(distance(impulse[0], impulse[2]), 1e-9);
}

TEST(LdlFactor, RefinementTakesTheRegularisationAway) {
  const Case c = case_of(scenes::tree_of_fifty(0.1));
  const std::vector<double> rhs = some_rhs(c.problem.joint_rows.size());
  const std::vector<double> exact = solve_dense(dense_joint_matrix(c.problem), rhs);
  LdlFactor factor = factor_of(c, LdlHubs::hub, 1, 1e-6);
  const double once = distance(solve(c, factor, 0, rhs, 0), exact),
               twice = distance(solve(c, factor, 0, rhs, 1), exact);
  EXPECT_GT(once, 1e-6);
  EXPECT_LT(twice, 1e-2 * once);
}

TEST(LdlFactor, LanesHaveTheBitsOfOneMechanism) {
  for (const LdlHubs hubs : kForms) {
    ContactProblem many = scenes::ragdolls(kLdlLanes, 0.05);
    LdlMechanismFinder finder;
    std::vector<LdlMechanism> mechanisms;
    std::size_t count = 0;
    finder.find(many, nullptr, mechanisms, count);
    ASSERT_EQ(count, to_index(kLdlLanes));
    const auto program = std::make_shared<const LdlProgram>(mechanisms[0].structure,
                                                            LdlProgramSettings{hubs, LdlOrdering::automatic, 9});
    const std::vector<std::uint8_t> all(many.joint_rows.size(), 1);
    const std::vector<double> rhs = some_rhs(many.joint_rows.size());
    LdlFactor batch, single;
    batch.reset(program, kLdlLanes);
    single.reset(program, 1);
    std::vector<const LdlMechanism*> lanes;
    for (int lane = 0; lane < kLdlLanes; ++lane) {
      EXPECT_EQ(mechanisms[to_index(lane)].structure, mechanisms[0].structure);
      lanes.push_back(&mechanisms[to_index(lane)]);
      for (std::int32_t row = 0; row < program->row_count(); ++row)
        batch.set_rhs(lane, row, rhs[to_index(row + 53 * lane)]);
    }
    batch.load(many, lanes, all);
    batch.factor({});
    batch.solve(1);
    for (int lane = 0; lane < kLdlLanes; ++lane) {
      load(single, many, mechanisms[to_index(lane)], all);
      single.factor({});
      for (std::int32_t row = 0; row < program->row_count(); ++row)
        single.set_rhs(0, row, rhs[to_index(row + 53 * lane)]);
      single.solve(1);
      for (std::int32_t row = 0; row < program->row_count(); ++row)
        EXPECT_EQ(batch.impulse(lane, row), single.impulse(0, row));
    }
  }
}

TEST(LdlFactor, RedundantRowsAreCountedAndLeftOut) {
  const Case c = case_of(scenes::four_bar());
  // A right-hand side that some motion of the bodies explains, hence consistent: r = J u.
  Random random(5);
  std::vector<Velocity> u(c.problem.bodies.size());
  for (std::size_t i = 1; i < u.size(); ++i)
    u[i] = {{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)},
            {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}};
  std::vector<double> rhs(c.problem.joint_rows.size());
  for (const JointBlock& joint : c.problem.joints)
    for (auto k = to_index(joint.first_row); k < to_index(joint.first_row) + 5; ++k)
      rhs[k] = joint_velocity(c.problem.joint_rows[k], u[to_index(joint.body_a)], u[to_index(joint.body_b)]);
  const DenseMatrix h = dense_joint_matrix(c.problem);
  for (const LdlHubs hubs : kForms) {
    LdlFactor factor = factor_of(c, hubs, 1, 1e-11, 9);
    EXPECT_EQ(factor.dropped_rows(0), 3) << static_cast<int>(hubs);
    const std::vector<double> impulse = solve(c, factor, 0, rhs, 1);
    for (std::size_t i = 0; i < rhs.size(); ++i) {
      double product = 0;
      for (std::size_t j = 0; j < rhs.size(); ++j) product += h[i][j] * impulse[j];
      EXPECT_NEAR(product, rhs[i], 1e-7);
    }
  }
}

TEST(LdlFactor, MaskedRowsAreAsIfTheyWereNotThere) {
  const Case c = case_of(scenes::hanging_chain(4, 5, 0.2));
  LdlFactor factor = factor_of(c, LdlHubs::hub, 1, 0);
  std::vector<std::uint8_t> active(c.problem.joint_rows.size(), 1);
  active[1] = active[5] = active[6] = 0;
  load(factor, c.problem, c.mechanism, active);
  factor.factor({0, kRedundant});
  EXPECT_EQ(factor.dropped_rows(0), 0);
  const std::vector<double> rhs = some_rhs(active.size());
  const std::vector<double> impulse = solve(c, factor, 0, rhs, 0);
  DenseMatrix h = dense_joint_matrix(c.problem);
  std::vector<double> masked = rhs;
  for (std::size_t k = 0; k < active.size(); ++k) {
    if (active[k] != 0) continue;
    for (std::size_t i = 0; i < active.size(); ++i) h[i][k] = h[k][i] = 0;
    h[k][k] = 1;
    masked[k] = 0;
  }
  EXPECT_LT(distance(impulse, solve_dense(h, masked)), 1e-10);
}

TEST(LdlFactor, NumbersThatAreNotFiniteEnd) {
  Case c = case_of(scenes::tree_of_fifty(0.1));
  c.problem.joint_rows[7].linear_a.x = std::numeric_limits<double>::quiet_NaN();
  c.problem.bodies[3].inverse_mass = std::numeric_limits<double>::infinity();
  for (const LdlHubs hubs : kForms)
    for (const int lanes : {1, kLdlLanes}) {
      LdlFactor factor = factor_of(c, hubs, lanes, 1e-9);
      const std::vector<double> impulse = solve(c, factor, 0, some_rhs(c.problem.joint_rows.size()), 1);
      const bool is_finite = std::all_of(impulse.begin(), impulse.end(), [](double v) { return std::isfinite(v); });
      EXPECT_TRUE(!is_finite || factor.dropped_rows(0) > 0);
    }
}

}  // namespace
}  // namespace cairn
