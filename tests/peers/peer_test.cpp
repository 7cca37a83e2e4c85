// SPDX-License-Identifier: MIT
// Other engines beside ours: what an adapter tells its engine is what the world says. One that was not found when the
// program was configured is not tested.
#include "benchmarks/peers/peer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/geometry/mesh.h"

namespace cairn::peers {
namespace {

constexpr double kDt = 1.0 / 60;

std::vector<PeerInfo> found_peers() {
  std::vector<PeerInfo> found;
  for (const PeerInfo& info : peer_table())
    if (info.found()) found.push_back(info);
  return found;
}

std::vector<PeerState> states(const Peer& peer, const World& world) {
  std::vector<PeerState> result(world.body_count());
  peer.read(result);
  return result;
}

/// An L of two boxes: neither its centre of mass nor its principal axes are those of its frame.
std::vector<ShapeDef> bracket() {
  return {{.shape = make_box({0.5, 0.1, 0.2})}, {.shape = make_box({0.1, 0.4, 0.2}), .pose = {{0.4, 0.5, 0}, {}}}};
}

TEST(Peers, PrincipalAxesOfABracketKeepItsInertia) {
  World world;
  const BodyId id = world.add_body({.pose = {{1, 2, 3}, normalised(Quat{1, 0.2, -0.3, 0.4})}}, bracket());
  const PeerBody body = describe(world).bodies[0];
  const BodyView view = world.view(id);
  EXPECT_NEAR(norm(body.pose.position - view.centre), 0, 1e-12);
  // R diag(moments) R^T with the axes of the description is the inertia of the world.
  const SymMat3 inertia =
      rotate(to_matrix(body.frame.orientation), SymMat3::diagonal(body.inertia.x, body.inertia.y, body.inertia.z));
  const double scale = view.inertia.xx + view.inertia.yy + view.inertia.zz;
  EXPECT_NEAR(inertia.xx, view.inertia.xx, 1e-12 * scale);
  EXPECT_NEAR(inertia.yy, view.inertia.yy, 1e-12 * scale);
  EXPECT_NEAR(inertia.xy, view.inertia.xy, 1e-12 * scale);
  EXPECT_GT(std::fabs(view.inertia.xy), 1e-3 * scale) << "the bracket must be skew to its axes";
}

TEST(Peers, StateBeforeTheFirstStepIsThatOfTheWorld) {
  World world;
  const BodyId id = world.add_body(
      {.pose = {{1, 2, 3}, normalised(Quat{1, 0.2, -0.3, 0.4})}, .velocity = {{0.5, -1, 2}, {0.1, 0.2, -0.3}}},
      bracket());
  const BodyView view = world.view(id);
  for (const PeerInfo& info : found_peers()) {
    const auto peer = info.make(describe(world));
    const PeerState state = states(*peer, world)[0];
    EXPECT_NEAR(norm(state.pose.position - view.pose.position), 0, 1e-6) << info.name;
    const Quat turn = state.pose.orientation * conjugate(view.pose.orientation);
    EXPECT_NEAR(std::fabs(turn.w), 1, 1e-6) << info.name;
    EXPECT_NEAR(norm(state.velocity.linear - view.velocity.linear), 0, 1e-6) << info.name;
    EXPECT_NEAR(norm(state.velocity.angular - view.velocity.angular), 0, 1e-6) << info.name;
  }
}

/// z = z0 - g h^2 n (n + 1) / 2 of symplectic Euler, which all of them are.
TEST(Peers, AFreeBodyFalls) {
  constexpr int kSteps = 30;
  World world;
  world.add_body({.pose = {{0, 0, 10}, {}}}, {{.shape = make_sphere(0.5)}});
  for (const PeerInfo& info : found_peers()) {
    const auto peer = info.make(describe(world));
    for (int i = 0; i < kSteps; ++i) peer->step(kDt);
    const double fallen = 0.5 * 9.81 * kDt * kDt * kSteps * (kSteps + 1);
    EXPECT_NEAR(states(*peer, world)[0].pose.position.z, 10 - fallen, 1e-4) << info.name;
    EXPECT_EQ(peer->contacts(), 0) << info.name;
  }
}

/// A box on a surface of every kind that adapters know comes to rest where it was put, within a few millimetres of
/// softness or margin; one that rubs at 0.5 stays on a slope of 20 degrees, and one that does not slides down.
TEST(Peers, ABoxRestsOnWhatCarriesIt) {
  const std::vector<Vec3> corners{{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
  const std::vector<std::array<std::int32_t, 3>> triangles{{0, 1, 2}, {0, 2, 3}};
  const ShapeDef grounds[] = {{.shape = make_half_space({0, 0, 1}, 0)},
                              {.shape = make_box({5, 5, 1}), .pose = {{0, 0, -1}, {}}},
                              {.shape = make_mesh(corners, triangles)}};
  for (const PeerInfo& info : found_peers())
    for (const ShapeDef& ground : grounds) {
      World world;
      world.add_body({.kind = BodyKind::fixed}, {ground});
      world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
      std::unique_ptr<Peer> peer;
      try {
        peer = info.make(describe(world));
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).rfind("cannot: ", 0), 0u) << error.what();
        continue;
      }
      for (int i = 0; i < 120; ++i) peer->step(kDt);
      const PeerState box = states(*peer, world)[1];
      EXPECT_NEAR(box.pose.position.z, 0.5, 0.02) << info.name << " on " << shape_name(ground.shape);
      EXPECT_NEAR(norm(box.velocity.linear), 0, 0.02) << info.name << " on " << shape_name(ground.shape);
      EXPECT_GE(peer->contacts(), 1) << info.name << " on " << shape_name(ground.shape);
    }
}

TEST(Peers, FrictionIsTheMeanOfTheTwoSurfaces) {
  const double angle = 20 * kPi / 180;  // tan = 0.364
  for (const PeerInfo& info : found_peers())
    for (const double friction : {0.5, 0.1}) {
      World world;
      Material material;
      material.friction = friction;
      const Quat tilt{std::cos(0.5 * angle), 0, std::sin(0.5 * angle), 0};
      world.add_body({.kind = BodyKind::fixed, .pose = {{0, 0, 0}, tilt}},
                     {{.shape = make_box({20, 20, 1}), .material = material}});
      world.add_body({.pose = {rotate(tilt, {0, 0, 1.25}), tilt}},
                     {{.shape = make_box({0.5, 0.5, 0.25}), .material = material}});
      const Vec3 start = world.view(world.bodies()[1]).pose.position;
      const auto peer = info.make(describe(world));
      for (int i = 0; i < 60; ++i) peer->step(kDt);
      const double way = norm(states(*peer, world)[1].pose.position - start);
      // g (sin - mu cos) t^2 / 2 = 1.21 m where it slides
      if (friction > std::tan(angle))
        EXPECT_LT(way, 0.05) << info.name;
      else
        EXPECT_NEAR(way, 0.5 * 9.81 * (std::sin(angle) - friction * std::cos(angle)), 0.25) << info.name;
    }
}

/// A rod on a hinge at its end, let go from the horizontal: it turns in the plane across the axis and its end stays.
TEST(Peers, AHingeHoldsItsAxis) {
  for (const PeerInfo& info : found_peers()) {
    World world;
    const BodyId rod = world.add_body({.pose = {{0.5, 0, 0}, {}}}, {{.shape = make_box({0.5, 0.05, 0.05})}});
    world.add_joint(world.joint_at({}, rod, frame_along({0, 0, 0}, {0, 1, 0}), HingeJoint{}));
    const auto peer = info.make(describe(world));
    for (int i = 0; i < 20; ++i) peer->step(kDt);
    const PeerState state = states(*peer, world)[0];
    EXPECT_NEAR(norm(transform(state.pose, {-0.5, 0, 0})), 0, 0.02) << info.name;
    EXPECT_NEAR(rotate(state.pose.orientation, {0, 1, 0}).y, 1, 1e-3) << info.name;
    EXPECT_LT(state.pose.position.z, -0.2) << info.name;
  }
}

TEST(Peers, ABallJointHoldsItsPoint) {
  for (const PeerInfo& info : found_peers()) {
    World world;
    const BodyId rod = world.add_body({.pose = {{0.5, 0, 0}, {}}}, {{.shape = make_box({0.5, 0.05, 0.05})}});
    const BodyId next = world.add_body({.pose = {{1.5, 0, 0}, {}}}, {{.shape = make_box({0.5, 0.05, 0.05})}});
    world.add_joint(world.joint_at({}, rod, {}, BallJoint{}));
    world.add_joint(world.joint_at(rod, next, {{1, 0, 0}, {}}, BallJoint{}));
    const auto peer = info.make(describe(world));
    for (int i = 0; i < 20; ++i) peer->step(kDt);
    const std::vector<PeerState> state = states(*peer, world);
    EXPECT_NEAR(norm(transform(state[0].pose, {-0.5, 0, 0})), 0, 0.02) << info.name;
    EXPECT_NEAR(norm(transform(state[0].pose, {0.5, 0, 0}) - transform(state[1].pose, {-0.5, 0, 0})), 0, 0.03)
        << info.name;
    EXPECT_LT(state[1].pose.position.z, -0.3) << info.name;
  }
}

TEST(Peers, WhatNoAdapterTakesIsNamed) {
  World world;
  const BodyId rod = world.add_body({}, {{.shape = make_sphere(0.5)}});
  world.add_joint(world.joint_at({}, rod, {}, PrismaticJoint{}));
  try {
    describe(world);
    FAIL() << "a prismatic joint was taken";
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find("prismatic"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cairn::peers
