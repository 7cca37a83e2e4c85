// SPDX-License-Identifier: MIT
// Rigid bodies beside elastic solids: forces both ways, joints, snapshots, refusals.
#include "cairn/euler/rigid_coupling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/euler/elastic_world.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

ElasticSettings settings_of(int threads, const Vec3& gravity) {
  ElasticSettings settings;
  settings.grid = {{-0.6, -0.6, -0.4}, 0.05, {24, 24, 24}};
  settings.gravity = gravity;
  settings.cfl = 0.8;
  settings.threads = threads;
  return settings;
}

/// A block of 0.3 m at the origin.
ElasticBodyDef block(double friction, double poisson = 0.3) {
  ElasticBodyDef def;
  def.shape = make_box({0.15, 0.15, 0.15});
  def.material = {.young = 1e5, .poisson = poisson, .viscosity = 60, .friction = friction};
  return def;
}

ShapeDef plate(double friction, double mass) {
  return {.shape = make_box({0.25, 0.25, 0.05}),
          .material = {.friction = friction},
          .density = mass / (8 * 0.25 * 0.25 * 0.05)};
}

/// A fixed plate below the block, a heavy one on it that may slide along z.
void add_plates(ElasticWorld& world, double friction, double mass) {
  World& rigid = world.rigid();
  rigid.add_body({.kind = BodyKind::fixed, .pose = {{0, 0, -0.2}}}, {plate(friction, 1)});
  const BodyId upper = rigid.add_body({.pose = {{0, 0, 0.2}}}, {plate(friction, mass)});
  rigid.add_joint(rigid.joint_at({}, upper, frame_along({0, 0, 0.2}, {0, 0, 1}), PrismaticJoint{}));
}

/// The momentum that the solid gets from the rows is the one that the body loses, and the row's velocity is zero then.
TEST(RigidCoupling, ProjectionKeepsMomentum) {
  std::vector<GridSolid> solids;
  ElasticBodyDef def = block(0.5);
  def.velocity.linear = {0.3, 0.1, 0};
  solids.push_back(place_solid(settings_of(1, {}).grid, def, {}, nullptr));
  predict_velocity(solids[0], 1e-3, {}, nullptr);
  RigidSide side{WorldSettings{}};
  side.world.add_body({.pose = {{0.02, 0.01, 0.2}}, .velocity = {{0, 0, -1}, {0.2, 0, 0.1}}}, {plate(0.5, 7)});
  ContactProblem rigid;
  rigid.dt = 1e-3;
  const BodyView body = side.world.view(side.world.bodies()[0]);
  rigid.bodies.push_back({1 / body.mass, inverse(body.inertia), body.velocity, {}});
  std::vector<Obstacle> obstacles;
  side.append_obstacles(obstacles);
  RigidCoupling coupling(rigid);
  const ContactRows rows = find_contact_rows(solids, obstacles, nullptr);
  ASSERT_GT(rows.rows.size(), 20U);
  const DelassusProblem problem = coupling.extend(assemble_rows(rows, solids, rigid.dt, 0.1, nullptr), rows, nullptr);
  std::vector<double> impulse(problem.q.size());
  for (std::size_t i = 0; i < impulse.size(); ++i)
    impulse[i] = i % 3 == 0 ? 0.02 + 1e-3 * static_cast<double>(i) : 3e-3;
  const auto momentum = [&] {
    Vec3 sum;
    for (std::size_t i = 0; i < solids[0].mass.size(); ++i)
      if ((solids[0].flags[i] & kIsDynamic) != 0) sum += solids[0].mass[i] * solids[0].next[i];
    return sum;
  };
  const auto row_velocity = [&](const ContactRow& row, const Velocity& v) {
    Vec3 sum = -1.0 * (v.linear + cross(v.angular, row.arm));
    for (std::size_t e = row.first; e < row.last; ++e)
      sum += rows.entries[e].weight * solids[0].next[to_index(rows.entries[e].node)];
    return sum;
  };
  const Vec3 before = momentum();
  ContactSolution answer;
  coupling.finish(impulse, answer);
  EXPECT_LT(apply_impulses(rows, impulse, solids), 1e-12);
  const Vec3 given = momentum() - before;
  const Vec3 lost = body.mass * (answer.velocity[0].linear - body.velocity.linear);
  EXPECT_GT(norm(given), 0.1);
  EXPECT_LT(norm(given + lost), 1e-12 * norm(given));
  // y = W lambda + q is the velocity that the fields and the body then have.
  std::vector<double> y(impulse.size());
  multiply_add(problem.w, impulse, problem.q, y);
  for (std::size_t c = 0; c < rows.rows.size(); ++c) {
    const ContactRow& row = rows.rows[c];
    const double bias = row.gap > 0 ? row.gap / rigid.dt : 0.1 * row.gap / rigid.dt;
    const Vec3 v = row_velocity(row, answer.velocity[0]);
    EXPECT_NEAR(y[3 * c], dot(row.frame.normal, v) + bias, 1e-10);
    EXPECT_NEAR(y[3 * c + 1], dot(row.frame.tangent1, v), 1e-10);
    EXPECT_NEAR(y[3 * c + 2], dot(row.frame.tangent2, v), 1e-10);
  }
}

/// nu = 0, no friction, a block without weight: the plate swings about a place that is lower by m g L/(E A), with the
/// period 2 pi sqrt(m L/(E A)) = 0.23 s, and the joint keeps it upright. The swing decays by the same factor from each
/// turning point to the next, so that (x1 + 2 x2 + x3)/4 is its middle.
TEST(RigidCoupling, LoadShortensABlockByHookesLaw) {
  constexpr double kMass = 40, kLength = 0.3, kYoung = 1e5;
  ElasticSettings settings = settings_of(2, {});
  settings.grid = {{-0.6, -0.6, -0.6}, 0.0375, {32, 32, 32}};
  ElasticWorld world(settings);
  world.add_body(block(0, 0));
  add_plates(world, 0, kMass);
  WorldSettings heavy = world.rigid().settings();
  heavy.gravity = {0, 0, -9.81};
  world.rigid().set_settings(heavy);
  const BodyId above = world.rigid().bodies()[1];
  double turning[3] = {0, 1, 0};  // m, from where it began: lowest, highest, lowest place
  for (int i = 1; i <= 45; ++i) {
    world.step(0.01);
    ASSERT_LT(world.last_report().contact.momentum_error, 1e-12);
    const double sunk = 0.2 - world.rigid().view(above).pose.position.z;
    if (i <= 18) turning[0] = std::max(turning[0], sunk);
    if (i > 18 && i <= 30) turning[1] = std::min(turning[1], sunk);
    if (i > 30) turning[2] = std::max(turning[2], sunk);
  }
  const BodyView upper = world.rigid().view(above);
  const double wanted = kMass * 9.81 * kLength / (kYoung * kLength * kLength);
  EXPECT_NEAR((turning[0] + 2 * turning[1] + turning[2]) / (4 * wanted), 1, 0.1);
  EXPECT_NEAR(upper.pose.position.x, 0, 1e-9);
  EXPECT_NEAR(upper.pose.orientation.w, 1, 1e-9);
}

/// The same bits on any number of threads, also from a snapshot on the way.
TEST(RigidCoupling, SameBitsOnAnyThreadsAndFromASnapshot) {
  std::string hash, bytes;
  for (const int threads : {1, 2, 3, 8}) {
    ElasticWorld world(settings_of(threads, {0, 0, -9.81}));
    world.add_body(block(0.5));
    add_plates(world, 0.5, 30);
    for (int i = 0; i < 3; ++i) world.step(0.01);
    if (threads == 1) bytes = world.save();
    EXPECT_EQ(world.save(), bytes);
    for (int i = 0; i < 2; ++i) world.step(0.01);
    if (threads == 1) hash = world.state_hash().to_string();
    EXPECT_EQ(world.state_hash().to_string(), hash);
  }
  ElasticWorld other(ElasticSettings{});
  other.restore(bytes);
  EXPECT_EQ(other.save(), bytes);
  for (int i = 0; i < 2; ++i) other.step(0.01);
  EXPECT_EQ(other.state_hash().to_string(), hash);
}

/// Two rigid boxes on each other, one of them on the block: their contact is a part of the same problem.
TEST(RigidCoupling, RigidBodiesTouchEachOtherToo) {
  ElasticWorld world(settings_of(2, {0, 0, -9.81}));
  world.add_body(block(0.5));
  World& rigid = world.rigid();
  rigid.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, -0.15)}});
  const BodyId lower = rigid.add_body({.pose = {{0, 0, 0.2}}}, {plate(0.5, 5)});
  const BodyId upper = rigid.add_body({.pose = {{0, 0, 0.3}}}, {plate(0.5, 5)});
  for (int i = 0; i < 60; ++i) world.step(0.01);
  const double between = rigid.view(upper).pose.position.z - rigid.view(lower).pose.position.z;
  EXPECT_NEAR(between, 0.1, 0.005);
  EXPECT_GT(world.problem().contact_count(), world.last_report().contact.rows);
  EXPECT_GT(rigid.view(lower).pose.position.z, 0.18);
  EXPECT_LT(norm(rigid.view(upper).velocity.linear), 0.05);
}

TEST(RigidCoupling, WhatDoesNotGoTogetherIsRefused) {
  ElasticWorld world(settings_of(1, {}));
  World& rigid = world.rigid();
  const BodyId body = rigid.add_body({.pose = {{0, 0, 0.3}}}, {plate(0.5, 5)});
  world.step(0.01);
  EXPECT_NE(refusal([&] { rigid.step(0.01); }).find("ElasticWorld::step"), std::string::npos);
  EXPECT_NE(refusal([&] { rigid.set_solver(nullptr); }).find("no solver"), std::string::npos);
  EXPECT_NE(refusal([&] { rigid.set_solver(make_solver("soft_step", {})); }).find("lanes"), std::string::npos);
  WorldSettings sleepy = rigid.settings();
  sleepy.sleep.enabled = true;
  rigid.set_settings(sleepy);
  EXPECT_NE(refusal([&] { world.step(0.01); }).find("do not sleep"), std::string::npos);
  sleepy.sleep.enabled = false;
  rigid.set_settings(sleepy);
  HingeJoint hinge;
  hinge.turn.motion = AxisMotion::limited;
  hinge.turn.lower = -0.1;
  hinge.turn.upper = 0.1;
  const JointId joint = rigid.add_joint(rigid.joint_at({}, body, frame_along({0, 0, 0.3}, {0, 0, 1}), hinge));
  EXPECT_NE(refusal([&] { world.step(0.01); }).find("limits"), std::string::npos);
  rigid.remove_joint(joint);
  const double before = rigid.view(body).pose.position.z;
  world.step(0.01);
  EXPECT_EQ(rigid.view(body).pose.position.z, before);
}

}  // namespace
}  // namespace cairn
