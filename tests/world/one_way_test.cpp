// SPDX-License-Identifier: MIT
// There is one way through the step: contacts in lanes are judged, saved, edited and looked at like any others.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "tests/analytic/bench.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

using namespace bench;

WorldSettings with(const char* solver, bool judged = true) {
  WorldSettings settings;
  settings.solver = solver, settings.measure_residual = judged, settings.measure_every = 1;
  return settings;
}

World locked_boxes(bool judged) {
  World world(with("soft_step", judged));
  add_ramp(world, 0, rough(0.5));
  for (int i = 0; i < 4; ++i)
    world.add_body({.pose = {{3.0 * i, 0, 0.5}, turn_about({0, 0, 1}, 0.25)},
                    .velocity = {{1, 0.3, 0}, {0.2, 0.1, 0.7}},
                    .locked_axes = kLockY},
                   {{.shape = make_box({0.5, 0.4, 0.5})}});
  return world;
}

/// Rows of locked axes had impulses of an earlier step, as many as it had: bits differed, and memory was overwritten.
TEST(OneWay, LockedAxesStartFromNothingJudgedOrNot) {
  World plain = locked_boxes(false), judged = locked_boxes(true), restored;
  for (int i = 0; i < 30; ++i) {
    plain.step(1.0 / 60), judged.step(1.0 / 60);
    ASSERT_EQ(plain.state_hash(), judged.state_hash()) << i;
  }
  ASSERT_FALSE(restored.restore(plain.save()));
  for (int i = 0; i < 30; ++i) {
    plain.step(1.0 / 60), restored.step(1.0 / 60);
    ASSERT_EQ(plain.state_hash(), restored.state_hash()) << i;
  }
  plain.set_settings(plain.settings());  // a new solver, without memory of its own
  plain.remove_body(plain.bodies().back());
  plain.step(1.0 / 60);
  EXPECT_EQ(plain.problem().joint_rows.size(), 3u);
  EXPECT_EQ(plain.solution().joint_impulse.size(), 3u);
}

std::vector<BodyId> add_chain(World& world, int links, double break_force = kUnlimited) {
  std::vector<BodyId> bodies;
  BodyId last{};
  for (int i = 0; i < links; ++i) {
    bodies.push_back(world.add_body({.pose = {{0.5 + i, 0, 3}, {}}}, {{.shape = make_box({0.4, 0.1, 0.1})}}));
    JointDef def = world.joint_at(last, bodies.back(), frame_along({double(i), 0, 3}, {0, 1, 0}), HingeJoint{});
    def.break_force = i == 2 ? break_force : kUnlimited;
    world.add_joint(def);
    last = bodies.back();
  }
  return bodies;
}

/// The projection of joints kept the factor of a step before, whatever had changed since.
TEST(OneWay, JointsArePreparedAnewWhenTheWorldChanges) {
  for (const char* solver : {"soft_step", "ldl_pgs", "gauss_seidel"})
    for (int edit = 0; edit < 5; ++edit) {
      SCOPED_TRACE(std::string(solver) + ", edit " + std::to_string(edit));
      WorldSettings settings = with(solver);
      settings.joint_projection.use = JointProjection::on;
      World world(settings), twin;
      add_chain(world, 5, edit == 4 ? 100.0 : kUnlimited);  // breaks at once
      for (int i = 0; i < 20; ++i) world.step(1.0 / 60);
      ASSERT_FALSE(twin.restore(world.save()));
      for (World* each : {&world, &twin}) {
        const BodyId last = each->bodies().back();
        if (edit == 0) each->remove_body(last);
        if (edit == 1) each->set_kind(last, BodyKind::fixed);
        if (edit == 2) each->set_mass(last, {1e4, {}, SymMat3::diagonal(1e3, 1e3, 1e3)});
        if (edit == 3) each->remove_joint(each->joints()[2]);
      }
      for (int i = 0; i < 20; ++i) {
        world.step(1.0 / 60), twin.step(1.0 / 60);
        ASSERT_EQ(world.state_hash(), twin.state_hash()) << i;
      }
    }
}

/// Impulses of an impact in a very short step were multiplied by the ratio of the steps.
TEST(OneWay, AStepAfterAMuchShorterOneStartsFromWhatItCanUse) {
  for (const SolverInfo& info : solver_table()) {
    World world(with(info.name.c_str()));
    add_ramp(world, 0, rough(0.5));
    for (int k = 0; k < 4; ++k)
      world.add_body({.pose = {{0, 0, 0.5 + k}, {}}, .velocity = {{0, 0, -5}, {}}},
                     {{.shape = make_box({0.5, 0.5, 0.5})}});
    world.step(1e-7);
    double fastest = 0;
    for (int i = 0; i < 20; ++i) {
      world.step(1.0 / 60);
      for (const BodyId body : world.bodies()) fastest = std::max(fastest, norm(world.view(body).velocity.linear));
    }
    EXPECT_LT(fastest, 6) << info.name;
  }
}

/// What joints are projected to is looked at too before bodies move.
TEST(OneWay, NothingHugeEscapesQuarantine) {
  World world(with("soft_step"));
  const std::vector<BodyId> chain = add_chain(world, 3);
  world.step(1.0 / 60);
  world.set_pose(chain[2], {{9e7, 0, 3}, {}});
  world.set_velocity(chain[2], {{1e6, 0, 0}, {0, 1e6, 0}});
  for (int i = 0; i < 30; ++i) world.step(1.0 / 60);
  for (const BodyId body : world.bodies()) {
    EXPECT_LT(norm(world.view(body).centre), 1e12);
    EXPECT_LT(norm(world.view(body).velocity.linear), 1e9);
  }
}

World pile(bool keeps) {
  World world(with("soft_step", false));
  world.keep_problem(keeps);
  add_ramp(world, 0, {.friction = 0.4, .friction_across = 0.2, .restitution = 0.2});
  for (int i = 0; i < 12; ++i)
    world.add_body({.pose = {{0.3 * (i % 3), 0.2 * (i % 2), 0.5 + 0.8 * i}, turn_about({1, 1, 0}, 0.2 * i)}},
                   {{.shape = make_box({0.4, 0.3, 0.3}), .material = {.friction = 0.5, .static_friction = 0.7}}});
  return world;
}

/// "A time step is a value", whichever way it took: made on request, it is what it would have been made at once.
TEST(OneWay, TheProblemOfAStepInLanesIsMadeOnRequest) {
  World lazy = pile(false), eager = pile(true);
  for (int i = 0; i < 60; ++i) {
    lazy.step(1.0 / 60), eager.step(1.0 / 60);
    ASSERT_EQ(lazy.state_hash(), eager.state_hash()) << "keeping the problem changes nothing";
    ASSERT_TRUE(lazy.problem() == eager.problem()) << i;
    ASSERT_EQ(lazy.solution().contact_impulse, eager.solution().contact_impulse) << i;
    ASSERT_EQ(static_cast<std::int64_t>(lazy.problem().contacts.size()), lazy.last_report().contacts);
  }
  // Linear velocities follow from the impulses, to what a float knows.
  EXPECT_GT(lazy.problem().contacts.size(), 20u);
  const std::vector<Velocity> u = velocities_from_impulses(lazy.problem(), lazy.solution());
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_LT(norm(u[i].linear - lazy.solution().velocity[i].linear), 1e-5);
}

TEST(OneWay, AProblemThatWasNotKeptIsRefusedAfterAnEdit) {
  World lazy = pile(false), eager = pile(true);
  for (World* world : {&lazy, &eager}) {
    for (int i = 0; i < 30; ++i) world->step(1.0 / 60);
    world->remove_body(world->bodies().back());
  }
  EXPECT_NE(refusal([&] { lazy.problem(); }).find("edited"), std::string::npos);
  EXPECT_FALSE(eager.problem().contacts.empty());
  lazy.step(1.0 / 60);
  EXPECT_FALSE(lazy.problem().contacts.empty());
}

/// Friction among the points of a manifold is shared by what they carry: each obeys Coulomb's law.
TEST(OneWay, ImpulsesOfLanesKeepToTheFrictionCone) {
  World world = pile(true);
  for (int i = 0; i < 200; ++i) world.step(1.0 / 60);
  double largest = 0;
  for (std::size_t k = 0; k < world.problem().contacts.size(); ++k)
    largest = std::max(largest, world.solution().contact_impulse[k][0]);
  EXPECT_GT(largest, 0);
  EXPECT_LT(residual(world.problem(), world.solution()).c6_cone_excess, 0.01);
}

/// A ball whose centre of mass is moved away from its middle is no longer round; a world that was restored after that
/// edit knows nothing of what it was before.
TEST(OneWay, BallsThatLoseTheirMiddleAreLookedAtAgain) {
  World world(with("soft_step"));
  world.add_body({.kind = BodyKind::fixed, .pose = {{0, 0, -0.5}}}, {{.shape = make_sphere(0.5)}});
  BodyId top;
  for (int i = 0; i < 3; ++i) top = world.add_body({.pose = {{0, 0, 0.5 + i}}}, {{.shape = make_sphere(0.5)}});
  for (int i = 0; i < 10; ++i) world.step(1.0 / 60);
  world.set_mass(top, {2.0, {0.2, 0, 0}, SymMat3::diagonal(0.3, 0.3, 0.3)});
  World other;
  ASSERT_FALSE(other.restore(world.save()).has_value());
  for (int i = 0; i < 20; ++i) {
    world.step(1.0 / 60), other.step(1.0 / 60);
    ASSERT_EQ(world.state_hash(), other.state_hash()) << "step " << i;
  }
}

/// The report says which step its residual is about.
TEST(OneWay, JudgingNowAndThenIsTold) {
  WorldSettings settings = with("soft_step");
  settings.measure_every = 0;
  World world(settings);
  add_ramp(world, 0, rough(0.5));
  world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  for (int i = 1; i <= 20; ++i) {
    const StepReport& report = world.step(1.0 / 60);
    EXPECT_EQ(report.measured_step, (i - 1) / 16 * 16 + 1);
    EXPECT_GE(report.solve.residual, 0);
  }
  settings.measure_residual = false;
  world.set_settings(settings);
  EXPECT_EQ(world.step(1.0 / 60).solve.residual, -1);
}

/// A pair that meets and parts within the sub-steps of one step has touched.
TEST(OneWay, ATouchWithinAStepIsTold) {
  WorldSettings settings = with("soft_step");
  settings.gravity = {};
  World world(settings);
  const Material elastic{.friction = 0, .restitution = 1};
  world.add_body({.pose = {{0.25, 0, 0}, {}}}, {{.shape = make_sphere(0.1), .material = elastic}});
  world.add_body({.pose = {{0, 0, 0}, {}}, .velocity = {{6, 0, 0}, {}}},
                 {{.shape = make_sphere(0.1), .material = elastic}});
  bool met = false;
  for (int i = 0; i < 5; ++i) {
    world.step(1.0 / 60);
    met = met || !world.events().empty();
  }
  EXPECT_TRUE(met);
}

/// Resistance to rolling does not tie balls into one mechanism, and works on the default way.
TEST(OneWay, RollingResistanceStopsABall) {
  for (const char* solver : {"gauss_seidel", "ldl_pgs", "soft_step"}) {
    World world(with(solver));
    const Material material{.friction = 0.8, .rolling_radius = 0.02};
    add_ramp(world, 0, material);
    const BodyId ball = world.add_body({.pose = {{0, 0, 0.3}, {}}, .velocity = {{1, 0, 0}, {0, 1 / 0.3, 0}}},
                                       {{.shape = make_sphere(0.3), .material = material}});
    run(world, 240, 1.0 / 60);
    // v' = -(5/7) g rolling_radius / r: at rest after 2.1 s.
    EXPECT_LT(norm(world.view(ball).velocity.linear), 0.01) << solver;
    EXPECT_NEAR(world.view(ball).pose.position.x, 7 * 0.3 / (10 * kGravity * 0.02), 0.06) << solver;
    EXPECT_EQ(world.last_report().solve.joints.mechanisms, 0) << solver;
  }
}

}  // namespace
}  // namespace cairn
