// SPDX-License-Identifier: MIT
#include "cairn/joints/joint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/dynamics/integrate.h"

namespace cairn {
namespace {

/// A kind with every limit, drive and friction it has, and how many degrees of freedom it holds.
struct Sample {
  JointKind kind;
  int holds;
};

JointAxis busy_axis() {
  JointAxis axis;
  axis.motion = AxisMotion::limited;
  axis.lower = -3, axis.upper = 3;
  axis.drive = {DriveKind::position, 0, 0.1, 50, 2, 100};
  axis.friction = 1;
  return axis;
}

SixDofJoint six_dof(int locked_slides, int locked_turns) {
  SixDofJoint joint;
  for (int i = 0; i < 3; ++i) {
    joint.slide[to_index(i)] = joint.turn[to_index(i)] = busy_axis();
    if (i < locked_slides) joint.slide[to_index(i)].motion = AxisMotion::locked;
    if (i < locked_turns) joint.turn[to_index(i)].motion = AxisMotion::locked;
  }
  return joint;
}

const GearJoint kGear = make_gear({{0, 0, 0}, {}}, {{0, 3, 0}, {}}, {}, {0, 1, 0});

std::vector<Sample> samples() {
  const JointAxis axis = busy_axis();
  std::vector<Sample> list{
      {BallJoint{2.5, axis, 1}, 3},
      {HingeJoint{axis}, 5},
      {PrismaticJoint{axis}, 5},
      {CylindricalJoint{axis, axis}, 4},
      {FixedJoint{}, 6},
      {DistanceJoint{1.5}, 1},
      {RopeJoint{1.5, 0, 0}, 0},
      {SpringJoint{1, 100, 1, 1e6}, 0},
      {UniversalJoint{axis, axis}, 4},
      {PlanarJoint{axis, axis, axis}, 3},
      {kGear, 1},
  };
  for (int slides = 0; slides <= 3; ++slides)
    for (int turns = 0; turns <= 3; ++turns) list.push_back({six_dof(slides, turns), slides + turns});
  return list;
}

Vec3 random_vector(Random& random, double most) {
  return {random.uniform(-most, most), random.uniform(-most, most), random.uniform(-most, most)};
}

/// Two bodies near the pose in which the joint is together, off by about `error`.
struct Pair {
  Pose a, b, local_a, local_b;

  Pair(Random& random, double error) {
    a = {random_vector(random, 2), turned({}, random_vector(random, 2))};
    local_a = {random_vector(random, 1), turned({}, random_vector(random, 2))};
    local_b = {random_vector(random, 1), turned({}, random_vector(random, 2))};
    const Pose off{random_vector(random, error), turned({}, random_vector(random, error))};
    b = a * local_a * off * inverse(local_b);
  }
  JointPlace place() const {
    JointPlace at;
    at.frame_a = a * local_a, at.frame_b = b * local_b;
    at.centre_a = a.position, at.centre_b = b.position;
    at.dt = 0.01;
    at.derive();
    return at;
  }
  Pair moved_by(const Velocity& va, const Velocity& vb, double h) const {
    Pair p = *this;
    p.a = moved(a, {h * va.linear, h * va.angular}), p.b = moved(b, {h * vb.linear, h * vb.angular});
    return p;
  }
};

JointRows rows_of(const JointKind& kind, const JointPlace& at) {
  JointDef def;
  def.kind = kind;
  JointRows rows;
  write_rows(def, at, rows);
  return rows;
}

std::vector<double> flat(const JointRow& row) {
  std::vector<double> v;
  for (const Vec3& part : {row.linear_a, row.angular_a, row.linear_b, row.angular_b})
    v.insert(v.end(), {part.x, part.y, part.z});
  return v;
}

/// Rank of the rows that hold, by orthogonalisation.
int rank_of_holding(const JointRows& rows) {
  std::vector<std::vector<double>> basis;
  for (int k = 0; k < rows.holding; ++k) {
    std::vector<double> v = flat(rows.row[to_index(k)]);
    for (const auto& u : basis) {
      double along = 0;
      for (std::size_t i = 0; i < 12; ++i) along += u[i] * v[i];
      for (std::size_t i = 0; i < 12; ++i) v[i] -= along * u[i];
    }
    double length2 = 0;
    for (const double x : v) length2 += x * x;
    if (length2 < 1e-12) continue;
    for (double& x : v) x /= std::sqrt(length2);
    basis.push_back(v);
  }
  return static_cast<int>(basis.size());
}

TEST(Joint, HoldsExactlyItsDegreesOfFreedom) {
  Random random(1);
  for (const Sample& sample : samples())
    for (int trial = 0; trial < 5; ++trial) {
      const JointRows rows = rows_of(sample.kind, Pair(random, 0.1).place());
      EXPECT_EQ(rank_of_holding(rows), sample.holds) << kind_name(sample.kind);
      EXPECT_EQ(rows.holding, sample.holds) << kind_name(sample.kind);
      for (int k = 0; k < rows.count; ++k) {
        const JointRow& row = rows.row[to_index(k)];
        EXPECT_EQ(k < rows.holding, row.lower == -kUnlimited && row.upper == kUnlimited) << kind_name(sample.kind);
      }
    }
}

/// Whatever impulses the rows carry, the two bodies together gain no momentum and no angular momentum.
TEST(Joint, KeepsTheMomentumOfAFreePair) {
  Random random(2);
  for (const Sample& sample : samples()) {
    const JointPlace at = Pair(random, 0.3).place();
    const JointRows rows = rows_of(sample.kind, at);
    for (int k = 0; k < rows.count; ++k) {
      const JointRow& row = rows.row[to_index(k)];
      const Vec3 momentum = row.linear_a + row.linear_b;
      const Vec3 turning =
          row.angular_a + row.angular_b + cross(at.centre_a, row.linear_a) + cross(at.centre_b, row.linear_b);
      EXPECT_LT(norm(momentum), 1e-14) << kind_name(sample.kind) << " row " << k;
      EXPECT_LT(norm(turning), 1e-13) << kind_name(sample.kind) << " row " << k;
    }
  }
}

/// J u is the rate of the error: central differences. A gear's error counts turns that its row sees only while the
/// wheels are borne, and three free turns are exact only about one axis.
TEST(Joint, RowsAreTheRatesOfTheirErrors) {
  Random random(3);
  for (const Sample& sample : samples()) {
    if (std::holds_alternative<GearJoint>(sample.kind)) continue;
    const Pair pair(random, 0.2);
    const Velocity va{random_vector(random, 1), random_vector(random, 1)};
    const Velocity vb{random_vector(random, 1), random_vector(random, 1)};
    const JointRows now = rows_of(sample.kind, pair.place());
    constexpr double kStep = 1e-5;
    const JointRows after = rows_of(sample.kind, pair.moved_by(va, vb, kStep).place());
    const JointRows before = rows_of(sample.kind, pair.moved_by(va, vb, -kStep).place());
    for (int k = 0; k < now.holding; ++k) {
      const auto i = to_index(k);
      const double rate = (after.row[i].error - before.row[i].error) / (2 * kStep);
      EXPECT_NEAR(joint_velocity(now.row[i], va, vb), rate, 1e-8) << kind_name(sample.kind) << " row " << k;
    }
  }
  // Coordinates: the rows of the drives, whose error is coordinate - position. A twist is exact whatever the swing; the
  // two turns of a universal joint while it is together.
  const JointAxis axis = busy_axis();
  for (const JointKind& kind : {JointKind(BallJoint{kUnlimited, axis, 0}), JointKind(CylindricalJoint{axis, axis}),
                                JointKind(PlanarJoint{axis, axis, axis}), JointKind(SpringJoint{1, 100, 1})}) {
    const Pair pair(random, 0.4);
    const Velocity va{random_vector(random, 1), random_vector(random, 1)};
    const Velocity vb{random_vector(random, 1), random_vector(random, 1)};
    const JointRows now = rows_of(kind, pair.place());
    constexpr double kStep = 1e-5;
    const JointRows after = rows_of(kind, pair.moved_by(va, vb, kStep).place());
    const JointRows before = rows_of(kind, pair.moved_by(va, vb, -kStep).place());
    for (int k = now.holding; k < now.count; ++k) {
      const auto i = to_index(k);
      if (now.row[i].compliance == 0) continue;
      const double rate = (after.row[i].error - before.row[i].error) / (2 * kStep);
      EXPECT_NEAR(joint_velocity(now.row[i], va, vb), rate, 1e-8) << kind_name(kind) << " row " << k;
    }
  }
}

/// Rows at the poses that are reached against the rows of the beginning. The bound is no more than a few times too
/// high: bodies that turn as the joint allows come near it.
TEST(Joint, RowsThatHoldFramesBendNoMoreThanTheyCan) {
  Random random(4);
  double most = 0;
  for (int k = 0; k < 200; ++k)
    for (const Sample& sample : samples()) {
      if (!holds_frames(sample.kind)) continue;
      const Pair pair(random, 0.01);
      const double turn = std::pow(10.0, random.uniform(-5, -0.7)), shift = std::pow(10.0, random.uniform(-5, 0));
      const Velocity a{random_vector(random, shift), random_vector(random, turn)};
      const Velocity b{random_vector(random, shift), random_vector(random, turn)};
      const JointRows before = rows_of(sample.kind, pair.place());
      const JointRows after = rows_of(sample.kind, pair.moved_by(a, b, 1).place());
      const double bound =
          most_bend(norm(a.angular) + norm(b.angular), norm(b.linear - a.linear), pair.place().reach());
      for (std::size_t i = 0; i < to_index(before.holding); ++i) {
        const double bend = after.row[i].error - before.row[i].error - joint_velocity(before.row[i], a, b);
        ASSERT_LE(std::fabs(bend), bound + 1e-14) << kind_name(sample.kind) << " row " << i;
        most = std::max(most, std::fabs(bend) / bound);
      }
    }
  EXPECT_GT(most, 0.2);
}

TEST(Joint, StopsActOnTheNearerSideOnly) {
  JointAxis axis;
  axis.motion = AxisMotion::limited, axis.lower = -0.5, axis.upper = 0.25;
  const auto at_slide = [&](double x) {
    JointPlace at;
    at.frame_b.position = {x, 0, 0};
    at.dt = 0.1;
    at.derive();
    return rows_of(PrismaticJoint{axis}, at).row[5];
  };
  const JointRow near_lower = at_slide(-0.4);  // may move down by 0.1 in this step
  EXPECT_EQ(near_lower.lower, 0);
  EXPECT_EQ(near_lower.upper, kUnlimited);
  EXPECT_NEAR(near_lower.target_velocity, -1, 1e-12);
  EXPECT_EQ(near_lower.error, 0);
  const JointRow beyond_upper = at_slide(0.35);
  EXPECT_EQ(beyond_upper.upper, 0);
  EXPECT_EQ(beyond_upper.lower, -kUnlimited);
  EXPECT_NEAR(beyond_upper.error, 0.1, 1e-15);
  axis.upper = axis.lower;  // nowhere to go: a row like those that hold
  const JointRow stuck = at_slide(0);
  EXPECT_EQ(stuck.lower, -kUnlimited);
  EXPECT_EQ(stuck.upper, kUnlimited);
  EXPECT_NEAR(stuck.error, 0.5, 1e-15);
}

TEST(Joint, FramesPointAlongTheirAxis) {
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 0, 3}, Vec3{1, -2, 0.5}, Vec3{-1, 1e-7, 0}}) {
    const Pose frame = frame_along({1, 2, 3}, axis);
    EXPECT_LT(norm(rotate(frame.orientation, {1, 0, 0}) - normalised(axis)), 1e-6);
    EXPECT_EQ(frame.position, (Vec3{1, 2, 3}));
  }
}

TEST(Joint, BadNumbersAreNamed) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](auto&& change) {
    JointDef def;
    change(def);
    try {
      check_joint_def(def);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto hinge = [&](auto&& change) {
    return message([&](JointDef& d) {
      HingeJoint joint;
      change(joint.turn);
      d.kind = joint;
    });
  };
  EXPECT_EQ(message([](JointDef&) {}), "");
  EXPECT_NE(message([&](JointDef& d) { d.frame_a.position.y = kNan; }).find("frame_a"), std::string::npos);
  EXPECT_NE(message([](JointDef& d) { d.frame_b.orientation = {0, 0, 0, 0}; }).find("frame_b"), std::string::npos);
  EXPECT_NE(message([&](JointDef& d) { d.linear.compliance = kNan; }).find("linear.compliance"), std::string::npos);
  EXPECT_NE(message([](JointDef& d) { d.break_force = -1; }).find("break_force"), std::string::npos);
  EXPECT_NE(message([](JointDef& d) { d.kind = DistanceJoint{0}; }).find("length"), std::string::npos);
  EXPECT_NE(message([](JointDef& d) { d.kind = SpringJoint{1, 0, 0}; }).find("neither"), std::string::npos);
  EXPECT_NE(message([](JointDef& d) { d.kind = GearJoint{}; }).find("make_gear"), std::string::npos);
  const auto limited = [](double lower, double upper) {
    return [=](JointAxis& a) { a.motion = AxisMotion::limited, a.lower = lower, a.upper = upper; };
  };
  EXPECT_NE(hinge(limited(1, -1)).find("turn.lower 1 is above"), std::string::npos);
  EXPECT_NE(hinge(limited(kNan, 1)).find("turn.lower"), std::string::npos);
  EXPECT_NE(hinge([](JointAxis& a) { a.motion = AxisMotion::locked; }).find("SixDofJoint"), std::string::npos);
  EXPECT_NE(hinge([](JointAxis& a) { a.friction = -1; }).find("turn.friction"), std::string::npos);
  EXPECT_NE(hinge([&](JointAxis& a) { a.drive.speed = kNan; }).find("turn.drive.speed"), std::string::npos);
  EXPECT_NE(hinge([](JointAxis& a) { a.drive.kind = DriveKind::position; }).find("neither"), std::string::npos);
  EXPECT_THROW(frame_along({}, {0, 0, 0}), InputError);
  EXPECT_THROW(frame_along({}, {kNan, 0, 0}), InputError);
  EXPECT_THROW(make_gear({}, {{0, 3, 0}, {}}, {}, {0, 0, 0}), InputError);
}

}  // namespace
}  // namespace cairn
