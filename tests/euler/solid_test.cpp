// SPDX-License-Identifier: MIT
// One solid without contact against closed forms, at 24 cells per metre; docs/euler.md has the figures for 48 and 96.
#include "cairn/euler/solid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/euler/elastic_world.h"

namespace cairn {
namespace {

constexpr int kCells = 24;
const Grid kCube{{0, 0, 0}, 1.0 / kCells, {kCells, kCells, kCells}};

ElasticBodyDef box_of(const Vec3& half, const Vec3& place) {
  ElasticBodyDef def;
  def.shape = make_box(half);
  def.pose.position = place;
  return def;
}

TEST(Solid, StartHasTheMassAndTheCentreOfItsShape) {
  for (const SolidShape& shape :
       {SolidShape{Sphere{0.2}}, SolidShape{Box{{0.2, 0.15, 0.2}}}, SolidShape{Cylinder{0.2, 0.19}},
        SolidShape{Capsule{0.15, 0.1}}, SolidShape{Torus{0.17, 0.08}}}) {
    ElasticBodyDef def;
    def.shape = shape;
    def.pose = {{0.63, 0.62, 0.6}, normalised(Quat{1, 0.03, 0.05, -0.04})};
    const Grid grid{{0, 0, 0}, 1.0 / kCells, {30, 30, 30}};
    const GridSolid solid = place_solid(grid, def, {}, nullptr);
    EXPECT_NEAR(solid.measures.mass / (1000 * volume(shape)), 1, 0.01);
    EXPECT_NEAR(norm(solid.measures.centre - def.pose.position), 0, 1e-3);
    EXPECT_NEAR(solid.measures.elastic_energy, 0, 1e-12);
    EXPECT_EQ(solid.measures.inverted_points, 0);
    EXPECT_EQ(solid.measures.lost_mass, 0);
  }
}

/// A stretched box stores the energy of its material: W(F) times its undeformed volume.
TEST(Solid, StretchStoresTheEnergyOfTheMaterial) {
  for (const ElasticModel model :
       {ElasticModel::neo_hookean, ElasticModel::st_venant_kirchhoff, ElasticModel::corotated}) {
    ElasticBodyDef def = box_of({0.2, 0.2, 0.2}, {0.5, 0.5, 0.5});
    def.material.model = model;
    def.stretch = {1.2, 0.95, 0.9};
    const GridSolid solid = place_solid(kCube, def, {}, nullptr);
    const Mat3 f{{1.2, 0, 0}, {0, 0.95, 0}, {0, 0, 0.9}};
    const double density = elastic_stress(model, lame_constants(def.material), f, determinant(f)).energy;
    EXPECT_NEAR(solid.measures.elastic_energy / (density * 0.064), 1, 0.01);
    EXPECT_NEAR(solid.measures.volume / (0.064 * determinant(f)), 1, 0.01);
    EXPECT_NEAR(solid.measures.mass / 64, 1, 0.01);
  }
}

/// Forces inside of a solid add up to nothing, and neither do they turn it.
TEST(Solid, ElasticForcesKeepMomentum) {
  ElasticBodyDef def = box_of({0.13, 0.12, 0.15}, {0.5, 0.5, 0.5});
  def.pose.orientation = normalised(Quat{1, 0.2, 0.1, 0.3});
  def.stretch = {1.3, 0.9, 1.1};
  const GridSolid solid = place_solid(kCube, def, {}, nullptr);
  Vec3 sum;
  double size = 0;
  for (const Vec3& f : solid.force) {
    sum += f;
    size += norm(f);
  }
  EXPECT_GT(size, 100);
  EXPECT_LT(norm(sum), 1e-13 * size);
}

/// An affine field is extrapolated as itself.
TEST(Solid, ExtrapolationIsExactForAffineFields) {
  GridSolid solid = place_solid(kCube, box_of({0.2, 0.2, 0.2}, {0.5, 0.5, 0.5}), {}, nullptr);
  const auto affine = [](const Vec3& x) { return Vec3{1 + 2 * x.x - x.y, 3 * x.z + x.x, 0.5 - x.y}; };
  const auto place = [&](std::size_t i) {
    return solid.grid.position(solid.blocks.node_index(static_cast<std::int32_t>(i)));
  };
  for (std::size_t i = 0; i < solid.flags.size(); ++i) {
    solid.flags[i] = static_cast<std::uint8_t>(solid.flags[i] & ~kHasVelocity);
    if (solid.distance[i] > 0 || (solid.flags[i] & kHasMap) == 0) continue;
    solid.flags[i] |= kHasVelocity;
    solid.velocity[i] = affine(place(i));
  }
  extrapolate(solid, solid.velocity, kHasVelocity, 4, nullptr);
  int outside = 0;
  for (std::size_t i = 0; i < solid.flags.size(); ++i) {
    if ((solid.flags[i] & kHasVelocity) == 0) continue;
    outside += solid.distance[i] > 0 || (solid.flags[i] & kHasMap) == 0 ? 1 : 0;
    ASSERT_NEAR(norm(solid.velocity[i] - affine(place(i))), 0, 1e-11);
  }
  EXPECT_GT(outside, 2000);
}

/// v = g t; z = g t^2 / 2 with the offset g h t / 2 of the symplectic rule; the mass stays.
TEST(Solid, FreeFall) {
  constexpr double kTime = 0.15, kGravity = 9.81;
  for (const Advection advection : {Advection::semi_lagrangian, Advection::upwind}) {
    ElasticSettings settings;
    settings.grid = {{0, 0, 0}, 1.0 / kCells, {kCells, kCells, kCells + 4}};
    settings.cfl = 0.8;
    settings.solid.advection = advection;
    settings.threads = 2;
    ElasticWorld world(settings);
    world.add_body(box_of({0.2, 0.2, 0.2}, {0.5, 0.5, 0.75}));
    const SolidMeasures start = world.measures(0);
    const int steps = world.step(kTime).sub_steps;
    const SolidMeasures& m = world.measures(0);
    const double h = kTime / steps, fallen = 0.5 * kGravity * kTime * (kTime + h);
    EXPECT_NEAR(m.momentum.z / m.mass, -kGravity * kTime, 1e-10);
    EXPECT_NEAR(start.centre.z - m.centre.z, fallen, 0.003 * fallen);
    EXPECT_NEAR(m.mass / start.mass, 1, 1e-3);
    EXPECT_NEAR(m.elastic_energy, 0, 1e-9);
    EXPECT_EQ(m.inverted_points, 0);
  }
}

/// One whole revolution: angular momentum, energy and volume stay, and nothing grows at the surface.
TEST(Solid, Revolution) {
  ElasticSettings settings;
  settings.grid = kCube;
  settings.gravity = {};
  settings.cfl = 0.8;
  settings.max_sub_steps = 1000;
  settings.threads = 2;
  ElasticWorld world(settings);
  ElasticBodyDef def = box_of({0.2, 0.2, 0.1}, {0.5, 0.5, 0.5});
  def.velocity.angular = {0, 0, 5};
  world.add_body(def);
  const SolidMeasures start = world.measures(0);
  world.step(2 * kPi / 5);
  const SolidMeasures& m = world.measures(0);
  const auto spin = [](const SolidMeasures& s) { return (s.angular_momentum - cross(s.centre, s.momentum)).z; };
  EXPECT_GT(spin(m) / spin(start), 0.96);
  EXPECT_LT(spin(m) / spin(start), 1.02);
  EXPECT_GT(m.kinetic_energy / start.kinetic_energy, 0.93);
  EXPECT_LT((m.kinetic_energy + m.elastic_energy) / start.kinetic_energy, 1.0);
  EXPECT_NEAR(m.volume / start.volume, 1, 0.01);
  EXPECT_NEAR(m.mass / start.mass, 1, 2e-3);
  EXPECT_LT(m.max_speed, 2);
  EXPECT_NEAR(norm(m.momentum), 0, 1e-9);
}

/// The first longitudinal mode of a free bar, nu = 0: f = sqrt(E/rho)/(2 L). Measured between two passes through zero.
TEST(Solid, BarRingsAtItsFrequency) {
  constexpr double kLength = 0.5, kMiddle = 0.75;
  ElasticSettings settings;
  settings.grid = {{0, 0, 0}, 1.0 / kCells, {36, kCells, kCells}};
  settings.gravity = {};
  settings.threads = 2;
  ElasticWorld world(settings);
  ElasticBodyDef def = box_of({kLength / 2, 0.125, 0.125}, {kMiddle, 0.5, 0.5});
  def.material.poisson = 0;
  def.velocity_field = [](const Vec3& x) { return Vec3{-0.05 * std::sin(kPi * (x.x - kMiddle) / kLength), 0, 0}; };
  world.add_body(def);
  const auto amplitude = [&] {
    const GridSolid& s = world.body(0);
    double sum = 0;
    for (std::size_t i = 0; i < s.flags.size(); ++i)
      if ((s.flags[i] & kIsDynamic) != 0)
        sum +=
            s.mass[i] * s.velocity[i].x *
            std::sin(kPi * (s.grid.position(s.blocks.node_index(static_cast<std::int32_t>(i))).x - kMiddle) / kLength);
    return sum;
  };
  const double period = 2 * kLength / std::sqrt(def.material.young / def.material.density), h = period / 100;
  const double start = amplitude();
  double last = start, lowest = 0;
  std::vector<double> zeros;
  for (int i = 0; i < 82; ++i) {
    world.step(h);
    const double now = amplitude();
    if (last * now < 0) zeros.push_back(h * (i + last / (last - now)));
    lowest = std::min(lowest, now / start);
    last = now;
  }
  ASSERT_EQ(zeros.size(), 2U);
  EXPECT_NEAR(2 * (zeros[1] - zeros[0]) / period, 1, 0.01);
  EXPECT_LT(lowest, -0.98);
}

/// Viscosity takes energy out of a ringing box and leaves its momentum.
TEST(Solid, ViscosityDamps) {
  double energy[2];
  for (int k = 0; k < 2; ++k) {
    ElasticSettings settings;
    settings.grid = kCube;
    settings.gravity = {};
    ElasticWorld world(settings);
    ElasticBodyDef def = box_of({0.15, 0.15, 0.15}, {0.5, 0.5, 0.5});
    def.stretch = {1.1, 1, 1};
    def.velocity.linear = {0.2, 0, 0};
    def.material.viscosity = k == 0 ? 0 : 300;
    world.add_body(def);
    const double momentum = world.measures(0).momentum.x;
    world.step(0.03);
    const SolidMeasures& m = world.measures(0);
    energy[k] = m.kinetic_energy + m.elastic_energy;
    EXPECT_NEAR(m.momentum.x / momentum, 1, 0.02);  // advection drifts: docs/euler.md
  }
  EXPECT_LT(energy[1], 0.8 * energy[0]);
}

}  // namespace
}  // namespace cairn
