// SPDX-License-Identifier: MIT
// Guide, chapter 2: shapes, masses and materials. Two boxes on a slope, a ball that bounces, a hammer of two shapes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "cairn/cairn.h"

using namespace cairn;

namespace {

/// How far a box of this friction slides down a slope of 20 degrees in one second.
double slide(double friction) {
  const double angle = 20 * kPi / 180;
  const Quat turn = from_axis({0, 1, 0}, std::sin(angle / 2), std::cos(angle / 2));
  const Vec3 out = rotate(turn, {0, 0, 1});
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space(out, 0), .material = {.friction = friction}}});
  const BodyId box = world.add_body({.pose = {0.25 * out, turn}},
                                    {{.shape = make_box({0.5, 0.5, 0.25}), .material = {.friction = friction}}});
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
  return norm(world.view(box).pose.position - 0.25 * out);
}

}  // namespace

int main() {
  // Friction of two surfaces is combined; the geometric mean is the default rule. tan(20 degrees) is 0.36.
  std::printf("friction 0.3: slides %.1f m, friction 0.6: slides %.1f m\n", slide(0.3), slide(0.6));

  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});

  // Restitution: the larger of the two counts by default. A ball dropped by 1 m rises to about e^2 m.
  const BodyId ball = world.add_body({.pose = {{0, 0, 1.1}}},
                                     {{.shape = make_sphere(0.1), .material = {.restitution = 0.7}, .density = 7800}});

  // Several shapes make one body, each at its own pose and with its own density; centre of mass and inertia follow.
  const BodyId hammer = world.add_body({.pose = {{3, 0, 0.2}}},
                                       {{.shape = make_box({0.02, 0.2, 0.02}), .density = 700},
                                        {.shape = make_cylinder(0.04, 0.06), .pose = {{0, 0.2, 0}}, .density = 7800}});

  // A convex hull from points. Meshes and height fields are for fixed bodies.
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const BodyId tetrahedron = world.add_body({.pose = {{6, 0, 1}}}, {{.shape = make_hull(corners)}});

  double top = 0;
  for (int i = 0; i < 90; ++i) {
    world.step(1.0 / 60);
    if (world.time() > 0.5) top = std::max(top, world.view(ball).pose.position.z - 0.1);
  }
  std::printf("ball of %.1f kg rises to %.1f m, hammer %.1f kg, tetrahedron %.0f kg\n", world.view(ball).mass, top,
              world.view(hammer).mass, world.view(tetrahedron).mass);
}
