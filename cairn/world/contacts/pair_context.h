// SPDX-License-Identifier: MIT
// PairContext: one pair of shapes while its contacts are made, with what is known about it from the step before. And
// the closed form of two balls. Internal to the contact cache.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cairn/core/index.h"
#include "cairn/math/mat3.h"
#include "cairn/world/contacts/contact_cache.h"

namespace cairn {

/// Everything that is constant while one pair is worked on.
struct PairContext : DetectInput {
  std::size_t a, b;  ///< shapes
  std::size_t body_a, body_b;
  const Slab* old_slab;  ///< null: the pair is new
  const ContactPair* old;
  std::int32_t index;  ///< of the pair

  PairContext(const DetectInput& in, const BroadPair& pair, std::size_t number)
      : DetectInput(in),
        a(to_index(pair.a)),
        b(to_index(pair.b)),
        body_a(to_index(in.shapes.body[a])),
        body_b(to_index(in.shapes.body[b])),
        old_slab(nullptr),
        old(nullptr),
        index(static_cast<std::int32_t>(number)) {}

  bool are_balls() const { return shapes.sphere_radius[a] >= 0 && shapes.sphere_radius[b] >= 0; }
  /// Not so for parts of one body, and for bodies that nothing moves.
  bool may_touch() const { return body_a != body_b && (bodies.is_dynamic(body_a) || bodies.is_dynamic(body_b)); }
};

/// How far ahead contacts of a pair are made: the margin, and the way the bodies may come closer within the step.
double pair_margin(const PairContext& c);

/// Impulses of the old contact, tangents turned into the new frame.
inline void carry_impulse(const ContactPoint& from, const Vec3& old_normal, const Vec3& normal, ContactPoint& to) {
  to.normal_impulse = from.normal_impulse;
  to.spin_impulse = from.spin_impulse;
  to.tangent_impulse[0] = from.tangent_impulse[0];
  to.tangent_impulse[1] = from.tangent_impulse[1];
  if (old_normal == normal || (from.tangent_impulse[0] == 0 && from.tangent_impulse[1] == 0)) return;
  const Frame before = make_frame(old_normal), now = make_frame(normal);
  const Vec3 tangential =
      double{from.tangent_impulse[0]} * before.tangent1 + double{from.tangent_impulse[1]} * before.tangent2;
  to.tangent_impulse[0] = static_cast<float>(dot(now.tangent1, tangential));
  to.tangent_impulse[1] = static_cast<float>(dot(now.tangent2, tangential));
}

/// Two balls: the most frequent pair, without any detour.
struct BallContact {
  Vec3 normal, position;
  double separation = 0;
  bool found = false;
};

inline BallContact ball_contact(const PairContext& c) {
  BallContact result;
  const Vec3& centre_a = c.shapes.pose[c.a].position;
  const Vec3 d = c.shapes.pose[c.b].position - centre_a;
  const double radius_a = c.shapes.sphere_radius[c.a], radius_b = c.shapes.sphere_radius[c.b];
  const double reach = radius_a + radius_b, length2 = dot(d, d), near = reach + c.settings.margin;
  if (length2 > near * near) {
    const double far = reach + pair_margin(c);
    if (length2 > far * far) return result;
  }
  const double length = std::sqrt(length2);
  result.normal = length > 0 ? (1.0 / length) * d : Vec3{0, 0, 1};
  // Midway between the surfaces: at r_a + separation / 2 from the centre of a.
  result.position = centre_a + 0.5 * (radius_a - radius_b + length) * result.normal;
  result.separation = length - reach;
  result.found = true;
  return result;
}

}  // namespace cairn
