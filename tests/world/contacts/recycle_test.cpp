// SPDX-License-Identifier: MIT
// Manifolds that go along with two bodies which hardly move against each other.
#include <gtest/gtest.h>

#include "cairn/geometry/hull_builder.h"
#include "cairn/world/world.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr double kDt = 1.0 / 60;

/// A hull of 0.4 m that rides on a plate which moves as told.
struct Ride {
  World world;
  BodyId plate, rider;

  explicit Ride(const Velocity& velocity) {
    Material rough;
    rough.friction = 1;
    plate = world.add_body({.kind = BodyKind::kinematic},
                           {{.shape = make_hull(box_corners({2, 2, 0.1})), .material = rough}});
    rider = world.add_body({.pose = {{0, 0, 0.3}}},
                           {{.shape = make_hull(box_corners({0.2, 0.2, 0.2})), .material = rough}});
    world.set_velocity(plate, velocity);
    world.set_velocity(rider, velocity);
  }

  /// Steps in which every manifold was kept.
  int run(int steps) {
    int kept = 0;
    for (int k = 0; k < steps; ++k) {
      const StepReport report = world.step(kDt);
      if (report.manifolds > 0 && report.recycled == report.manifolds) ++kept;
    }
    return kept;
  }

  /// The largest angle between a normal and the upper face of the plate, rad.
  double worst_normal() const {
    const Vec3 up = rotate(world.view(plate).pose.orientation, {0, 0, 1});
    double worst = 0;
    for (const ContactView& c : world.contacts()) worst = std::max(worst, norm(cross(c.normal, up)));
    return worst;
  }
};

TEST(MovedTogether, AHullThatIsCarriedKeepsItsManifold) {
  Ride ride({{1, 0.5, 0}, {}});
  ride.run(20);
  EXPECT_GT(ride.run(100), 90);
  const Vec3 p = ride.world.view(ride.rider).pose.position;
  EXPECT_NEAR(p.x, 2, 0.01);
  EXPECT_NEAR(p.y, 1, 0.01);
  EXPECT_NEAR(p.z, 0.3, 3e-3);
}

TEST(MovedTogether, NormalsTurnWithTheBodies) {
  // The plate tilts by 0.3 rad in two seconds, and what it carries with it: friction 1 holds.
  Ride ride({{}, {0.15, 0, 0}});
  ride.run(20);
  EXPECT_GT(ride.run(100), 50);
  EXPECT_LE(ride.worst_normal(), 6e-3);
  const Quat plate = ride.world.view(ride.plate).pose.orientation, rider = ride.world.view(ride.rider).pose.orientation;
  EXPECT_NEAR(plate.x, std::sin(0.15), 1e-3);
  EXPECT_NEAR(rider.x, plate.x, 5e-3);
}

TEST(MovedTogether, ATeleportedPairIsAskedAnew) {
  // Both bodies are moved alike: nothing changes between them, and still what was edited is looked at again.
  Ride ride({});
  ride.run(60);
  ASSERT_EQ(ride.run(10), 10);
  for (const BodyId body : {ride.plate, ride.rider}) {
    Pose pose = ride.world.view(body).pose;
    pose.position.x += 5;
    ride.world.set_pose(body, pose);
  }
  EXPECT_EQ(ride.run(1), 0);
  EXPECT_EQ(ride.run(10), 10);
}

TEST(MovedTogether, ARestoredRideGoesOnBitForBit) {
  for (const Velocity& velocity : {Velocity{{1, 0, 0}, {}}, Velocity{{}, {0.15, 0, 0.3}}}) {
    Ride ride(velocity);
    ride.run(37);
    World copy;
    copy.restore(ride.world.save());
    for (int k = 0; k < 60; ++k) {
      ride.world.step(kDt), copy.step(kDt);
      ASSERT_EQ(ride.world.state_hash(), copy.state_hash()) << k;
    }
  }
}

}  // namespace
}  // namespace cairn
