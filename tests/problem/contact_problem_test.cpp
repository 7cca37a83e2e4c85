// SPDX-License-Identifier: MIT
#include "cairn/problem/contact_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

ContactProblem two_spheres() {
  ContactProblem problem;
  problem.bodies.resize(2);
  for (ProblemBody& body : problem.bodies) {
    body.inverse_mass = 0.5;
    body.inverse_inertia = SymMat3::diagonal(3, 3, 3);
  }
  problem.contacts.resize(1);
  problem.contacts[0].body_b = 1;
  return problem;
}

TEST(ContactProblem, BiasCarriesGapPushAndRestitution) {
  ContactProblem problem = two_spheres();
  problem.dt = 0.1;
  ContactBlock& c = problem.contacts[0];
  c.gap = 0.02;
  EXPECT_DOUBLE_EQ(contact_bias(problem, c), 0.2);
  c.gap = -0.02;
  EXPECT_DOUBLE_EQ(contact_bias(problem, c), -0.04);
  c.gap = -1000;
  EXPECT_DOUBLE_EQ(contact_bias(problem, c), -problem.stabilisation.max_push);
  c.gap = 0;
  c.restitution = 0.5;
  problem.bodies[1].velocity.linear = {0, 0, -1};
  EXPECT_DOUBLE_EQ(contact_bias(problem, c), -0.5);  // y = u' - 0.5 >= 0: leaves with +0.5
  problem.bodies[1].velocity.linear = {0, 0, 1};
  EXPECT_EQ(contact_bias(problem, c), 0);
}

TEST(ContactProblem, ImpulsesAndVelocitiesAreAdjoint) {
  // (J u) . lambda = u . (J^T lambda) for a contact with arms and spin: the two functions are one operator.
  ContactProblem problem = two_spheres();
  ContactBlock& c = problem.contacts[0];
  const Frame frame = make_frame(normalised({1, 2, 3}));
  c.normal = frame.normal, c.tangent1 = frame.tangent1, c.tangent2 = frame.tangent2;
  c.arm_a = {0.1, 0.2, -0.3}, c.arm_b = {-0.4, 0.5, 0.6}, c.spin_radius = 0.25;
  problem.bodies[0].inverse_inertia = problem.bodies[1].inverse_inertia = SymMat3::diagonal(1, 1, 1);
  problem.bodies[0].inverse_mass = problem.bodies[1].inverse_mass = 1;
  const Velocity a{{1, -2, 3}, {0.5, 0.25, -1}}, b{{-1, 1, 2}, {2, -3, 0.5}};
  const std::array<double, 4> lambda{1.5, -0.5, 0.75, 2};
  Velocity pa, pb;
  apply_contact_impulse(problem, c, lambda, pa, pb);
  const std::array<double, 4> v = contact_velocity(c, a, b);
  double left = 0;
  for (int i = 0; i < 4; ++i) left += v[to_index(i)] * lambda[to_index(i)];
  const double right =
      dot(a.linear, pa.linear) + dot(a.angular, pa.angular) + dot(b.linear, pb.linear) + dot(b.angular, pb.angular);
  EXPECT_NEAR(left, right, 1e-14);
}

TEST(ContactProblem, FramesAreOrthonormalAndFollowTheAnisotropyAxis) {
  for (const Vec3& n : {Vec3{0, 0, 1}, Vec3{0, 0, -1}, Vec3{1, 0, 0}, normalised(Vec3{1, -2, -3})}) {
    const Frame f = make_frame(n);
    EXPECT_NEAR(dot(f.normal, f.tangent1), 0, 1e-15);
    EXPECT_NEAR(norm(f.tangent1), 1, 1e-15);
    EXPECT_NEAR(norm(cross(f.normal, f.tangent1) - f.tangent2), 0, 1e-15);
  }
  const Frame f = make_frame_along({0, 0, 1}, {1, 1, 5});
  EXPECT_NEAR(f.tangent1.x, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(f.tangent1.y, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(norm(make_frame_along({0, 0, 1}, {0, 0, 2}).tangent1), 1, 1e-15);
}

TEST(ContactProblem, BadInputIsRefusedWithItsName) {
  const auto message = [](auto&& spoil) -> std::string {
    ContactProblem problem = two_spheres();
    spoil(problem);
    try {
      validate(problem);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](ContactProblem&) {}), "");
  const double nan = std::nan("");
  EXPECT_NE(message([&](ContactProblem& p) { p.dt = 0; }).find("dt"), std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.bodies[1].inverse_mass = -1; }).find("body 1"), std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.bodies[0].velocity.linear.y = nan; }).find("body 0"), std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.bodies[0].velocity.angular.z = 1e300; }).find("1e+30"),
            std::string::npos)
      << "finite, but its square is not";
  EXPECT_NE(
      message([&](ContactProblem& p) { p.contacts[0].gap = std::numeric_limits<double>::infinity(); }).find("gap"),
      std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.bodies[0].inverse_inertia.xx = -1; }).find("inertia"),
            std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.contacts[0].body_b = 2; }).find("contact 0"), std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.contacts[0].body_b = 0; }).find("itself"), std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) {
              p.contacts[0].tangent1 = {0, 0, 1};
            }).find("orthonormal"),
            std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.contacts[0].friction2 = -1; }).find("friction"), std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.contacts[0].restitution = 1.5; }).find("restitution"),
            std::string::npos);
  EXPECT_NE(message([&](ContactProblem& p) { p.joints.push_back({0, 1, 0, 1}); }).find("joint 0"), std::string::npos);
}

TEST(ContactProblem, TheFirstOffenderIsNamedWhateverThePool) {
  ContactProblem problem = scenes::ball_grid(20);  // 23,200 contacts: several ranges
  problem.contacts[21000].friction1 = -1;
  problem.contacts[9001].restitution = 2;
  problem.contacts[9000].gap = std::numeric_limits<double>::quiet_NaN();
  for (const int threads : {1, 2, 8}) {
    const auto pool = make_pool(threads);
    try {
      validate(problem, pool.get());
      FAIL() << "must be refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("contact 9000:"), std::string::npos) << error.what();
    }
  }
}

TEST(BallLattices, CountsOfTheThesis) {
  for (const int n : {8, 24, 40}) {
    const ContactProblem problem = scenes::ball_grid(n);
    EXPECT_EQ(problem.bodies.size(), to_index(n * n * n + 1));
    EXPECT_EQ(problem.contacts.size(), to_index(3 * n * n * (n - 1) + n * n));
  }
  const ContactProblem pile = scenes::ball_pile(40);
  EXPECT_EQ(pile.bodies.size(), 64001u);
  EXPECT_NEAR(static_cast<double>(pile.contacts.size()), 6605, 660);
  EXPECT_NO_THROW(validate(pile));
}

}  // namespace
}  // namespace cairn
