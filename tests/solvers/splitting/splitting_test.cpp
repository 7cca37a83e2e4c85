// SPDX-License-Identifier: MIT
// The solvers of Tonge et al. 2012: what they converge to, that their result has no order, and what they conserve.
#include "cairn/solvers/splitting/splitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/prox/prox.h"
#include "scenes/box_stacks.h"
#include "tests/solvers/random_cluster.h"
#include "tests/solvers/solved.h"

namespace cairn {
namespace {

Solved solve(const ContactProblem& problem, const SplittingSettings& settings, StopSettings stop,
             ThreadPool* pool = nullptr) {
  return solved_by(SplittingSolver(settings), problem, {.stop = stop, .pool = pool});
}

SplittingSettings with(SplittingMethod method, FrictionOrder order = FrictionOrder::block, int cluster = 1) {
  SplittingSettings settings;
  settings.method = method;
  settings.friction_order = order;
  settings.cluster = cluster;
  return settings;
}

/// Every method, both friction orders, single pairs and clusters.
std::vector<SplittingSettings> all_methods() {
  return {with(SplittingMethod::rows),
          with(SplittingMethod::rows, FrictionOrder::staggered),
          with(SplittingMethod::blocks),
          with(SplittingMethod::blocks, FrictionOrder::staggered),
          with(SplittingMethod::blocks, FrictionOrder::block, 4),
          with(SplittingMethod::line_search)};
}

std::string name_of(const SplittingSettings& s) {
  return "method " + std::to_string(static_cast<int>(s.method)) + ", friction " +
         std::to_string(static_cast<int>(s.friction_order)) + ", cluster " + std::to_string(s.cluster) +
         ", acceleration " + std::to_string(static_cast<int>(s.acceleration));
}

double largest_difference(const std::vector<Velocity>& u, const std::vector<Velocity>& v) {
  double most = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    most = std::max({most, norm(u[i].linear - v[i].linear), norm(u[i].angular - v[i].angular)});
  return most;
}

/// Three balls in a line, free; the first runs into the others at 1 m/s. Inelastic: all end with 1/3 m/s.
ContactProblem three_in_a_row() {
  ContactProblem problem;
  problem.bodies.resize(3);
  for (ProblemBody& body : problem.bodies) body.inverse_mass = 1;
  problem.bodies[0].velocity.linear = {1, 0, 0};
  for (const std::int32_t a : {0, 1}) {
    ContactBlock c;
    c.body_a = a, c.body_b = a + 1;
    const Frame frame = make_frame({1, 0, 0});
    c.normal = frame.normal, c.tangent1 = frame.tangent1, c.tangent2 = frame.tangent2;
    problem.contacts.push_back(c);
  }
  return problem;
}

TEST(MassSplitting,
     ImpulsesAreAppliedToSubBodiesWithTheirOwnMass) {  // erratum of Tonge et al. 2012, algorithm 1, line 18
  // As printed, copies take impulses with the whole mass and are then averaged: the ball in the middle (n_b = 2) gets
  // half of its impulses. Then 1 - z1 = (z1 - z2) / 2 = z2, hence 1/4 m/s, and a quarter of the momentum is lost.
  double u[3] = {1, 0, 0}, z[2] = {0, 0};
  const double n[3] = {1, 2, 1};
  for (int sweep = 0; sweep < 500; ++sweep) {
    double sum[3] = {0, 0, 0};
    for (int k : {0, 1}) {
      const double next = std::max(0.0, z[k] - (u[k + 1] - u[k]) / (n[k] + n[k + 1]));
      const double d = next - z[k];
      z[k] = next;
      sum[k] += u[k] - d, sum[k + 1] += u[k + 1] + d;
    }
    for (int b = 0; b < 3; ++b) u[b] = sum[b] / n[b];
  }
  for (const double each : u) EXPECT_NEAR(each, 0.25, 1e-12) << "the printed line";
  const ContactProblem problem = three_in_a_row();
  for (const SplittingSettings& settings : all_methods()) {
    const Solved solved = solve(problem, settings, {0, 500, 0});
    for (const Velocity& v : solved.solution.velocity) EXPECT_NEAR(v.linear.x, 1.0 / 3.0, 1e-12) << name_of(settings);
  }
}

TEST(MassSplitting, ReachesTheSolutionOfRandomComplementarityProblems) {  // T3.1, T3.2
  Random random(3101);
  ProxSettings exact;
  exact.acceleration = Acceleration::nesterov;
  for (int i = 0; i < 6; ++i) {
    ClusterShape shape;
    shape.bodies = 6, shape.pairs = 7;
    shape.joints = i % 3 == 2 ? 3 : 0;
    const ContactProblem problem = random_cluster(random, shape).problem;
    ContactSolution expected;
    SolveContext context;
    context.stop = {0, 100000, 0};
    ProxSolver(exact).solve(problem, expected, context);
    ASSERT_LT(residual(problem, expected).residual, 1e-12) << "the oracle, problem " << i;
    for (SplittingSettings settings : all_methods()) {
      // By rows the shares are so small that the worst of these problems would take a million sweeps.
      if (settings.method == SplittingMethod::rows) settings.acceleration = Acceleration::nesterov;
      const Solved solved = solve(problem, settings, {0, 40000, 0});
      EXPECT_LT(largest_difference(solved.solution.velocity, expected.velocity), 1e-10)
          << name_of(settings) << ", problem " << i;
      EXPECT_LT(residual(problem, solved.solution).c7_consistency, 1e-12) << name_of(settings);
    }
  }
}

TEST(MassSplitting, KeepsMomentumOfFreeBodies) {  // T3.4
  Random random(3104);
  ClusterShape shape;
  shape.grounded = false, shape.friction = 0.5, shape.joints = 3;
  for (int i = 0; i < 5; ++i) {
    const RandomCluster cluster = random_cluster(random, shape);
    const ContactProblem& problem = cluster.problem;
    const auto momenta = [&](auto&& velocity_of) {
      std::pair<Vec3, Vec3> sum;  // linear, angular about the origin
      for (std::size_t b = 0; b < problem.bodies.size(); ++b) {
        const Velocity u = velocity_of(b);
        const Vec3 p = u.linear * (1 / problem.bodies[b].inverse_mass);
        sum.first += p;
        sum.second += cross(cluster.position[b], p) + inverse(problem.bodies[b].inverse_inertia) * u.angular;
      }
      return sum;
    };
    const auto before = momenta([&](std::size_t b) { return problem.bodies[b].velocity; });
    for (const SplittingSettings& settings : all_methods()) {
      for (const int sweeps : {1, 2, 17}) {
        const Solved solved = solve(problem, settings, {0, sweeps, 0});
        EXPECT_GT(norm(solved.solution.velocity[0].linear - problem.bodies[0].velocity.linear), 1e-3) << "it is pushed";
        const auto after = momenta([&](std::size_t b) { return solved.solution.velocity[b]; });
        EXPECT_LT(norm(after.first - before.first), 1e-12) << name_of(settings);
        EXPECT_LT(norm(after.second - before.second), 1e-12) << name_of(settings);
      }
    }
  }
}

TEST(MassSplitting, BothFormsOfTheUpdateAgree) {
  Random random(3105);
  ClusterShape shape;
  shape.bodies = 30, shape.pairs = 80, shape.friction = 0.4, shape.joints = 5;
  for (const ContactProblem& problem : {scenes::pyramid(8), random_cluster(random, shape).problem}) {
    for (SplittingSettings settings : all_methods()) {
      if (settings.method == SplittingMethod::line_search) continue;
      settings.update = VelocityUpdate::averaging;
      const Solved mean = solve(problem, settings, {0, 50, 0});
      settings.update = VelocityUpdate::full_mass;
      const Solved full = solve(problem, settings, {0, 50, 0});
      EXPECT_LT(largest_difference(mean.solution.velocity, full.solution.velocity), 1e-12) << name_of(settings);
      EXPECT_LT(residual(problem, full.solution).c7_consistency, 1e-12) << name_of(settings);
      EXPECT_LT(residual(problem, mean.solution).c7_consistency, 1e-12) << name_of(settings);
    }
  }
}

/// The same problem with its contacts in another order, some of them seen from the other body.
ContactProblem shuffled(const ContactProblem& problem, Random& random, std::vector<std::size_t>& from) {
  from.resize(problem.contacts.size());
  std::iota(from.begin(), from.end(), 0);
  for (std::size_t i = from.size(); i > 1; --i) std::swap(from[i - 1], from[random.below(i)]);
  ContactProblem result = problem;
  for (std::size_t i = 0; i < from.size(); ++i) {
    ContactBlock& c = result.contacts[i];
    c = problem.contacts[from[i]];
    if (random.uniform() < 0.5) continue;
    std::swap(c.body_a, c.body_b);
    std::swap(c.arm_a, c.arm_b);
    c.normal = -c.normal, c.tangent1 = -c.tangent1, c.tangent2 = -c.tangent2;
  }
  return result;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

TEST(MassSplitting, HasTheSameBitsForAnyOrderOfContactsAndAnyThreads) {  // T3.3
  Random random(3103);
  ClusterShape shape;
  shape.bodies = 400, shape.pairs = 1500, shape.friction = 0.5, shape.joints = 20;
  const std::unique_ptr<ThreadPool> pools[] = {nullptr, make_pool(2), make_pool(3)};
  for (const ContactProblem& problem : {scenes::pyramid(20), random_cluster(random, shape).problem}) {
    for (SplittingSettings settings : all_methods()) {
      for (const Acceleration acceleration :
           {Acceleration::none, Acceleration::nesterov, Acceleration::anderson, Acceleration::nncg}) {
        settings.acceleration = acceleration;
        const Solved expected = solve(problem, settings, {0, 12, 0});
        for (std::size_t round = 0; round < 10; ++round) {
          std::vector<std::size_t> from;
          const ContactProblem other = shuffled(problem, random, from);
          const Solved got = solve(other, settings, {0, 12, 0}, pools[round % 3].get());
          for (std::size_t b = 0; b < problem.bodies.size(); ++b)
            ASSERT_TRUE(same_bits(got.solution.velocity[b], expected.solution.velocity[b])) << name_of(settings);
          for (std::size_t k = 0; k < from.size(); ++k)
            ASSERT_TRUE(same_bits(got.solution.contact_impulse[k], expected.solution.contact_impulse[from[k]]))
                << name_of(settings);
          ASSERT_EQ(got.solution.joint_impulse, expected.solution.joint_impulse);
        }
      }
    }
  }
}

TEST(MassSplitting, NesterovNeedsTwoFifthsOfTheSweepsOnAPyramid) {  // T3.6
  const ContactProblem problem = scenes::pyramid(10);
  for (const FrictionOrder order : {FrictionOrder::block, FrictionOrder::staggered}) {
    SplittingSettings settings = with(SplittingMethod::blocks, order);
    const Solved plain = solve(problem, settings, {1e-2, 5000, 0});
    settings.acceleration = Acceleration::nesterov;
    const Solved fast = solve(problem, settings, {1e-2, 5000, 0});
    ASSERT_EQ(plain.report.reason, StopReason::converged);
    ASSERT_EQ(fast.report.reason, StopReason::converged);
    EXPECT_LE(fast.report.iterations, 0.4 * plain.report.iterations);
  }
}

TEST(MassSplitting, ClustersNeedFewerSweeps) {
  const ContactProblem problem = scenes::pyramid(10);
  const Solved pairs = solve(problem, with(SplittingMethod::blocks), {1e-2, 5000, 0});
  const Solved clusters = solve(problem, with(SplittingMethod::blocks, FrictionOrder::block, 16), {1e-2, 5000, 0});
  EXPECT_EQ(clusters.report.reason, StopReason::converged);
  EXPECT_LT(clusters.report.iterations, 0.6 * pairs.report.iterations);
  // One block of everything is Gauss-Seidel, in an order of its own.
  const Solved one = solve(problem, with(SplittingMethod::blocks, FrictionOrder::block, 4096), {1e-2, 5000, 0});
  EXPECT_LT(one.report.iterations, 0.5 * clusters.report.iterations + 50);
}

TEST(MassSplitting, SolvesFrictionToTheProblemsLaw) {
  const ContactProblem problem = scenes::pyramid(5);
  for (SplittingSettings settings : all_methods()) {
    settings.acceleration = Acceleration::nesterov;
    const Solved solved = solve(problem, settings, {1e-9, 50000, 0});
    EXPECT_EQ(solved.report.reason, StopReason::converged) << name_of(settings);
    EXPECT_LT(residual(problem, solved.solution).c7_consistency, 1e-12);
  }
}

TEST(MassSplitting, RefusesProblemsWithoutBodiesAndCarriesImpulsesOfContactsThatCannotMove) {
  const DelassusProblem assembled = to_delassus(scenes::pyramid(2));
  DelassusSolution flat;
  SolveContext context;
  EXPECT_THROW(SplittingSolver({}).solve(assembled, flat, context), InputError);
  ContactProblem problem = three_in_a_row();
  problem.bodies.resize(5);  // two that cannot move, in contact
  problem.contacts.insert(problem.contacts.begin(), problem.contacts[0]);
  problem.contacts[0].body_a = 4, problem.contacts[0].body_b = 3;
  for (const SplittingSettings& settings : all_methods()) {
    ContactSolution solution;
    solution.contact_impulse.assign(3, {0.5, 0, 0, 0});
    SplittingSolver(settings).solve(problem, solution, context);
    EXPECT_EQ(solution.contact_impulse[0][0], 0.5);
    EXPECT_NEAR(solution.velocity[2].linear.x, 1.0 / 3.0, 1e-5);
  }
}

}  // namespace
}  // namespace cairn
