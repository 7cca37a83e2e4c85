// SPDX-License-Identifier: MIT
#include "cairn/problem/global_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cairn/core/errors.h"

namespace cairn {
namespace {

struct Entry {
  std::int64_t i, j;
  double x;
};

SparseMatrix matrix(std::int64_t rows, std::int64_t cols, const std::vector<Entry>& entries) {
  std::vector<std::int64_t> i, j;
  std::vector<double> x;
  for (const Entry& e : entries) i.push_back(e.i), j.push_back(e.j), x.push_back(e.x);
  return from_triplets(rows, cols, i, j, x);
}

/// A point mass of 2 kg whose three velocities are the contact's own (n, s, t).
GlobalProblem point_mass() {
  GlobalProblem p;
  p.m = matrix(3, 3, {{0, 0, 2}, {1, 1, 2}, {2, 2, 2}});
  p.h = matrix(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  p.f = {-4, 6, 0};
  p.w = {0.5, 0, 0};
  p.mu = {0.3};
  return p;
}

std::string message_of(const GlobalProblem& p) {
  try {
    validate(p);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SparseMatrix, TripletsAreSortedAndDuplicatesSummed) {
  const SparseMatrix m = matrix(3, 2, {{2, 1, 1}, {0, 1, 2}, {2, 0, 4}, {2, 1, 8}, {0, 0, 0}});
  EXPECT_EQ(m.col_start, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(m.row, (std::vector<std::int32_t>{0, 2, 0, 2}));
  EXPECT_EQ(m.value, (std::vector<double>{0, 4, 2, 9}));
}

TEST(SparseMatrix, OneTriangleIsCompletedAndOthersAreLeftAlone) {
  const SparseMatrix upper = matrix(2, 2, {{0, 0, 1}, {0, 1, 3}, {1, 1, 2}});
  EXPECT_TRUE(stores_one_triangle(upper));
  EXPECT_EQ(complete_triangle(upper), matrix(2, 2, {{0, 0, 1}, {0, 1, 3}, {1, 0, 3}, {1, 1, 2}}));
  EXPECT_FALSE(stores_one_triangle(matrix(2, 2, {{0, 0, 1}, {1, 1, 2}})));
  EXPECT_FALSE(stores_one_triangle(complete_triangle(upper)));
  // A stored zero does not make a triangle.
  EXPECT_TRUE(stores_one_triangle(matrix(2, 2, {{0, 1, 3}, {1, 0, 0}})));
}

TEST(SparseMatrix, BlocksKeepStoredZerosAndAlwaysHaveADiagonal) {
  const BlockSparse w = to_blocks(matrix(6, 6, {{5, 0, 7}, {0, 2, 0}, {1, 1, 3}}), 2);
  EXPECT_EQ(w.row_start, (std::vector<std::int64_t>{0, 2, 3, 5}));
  EXPECT_EQ(w.column, (std::vector<std::int32_t>{0, 1, 1, 0, 2}));
  EXPECT_EQ(w.block(0)[3], 3);
  EXPECT_EQ(w.block(3)[2], 7);
  EXPECT_EQ(w.diagonal, (std::vector<std::int64_t>{0, 2, 4}));
}

TEST(GlobalProblem, PointMassHasTheClosedForm) {
  const Expected<DelassusProblem> d = to_delassus(point_mass());
  ASSERT_TRUE(d) << d.error().message;
  EXPECT_EQ(d->w.values, (std::vector<double>{0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}));
  EXPECT_EQ(d->q, (std::vector<double>{-1.5, 3, 0}));
  EXPECT_EQ(d->friction, (std::vector<FrictionAxes>{{0.3, 0.3, 0}}));
}

TEST(GlobalProblem, UnsymmetricAndOneTriangleMassesAreDifferentThings) {
  GlobalProblem p = point_mass();
  p.m = matrix(3, 3, {{0, 0, 2}, {0, 1, 1}, {1, 0, -1}, {1, 1, 2}, {2, 2, 2}});  // inverse of (2,1;-1,2): (2,-1;1,2)/5
  Expected<DelassusProblem> d = to_delassus(p);
  ASSERT_TRUE(d);
  EXPECT_NEAR(d->w.values[1], -0.2, 1e-15);
  EXPECT_NEAR(d->w.values[3], 0.2, 1e-15);
  p.m = matrix(3, 3, {{0, 0, 2}, {0, 1, 1}, {1, 1, 2}, {2, 2, 2}});  // upper triangle of (2,1;1,2): (2,-1;-1,2)/3
  d = to_delassus(p);
  ASSERT_TRUE(d);
  EXPECT_NEAR(d->w.values[0], 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(d->w.values[1], -1.0 / 3.0, 1e-15);
  EXPECT_NEAR(d->w.values[3], -1.0 / 3.0, 1e-15);
}

TEST(GlobalProblem, AnEqualityTakesItsDirectionOutOfW) {
  // v_1 + b = 0: tangential velocity 1 is prescribed, so impulses do not change it and q_1 = -b.
  GlobalProblem p = point_mass();
  p.g = matrix(3, 1, {{1, 0, 1}});
  p.b = {0.25};
  const Expected<DelassusProblem> d = to_delassus(p);
  ASSERT_TRUE(d) << d.error().message;
  EXPECT_NEAR(d->w.values[0], 0.5, 1e-15);
  EXPECT_NEAR(d->w.values[4], 0.0, 1e-15);
  EXPECT_NEAR(d->w.values[8], 0.5, 1e-15);
  EXPECT_NEAR(d->q[0], -1.5, 1e-15);
  EXPECT_NEAR(d->q[1], -0.25, 1e-15);
}

TEST(GlobalProblem, ManyContactsGoThroughSeveralChunks) {
  // 100 independent 2-D contacts on 100 masses k + 1: more columns than are solved at a time.
  GlobalProblem p;
  p.dim = 2;
  std::vector<Entry> m, h;
  for (std::int64_t k = 0; k < 200; ++k) {
    m.push_back({k, k, static_cast<double>(k / 2 + 1)});
    h.push_back({k, k, 1.0});
  }
  p.m = matrix(200, 200, m);
  p.h = matrix(200, 200, h);
  p.f.assign(200, 0.0);
  p.w.assign(200, -1.0);
  p.mu.assign(100, 0.5);
  const Expected<DelassusProblem> d = to_delassus(p);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->w.block_count(), 100);
  for (std::int64_t k = 0; k < 100; ++k) EXPECT_EQ(d->w.diagonal_block(k)[3], 1.0 / static_cast<double>(k + 1));
  EXPECT_EQ(d->friction[7], (FrictionAxes{0.5, 0, 0}));
}

TEST(GlobalProblem, SingularMassIsAnErrorThatSaysSo) {
  GlobalProblem p = point_mass();
  p.m = matrix(3, 3, {{0, 0, 2}, {1, 1, 2}});  // an empty column
  Expected<DelassusProblem> d = to_delassus(p);
  ASSERT_FALSE(d);
  EXPECT_NE(d.error().message.find("M is singular"), std::string::npos);
  p.m = matrix(3, 3, {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {2, 2, 1}});  // equal rows
  d = to_delassus(p);
  ASSERT_FALSE(d);
  EXPECT_NE(d.error().message.find("M is singular"), std::string::npos);
  p = point_mass();
  p.g = matrix(3, 2, {{1, 0, 1}, {1, 1, 1}});  // the same equality twice
  p.b = {0, 0};
  d = to_delassus(p);
  ASSERT_FALSE(d);
  EXPECT_NE(d.error().message.find("redundant"), std::string::npos);
}

TEST(GlobalProblem, BadInputIsRefusedWithItsName) {
  EXPECT_EQ(message_of(point_mass()), "");
  GlobalProblem p = point_mass();
  p.f.pop_back();
  EXPECT_NE(message_of(p).find("f has 2"), std::string::npos);
  p = point_mass();
  p.mu[0] = -1;
  EXPECT_NE(message_of(p).find("mu[0]"), std::string::npos);
  p = point_mass();
  p.h.value[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of(p).find("H has an entry"), std::string::npos);
  p = point_mass();
  p.h.row[0] = 9;
  EXPECT_NE(message_of(p).find("H is not canonical"), std::string::npos);
  p = point_mass();
  p.dim = 4;
  EXPECT_NE(message_of(p).find("dim is 4"), std::string::npos);
}

TEST(GlobalProblem, AContactProblemBecomesGlobalWhereItCan) {
  // A ball of 2 kg, inertia 0.5 kg m^2, resting on static ground: n and s couple the ball through its arm of 1 m.
  ContactProblem p;
  p.dt = 0.1;
  p.bodies.resize(2);
  p.bodies[1].inverse_mass = 0.5;
  p.bodies[1].inverse_inertia = SymMat3::diagonal(2, 2, 2);
  p.bodies[1].acceleration.linear = {0, 0, -10};
  p.contacts.resize(1);
  p.contacts[0].body_b = 1;
  p.contacts[0].arm_b = {0, 0, -1};
  p.contacts[0].friction1 = p.contacts[0].friction2 = 0.5;
  const Expected<GlobalProblem> global = to_global(p);
  ASSERT_TRUE(global);
  EXPECT_EQ(global->m, matrix(6, 6, {{0, 0, 2}, {1, 1, 2}, {2, 2, 2}, {3, 3, 0.5}, {4, 4, 0.5}, {5, 5, 0.5}}));
  EXPECT_EQ(global->h, matrix(6, 3, {{2, 0, 1}, {0, 1, 1}, {4, 1, -1}, {1, 2, 1}, {3, 2, 1}}));
  EXPECT_EQ(global->f, (std::vector<double>{0, 0, -2, 0, 0, 0}));
  EXPECT_TRUE(*to_delassus(*global) == to_delassus(p));

  const auto reason = [&](auto&& change) {
    ContactProblem changed = p;
    change(changed);
    const Expected<GlobalProblem> none = to_global(changed);
    return none ? std::string() : none.error().message;
  };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(says(reason([](ContactProblem& c) { c.contacts[0].friction2 = 0.1; }), "unequal friction"));
  EXPECT_TRUE(says(reason([](ContactProblem& c) { c.contacts[0].spin_radius = 0.1; }), "spin"));
  EXPECT_TRUE(says(reason([](ContactProblem& c) { c.bodies[1].inverse_inertia.yy = 0; }), "some axes"));
  EXPECT_TRUE(says(reason([](ContactProblem& c) {
                     c.joints = {{0, 1, 0, 1}};
                     c.joint_rows.resize(1);
                   }),
                   "joints"));
}

TEST(LocalProblem, EqualitiesAreEliminated) {
  // W = 2 I, one equality that touches the normal row: V = (1,0,0)^T, R = 4, s = 8.
  LocalProblem p;
  p.w = matrix(3, 3, {{0, 0, 2}, {1, 1, 2}, {2, 2, 2}});
  p.v = matrix(3, 1, {{0, 0, 1}});
  p.r = matrix(1, 1, {{0, 0, 4}});
  p.q = {1, 1, 1};
  p.s = {8};
  p.mu = {0.5};
  Expected<DelassusProblem> d = to_delassus(p);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->w.values, (std::vector<double>{1.75, 0, 0, 0, 2, 0, 0, 0, 2}));
  EXPECT_EQ(d->q, (std::vector<double>{-1, 1, 1}));
  p.r = matrix(1, 1, {{0, 0, 0}});
  d = to_delassus(p);
  ASSERT_FALSE(d);
  EXPECT_NE(d.error().message.find("R is singular"), std::string::npos);
}

}  // namespace
}  // namespace cairn
