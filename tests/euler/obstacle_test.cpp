// SPDX-License-Identifier: MIT
#include "cairn/euler/obstacle.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/geometry/samples.h"

namespace cairn {
namespace {

TEST(Obstacle, WallsKeepTheirDistancesNumbersAndVelocities) {
  std::vector<WallDef> walls(2);
  walls[0].shape = HalfSpace{{0, 0, 1}, 0};
  walls[0].pose.position = {0, 0, 2};  // everything below z = 2
  walls[1].shape = HalfSpace{{1, 0, 0}, 0.5};
  walls[1].velocity = {1, 2, 3}, walls[1].friction = 0.25;
  const std::vector<Obstacle> obstacles = wall_obstacles(walls);
  ASSERT_EQ(obstacles.size(), 2u);
  EXPECT_EQ(obstacles[0].number, 0);
  EXPECT_EQ(obstacles[1].number, 1);
  EXPECT_DOUBLE_EQ(obstacles[0].distance({7, 8, 3}), 1);
  EXPECT_DOUBLE_EQ(obstacles[1].distance({2, 0, 0}), 1.5);
  EXPECT_EQ(obstacles[1].velocity.linear, (Vec3{1, 2, 3}));
  EXPECT_EQ(obstacles[1].friction, 0.25);
  EXPECT_EQ(obstacles[1].body, -1) << "nothing moves a wall";
}

TEST(Obstacle, DistancesTurnWithTheWall) {
  Random random(151);
  for (int k = 0; k < 50; ++k) {
    WallDef wall;
    wall.shape = HalfSpace{{0, 0, 1}, 0.3};
    wall.pose = random_pose(random);
    const Vec3 foot = transform(wall.pose, {random.uniform(-1, 1), random.uniform(-1, 1), 0.3});
    const double height = random.uniform(-1, 1);
    EXPECT_NEAR(signed_distance(wall, foot + height * rotate(wall.pose.orientation, {0, 0, 1})), height, 1e-14) << k;
  }
}

TEST(Obstacle, BadWallsAreRefused) {
  WallDef wall;
  EXPECT_EQ(refusal([&] { check_wall(wall); }), "");
  wall.friction = -1;
  EXPECT_TRUE(has_words(refusal([&] { check_wall(wall); }), "friction"));
  wall = {};
  wall.pose.orientation = {2, 0, 0, 0};
  EXPECT_TRUE(has_words(refusal([&] { check_wall(wall); }), "unit quaternion"));
}

}  // namespace
}  // namespace cairn
