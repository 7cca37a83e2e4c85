// SPDX-License-Identifier: MIT
// The tracked vehicle drives, and its tracks stay closed, on their wheels and in their plane.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cairn/math/angle.h"
#include "scenes/scene.h"

namespace cairn {
namespace {

constexpr std::size_t kWheels = 5, kLinks = 40;
constexpr double kLinkWidth = 0.4, kWheelWidth = 0.36;  // m

/// Chassis, wheels and links in the order in which the scene adds them, behind the ground.
struct Vehicle {
  explicit Vehicle(const World& world) : bodies(world.bodies()) {}
  BodyId chassis() const { return bodies[1]; }
  BodyId wheel(std::size_t side, std::size_t k) const { return bodies[2 + side * (kWheels + kLinks) + k]; }
  BodyId link(std::size_t side, std::size_t k) const { return bodies[2 + side * (kWheels + kLinks) + kWheels + k]; }
  std::vector<BodyId> bodies;
};

Vec3 in_chassis(const World& world, const Vehicle& vehicle, BodyId body) {
  return transform_back(world.view(vehicle.chassis()).pose, world.view(body).centre);
}

/// How often the links of a track go around the axle of a wheel, and how far they are from its plane at most.
struct Wrap {
  int turns = 0;
  double aside = 0;  ///< m
};

Wrap wrap_of(const World& world, const Vehicle& vehicle, std::size_t side, std::size_t wheel) {
  const Vec3 axle = in_chassis(world, vehicle, vehicle.wheel(side, wheel));
  Wrap wrap;
  double angle = 0;
  for (std::size_t k = 0; k < kLinks; ++k) {
    const Vec3 a = in_chassis(world, vehicle, vehicle.link(side, k)) - axle;
    const Vec3 b = in_chassis(world, vehicle, vehicle.link(side, (k + 1) % kLinks)) - axle;
    angle += std::atan2(a.x * b.z - a.z * b.x, a.x * b.x + a.z * b.z);
    wrap.aside = std::max(wrap.aside, std::fabs(a.y));
  }
  wrap.turns = static_cast<int>(std::lround(std::fabs(angle) / kTurn));
  return wrap;
}

class TrackedVehicle : public testing::TestWithParam<std::string> {};

TEST_P(TrackedVehicle, DrivesOnTracksThatStayOn) {
  scenes::Scene scene = scenes::make_scene("tracked_vehicle", {}, [](WorldSettings& settings) {
                          settings.solver = GetParam();
                          settings.measure_residual = false;
                        }).value_or_throw();
  World& world = scene.world;
  const Vehicle vehicle(world);
  const Vec3 start = world.view(vehicle.chassis()).centre;
  double apart = 0;
  for (int k = 0; k < 240; ++k) apart = std::max(apart, world.step(scene.dt).max_joint_error);
  EXPECT_LT(apart, 1e-3);
  EXPECT_GT(world.view(vehicle.chassis()).centre.x - start.x, 4);  // up the first hill, at 2 m/s
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t wheel = 0; wheel < kWheels; ++wheel) {
      const Wrap wrap = wrap_of(world, vehicle, side, wheel);
      EXPECT_EQ(wrap.turns, 1) << "side " << side << ", wheel " << wheel;
      EXPECT_LT(wrap.aside, 0.5 * (kLinkWidth + kWheelWidth)) << "side " << side << ", wheel " << wheel;
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, TrackedVehicle, testing::Values("ldl_pgs", "soft_step"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace cairn
