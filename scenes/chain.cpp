// SPDX-License-Identifier: MIT
// A chain of closed links that only contact holds together (Tonge et al. 2012).
//
// A link is a wire of radius r bent to a ring: two straight sides and two half rounds of kBends pieces each, tangent to
// a circle of radius R, all of them capsules. The number of pieces is odd, so that the middle of a round is straight:
// where two links touch, two wires cross at right angles at a distance of exactly 2r. With the link's axis z and a half
// of a straight side, the wire's middle lies at z = +-(a + R) there, hence links that pull are
//     pitch = 2 (a + R) - 2 r
// apart. Every other link is turned by 90 degrees about the chain's axis.
#include <cmath>

#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr int kLinks = 25, kBends = 5;
constexpr double kWire = 0.03, kRound = 0.08, kSide = 0.1;   // m: r, R, a
constexpr double kPitch = 2 * (kSide + kRound) - 2 * kWire;  // m
constexpr double kTop = 4.6;                                 // m, height of the fixed link's centre
constexpr double kFall = 0.6;                                // m down per m of chain at the start
static_assert(kRound > 2 * kWire, "a link must leave room for the next");

/// A capsule between two points of the plane y = 0.
CompoundChild wire(const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  return {make_capsule(kWire, 0.5 * norm(along)), {0.5 * (from + to), turn({0, 1, 0}, std::atan2(along.x, along.z))}};
}

Compound make_link() {
  const double bend = kPi / kBends, corner = kRound / std::cos(0.5 * bend);  // of the polygon around the circle
  std::vector<Vec3> ring;
  for (const double end : {1.0, -1.0})  // the upper round from right to left, then the lower one back
    for (int i = 0; i <= kBends; ++i)
      ring.push_back({end * corner * std::cos(bend * i), 0, end * (kSide + corner * std::sin(bend * i))});
  std::vector<CompoundChild> wires;
  for (std::size_t i = 0; i < ring.size(); ++i) wires.push_back(wire(ring[i], ring[(i + 1) % ring.size()]));
  return make_compound(std::move(wires));
}

/// From the fixed link straight down to the ground at an angle; it swings down and its end piles up.
void build_chain(World& world, const SceneValues& values) {
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  const Compound link = make_link();
  const Vec3 down{std::sqrt(1 - kFall * kFall), 0, -kFall};
  const Quat along = turn({0, 1, 0}, kPi - std::acos(kFall));  // takes the link's z to `down`
  for (int i = 0; i < kLinks; ++i) {
    const Quat about = turn({0, 0, 1}, i % 2 == 0 ? 0.0 : 0.5 * kPi);
    const Vec3 centre = Vec3{0, 0, kTop} + (kPitch * i) * down;
    world.add_body({.kind = i == 0 ? BodyKind::fixed : BodyKind::dynamic, .pose = {centre, along * about}},
                   {{.shape = link, .material = material}});
  }
}

}  // namespace

std::vector<SceneFamily> chain_scenes() {
  return {
      {.name = "chain_25",
       .summary = "a chain of 25 closed links, held by contact alone, ends in a pile (Tonge et al. 2012)",
       .parameters = {friction_parameter()},
       .build = build_chain,
       .steps = 1200,
       .measure_from = 900,
       .measure_to = 1200},
  };
}

}  // namespace cairn::scenes
