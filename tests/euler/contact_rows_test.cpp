// SPDX-License-Identifier: MIT
#include "cairn/euler/contact_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/index.h"
#include "cairn/euler/contact_surface.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "cairn/solvers/staggered/assembled_staggered.h"

namespace cairn {
namespace {

const Grid kGrid{{0, 0, 0}, 1.0 / 24, {36, 24, 24}};

/// Two boxes face to face, 0.3 x 0.3 m, with a gap between them.
std::vector<GridSolid> two_boxes(double gap, double speed, double sliding = 0) {
  std::vector<GridSolid> solids;
  for (const double side : {-1.0, 1.0}) {
    ElasticBodyDef def;
    def.shape = make_box({0.15, 0.15, 0.15});
    def.pose.position = {0.75 + side * (0.15 + gap / 2), 0.5, 0.5};
    def.velocity.linear = {-side * speed, side < 0 ? sliding : 0.0, 0};
    solids.push_back(place_solid(kGrid, def, {}, nullptr));
    predict_velocity(solids.back(), 1e-4, {}, nullptr);
  }
  return solids;
}

/// A plane cuts a unit cell in a polygon of known area.
TEST(ContactSurface, AreaOfPlanes) {
  const auto area = [](const Vec3& n, double offset) {
    CornerValues f;
    for (std::size_t k = 0; k < 8; ++k)
      f[k] = n.x * ((k & 4) != 0 ? 1 : 0) + n.y * ((k & 2) != 0 ? 1 : 0) + n.z * ((k & 1) != 0 ? 1 : 0) - offset;
    double sum = 0;
    for_each_triangle(f, [&](const Vec3& a, const Vec3& b, const Vec3& c) { sum += 0.5 * norm(cross(b - a, c - a)); });
    EXPECT_NEAR(norm(middle_gradient(f) - n), 0, 1e-14);
    return sum;
  };
  EXPECT_NEAR(area({1, 0, 0}, 0.3), 1, 1e-14);
  EXPECT_NEAR(area({0, 0, -1}, -0.7), 1, 1e-14);
  EXPECT_NEAR(area({1, 1, 0}, 1), std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(area({1, 1, 1}, 1.5), 0.75 * std::sqrt(3.0), 1e-14);  // a regular hexagon of side 1/sqrt(2)
  EXPECT_NEAR(area({1, 1, 1}, 1), 0.5 * std::sqrt(3.0), 1e-14);
}

/// Rows between two faces: normal, gap, whole area, weights that add up to one on each side, speed of approach.
TEST(ContactRows, FaceToFace) {
  const std::vector<GridSolid> solids = two_boxes(0.02, 0.5);
  const ContactRows found = find_contact_rows(solids, {}, nullptr);
  ASSERT_GT(found.rows.size(), 20U);
  double area = 0;
  for (const ContactRow& row : found.rows) {
    area += row.area;
    double a = 0, b = 0;
    for (std::size_t e = row.first; e < row.last; ++e) (found.entries[e].solid == 0 ? a : b) += found.entries[e].weight;
    EXPECT_NEAR(a, 1, 1e-12);
    EXPECT_NEAR(b, -1, 1e-12);
    const bool is_inner = std::fabs(row.point.y - 0.5) < 0.1 && std::fabs(row.point.z - 0.5) < 0.1;
    if (!is_inner) continue;
    EXPECT_NEAR(row.frame.normal.x, -1, 1e-6);  // from B, on the right, to A
    EXPECT_NEAR(row.gap, 0.02, 1e-6);
    EXPECT_NEAR(dot(row.velocity, row.frame.normal), -1.0, 1e-9);
    EXPECT_NEAR(row.point.x, 0.75, 1e-6);
  }
  EXPECT_GT(area, 0.09);
  EXPECT_TRUE(find_contact_rows(two_boxes(0.09, 0.5), {}, nullptr).rows.empty());
}

/// W is symmetric and S M^-1 S^T applied to impulses is what apply_impulses does to velocities.
TEST(ContactRows, ProblemPredictsWhatImpulsesDo) {
  std::vector<GridSolid> solids = two_boxes(0, 0.5, 0.3);
  const ContactRows rows = find_contact_rows(solids, {}, nullptr);
  const DelassusProblem problem = assemble_rows(rows, solids, 1e-3, 0.1, nullptr);
  validate(problem);
  std::vector<double> impulse(problem.q.size());
  for (std::size_t i = 0; i < impulse.size(); ++i) impulse[i] = 0.01 * std::sin(1.0 + static_cast<double>(i));
  std::vector<double> predicted(problem.q.size());
  multiply_add(problem.w, impulse, problem.q, predicted);
  EXPECT_LT(apply_impulses(rows, impulse, solids), 1e-14);
  for (std::size_t c = 0; c < rows.rows.size(); ++c) {
    Vec3 v;
    for (std::size_t e = rows.rows[c].first; e < rows.rows[c].last; ++e)
      v += rows.entries[e].weight * solids[to_index(rows.entries[e].solid)].next[to_index(rows.entries[e].node)];
    const double gap = rows.rows[c].gap, bias = gap > 0 ? gap / 1e-3 : 0.1 * gap / 1e-3;
    EXPECT_NEAR(dot(v, rows.rows[c].frame.normal) + bias, predicted[3 * c], 1e-10);
    EXPECT_NEAR(dot(v, rows.rows[c].frame.tangent1), predicted[3 * c + 1], 1e-10);
  }
}

/// Staggered projections, with one factorisation or many, against Gauss-Seidel on the same value, by the ruler. The
/// diamond has its corner along the sliding velocity, so that it differs little from the disc of the ruler.
TEST(ContactRows, SolversAgree) {
  const std::vector<GridSolid> solids = two_boxes(0, 0.5, 0.3);
  const ContactRows rows = find_contact_rows(solids, {}, nullptr);
  const DelassusProblem problem = assemble_rows(rows, solids, 1e-3, 0.1, nullptr);
  DelassusSolution exact, schur, direct;
  SolveContext context;
  context.stop = {1e-10, 20000, 0};
  EXPECT_EQ(make_solver("gauss_seidel")->solve(problem, exact, context).reason, StopReason::converged);
  const AssembledStaggeredReport a =
      AssembledStaggered({.iterations = 100, .tolerance = 1e-8}).solve(problem, schur, nullptr);
  const AssembledStaggeredReport b =
      AssembledStaggered({.schur = false, .iterations = 100, .tolerance = 1e-8}).solve(problem, direct, nullptr);
  EXPECT_TRUE(a.settled);
  EXPECT_EQ(a.contact.unfinished + a.friction.unfinished, 0);
  EXPECT_EQ(a.contact.factorisations, 1);
  EXPECT_EQ(a.friction.factorisations, 1);
  EXPECT_GE(b.friction.factorisations, 1);
  EXPECT_LT(residual(problem, schur.impulse).residual, 0.02);
  double change = 0, size = 0, other = 0;
  for (std::size_t i = 0; i < exact.velocity.size(); ++i) {
    change = std::max(change, std::fabs(schur.velocity[i] - exact.velocity[i]));
    other = std::max(other, std::fabs(schur.velocity[i] - direct.velocity[i]));
    size = std::max(size, std::fabs(problem.q[i]));
  }
  EXPECT_LT(other, 1e-5 * size);
  EXPECT_LT(change, 0.02 * size);
}

/// A wall: the solid alone has weights, and the wall's own velocity counts.
TEST(ContactRows, AgainstAWall) {
  std::vector<GridSolid> solids = two_boxes(0.2, 0.5);
  solids.pop_back();  // the left one, whose right face is at 0.65
  WallDef wall;
  wall.shape = make_half_space({-1, 0, 0}, -0.66);
  wall.velocity = {-0.25, 0, 0};
  const ContactRows found = find_contact_rows(solids, wall_obstacles(std::span(&wall, 1)), nullptr);
  ASSERT_FALSE(found.rows.empty());
  for (const ContactRow& row : found.rows) {
    if (std::fabs(row.point.y - 0.5) > 0.1 || std::fabs(row.point.z - 0.5) > 0.1) continue;
    EXPECT_NEAR(row.frame.normal.x, -1, 1e-6);
    EXPECT_NEAR(row.gap, 0.01, 1e-6);
    EXPECT_NEAR(dot(row.velocity, row.frame.normal), -0.75, 1e-9);
    EXPECT_EQ(row.key.b, -1);
  }
}

}  // namespace
}  // namespace cairn
