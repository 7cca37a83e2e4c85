// SPDX-License-Identifier: MIT
// World as a whole: masses and frames of bodies, the step and its report, warm starts, recycling.
#include "cairn/world/world.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

void expect_equal(const SymMat3& a, const SymMat3& b, double tolerance) {
  for (double SymMat3::*m : {&SymMat3::xx, &SymMat3::yy, &SymMat3::zz, &SymMat3::xy, &SymMat3::xz, &SymMat3::yz})
    EXPECT_NEAR(a.*m, b.*m, tolerance);
}

/// A dumb-bell: balls of 0.1 and 0.2 m at -1 and +1, joined by a bar without mass.
std::vector<ShapeDef> dumb_bell() {
  return {{.shape = make_sphere(0.1), .pose = {{-1, 0, 0}, {}}},
          {.shape = make_sphere(0.2), .pose = {{1, 0, 0}, {}}},
          {.shape = make_box({1, 0.01, 0.01}), .density = 0}};
}

TEST(Mass, OfSeveralShapesIsTheirSum) {
  World world;
  const BodyId body = world.add_body({}, dumb_bell());
  const double a = 1000 * 4 * kPi / 3 * 1e-3, b = 8 * a, m = a + b, x = (b - a) / m;
  const BodyView view = world.view(body);
  EXPECT_NEAR(view.mass, m, 1e-12 * m);
  EXPECT_NEAR(view.centre.x, x, 1e-14);
  // Parallel axes: the balls' own 2/5 m r^2, and m d^2 across the bar.
  const double own = 0.4 * (a * 0.01 + b * 0.04), arms = a * (1 + x) * (1 + x) + b * (1 - x) * (1 - x);
  expect_equal(view.inertia, SymMat3::diagonal(own, own + arms, own + arms), 1e-12 * m);
}

TEST(Mass, OfATurnedShapeIsTurned) {
  World world;
  const Quat turn = turn_about({1, 2, 3}, 0.8);
  const Shape box = make_box({0.1, 0.2, 0.3});
  const BodyId body = world.add_body({}, {{.shape = box, .pose = {{0.5, 0, 0}, turn}}});
  expect_equal(world.view(body).inertia, rotate(to_matrix(turn), mass_properties(box, 1000).inertia), 1e-12);
}

TEST(Pose, IsThatOfTheFrameAndTurnsAboutTheCentreOfMass) {
  WorldSettings settings;
  settings.gravity = {};
  World world(settings);
  const Pose start{{3, 4, 5}, turn_about({0, 0, 1}, 0.3)};
  const BodyId body = world.add_body({.pose = start, .velocity = {{}, {0, 0, 2}}}, dumb_bell());
  EXPECT_EQ(world.view(body).pose.orientation, start.orientation);
  EXPECT_LT(norm(world.view(body).pose.position - start.position), 1e-14);
  const Vec3 centre = world.view(body).centre;
  const double offset = norm(centre - start.position);
  run(world, 100, 0.01);
  const BodyView view = world.view(body);
  EXPECT_LT(norm(view.centre - centre), 1e-13) << "spinning must not move the centre of mass";
  EXPECT_NEAR(norm(view.pose.position - centre), offset, 1e-13);
  // Turned by 2 rad about z: the frame has gone round the centre.
  const Vec3 before = start.position - centre, after = view.pose.position - centre;
  EXPECT_NEAR(std::atan2(before.x * after.y - before.y * after.x, before.x * after.x + before.y * after.y), 2, 1e-12);
}

TEST(Pose, ReadFromAWorldGoesBackUnchanged) {
  World world;
  const BodyId body = world.add_body({.pose = {{1, 2, 3}, turn_about({1, 1, 1}, 1.1)}}, {{.shape = make_sphere(0.5)}});
  const Hash128 before = world.state_hash();
  world.set_pose(body, world.view(body).pose);
  EXPECT_EQ(world.state_hash(), before);
}

TEST(Step, OfZeroDoesNothing) {
  World world;
  world.add_body({.velocity = {{1, 0, 0}, {}}}, {{.shape = make_sphere(0.5)}});
  world.step(0.01);
  const Hash128 before = world.state_hash();
  world.step(0);
  EXPECT_EQ(world.state_hash(), before);
  EXPECT_EQ(world.step_count(), 1);
  EXPECT_DOUBLE_EQ(world.time(), 0.01);
}

TEST(Step, ReportsWhatItDid) {
  World world;
  add_ramp(world, 0, rough(0.5));
  for (int i = 0; i < 3; ++i)
    world.add_body({.pose = {{0, 0, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5}), .density = 1}});
  world.add_body({.pose = {{9, 0, 50}, {}}}, {{.shape = make_sphere(0.5), .density = 1}});
  run(world, 20, 1.0 / 60);
  const StepReport& report = world.last_report();
  EXPECT_EQ(report.step, 20);
  EXPECT_NEAR(report.time, 20.0 / 60, 1e-14);
  EXPECT_EQ(report.bodies, 5);
  EXPECT_EQ(report.awake_bodies, 4);
  EXPECT_EQ(report.manifolds, 3);
  EXPECT_EQ(report.contacts, 12);
  EXPECT_EQ(report.islands, 2);
  EXPECT_EQ(report.sleeping_islands, 0);
  EXPECT_GE(report.solve.residual, 0);
  double kinetic = 0, potential = 0;
  for (const BodyId id : world.bodies()) {
    const BodyView v = world.view(id);
    kinetic += 0.5 * v.mass * dot(v.velocity.linear, v.velocity.linear);
    potential += v.mass * kGravity * v.centre.z;
  }
  EXPECT_NEAR(report.kinetic_energy, kinetic, 1e-6 * kinetic);
  EXPECT_NEAR(report.potential_energy, potential, 1e-12 * potential);
}

TEST(Contacts, CarryTheWeight) {
  World world(exact_settings());
  add_ramp(world, 0, rough(0.5));
  const BodyId box = world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  const double dt = 1.0 / 60;
  run(world, 30, dt);
  Vec3 sum;
  for (const ContactView& c : world.contacts()) {
    EXPECT_EQ(c.body_b, box);
    EXPECT_NEAR(c.normal.z, 1, 1e-12);
    EXPECT_NEAR(c.point.z, 0, 1e-3);
    sum += c.impulse;
  }
  EXPECT_NEAR(sum.z, 1000 * kGravity * dt, 1e-4);
  EXPECT_EQ(world.problem().contacts.size(), 4u);
  EXPECT_EQ(world.solution().contact_impulse.size(), 4u);
}

/// Ten boxes on each other at 30 sweeps a step.
double residual_after(bool warm, int steps) {
  WorldSettings settings;
  settings.iterations = 30;
  settings.warm_start = warm;
  World world(settings);
  add_ramp(world, 0, rough(0.5));
  for (int i = 0; i < 10; ++i) world.add_body({.pose = {{0, 0, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  run(world, steps, 1.0 / 60);
  return world.last_report().solve.residual;
}

TEST(WarmStart, CarriesImpulsesFromStepToStep) {
  EXPECT_LT(residual_after(true, 30), 0.1 * residual_after(true, 1));
  EXPECT_LT(residual_after(true, 30), 0.1 * residual_after(false, 30));
}

TEST(WarmStart, ScalesWithTheTimeStep) {
  // Impulses of a resting stack are forces times dt: after a change of dt the guess still fits.
  World world;
  add_ramp(world, 0, rough(0.5));
  const BodyId box = world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  run(world, 60, 1.0 / 60);
  WorldSettings settings = world.settings();
  settings.iterations = 0;  // nothing but the guess
  world.set_settings(settings);
  world.step(1.0 / 120);
  EXPECT_LT(std::fabs(world.view(box).velocity.linear.z), 1e-3 * kGravity / 120);
}

/// A small heap of boxes; the heights of its bodies after two seconds.
std::vector<double> heap(bool recycling) {
  WorldSettings settings;
  settings.recycling = recycling;
  World world(settings);
  add_ramp(world, 0, rough(0.6));
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10 - i; ++j)
      world.add_body({.pose = {{j * 1.05 + 0.52 * i, 0, 0.5 + i}, {}}},
                     {{.shape = make_box({0.5, 0.5, 0.5}), .material = rough(0.6)}});
  run(world, 120, 1.0 / 60);
  EXPECT_EQ(world.last_report().recycled > 0, recycling);
  std::vector<double> heights;
  for (const BodyId id : world.bodies()) heights.push_back(world.view(id).centre.z);
  return heights;
}

TEST(Recycling, ChangesARestingPyramidByLessThanTheSlop) {
  const std::vector<double> on = heap(true), off = heap(false);
  for (std::size_t i = 0; i < on.size(); ++i) EXPECT_NEAR(on[i], off[i], 2e-3) << "body " << i;
}

TEST(World, CanBeMoved) {
  World first;
  const BodyId body = first.add_body({}, {{.shape = make_sphere(0.5)}});
  World second = std::move(first);
  second.step(0.01);
  EXPECT_TRUE(second.contains(body));
  first = World();
  EXPECT_EQ(first.body_count(), 0u);
}

}  // namespace
}  // namespace cairn
