// SPDX-License-Identifier: MIT
// The mechanisms of the IFToMM library of multibody benchmarks that have reference values, with joints solved by sweeps
// and together. The step is of first order, so tolerances are those of the time step, stated per test.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "cairn/core/index.h"
#include "tests/analytic/bench.h"

namespace cairn::bench {
namespace {

class Iftomm : public testing::TestWithParam<std::string> {
 protected:
  static WorldSettings settings(const Vec3& gravity) {
    WorldSettings result = exact_settings();
    result.solver = GetParam();
    result.gravity = gravity;
    result.iterations = 400;
    result.tolerance = 1e-9;
    result.joint_projection.tolerance = 1e-9;  // m: small steps bend little, and all of it counts
    return result;
  }
  static bool is_direct() { return GetParam() == "ldl_pgs"; }
};

/// A01: a point mass on a rod of 1 m from the horizontal. Reference: elliptic integrals.
TEST_P(Iftomm, A01Pendulum) {
  World world(settings({0, 0, -kGravity}));
  const BodyId mass = add_mass(world, {-1, 0, 0}, 1);
  JointDef def = world.joint_at({}, mass, {{-1, 0, 0}, {}}, DistanceJoint{1});
  def.frame_a = {};
  const JointId rod = world.add_joint(def);
  constexpr double kStep = 1e-4;
  double tension = 0;
  const auto compare = [&](double end, double x, double z, double tolerance) {
    while (world.time() < end - 0.5 * kStep) {
      world.step(kStep);
      tension = std::max(tension, norm(world.view(rod).force));
    }
    const Vec3 p = world.view(mass).pose.position;
    expect_absolute("x (m)", p.x, x, tolerance);
    expect_absolute("z (m)", p.z, z, tolerance);
  };
  compare(1, 0.9862918, -0.1650109, 1e-3);
  compare(5, -0.9423054, -0.3347543, 4e-3);
  compare(10, -0.2750875, -0.9614192, 1e-2);
  EXPECT_NEAR(tension, 29.43, 0.03);
}

/// The angle of the uprights of A02: 3 angle'' = 3.5 g sin(angle) from 1 rad/s, by the rule of Runge and Kutta.
double four_bar_angle(double time) {
  constexpr int kSteps = 100000;
  const double h = time / kSteps, factor = 3.5 / 3 * kGravity;
  double x = 0, v = 1;
  for (int i = 0; i < kSteps; ++i) {
    const double a1 = factor * std::sin(x), v2 = v + 0.5 * h * a1;
    const double a2 = factor * std::sin(x + 0.5 * h * v), v3 = v + 0.5 * h * a2;
    const double a3 = factor * std::sin(x + 0.5 * h * v2), v4 = v + h * a3;
    const double a4 = factor * std::sin(x + h * v3);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return x;
}

/// A02 with two windows: three upright rods and two across, 5 links of 1 m and 1 kg, the top at 1 m/s. Closed loops
/// with redundant hinges, and singular positions in every turn. The oracle is held to the reference at 10 s, the engine
/// to the oracle after one turn, and with joints solved together to
/// the reference by the library's finer limit.
TEST_P(Iftomm, A02FourBars) {
  World world(settings({0, 0, -kGravity}));
  const auto hinge = [&](BodyId a, BodyId b, const Vec3& at) {
    return world.add_joint(world.joint_at(a, b, frame_along(at, {0, 1, 0}), HingeJoint{}));
  };
  std::array<BodyId, 3> upright;
  for (int i = 0; i < 3; ++i) {
    const BodyId rod = upright[to_index(i)] = add_rod(world, {double(i), 0, 0}, {double(i), 0, 1}, 1, 0.01);
    hinge({}, rod, {double(i), 0, 0});
    world.set_velocity(rod, {{0.5, 0, 0}, {0, 1, 0}});
  }
  for (int i = 0; i < 2; ++i) {
    const BodyId rod = add_rod(world, {double(i), 0, 1}, {i + 1.0, 0, 1}, 1, 0.01);
    hinge(upright[to_index(i)], rod, {double(i), 0, 1});
    hinge(rod, upright[to_index(i) + 1], {i + 1.0, 0, 1});
    world.set_velocity(rod, {{1, 0, 0}, {}});
  }
  EXPECT_NEAR(std::sin(four_bar_angle(10)), 0.3284581, 1e-6);
  EXPECT_NEAR(std::cos(four_bar_angle(10)), 0.9445185, 1e-6);
  const auto top_at = [&](double end) {
    const double step = is_direct() ? 2.5e-4 : 1e-3;
    while (world.time() < end - 0.5 * step) world.step(step);
    return transform(world.view(upright[0]).pose, {0.5, 0, 0});
  };
  const Vec3 top = top_at(1.5);
  const double angle = four_bar_angle(1.5);
  EXPECT_GT(angle, 0.6 * 2 * kPi);  // past two singular positions
  expect_absolute("x of B0 at 1.5 s (m)", top.x, std::sin(angle), 0.001);
  expect_absolute("z of B0 at 1.5 s (m)", top.z, std::cos(angle), 0.001);
  EXPECT_LT(world.last_report().max_joint_error, 1e-4);
  if (!is_direct()) return;
  const Vec3 last = top_at(10);
  expect_absolute("x of B0 at 10 s (m)", last.x, 0.3284581, 0.001);
  expect_absolute("z of B0 at 10 s (m)", last.z, 0.9445185, 0.001);
}

/// A03, Andrews' squeezing mechanism: seven bodies in the plane z = 0, ten hinges about z, a spring and a constant
/// torque on the first body. Angles as in the test set for initial value problems.
class Squeezer {
 public:
  explicit Squeezer(World& world) : world_(world) {
    const Vec3 crank_end = polar(kRr, kBeta), p = crank_end - polar(kD, kBeta + kTheta);
    const Vec3 knee_5 = kA + polar(kZt, kDelta), knee_7 = kA + down(kU, kEpsilon);
    const BodyId k1 = add(0.04325, 2.194e-6, polar(0.00092, kBeta));
    const BodyId k2 = add(0.00365, 4.410e-7, crank_end - polar(0.0115, kBeta + kTheta));
    const BodyId k3 = add(0.02373, 5.255e-6, kB + down(0.01874, kGamma) + polar(0.01043, kGamma));
    const BodyId k4 = add(0.00706, 5.667e-7, knee_5 + down(kE - 0.01421, kPhi + kDelta));
    const BodyId k5 = add(0.07050, 1.169e-5, kA + polar(0.02308, kDelta) - down(0.00916, kDelta));
    const BodyId k6 = add(0.00706, 5.667e-7, knee_7 + polar(kZf - 0.01421, kOmega + kEpsilon));
    const BodyId k7 = add(0.05498, 1.912e-5, kA + down(0.01228, kEpsilon) - polar(0.00449, kEpsilon));
    crank_ = k1;
    angles_ = {{kBeta, hinge({}, k1, {})},    {kTheta, hinge(k1, k2, crank_end)}, {kGamma, hinge({}, k3, kB)},
               {kPhi, hinge(k5, k4, knee_5)}, {kDelta, hinge({}, k5, kA)},        {kOmega, hinge(k7, k6, knee_7)},
               {kEpsilon, hinge({}, k7, kA)}};
    for (const BodyId other : {k3, k4, k6}) hinge(k2, other, p);
    const Vec3 spring_end = kB + polar(0.02, kGamma) + down(0.018, kGamma);
    JointDef spring = world.joint_at({}, k3, {spring_end, {}}, SpringJoint{0.07785, 4530, 0});
    spring.frame_a.position = {0.014, 0.072, 0};
    world.add_joint(spring);
  }

  void step(double dt) {
    world_.add_torque(crank_, {0, 0, 0.033});
    world_.step(dt);
  }
  double angle(std::size_t i) const { return angles_[i].start + world_.view(angles_[i].hinge).turn.x; }

 private:
  static constexpr double kBeta = -0.0617138900142764496, kTheta = 0, kGamma = 0.455279819163070380;
  static constexpr double kPhi = 0.222668390165885884, kDelta = 0.487364979543842550, kOmega = -kPhi;
  static constexpr double kEpsilon = 1.23054744454982119;
  static constexpr double kRr = 0.007, kD = 0.028, kE = 0.02, kZt = 0.04, kU = 0.04, kZf = 0.02;
  static constexpr Vec3 kA{-0.06934, -0.00227, 0}, kB{-0.03635, 0.03273, 0};

  struct Angle {
    double start = 0;
    JointId hinge;
  };
  static Vec3 polar(double length, double angle) { return {length * std::cos(angle), length * std::sin(angle), 0}; }
  static Vec3 down(double length, double angle) { return {length * std::sin(angle), -length * std::cos(angle), 0}; }
  BodyId add(double mass, double inertia, const Vec3& at) {
    return world_.add_body(
        {.pose = {at, {}}, .mass = MassProperties{mass, {}, SymMat3::diagonal(inertia, inertia, inertia)}});
  }
  JointId hinge(BodyId a, BodyId b, const Vec3& at) {
    return world_.add_joint(world_.joint_at(a, b, frame_along(at, {0, 0, 1}), HingeJoint{}));
  }

  World& world_;
  BodyId crank_;
  std::vector<Angle> angles_;
};

TEST_P(Iftomm, A03Squeezer) {
  if (!is_direct()) GTEST_SKIP() << "sweeps need too many of them";
  World world(settings({}));
  Squeezer squeezer(world);
  constexpr double kStep = 2e-6;
  for (int i = 0; i < 15000; ++i) squeezer.step(kStep);
  const double expected[] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                             0.5244099658805304, 0.5347301163226948, 1.048080741042263};
  const char* names[] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
  for (std::size_t i = 0; i < 7; ++i) expect_absolute(names[i], squeezer.angle(i), expected[i], i < 2 ? 0.02 : 2e-3);
}

/// A04: Bricard's linkage, six hinges on five rods that only move because of their symmetry.
TEST_P(Iftomm, A04Bricard) {
  WorldSettings bricard = settings({0, -kGravity, 0});
  bricard.tolerance = 1e-11;
  World world(bricard);
  const std::array<Vec3, 6> p{{{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}}};
  const std::array<Vec3, 6> axis{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  std::array<BodyId, 5> rod;
  for (std::size_t i = 0; i < 5; ++i) rod[i] = add_rod(world, p[i], p[i + 1], 1, 0.1);
  for (std::size_t i = 0; i < 6; ++i) {
    const BodyId a = i == 0 ? BodyId{} : i == 5 ? BodyId{} : rod[i - 1], b = i == 5 ? rod[4] : rod[i];
    world.add_joint(world.joint_at(a, b, frame_along(p[i], axis[i]), HingeJoint{}));
  }
  constexpr double kStep = 5e-4;
  const auto p3 = [&] { return transform(world.view(rod[2]).pose, {0.5, 0, 0}); };
  run(world, 2000, kStep);
  expect_absolute("P3 at 1 s (m)", norm(p3() - Vec3{0.510501, -1.649168, 0.140123}), 0, 0.01);
  run(world, 2000, kStep);
  expect_absolute("P3 at 2 s (m)", norm(p3() - Vec3{-0.969340, -1.221247, 0.754278}), 0, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Iftomm, testing::Values("gauss_seidel", "ldl_pgs"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace cairn::bench
