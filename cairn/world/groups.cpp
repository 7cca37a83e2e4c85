// SPDX-License-Identifier: MIT
// Groups: islands, and into how many sub-bodies mass splitting would take each body apart.
#include <algorithm>
#include <utility>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

using BodyPairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Pairs of slots that touch or are joined, each once, the lower first; the world is -1.
BodyPairs connected_pairs(const WorldState& world) {
  BodyPairs pairs;
  const auto add = [&](std::int32_t a, std::int32_t b) { pairs.emplace_back(std::min(a, b), std::max(a, b)); };
  for (std::size_t k = 0; k < world.cache.records().size(); ++k) {
    if (world.cache.records()[k].manifold_count == 0) continue;
    const BroadPair& shapes = world.cache.pairs()[k];
    const std::int32_t a = world.shapes.body[to_index(shapes.a)];
    const std::int32_t b = world.shapes.body[to_index(shapes.b)];
    if (a >= 0 && b >= 0) add(a, b);  // else removed since the step
  }
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const JointState& joint = world.joints.state[j];
    if (joint.live && world.joints.def[j].enabled) add(joint.body_a, joint.body_b);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

BodyGroups World::groups() const {
  const WorldState& world = *state_;
  const Bodies& bodies = world.bodies;
  std::vector<std::int32_t> parts(bodies.size(), 0);  // by slot
  for (const auto& [a, b] : connected_pairs(world))
    for (const std::int32_t body : {a, b})
      if (body >= 0) ++parts[to_index(body)];
  const std::vector<std::int32_t>& island = world.graph.islands().of_vertex;
  BodyGroups groups;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.is_live(i)) continue;
    groups.island.push_back(bodies.is_active(i) && i < island.size() ? island[i] : -1);
    groups.sub_bodies.push_back(bodies.is_dynamic(i) ? parts[i] : 0);
  }
  return groups;
}

}  // namespace cairn
