// SPDX-License-Identifier: MIT
// What a step tells and what a world can be asked: contact events, contacts, and the hits of queries.
#pragma once

#include <functional>
#include <limits>

#include "cairn/dynamics/body_def.h"

namespace cairn {

/// What happened to a pair of shapes.
enum class ContactEventKind {
  begin,    ///< the shapes touch, and did not before
  persist,  ///< they go on touching; only with WorldSettings::persist_events
  end,      ///< they are farther apart than the margin, or one of them was removed
};

/// One pair of shapes in one step.
struct ContactEvent {
  ContactEventKind kind = ContactEventKind::begin;
  ShapeId shape_a, shape_b;
  BodyId body_a, body_b;
  Vec3 point;   ///< where the normal impulse is largest; 0 for `end`
  Vec3 normal;  ///< from a to b
  double impulse =
      0;  ///< N s, sum of the normal impulses of this step; with sub-steps in the solver (soft_step): those
          ///< of the last one times their number, which is right for lasting contacts, not for impacts
};

/// Called after the step, for each event in order of (shape_a, shape_b), one sub-step after the other. Bodies may be
/// added and edited; removals wait until the last event has been delivered. An exception leaves the world as after the
/// step and reaches the caller.
using ContactListener = std::function<void(const ContactEvent&)>;

/// A point of contact as the last step left it.
struct ContactView {
  ShapeId shape_a, shape_b;
  BodyId body_a, body_b;
  Vec3 point, normal;        ///< normal from a to b
  double separation = 0;     ///< m, negative where they overlap
  Vec3 impulse;              ///< N s on b, world axes; with sub-steps as in ContactEvent
  std::int32_t colour = -1;  ///< of its pair in the last step's graph; -1: none, or a state that was just restored
};

/// Which shapes a query sees: those that pass all three.
struct QueryFilter {
  std::uint32_t mask = 0xffffffff;        ///< layers, see ShapeDef::layer
  BodyId ignore{};                        ///< a body to look past; null: none
  std::function<bool(ShapeId)> accept{};  ///< asked last; empty: all
};

/// What a ray or a shape cast met.
struct WorldHit {
  BodyId body;
  ShapeId shape;
  double distance = 0;  ///< m along the ray or the cast
  Vec3 point, normal;   ///< world; the normal points against the ray or the cast
};

}  // namespace cairn
