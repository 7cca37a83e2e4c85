// SPDX-License-Identifier: MIT
// Scenes of boxes for the tests of the broad phase: one generator, many kinds.
#pragma once

#include <cmath>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/random.h"

namespace cairn::testing_boxes {

enum class Kind { uniform, clustered, planes, lattice, sizes, far_away, line, points, count };

struct Scene {
  std::vector<Aabb> bounds;
  std::vector<ProxyFilter> filter;
  std::vector<BoundingBall> balls;

  void resize(std::size_t count) {
    bounds.resize(count);
    filter.resize(count);
    balls.resize(count);
  }
};

inline Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline Aabb box_at(const Vec3& at, const Vec3& half) { return {at - half, at + half}; }

inline Aabb random_box(Kind kind, int i, Random& random) {
  const Vec3 half = random_vector(random, 0.5) + Vec3{0.6, 0.6, 0.6};
  switch (kind) {
    case Kind::clustered: {
      const double cluster = static_cast<double>(i % 5);
      return box_at(Vec3{1e4 * cluster, 1e3 * cluster, 0} + random_vector(random, 3), 0.4 * half);
    }
    case Kind::planes: return box_at({random.uniform(-20, 20), random.uniform(-20, 20), 0}, half);
    case Kind::lattice: {
      const Vec3 at{static_cast<double>(i % 8), static_cast<double>(i / 8 % 8), static_cast<double>(i / 64)};
      return box_at(at, {0.5, 0.5, 0.5});  // neighbours touch exactly
    }
    case Kind::sizes: return box_at(random_vector(random, 20), std::pow(10.0, random.uniform(-4, 2)) * half);
    case Kind::far_away: return box_at(Vec3{1e15, -3e15, 2e7} + random_vector(random, 30), 2 * half);
    case Kind::line: return box_at({random.uniform(-200, 200), 0, 0}, half);
    case Kind::points: {
      const Vec3 at{static_cast<double>(random.below(7)), static_cast<double>(random.below(7)), 0};
      return {at, at};
    }
    default: return box_at(random_vector(random, 10), half);
  }
}

/// A ball about the middle of the box, from one that touches its faces to one that holds it, or none.
inline BoundingBall random_ball(Kind kind, const Aabb& box, Random& random) {
  if (random.below(5) == 0) return {};
  const Vec3 half = 0.5 * (box.upper - box.lower);
  if (kind == Kind::lattice) return {centre(box), half.x};  // neighbours touch exactly
  return {centre(box), random.uniform(0.5, 1.0) * norm(half)};
}

inline ProxyFilter random_filter(Random& random) {
  ProxyFilter filter;
  filter.layer = 1U << random.below(3);
  filter.mask = random.below(4) == 0 ? 3U : 7U;
  filter.moves = random.below(4) != 0;
  return filter;
}

inline Scene random_scene(Kind kind, int count, Random& random) {
  Scene scene;
  for (int i = 0; i < count; ++i) {
    scene.bounds.push_back(random_box(kind, i, random));
    scene.filter.push_back(random_filter(random));
    scene.balls.push_back(random_ball(kind, scene.bounds.back(), random));
  }
  return scene;
}

/// One step of a moving scene: small shifts, and now and then a jump, a removal, a return, a changed filter or ball.
inline void move(Scene& scene, Kind kind, double step, Random& random) {
  for (std::size_t i = 0; i < scene.bounds.size(); ++i) {
    Aabb& box = scene.bounds[i];
    BoundingBall& ball = scene.balls[i];
    const auto event = random.below(200);
    if (event == 0) box = {};
    if (event == 1) box = random_box(kind, static_cast<int>(i), random);
    if (event == 2) scene.filter[i] = random_filter(random);
    if (box == Aabb{}) continue;
    if (event == 1 || event == 3) ball = random_ball(kind, box, random);
    const Vec3 shift = random_vector(random, step);
    box = {box.lower + shift, box.upper + shift};
    ball.centre = ball.centre + shift;
  }
}

}  // namespace cairn::testing_boxes
