// SPDX-License-Identifier: MIT
#include "scenes/mechanism_problems.h"

#include <array>
#include <cmath>
#include <numbers>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn::scenes {

namespace {

constexpr double kGravity = 9.81;
constexpr Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

void require_count(bool ok) { require(ok, "a mechanism needs at least one part, and at most 100000"); }

}  // namespace

Vec3 MechanismBuilder::jitter() {
  const auto one = [&] { return disorder_ * random_.uniform(-1, 1); };
  const double x = one(), y = one(), z = one();
  return {x, y, z};
}

std::int32_t MechanismBuilder::add_body(const Vec3& centre, double mass, double size) {
  ProblemBody body;
  const double inertia = mass * size * size / 6;  // a cube
  body.inverse_mass = 1 / mass;
  body.inverse_inertia = {1 / inertia, 1 / inertia, 1 / inertia, 0, 0, 0};
  body.velocity = {jitter(), jitter()};
  body.acceleration.linear = {0, 0, -kGravity};
  problem_.bodies.push_back(body);
  centre_.push_back(centre);
  return static_cast<std::int32_t>(centre_.size()) - 1;
}

std::int32_t MechanismBuilder::add_ground() {
  problem_.bodies.emplace_back();
  centre_.emplace_back();
  return static_cast<std::int32_t>(centre_.size()) - 1;
}

void MechanismBuilder::join(std::int32_t a, std::int32_t b, int rows, const Vec3& anchor, const Vec3& axis) {
  require(rows >= 1 && rows <= 6, "a joint has one to six rows");
  const Vec3 point = anchor + jitter();
  const Frame frame = make_frame(normalised(axis + jitter()));
  const Vec3 arm_a = point - centre_[to_index(a)], arm_b = point - centre_[to_index(b)];
  const auto first = static_cast<std::int32_t>(problem_.joint_rows.size());
  const auto add = [&](const Vec3& linear, const Vec3& angular) {
    JointRow row;
    row.linear_a = -linear, row.linear_b = linear;
    row.angular_a = -(cross(arm_a, linear) + angular), row.angular_b = cross(arm_b, linear) + angular;
    problem_.joint_rows.push_back(row);
  };
  // Linear rows: the axis alone, or the two directions across it, or all three; then turns across the axis, then about
  // it.
  const bool along = rows == 1 || rows == 3 || rows >= 5, across = rows >= 2;
  if (along) add(frame.normal, {});
  if (across) add(frame.tangent1, {}), add(frame.tangent2, {});
  if (rows >= 4) add({}, frame.tangent1), add({}, frame.tangent2);
  if (rows == 6) add({}, frame.normal);
  problem_.joints.push_back({a, b, first, rows});
}

void MechanismBuilder::touch(std::int32_t a, std::int32_t b, const Vec3& point, const Vec3& normal) {
  const Frame frame = make_frame(normal);
  ContactBlock contact;
  contact.body_a = a, contact.body_b = b;
  contact.normal = frame.normal, contact.tangent1 = frame.tangent1, contact.tangent2 = frame.tangent2;
  contact.arm_a = point - centre_[to_index(a)];
  contact.arm_b = point - centre_[to_index(b)];
  contact.friction1 = contact.friction2 = 0.5;
  problem_.contacts.push_back(contact);
}

ContactProblem track_ring(int links, double disorder) {
  require_count(links >= 3 && links <= 100000);
  MechanismBuilder build(disorder);
  const double step = 2 * std::numbers::pi / links, radius = 0.5 / std::sin(step / 2);
  const auto at = [&](double k) { return Vec3{radius * std::cos(k * step), 0, radius * std::sin(k * step)}; };
  for (int k = 0; k < links; ++k) build.add_body(at(k));
  for (int k = 0; k < links; ++k) build.join(k, (k + 1) % links, 5, at(k + 0.5), kY);
  return build.take();
}

ContactProblem wheeled_vehicle(std::span<const int> rows, double disorder) {
  require_count(!rows.empty() && rows.size() <= 100000);
  MechanismBuilder build(disorder);
  const std::int32_t chassis = build.add_body({}, 20, 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    const Vec3 place{0.5 * static_cast<double>(i / 2), 1.2 * side, -0.4};
    build.join(chassis, build.add_body(place, 1, 0.4), rows[i], place - Vec3{0, 0.2 * side, 0}, kY);
  }
  return build.take();
}

std::vector<int> vehicle_rows() { return {5, 4, 5, 4, 5, 4, 5, 4, 4, 4, 4, 4, 5, 4, 5, 4, 5, 4, 5, 4}; }

ContactProblem tree_of_fifty(double disorder) {
  constexpr std::array<int, 7> kLegs{7, 3, 3, 3, 3, 3, 7};
  MechanismBuilder build(disorder);
  std::array<std::int32_t, 7> spine{};
  for (std::size_t h = 0; h < kLegs.size(); ++h) spine[h] = build.add_body({2.0 * static_cast<double>(h), 0, 0}, 5, 1);
  int leg = 0;
  for (std::size_t h = 0; h < kLegs.size(); ++h)
    for (int l = 0; l < kLegs[h]; ++l, ++leg) {
      std::int32_t previous = spine[h];
      const int joints = leg < 15 ? 2 : 1;
      const double angle = 2 * std::numbers::pi * l / kLegs[h];
      for (int j = 0; j < joints; ++j) {
        const Vec3 outwards{0, std::cos(angle), std::sin(angle)}, root{2.0 * static_cast<double>(h), 0, 0};
        const std::int32_t next = build.add_body(root + (1.0 + j) * outwards);
        const bool is_ball = leg < 2 && j == joints - 1;
        build.join(previous, next, is_ball ? 3 : 5, root + (0.5 + j) * outwards, j % 2 == 0 ? kX : outwards);
        previous = next;
      }
    }
  for (std::size_t h = 0; h + 1 < kLegs.size(); ++h)
    build.join(spine[h], spine[h + 1], 5, {2.0 * static_cast<double>(h) + 1, 0, 0}, kY);
  return build.take();
}

ContactProblem ragdolls(int count, double disorder) {
  require_count(count >= 1 && count <= 5000);
  struct Limb {
    int parent, rows;  // of the joint to the parent
    double x, z, mass;
  };
  constexpr std::array<Limb, 16> kLimbs{{{-1, 0, 0, 1.0, 12},
                                         {0, 3, 0, 1.2, 10},
                                         {1, 3, 0, 1.45, 15},
                                         {2, 3, 0, 1.75, 5},
                                         {2, 3, 0.25, 1.45, 2.5},
                                         {4, 5, 0.5, 1.4, 1.5},
                                         {5, 3, 0.7, 1.4, 0.5},
                                         {2, 3, -0.25, 1.45, 2.5},
                                         {7, 5, -0.5, 1.4, 1.5},
                                         {8, 3, -0.7, 1.4, 0.5},
                                         {0, 3, 0.12, 0.75, 8},
                                         {10, 5, 0.14, 0.4, 4},
                                         {11, 3, 0.15, 0.1, 1},
                                         {0, 3, -0.12, 0.75, 8},
                                         {13, 5, -0.14, 0.4, 4},
                                         {14, 3, -0.15, 0.1, 1}}};
  MechanismBuilder build(disorder);
  for (int doll = 0; doll < count; ++doll) {
    const Vec3 place{3.0 * doll, 0, 0};
    std::array<std::int32_t, kLimbs.size()> body{};
    std::array<Vec3, kLimbs.size()> at{};
    for (std::size_t i = 0; i < kLimbs.size(); ++i) {
      const Limb& limb = kLimbs[i];
      at[i] = place + Vec3{limb.x, 0, limb.z};
      body[i] = build.add_body(at[i], limb.mass, 0.2);
      if (limb.parent < 0) continue;
      const auto parent = to_index(limb.parent);
      build.join(body[parent], body[i], limb.rows, 0.5 * (at[parent] + at[i]), kY);
    }
  }
  return build.take();
}

ContactProblem hanging_chain(int links, double load, double disorder) {
  require_count(links >= 1 && links <= 100000);
  MechanismBuilder build(disorder);
  std::int32_t previous = build.add_ground();
  for (int k = 0; k < links; ++k) {
    const double x = k + 0.5;
    const std::int32_t next = build.add_body({x, 0, 0}, k + 1 == links ? load : 1.0);
    build.join(previous, next, 3, {static_cast<double>(k), 0, 0}, kZ);
    previous = next;
  }
  return build.take();
}

ContactProblem four_bar(double disorder) {
  MechanismBuilder build(disorder);
  const std::int32_t ground = build.add_ground();
  const std::int32_t crank = build.add_body({0, 0, 0.5}), rod = build.add_body({1, 0, 1.25}, 2, 2);
  const std::int32_t rocker = build.add_body({2, 0, 0.75}, 1, 1.5);
  build.join(ground, crank, 5, {0, 0, 0}, kY);
  build.join(crank, rod, 5, {0, 0, 1}, kY);
  build.join(rod, rocker, 5, {2, 0, 1.5}, kY);
  build.join(rocker, ground, 5, {2, 0, 0}, kY);
  return build.take();
}

ContactProblem bridge(int planks, double load) {
  require_count(planks >= 1 && planks <= 100000);
  MechanismBuilder build(0);
  const std::int32_t ground = build.add_ground();
  std::int32_t previous = ground;
  const double n = planks;
  const auto hinge = [&](double k) { return Vec3{k, 0, -0.4 * k * (n - k) / n}; };  // hangs through by n / 10
  for (int k = 0; k < planks; ++k) {
    const Vec3 middle = 0.5 * (hinge(k) + hinge(k + 1));
    const std::int32_t plank = build.add_body(middle, 1, 1);
    build.join(previous, plank, 5, hinge(k), kY);
    previous = plank;
    if (k % 3 != 1) continue;
    const std::int32_t ball = build.add_body(middle + Vec3{0, 0, 0.6}, load, 1);
    build.touch(plank, ball, middle + Vec3{0, 0, 0.1}, kZ);
  }
  build.join(previous, ground, 5, hinge(n), kY);
  return build.take();
}

}  // namespace cairn::scenes
