// SPDX-License-Identifier: MIT
// What a step tells and what a world can be asked: contact events, contacts, and the hits of queries.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

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

/// Two shapes whose bounds overlap, in the order of ContactEvent.
struct ShapePair {
  ShapeId shape_a, shape_b;
  BodyId body_a, body_b;
};

/// Whether two shapes may touch in the sub-step that begins. It is asked of every pair of shapes that are near each
/// other, in every sub-step, in order of (shape_a, shape_b), on the thread that steps. The world may be read: it is as
/// before the sub-step. Edits are refused. An exception ends the step before anything moved and reaches the caller; the
/// same step can be made again. A pair that is refused loses its contacts; who sleeps does not wake by that.
/// Continuous bodies ask besides, after the solve, for shapes that are on their way. An exception then reaches the
/// caller at the end of the step, which has been made.
using ContactFilter = std::function<bool(const ShapePair&)>;

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
  std::uint32_t mask = 0xffffffff;  ///< layers, see ShapeDef::layer
  BodyId ignore{};                  ///< a body to look past; null: none
  /// Asked last, in any order and in batches by several threads at once; empty: all.
  std::function<bool(ShapeId)> accept{};
};

/// What a ray or a shape cast met.
struct WorldHit {
  BodyId body;
  ShapeId shape;
  double distance = 0;  ///< m along the ray or the cast
  Vec3 point, normal;   ///< world; the normal points against the ray or the cast
};

/// One ray of a batch. The direction need not be unit.
struct RayCast {
  Vec3 origin, direction;
  double length = 0;  ///< m
};

/// One shape of a batch that is moved through the world.
struct ShapeCast {
  Shape shape;
  Pose pose;
  Vec3 translation;
};

/// All hits of a batch of rays or casts. Whoever asks again and again keeps it: a warm batch allocates nothing.
class HitLists {
 public:
  /// How many rays or casts the batch had.
  std::size_t size() const { return first_.size(); }
  /// The hits of ray or cast i, by distance, then shape.
  std::span<const WorldHit> operator[](std::size_t i) const {
    const std::vector<WorldHit>& hits = blocks_[i / kBlock];
    const std::size_t end = i + 1 < size() && (i + 1) % kBlock != 0 ? first_[i + 1] : hits.size();
    return {hits.data() + first_[i], end - first_[i]};
  }

 private:
  friend class World;
  static constexpr std::size_t kBlock = 32;  ///< rays or casts that are worked on by one thread

  std::vector<std::vector<WorldHit>> blocks_;
  std::vector<std::size_t> first_;  ///< per ray or cast: its first hit in its block
};

}  // namespace cairn
