// SPDX-License-Identifier: MIT
// A point of the contact cache as a contact of the problem: frame, arms, material, bounce, warm start. Internal to
// assembly.
#pragma once

#include <array>

#include "cairn/core/index.h"
#include "cairn/narrow/manifold.h"
#include "cairn/world/assembly/assemble.h"

namespace cairn {

/// A manifold takes part if something can move in it.
inline bool takes_part(const ContactSource& from, const Assembly& assembly, const ContactManifold& m) {
  if (assembly.all_take_part) return true;
  const BroadPair& pair = from.cache.pairs()[to_index(m.pair)];
  const auto moves = [&](std::int32_t shape) {
    const std::int32_t body = from.shapes.body[to_index(shape)];
    return assembly.problem.bodies[to_index(body)].is_dynamic();
  };
  return moves(pair.a) || moves(pair.b);
}

/// What all points of one manifold have in common.
struct ManifoldContext {
  ContactBlock block;
  ContactMaterial material;
  Frame stored;         ///< the frame the cache keeps tangential impulses in
  bool turned = false;  ///< the block's tangents differ from it
};

ManifoldContext manifold_context(const ContactSource& from, const ContactManifold& manifold);

/// One contact of the problem, whose bodies are there already.
void fill_contact(const WorldSettings& settings, const Assembly& assembly, const ManifoldContext& context,
                  const ContactPoint& point, ContactBlock& block);

/// Impulses of the last step in the frame of the block, times `scale`.
std::array<double, 4> warm_impulse(const ManifoldContext& context, const ContactPoint& point, double scale);

/// Impulses back to the cache, whose frame is that of make_frame.
void keep_impulse(const ContactSource& from, const ContactManifold& manifold, const ContactBlock& block,
                  std::array<double, 4> impulse, ContactPoint& point);

}  // namespace cairn
