// SPDX-License-Identifier: MIT
// What a world takes and what a step leaves can be saved and restored, however extreme it is. Numbers are drawn up to
// the ends of what the doors let in; each world that they let in is stepped, saved and restored.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cairn/core/random.h"
#include "cairn/world/limits.h"
#include "cairn/world/world.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

/// Another world takes it, and would save the same.
void expect_restorable(const World& world) {
  const std::string snapshot = world.save();
  World other;
  const std::optional<Error> error = other.restore(snapshot);
  ASSERT_FALSE(error) << error->message;
  EXPECT_TRUE(other.save() == snapshot);
}

World ball_over_ground(const WorldSettings& settings = {}) {
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 0.5}}}, {{.shape = make_sphere(0.5)}});
  return world;
}

TEST(Restorable, TheShortestSubSteps) {
  WorldSettings settings;
  for (const int parts : {2, 3, kMostSubSteps}) {
    settings.sub_steps = parts;
    World world = ball_over_ground(settings);
    world.step(kShortestStep);
    expect_restorable(world);
  }
}

TEST(Restorable, InertiaFromEndToEndAndNoneBeyond) {
  const auto body = [](double moment) {
    BodyDef def;
    def.mass = MassProperties{1, {}, SymMat3::diagonal(moment, moment, moment)};
    return def;
  };
  for (const double moment : {kSmallestInertia, 1e-20, 1.0, kLargestInertia}) {
    World world = ball_over_ground();
    world.add_body(body(moment), {{.shape = make_sphere(0.1), .pose = {{0, 0, 3}}}});
    world.step(0.01);
    expect_restorable(world);
  }
  for (const double moment : {1e-28, 1e-300, 1e34, 1e200}) {
    World world;
    EXPECT_NE(refusal([&] { world.add_body(body(moment)); }).find("kg m^2"), std::string::npos) << moment;
    const BodyId ball = world.add_body({}, {{.shape = make_sphere(0.5)}});
    EXPECT_NE(refusal([&] { world.set_mass(ball, *body(moment).mass); }).find("kg m^2"), std::string::npos) << moment;
    EXPECT_EQ(world.body_count(), 1u);
  }
}

TEST(Restorable, JointsOfHugeBodiesOnLongArms) {
  for (const char* solver : {"gauss_seidel", "jacobi", "ldl_pgs", "soft_step"}) {
    SCOPED_TRACE(solver);
    WorldSettings settings;
    settings.solver = solver;
    settings.sub_steps = kMostSubSteps / 100;
    World world(settings);
    BodyDef heavy;
    heavy.mass = MassProperties{kLargestMass, {}, SymMat3::diagonal(1e31, 1e31, 1e31)};
    heavy.velocity = {{kLargestSpeed, 0, 0}, {0, 0, 1}};
    const BodyId a = world.add_body(heavy);
    heavy.velocity = {{-kLargestSpeed, kLargestSpeed, 0}, {0, 1, 0}};
    heavy.pose.position = {1e7, 0, 0};
    const BodyId b = world.add_body(heavy);
    const JointId joint = world.add_joint(world.joint_at(a, b, {{5e7, 1e7, 0}}, FixedJoint{}));
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
      world.step(kShortestStep);
      expect_restorable(world);
      largest = std::max(largest, norm(world.view(joint).torque));
    }
    EXPECT_GT(largest, 1e30);
  }
}

TEST(Restorable, ImpulsesThatAreNoAnswerAreNotKept) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double fine : {0.0, -3.5, kLargestImpulse, -kLargestImpulse}) EXPECT_EQ(kept_impulse(fine), fine);
  for (const double bad : {1e37, -1e300, kInfinity, -kInfinity, std::nan("")}) EXPECT_EQ(kept_impulse(bad), 0);
}

TEST(Restorable, KinematicBodiesThatGoForEver) {
  World world;
  const BodyId body = world.add_body({.kind = BodyKind::kinematic, .velocity = {{kLargestSpeed, 0, 0}, {}}},
                                     {{.shape = make_sphere(0.5)}, {.shape = make_box({1, 1, 1})}});
  for (int k = 0; k < 1000; ++k) world.step(kLongestStep);
  EXPECT_NEAR(world.view(body).pose.position.x, 1e9, 1);
  expect_restorable(world);
}

// Random worlds.

/// Between the ends in order of magnitude, and now and then an end itself.
double magnitude(Random& random, double least, double most) {
  const double where = random.uniform(-0.2, 1.2);
  if (where <= 0) return least;
  return where >= 1 ? most : std::min(most, std::max(least, least * std::pow(most / least, where)));
}

Vec3 extreme_vector(Random& random, double most) {
  const auto component = [&] {
    return random.uniform(0, 1) < 0.3 ? 0.0
                                      : (random.uniform(0, 1) < 0.5 ? -1 : 1) * magnitude(random, 1e-9 * most, most);
  };
  return {component(), component(), component()};
}

Pose extreme_pose(Random& random, double most) {
  const Quat q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)};
  return {extreme_vector(random, most), normalised(q)};
}

Shape extreme_shape(Random& random) {
  const auto size = [&] { return magnitude(random, 1e-6, 1e6); };
  switch (static_cast<int>(random.uniform(0, 5))) {
    case 0: return make_sphere(size());
    case 1: return make_capsule(size(), size());
    case 2: return make_cylinder(size(), size());
    case 3:
      return make_compound({{make_sphere(size()), {extreme_vector(random, 1e6)}}, {make_box({1, 1, size()}), {}}});
    default: return make_box({size(), size(), size()});
  }
}

BodyDef extreme_body(Random& random) {
  BodyDef def;
  const double kind = random.uniform(0, 1);
  def.kind = kind < 0.7 ? BodyKind::dynamic : kind < 0.85 ? BodyKind::kinematic : BodyKind::fixed;
  def.pose = extreme_pose(random, random.uniform(0, 1) < 0.5 ? 1 : kLargestPosition);
  if (random.uniform(0, 1) < 0.6)
    def.velocity = {extreme_vector(random, kLargestSpeed), extreme_vector(random, kLargestSpeed)};
  if (random.uniform(0, 1) < 0.5) {
    const double moment = magnitude(random, kSmallestInertia, kLargestInertia);
    def.mass = MassProperties{magnitude(random, kSmallestMass, kLargestMass), extreme_vector(random, kLargestPosition),
                              SymMat3::diagonal(moment, moment, random.uniform(0.1, 2) * moment)};
    def.repair_inertia = random.uniform(0, 1) < 0.5;
  }
  if (random.uniform(0, 1) < 0.2) def.locked_axes = static_cast<std::uint32_t>(random.uniform(0, 64));
  if (random.uniform(0, 1) < 0.2)
    def.linear_damping = magnitude(random, 1e-6, 1e6), def.angular_damping = def.linear_damping;
  def.gravity_scale = random.uniform(0, 1) < 0.8 ? 1 : 1e6;
  def.continuous = random.uniform(0, 1) < 0.2;
  return def;
}

JointDef extreme_joint(Random& random, const World& world) {
  const std::vector<BodyId> bodies = world.bodies();
  const auto any = [&] { return bodies[static_cast<std::size_t>(random.uniform(0, double(bodies.size()) - 1e-9))]; };
  JointAxis axis{.lower = -magnitude(random, 1e-6, kLargestPosition),
                 .upper = magnitude(random, 1e-6, kLargestPosition)};
  axis.motion = random.uniform(0, 1) < 0.5 ? AxisMotion::limited : AxisMotion::free;
  axis.friction = magnitude(random, 1e-9, kLargestForce);
  if (random.uniform(0, 1) < 0.5)
    axis.drive = {DriveKind::position,
                  0,
                  axis.upper,
                  magnitude(random, 1e-9, kLargestForce),
                  magnitude(random, 1e-9, kLargestForce),
                  kUnlimited};
  else
    axis.drive = {
        DriveKind::velocity, magnitude(random, 1e-6, kLargestSpeed), 0, 0, 0, magnitude(random, 1, kLargestForce)};
  const JointKind kinds[] = {BallJoint{},
                             HingeJoint{axis},
                             PrismaticJoint{axis},
                             FixedJoint{},
                             RopeJoint{axis.upper, 0, 0},
                             SpringJoint{axis.upper, 1e15, 1e15},
                             UniversalJoint{axis},
                             SixDofJoint{{axis}, {axis}}};
  JointDef def;
  def.body_a = random.uniform(0, 1) < 0.3 ? BodyId{} : any(), def.body_b = any();
  def.frame_a = extreme_pose(random, random.uniform(0, 1) < 0.5 ? 1 : kLargestPosition);
  def.frame_b = extreme_pose(random, 1);
  def.kind = kinds[static_cast<std::size_t>(random.uniform(0, 7.999))];
  if (random.uniform(0, 1) < 0.2) def.linear.compliance = magnitude(random, 1e-20, kMostCompliance);
  return def;
}

WorldSettings extreme_settings(Random& random) {
  const char* const solvers[] = {"gauss_seidel", "jacobi", "nesterov", "ldl_pgs", "soft_step"};
  WorldSettings settings;
  settings.solver = solvers[static_cast<std::size_t>(random.uniform(0, 4.999))];
  settings.iterations = static_cast<int>(random.uniform(0, 30));
  settings.sub_steps = random.uniform(0, 1) < 0.7 ? 1 : static_cast<int>(magnitude(random, 2, 20));
  settings.gravity = extreme_vector(random, random.uniform(0, 1) < 0.7 ? 10 : 1e6);
  settings.stabilisation.max_push = magnitude(random, 1, kLargestSpeed);
  settings.stabilisation.contact_rate = random.uniform(0, 1);
  settings.measure_residual = random.uniform(0, 1) < 0.5;
  settings.sleep.enabled = random.uniform(0, 1) < 0.3;
  settings.sleep.linear_speed = settings.sleep.angular_speed = magnitude(random, 1e-3, kLargestSpeed);
  settings.margin = magnitude(random, 1e-6, 10);
  return settings;
}

/// What is refused leaves nothing behind: that is what is looked at.
template <class Try>
void attempt(Try&& attempt_it) {
  try {
    attempt_it();
  } catch (const InputError&) {
  }
}

void push(Random& random, World& world) {
  for (const BodyId body : world.bodies()) {
    if (random.uniform(0, 1) > 0.3) continue;
    const Vec3 force = extreme_vector(random, kLargestForce), point = extreme_vector(random, kLargestPosition);
    attempt([&] { world.add_force_at(body, force, point); });
    attempt([&] { world.add_impulse(body, force); });
  }
}

World extreme_world(Random& random) {
  World world(extreme_settings(random));
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int k = 0; k < 8; ++k) {
    const BodyDef body = extreme_body(random);
    std::vector<ShapeDef> shapes(static_cast<std::size_t>(random.uniform(0, 2.999)));
    for (ShapeDef& shape : shapes) {
      shape.shape = extreme_shape(random), shape.density = magnitude(random, 1e-3, 1e6);
      if (random.uniform(0, 1) < 0.3) shape.pose = extreme_pose(random, kLargestPosition);
    }
    attempt([&] { world.add_body(body, shapes); });
  }
  for (int k = 0; k < 4; ++k) {
    const JointDef joint = extreme_joint(random, world);
    attempt([&] { world.add_joint(joint); });
  }
  return world;
}

TEST(Restorable, RandomWorldsOfExtremes) {
  constexpr std::uint64_t kWorlds = 400, kDiverges = 3619;  // in the last, ldl_pgs ends with impulses of 1e153 N s
  int stepped = 0;
  for (std::uint64_t k = 0; k <= kWorlds; ++k) {
    const std::uint64_t seed = k < kWorlds ? k + 1 : kDiverges;
    SCOPED_TRACE(seed);
    Random random(seed);
    World world = extreme_world(random);
    expect_restorable(world);
    for (int step = 0; step < 4; ++step) {
      push(random, world);
      expect_restorable(world);
      attempt([&] { world.step(magnitude(random, kShortestStep, kLongestStep)), ++stepped; });
      expect_restorable(world);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(stepped, 800);
}

}  // namespace
}  // namespace cairn
