// SPDX-License-Identifier: MIT
#include "cairn/euler/elastic_world.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/refusal.h"

namespace cairn {
namespace {

constexpr int kCells = 24;

ElasticSettings collision_settings(int threads) {
  ElasticSettings settings;
  settings.grid = {{0, 0, 0}, 1.0 / kCells, {36, kCells + 4, kCells}};
  settings.gravity = {};
  settings.cfl = 0.8;
  settings.threads = threads;
  return settings;
}

/// Two cylinders that meet at 1 m/s each, 0.1 m apart; `shift` makes them meet off centre.
ElasticWorld collision(const ElasticSettings& settings, double shift, double friction) {
  ElasticWorld world(settings);
  ElasticBodyDef def;
  def.shape = make_cylinder(0.2, 0.12);
  def.material.friction = friction;
  def.pose.position = {0.5, 0.55, 0.5};
  def.velocity.linear = {1, 0, 0};
  world.add_body(def);
  def.pose.position = {1.0, 0.55 + shift, 0.5};
  def.velocity.linear = {-1, 0, 0};
  world.add_body(def);
  return world;
}

/// First contact, rebound, momentum and energy of a head-on collision.
TEST(ElasticWorld, CylindersHeadOn) {
  constexpr double kStep = 0.0025, kSpacing = 1.0 / kCells;
  ElasticWorld world = collision(collision_settings(2), 0, 0);
  const double energy = world.measures(0).kinetic_energy + world.measures(1).kinetic_energy;
  const double momentum = world.measures(0).momentum.x;
  double first = 0;
  for (int i = 0; i < 80; ++i) {
    const ElasticReport& r = world.step(kStep);
    if (first == 0 && r.contact.touching > 0) first = r.time;
    ASSERT_LE(r.total.kinetic_energy + r.total.elastic_energy, (1 + 1e-3) * energy);
    ASSERT_LT(r.contact.momentum_error, 1e-12);
    ASSERT_LT(norm(r.total.momentum), 0.02 * momentum);
    ASSERT_EQ(r.contact.unfinished + r.contact.not_settled + r.frozen, 0);
  }
  EXPECT_NEAR(first, 0.05, 1.5 * kSpacing / 2 + kStep);
  EXPECT_LT(world.measures(0).momentum.x / momentum, -0.85);
  EXPECT_GE(world.measures(0).momentum.x / momentum, -1);
  EXPECT_LT(world.last_report().mass_error, 1e-3);
  EXPECT_EQ(world.last_report().contact.rows, 0);
}

/// Off centre, with friction: the same bits on 1, 2, 3 and 8 threads, also from a snapshot on the way.
TEST(ElasticWorld, SameBitsOnAnyThreadsAndFromASnapshot) {
  std::string hash, bytes;
  for (const int threads : {1, 2, 3, 8}) {
    ElasticWorld world = collision(collision_settings(threads), 0.1, 0.5);
    for (int i = 0; i < 8; ++i) world.step(0.01);
    EXPECT_GT(world.last_report().contact.touching, 0);
    if (threads == 1) bytes = world.save();
    EXPECT_EQ(world.save(), bytes);
    for (int i = 0; i < 3; ++i) world.step(0.01);
    if (threads == 1) hash = world.state_hash().to_string();
    EXPECT_EQ(world.state_hash().to_string(), hash);
  }
  ElasticWorld other(ElasticSettings{});
  other.restore(bytes);
  EXPECT_EQ(other.save(), bytes);
  for (int i = 0; i < 3; ++i) other.step(0.01);
  EXPECT_EQ(other.state_hash().to_string(), hash);
  EXPECT_EQ(other.last_report().step, 11);
}

/// Any solver of the table takes the problem of a step; velocities agree with those of staggered projections.
TEST(ElasticWorld, OtherContactSolvers) {
  double speed[2];
  int k = 0;
  for (const char* name : {"staggered", "gauss_seidel"}) {
    ElasticSettings settings = collision_settings(2);
    settings.contact_solver = name;
    settings.measure_residual = true;
    settings.staggered.tolerance = 1e-6;
    settings.contact_iterations = 5000;
    ElasticWorld world = collision(settings, 0, 0);
    for (int i = 0; i < 9; ++i) world.step(0.01);
    EXPECT_LT(world.last_report().contact.residual, 1e-4);
    EXPECT_EQ(world.last_report().contact.not_settled, 0);
    EXPECT_EQ(world.problem().contact_count(), world.last_report().contact.rows);
    speed[k++] = world.measures(0).momentum.x / world.measures(0).mass;
  }
  EXPECT_NEAR(speed[0], speed[1], 1e-4);
}

/// A block on an incline, gravity turned instead of the floor: it slides if and only if tan(angle) > mu. Both ring at
/// first, from being dropped in at rest without their own weight's strain.
TEST(ElasticWorld, InclineHoldsBelowTheFrictionAngle) {
  constexpr double kFriction = 0.5, kTime = 0.2;
  for (const double degrees : {-3.0, 3.0}) {
    const double angle = std::atan(kFriction) + degrees * kPi / 180;
    ElasticSettings settings;
    settings.grid = {{0, 0, 0}, 0.05, {30, 20, 20}};
    settings.gravity = {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)};
    settings.cfl = 0.8;
    settings.threads = 2;
    ElasticWorld world(settings);
    WallDef floor;
    floor.shape = make_half_space({0, 0, 1}, 0.3);
    floor.friction = kFriction;
    world.add_wall(floor);
    ElasticBodyDef def;
    def.shape = make_box({0.2, 0.2, 0.1});
    def.pose.position = {0.6, 0.5, 0.4};
    def.material = {.young = 1e5, .viscosity = 100, .friction = kFriction};
    world.add_body(def);
    world.step(kTime);
    const SolidMeasures before = world.measures(0);
    world.step(kTime);
    const SolidMeasures& after = world.measures(0);
    const double moved = after.centre.x - before.centre.x;
    const double pull = 9.81 * (std::sin(angle) - kFriction * std::cos(angle));  // m/s^2 of one that slides
    if (degrees < 0)
      EXPECT_LT(std::fabs(moved), 1e-3);
    else
      EXPECT_NEAR(moved, 1.5 * pull * kTime * kTime, 0.5 * pull * kTime * kTime);  // from rest at 0
    EXPECT_NEAR(after.centre.z, 0.4, 0.005);
  }
}

TEST(ElasticWorld, BadInputIsRefusedAndNothingIsLost) {
  ElasticSettings none;
  none.grid.cells = {0, 24, 24};
  EXPECT_NE(refusal([&] { ElasticWorld world(none); }).find("too few cells"), std::string::npos);
  ElasticSettings wild;
  wild.cfl = 2;
  EXPECT_THROW(ElasticWorld{wild}, InputError);
  ElasticSettings unknown;
  unknown.contact_solver = "no_such_solver";
  EXPECT_THROW(ElasticWorld{unknown}, InputError);

  ElasticSettings settings;
  settings.sub_steps = 1;
  ElasticWorld world(settings);
  ElasticBodyDef def;
  def.shape = make_sphere(0.25);
  def.pose.position = {0.6, 0.6, 0.6};
  world.add_body(def);
  const std::string before = world.save();
  ElasticBodyDef outside = def;
  outside.pose.position = {0.1, 0.6, 0.6};
  EXPECT_NE(refusal([&] { world.add_body(outside); }).find("out of the grid"), std::string::npos);
  ElasticBodyDef thin = def;
  thin.shape = make_box({0.2, 0.2, 0.01});
  EXPECT_NE(refusal([&] { world.add_body(thin); }).find("too thin"), std::string::npos);
  ElasticBodyDef soft = def;
  soft.material.young = -1;
  EXPECT_THROW(world.add_body(soft), InputError);
  EXPECT_NE(refusal([&] { world.step(1); }).find("stable limit"), std::string::npos);
  EXPECT_THROW(world.step(0), InputError);
  EXPECT_THROW(world.step(-1), InputError);
  EXPECT_THROW(world.step(std::nan("")), InputError);
  EXPECT_THROW(world.body(1), InputError);
  EXPECT_EQ(world.save(), before);
  world.step(0.5 * world.step_limit());
  EXPECT_EQ(world.last_report().step, 1);
}

/// Bytes that are cut, flipped or made up are refused, and the world stays as it was.
TEST(ElasticWorld, DamagedSnapshotsAreRefused) {
  ElasticWorld world = collision(collision_settings(1), 0, 0.5);
  const std::string good = world.save();
  for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    EXPECT_THROW(world.restore(bad), InputError);
    EXPECT_THROW(world.restore(std::string_view(good).substr(0, at)), InputError);
  }
  EXPECT_EQ(world.save(), good);
}

/// A solid that is turned inside out is frozen; the other one moves on as if it were alone.
TEST(ElasticWorld, WhatBreaksDownIsFrozenAlone) {
  ElasticSettings settings = collision_settings(1);
  settings.sub_steps = 4;
  ElasticWorld world(settings), alone(settings);
  ElasticBodyDef def;
  def.shape = make_sphere(0.17);
  def.pose.position = {0.42, 0.55, 0.5};
  ElasticBodyDef wild = def;
  wild.pose.position = {1.0, 0.55, 0.5};
  wild.material.young = 100;
  wild.velocity_field = [](const Vec3& x) { return Vec3{-60 * (x.x - 1.0), 0, 0}; };
  def.velocity.linear = {0, 0.1, 0};
  world.add_body(def);
  world.add_body(wild);
  alone.add_body(def);
  for (int i = 0; i < 25 && world.last_report().frozen == 0; ++i) {
    world.step(0.002);
    alone.step(0.002);
  }
  EXPECT_EQ(world.last_report().frozen, 1);
  EXPECT_NE(world.body(1).state, SolidState::active);
  EXPECT_EQ(world.body(0).state, SolidState::active);
  EXPECT_TRUE(std::isfinite(world.last_report().total.kinetic_energy));
  for (int i = 0; i < 3; ++i) {
    world.step(0.002);
    alone.step(0.002);
  }
  EXPECT_EQ(world.body(0).velocity, alone.body(0).velocity);
  EXPECT_EQ(world.body(0).map, alone.body(0).map);
}

/// A solid that flies out of the grid is frozen at its side instead of losing its mass.
TEST(ElasticWorld, LeavingTheGridFreezes) {
  ElasticSettings settings = collision_settings(1);
  ElasticWorld world(settings);
  ElasticBodyDef def;
  def.shape = make_sphere(0.15);
  def.pose.position = {1.1, 0.55, 0.5};
  def.velocity.linear = {3, 0, 0};
  world.add_body(def);
  for (int i = 0; i < 40 && world.last_report().frozen == 0; ++i) world.step(0.005);
  EXPECT_EQ(world.body(0).state, SolidState::left_grid);
}

}  // namespace
}  // namespace cairn
