// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/reference.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/problem/residual.h"
#include "scenes/ball_lattices.h"
#include "tests/published_set.h"

namespace cairn {
namespace {

SolveContext precise(double tolerance = 1e-12, int max_iterations = 20000) {
  SolveContext context;
  context.stop.tolerance = tolerance;
  context.stop.max_iterations = max_iterations;
  return context;
}

/// A problem with dense W from rows: W = G G^T with `rank` columns of random numbers, q random.
DelassusProblem random_problem(int dim, int contacts, int rank, double asymmetry, Random& random) {
  const int rows = dim * contacts;
  std::vector<double> g(to_index(rows * rank));
  for (double& value : g) value = random.uniform(-1, 1);
  DelassusProblem problem;
  problem.w.dim = dim;
  problem.w.row_start.push_back(0);
  for (int i = 0; i < contacts; ++i) {
    for (int j = 0; j < contacts; ++j) {
      problem.w.column.push_back(j);
      for (int row = i * dim; row < (i + 1) * dim; ++row)
        for (int col = j * dim; col < (j + 1) * dim; ++col) {
          double sum = 0;
          for (int k = 0; k < rank; ++k) sum += g[row * rank + k] * g[col * rank + k];
          problem.w.values.push_back(sum * (1 + asymmetry * random.uniform(-1, 1)));
        }
    }
    problem.w.row_start.push_back(static_cast<std::int64_t>(problem.w.column.size()));
    problem.friction.push_back({random.uniform(0.1, 0.8), random.uniform(0.1, 0.8), dim == 4 ? 0.3 : 0.0});
    if (dim < 4) problem.friction.back().t = problem.friction.back().s;
  }
  std::vector<double> fall(to_index(rank));  // q in the range of G, so that a solution exists
  for (double& value : fall) value = random.uniform(-1, 1);
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int k = 0; k < rank; ++k) sum += g[row * rank + k] * fall[k];
    problem.q.push_back(sum);
  }
  EXPECT_TRUE(find_diagonal(problem.w));
  return problem;
}

/// A box of mass 1 with half sizes 1 x 1 x 0.5 on the ground, contacts at its four lower corners.
ContactProblem box_on_four_corners(Vec3 velocity, double friction) {
  ContactProblem problem;
  problem.dt = 0.01;
  problem.bodies.resize(2);
  ProblemBody& box = problem.bodies[1];
  box.inverse_mass = 1;
  box.inverse_inertia = {3 / 1.25, 3 / 1.25, 3 / 2.0, 0, 0, 0};
  box.velocity.linear = velocity;
  box.acceleration.linear = {0, 0, -10};
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) {
      ContactBlock contact;
      contact.body_b = 1;
      contact.arm_b = {x, y, -0.5};
      contact.friction1 = contact.friction2 = friction;
      problem.contacts.push_back(contact);
    }
  return problem;
}

TEST(Reference, SphereAtRestStaysAndCarriesItsWeight) {
  ContactProblem problem = scenes::ball_grid(1);
  ContactSolution solution;
  SolveContext context = precise();
  const SolveReport report = ReferenceSolver().solve(problem, solution, context);
  EXPECT_EQ(report.reason, StopReason::converged);
  const ProblemBody& ball = problem.bodies[0];
  EXPECT_NEAR(solution.contact_impulse[0][0], -ball.acceleration.linear.z * problem.dt / ball.inverse_mass, 1e-12);
  EXPECT_NEAR(solution.velocity[0].linear.z, 0, 1e-14);
}

TEST(Reference, BoxOnFourCornersSticksOrSlides) {
  for (const double friction : {0.2, 0.8}) {  // 0.05 m/s sideways, g dt = 0.1 m/s: slides below mu = 0.5
    ContactProblem problem = box_on_four_corners({0.05, 0, 0}, friction);
    ContactSolution solution;
    SolveContext context = precise();
    const SolveReport report = ReferenceSolver().solve(problem, solution, context);
    EXPECT_EQ(report.reason, StopReason::converged);
    EXPECT_LE(report.residual, 1e-12);
    double normal = 0, tangential = 0;
    for (const auto& impulse : solution.contact_impulse) {
      normal += impulse[0];
      tangential += impulse[1];
    }
    EXPECT_NEAR(normal, 0.1, 1e-12);
    EXPECT_NEAR(tangential, -std::min(friction * 0.1, 0.05), 1e-12);
    EXPECT_NEAR(solution.velocity[1].linear.x, 0.05 - std::min(friction * 0.1, 0.05), 1e-12);
    EXPECT_NEAR(solution.displacement[1].linear.x, problem.dt * solution.velocity[1].linear.x, 1e-15);
  }
}

TEST(Reference, PainleveRodHasAnImpulse) {
  // Slender rod at 60 degrees, mu = 2 (paradox between 37.4 and 79.2 degrees), tip moving along +x and down. With
  // m = L = 1, I = 1/12: A_nn = 1 + 3 cos^2, A_tt = 1 + 3 sin^2, A_nt = 3 sin cos (normal and tangent at the tip).
  const double c = 0.5, s = std::sqrt(0.75);
  DelassusProblem problem;
  problem.w.dim = 2;
  problem.w.row_start = {0, 1};
  problem.w.column = {0};
  problem.w.values = {1 + 3 * c * c, 3 * s * c, 3 * s * c, 1 + 3 * s * s};
  ASSERT_TRUE(find_diagonal(problem.w));
  problem.friction = {{2, 2, 0}};
  ASSERT_LT(problem.w.values[0] - 2 * problem.w.values[1], 0);
  for (const double slip : {1.0, -1.0, 0.01}) {
    problem.q = {-0.1, slip};
    DelassusSolution solution;
    SolveContext context = precise(1e-13);
    EXPECT_EQ(ReferenceSolver().solve(problem, solution, context).reason, StopReason::converged);
    EXPECT_GT(solution.impulse[0], 0);
  }
}

TEST(Reference, AnisotropicSlideIsAssociated) {
  // A point mass sliding with r_t on the ellipse of (0.6, 0.2): r_t = -(a^2 y_s, b^2 y_t) n / |(a y_s, b y_t)|.
  DelassusProblem problem;
  problem.w.dim = 3;
  problem.w.row_start = {0, 1};
  problem.w.column = {0};
  problem.w.values = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  ASSERT_TRUE(find_diagonal(problem.w));
  problem.friction = {{0.6, 0.2, 0}};
  problem.q = {-1, 3, 4};
  DelassusSolution solution;
  SolveContext context = precise();
  EXPECT_EQ(ReferenceSolver().solve(problem, solution, context).reason, StopReason::converged);
  const std::vector<double>& y = solution.velocity;
  const double length = std::hypot(0.6 * y[1], 0.2 * y[2]);
  EXPECT_NEAR(solution.impulse[0], 1, 1e-12);
  EXPECT_NEAR(solution.impulse[1], -0.36 * y[1] / length, 1e-11);
  EXPECT_NEAR(solution.impulse[2], -0.04 * y[2] / length, 1e-11);
}

TEST(Reference, SpinningBallsAndFrictionlessRows) {
  ContactProblem problem = scenes::ball_grid(3);
  Random random(5);
  for (ProblemBody& body : problem.bodies)
    if (body.is_dynamic())
      body.velocity.angular = {random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    problem.contacts[k].spin_radius = k % 3 == 0 ? 0.1 : 0.0;  // spin coefficient zero elsewhere
    problem.contacts[k].friction2 = k % 5 == 0 ? 0.0 : 0.3;
    if (k % 10 == 0) problem.contacts[k].friction1 = 0;
  }
  ASSERT_EQ(contact_rows(problem), 4);
  ContactSolution solution;
  SolveContext context = precise(1e-11);
  const SolveReport report = ReferenceSolver().solve(problem, solution, context);
  EXPECT_EQ(report.reason, StopReason::converged) << report.residual;
  EXPECT_LE(residual(problem, solution).residual, 1e-11);
}

TEST(Reference, RandomProblemsOfEveryKind) {
  Random random(17);
  struct Kind {
    int dim, contacts, rank;
    double asymmetry;
  };
  for (const Kind kind : {Kind{2, 20, 60, 0}, Kind{2, 20, 15, 0}, Kind{3, 15, 60, 0}, Kind{3, 20, 12, 0},
                          Kind{3, 15, 60, 1e-2}, Kind{4, 10, 60, 0}, Kind{4, 12, 18, 0}}) {
    int converged = 0;
    for (int trial = 0; trial < 10; ++trial) {
      const DelassusProblem problem = random_problem(kind.dim, kind.contacts, kind.rank, kind.asymmetry, random);
      DelassusSolution solution;
      SolveContext context = precise(1e-10, 5000);
      const SolveReport report = ReferenceSolver().solve(problem, solution, context);
      EXPECT_EQ(report.residual, relative_residual(problem, solution.impulse, solution.velocity));
      converged += report.reason == StopReason::converged;
    }
    EXPECT_EQ(converged, 10) << "dim " << kind.dim << " rank " << kind.rank << " asymmetry " << kind.asymmetry;
  }
}

TEST(Reference, ObeysItsBudgetAndReportsHonestly) {
  const DelassusProblem problem = to_delassus(scenes::ball_grid(4));
  SolveContext context = precise(0, 7);
  context.history = true;
  int calls = 0;
  context.progress = [&](int, double) { ++calls; };
  DelassusSolution solution;
  const SolveReport report = ReferenceSolver().solve(problem, solution, context);
  EXPECT_EQ(report.reason, StopReason::max_iterations);
  EXPECT_EQ(report.iterations, 7);
  EXPECT_EQ(report.history.size(), 7u);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(report.residual, relative_residual(problem, solution.impulse, solution.velocity));

  std::atomic<bool> stop{true};
  SolveContext interrupted = precise();
  interrupted.interrupt = &stop;
  DelassusSolution other;
  EXPECT_EQ(ReferenceSolver().solve(problem, other, interrupted).reason, StopReason::interrupted);

  SolveContext hurried = precise(0, 1000000);
  hurried.stop.time_limit = 1e-9;
  EXPECT_EQ(ReferenceSolver().solve(problem, other, hurried).reason, StopReason::time_limit);

  // Warm started at its own answer it is done at once; without rows for factors it sweeps and says so.
  SolveContext again = precise(1e-10);
  DelassusSolution exact;
  ReferenceSolver().solve(problem, exact, again);
  EXPECT_EQ(ReferenceSolver().solve(problem, exact, again).iterations, 0);
  ReferenceSettings small;
  small.max_rows = 10;
  DelassusSolution swept;
  const SolveReport sweeps = ReferenceSolver(small).solve(problem, swept, again);
  EXPECT_EQ(sweeps.factorisations, 0);
  ASSERT_EQ(sweeps.notes.size(), 1u);
}

TEST(Reference, ProblemsWithoutSolutionStall) {
  // A contact between fixed bodies that approach each other: nothing can help.
  DelassusProblem problem;
  problem.w.dim = 3;
  problem.w.row_start = {0, 1};
  problem.w.column = {0};
  problem.w.values.assign(9, 0.0);
  ASSERT_TRUE(find_diagonal(problem.w));
  problem.friction = {{0.5, 0.5, 0}};
  problem.q = {-1, 0, 0};
  DelassusSolution solution;
  SolveContext context = precise(1e-8, 3000);
  const SolveReport report = ReferenceSolver().solve(problem, solution, context);
  EXPECT_NE(report.reason, StopReason::converged);
  EXPECT_TRUE(std::isfinite(report.residual));
  const DelassusProblem empty = to_delassus(ContactProblem{});
  DelassusSolution nothing;
  EXPECT_EQ(ReferenceSolver().solve(empty, nothing, context).reason, StopReason::converged);
}

TEST(Reference, SameBitsTwice) {
  const DelassusProblem problem = to_delassus(scenes::ball_grid(3));
  DelassusSolution first, second;
  SolveContext context = precise();
  ReferenceSolver().solve(problem, first, context);
  ReferenceSolver().solve(problem, second, context);
  EXPECT_EQ(first.impulse, second.impulse);
}

/// The three that need the path for long are left to the command-line program (`cairn solve fclib --solver reference`).
TEST(Reference, PublishedProblemsTo1e8) {
  const std::vector<PublishedProblem> published = published_problems();
  if (published.empty()) GTEST_SKIP() << "no FCLIB problems in " << published_folder() << "; set CAIRN_FCLIB";
  int solved = 0;
  for (const PublishedProblem& each : published) {
    const bool is_long = each.name.rfind("KaplasTower-s11", 0) == 0 || each.name == "Wall-s11-nc384-k00079";
    if (is_long) continue;
    SCOPED_TRACE(each.name);
    const DelassusProblem problem = assembled(read_published(each.name));
    DelassusSolution solution;
    SolveContext context = precise(1e-8, 5000);
    const SolveReport report = ReferenceSolver().solve(problem, solution, context);
    EXPECT_EQ(report.reason, StopReason::converged) << report.residual;
    EXPECT_LE(residual(problem, solution.impulse).residual, 1e-8);
    ++solved;
  }
  EXPECT_EQ(solved, 36);
}

}  // namespace
}  // namespace cairn
