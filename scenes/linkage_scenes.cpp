// SPDX-License-Identifier: MIT
// Scenes of linkages: light links that carry a heavy load, chains of hinges that fall in a heap, nets of ball joints, a
// hanging bridge, a linkage with more hinges than it needs.
#include <cmath>
#include <vector>

#include "cairn/core/index.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

/// A shape that meets nothing.
ShapeDef ghost(const Shape& shape, double density) { return {.shape = shape, .density = density, .mask = 0}; }

/// 25 links of 1 kg from the origin along x, and a sphere of R kg behind the last.
void build_heavy_chain(World& world, const SceneValues& values) {
  constexpr int kLinks = 25;
  constexpr Vec3 kHalf{0.5, 0.1, 0.1};
  constexpr double kRadius = 0.5, kLinkDensity = 1.0 / (8 * kHalf.x * kHalf.y * kHalf.z);
  BodyId last{};
  for (int k = 0; k < kLinks; ++k) {
    const BodyId link = world.add_body({.pose = {{k + kHalf.x, 0, 0}, {}}}, {ghost(make_box(kHalf), kLinkDensity)});
    world.add_joint(world.joint_at(last, link, {{double(k), 0, 0}, {}}, BallJoint{}));
    last = link;
  }
  const double volume = 4.0 / 3 * kPi * kRadius * kRadius * kRadius;
  const BodyId load =
      world.add_body({.pose = {{kLinks + kRadius, 0, 0}, {}}}, {ghost(make_sphere(kRadius), values.size() / volume)});
  world.add_joint(world.joint_at(last, load, {{double(kLinks), 0, 0}, {}}, BallJoint{}));
}

/// Ten rows of ten chains above one another; every other row is shifted by 0.3 m.
void build_hinge_chains(World& world, const SceneValues& values) {
  constexpr int kLinks = 11, kColumns = 10;
  constexpr Vec3 kHalf{0.25, 0.1, 0.1};
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  for (int c = 0; c < values.whole("chains"); ++c) {
    const int row = c / kColumns, column = c % kColumns;
    const Vec3 start{row % 2 == 1 ? 0.3 : 0.0, 0.6 * column, 1 + 0.5 * row};
    BodyId last{};
    for (int k = 0; k < kLinks; ++k) {
      const BodyId link = add_box(world, {start + Vec3{2 * kHalf.x * k, 0, 0}, {}}, kHalf, material);
      const Vec3 axis = k % 2 == 1 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
      const Vec3 hinge = start + Vec3{2 * kHalf.x * (k - 0.5), 0, 0};
      if (k > 0) world.add_joint(world.joint_at(last, link, frame_along(hinge, axis), HingeJoint{}));
      last = link;
    }
  }
}

/// N x N balls 1 m apart, each joined half way to its neighbours along x and along `down`; the first along `down` are
/// held. Balls meet nothing.
void build_ball_net(World& world, int size, const Vec3& down) {
  constexpr double kRadius = 0.4, kDensity = 1000;
  std::vector<BodyId> balls;
  for (int column = 0; column < size; ++column)
    for (int row = 0; row < size; ++row) {
      const Vec3 at = Vec3{double(column), 0, 0} + double(row) * down;
      balls.push_back(world.add_body({.kind = row > 0 ? BodyKind::dynamic : BodyKind::fixed, .pose = {at}},
                                     {ghost(make_sphere(kRadius), kDensity)}));
      if (row == 0) continue;
      const BodyId ball = balls.back(), above = balls[balls.size() - 2];
      world.add_joint(world.joint_at(above, ball, {at - 0.5 * down, {}}, BallJoint{}));
      if (column == 0) continue;
      const BodyId beside = balls[balls.size() - 1 - to_index(size)];
      world.add_joint(world.joint_at(beside, ball, {at - Vec3{0.5, 0, 0}, {}}, BallJoint{}));
    }
}

/// It hangs at rest.
void build_joint_grid(World& world, const SceneValues& values) { build_ball_net(world, values.size(), {0, 0, -1}); }

/// It lies and falls until it hangs.
void build_joint_net(World& world, const SceneValues& values) { build_ball_net(world, values.size(), {0, 1, 0}); }

/// Planks along an arc between two posts, hinged to each other and to the posts, with a load on the middle.
void build_bridge(World& world, const SceneValues& values) {
  constexpr double kLength = 0.5, kHalfWidth = 0.5, kThickness = 0.1, kSlope = 0.4;
  const int planks = values.size();
  const Material material = rubbing(values.get("friction"));
  const auto hinge = [&](BodyId a, BodyId b, const Vec3& at) {
    world.add_joint(world.joint_at(a, b, frame_along(at, {0, 1, 0}), HingeJoint{}));
  };
  Vec3 end{0, 0, 0}, middle;
  BodyId last{};
  double lowest = 0;
  for (int k = 0; k < planks; ++k) {
    const double slope = kSlope * ((2.0 * k + 1) / planks - 1);  // downwards first, then upwards
    const Vec3 along{std::cos(slope), 0, std::sin(slope)};
    const Vec3 centre = end + 0.5 * kLength * along;
    const BodyId plank =
        add_box(world, {centre, turn({0, 1, 0}, -slope)}, {0.49 * kLength, kHalfWidth, 0.5 * kThickness}, material);
    hinge(last, plank, end);
    end = end + kLength * along;
    if (end.z < lowest) lowest = end.z, middle = end;
    last = plank;
  }
  hinge({}, last, end);
  // A cube of `ratio` times the mass of a plank.
  const double volume = values.get("ratio") * 0.98 * kLength * 2 * kHalfWidth * kThickness;
  const double half = 0.5 * std::cbrt(volume);
  if (half > 0) add_box(world, {middle + Vec3{0, 0, 0.5 * kThickness + half + 0.05}, {}}, {half, half, half}, material);
}

/// Crank, coupler and rocker in the plane y = 0, all four hinges about y: three of the twenty rows are redundant.
void build_four_bar(World& world, const SceneValues& values) {
  constexpr double kCrank = 0.4, kCoupler = 1.0, kRocker = 0.8, kGround = 1.0, kHalf = 0.02;
  const Vec3 a{0, 0, 0}, b{0, 0, kCrank}, d{kGround, 0, 0};
  // c is where the circles about b and d meet, above.
  const Vec3 bd = d - b;
  const double distance = norm(bd);
  const double along = (kCoupler * kCoupler - kRocker * kRocker + distance * distance) / (2 * distance);
  const double across = std::sqrt(kCoupler * kCoupler - along * along);
  const Vec3 u = (1 / distance) * bd, up{-u.z, 0, u.x};
  const Vec3 c = b + along * u + across * up;
  const auto bar = [&](const Vec3& from, const Vec3& to) {
    const Vec3 way = to - from;
    return world.add_body({.pose = {0.5 * (from + to), turn({0, 1, 0}, -std::atan2(way.z, way.x))}},
                          {ghost(make_box({0.5 * norm(way), kHalf, kHalf}), 1000)});
  };
  const BodyId crank = bar(a, b), coupler = bar(b, c), rocker = bar(c, d);
  const auto hinge = [&](BodyId first, BodyId second, const Vec3& at) {
    world.add_joint(world.joint_at(first, second, frame_along(at, {0, 1, 0}), HingeJoint{}));
  };
  hinge({}, crank, a), hinge(crank, coupler, b), hinge(coupler, rocker, c), hinge({}, rocker, d);
  // Velocities that keep the bars together: w x of crank, then of coupler and rocker from the speed of c.
  const double w = values.get("speed");
  const auto spin = [](double rate) { return Vec3{0, rate, 0}; };
  const Vec3 vb = cross(spin(w), b - a);
  // vb + w2 y x (c - b) = w3 y x (c - d), with y x (x, 0, z) = (z, 0, -x)
  const Vec3 p{c.z - b.z, 0, b.x - c.x}, q{c.z - d.z, 0, d.x - c.x};
  const double det = p.x * -q.z + q.x * p.z;
  const double w2 = (-vb.x * -q.z + q.x * -vb.z) / det, w3 = (p.x * -vb.z - p.z * -vb.x) / det;
  world.set_velocity(crank, {0.5 * vb, spin(w)});
  world.set_velocity(coupler, {vb + cross(spin(w2), 0.5 * (c - b)), spin(w2)});
  world.set_velocity(rocker, {cross(spin(w3), 0.5 * (c - d)), spin(w3)});
}

}  // namespace

std::vector<SceneFamily> linkage_scenes() {
  return {
      {.name = "heavy_chain_",
       .size = {1, 1000000, 100},
       .summary = "25 links of 1 kg hold a sphere of N kg; all swing down from the horizontal",
       .parameters = {},
       .build = build_heavy_chain,
       .measure_from = 0,
       .floor = -1e6},
      {.name = "hinge_chains",
       .summary = "100 chains of 11 boxes and 10 hinges fall in a heap",
       .parameters = {friction_parameter(), {"chains", 100, 1, 10000, "of 11 boxes", true}},
       .build = build_hinge_chains},
      {.name = "joint_grid_",
       .size = {2, 200, 40},
       .summary = "N x N balls on ball joints hang from their uppermost row",
       .parameters = {},
       .build = build_joint_grid,
       .measure_from = 0,
       .floor = -1e6},
      {.name = "joint_net_",
       .size = {2, 200, 30},
       .summary = "N x N balls on ball joints lie in a plane, held along one edge, and fall",
       .parameters = {},
       .build = build_joint_net,
       .measure_from = 0,
       .floor = -1e6},
      {.name = "bridge_",
       .size = {4, 1000, 100},
       .summary = "N hinged planks hang between two posts and carry a load",
       .parameters = {friction_parameter(), {"ratio", 100, 0, 10000, "mass of the load over that of a plank"}},
       .build = build_bridge,
       .floor = -100,
       .sub_steps = 4},  // under tension planks swing to and fro too fast for a sixtieth of a second
      {.name = "four_bar",
       .summary = "a crank turns a rocker; four parallel hinges are three rows too many",
       .parameters = {{"speed", 5, -50, 50, "rad/s of the crank at the start"}},
       .build = build_four_bar,
       .steps = 10000,
       .measure_from = 0,
       .measure_to = 10000,
       .dt = 1e-3,
       .floor = -10},
  };
}

}  // namespace cairn::scenes
