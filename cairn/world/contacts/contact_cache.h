// SPDX-License-Identifier: MIT
// ContactCache: the contacts of a world from step to step. Gets the pairs of the broad phase, keeps what is known about
// pairs that were there before (cached axis, impulses by feature, whole manifolds of bodies that barely moved) and asks
// the narrow phase about the rest.
//
// Layout. Pairs are cut into blocks of kPairBlock, each with its own arrays of manifolds and points (a Slab): blocks
// are worked on side by side and their order is that of the pairs, whatever the number of threads. Two generations take
// turns: the new one is written while the old one is read. Where the pairs are those of the step before, records stay
// where they are, and so do blocks in which nothing comes or goes: their points are followed in place. A block none of
// whose bodies has moved is not looked at at all (Slab::is_still).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/dynamics/bodies.h"
#include "cairn/narrow/collide.h"
#include "cairn/world/shapes.h"

namespace cairn {

/// One point of contact. Written by `update`; the impulses by the scatter of the solution.
struct ContactPoint {
  Vec3 position;  ///< world, midway between the two surfaces
  float separation = 0;
  std::uint32_t feature = 0;
  float normal_impulse = 0;       ///< N s
  float tangent_impulse[2] = {};  ///< along the tangents of make_frame(normal)
  float spin_impulse = 0;
};

/// Where a point sits on the two bodies, for manifolds that may be recycled. Body axes, from the centres of mass; the
/// offset makes up for the rounding to float, so that the separation of an unmoved pair comes back exactly.
struct ContactAnchor {
  float on_a[3], on_b[3];
  float offset;
};

struct ContactManifold {
  Vec3 normal;                     ///< unit, from a to b
  std::uint64_t part = 0;          ///< which parts of the two shapes
  std::int32_t pair = 0;           ///< index of the pair
  std::int32_t first_point = 0;    ///< in the slab
  std::int32_t first_anchor = -1;  ///< in the slab; -1: never recycled
  std::int32_t count = 0;          ///< points
};

/// Where the shapes of a pair were, seen from each other, when its manifolds were made: as long as they hardly move
/// against each other, wherever they go, the manifolds go with them. Of pairs whose contacts are costly.
struct ContactReference {
  Pose relative;                  ///< of the smaller shape in the frame of the larger one
  double margin = 0;              ///< that the manifolds were made with
  std::int32_t first_normal = 0;  ///< in the slab: the normals of the pair's manifolds, in the axes of body a
};

/// What is kept about a pair of shapes whose bounds overlap.
struct ContactPair {
  CollideMemory memory;
  std::int32_t reference = -1;                 ///< in the slab; -1: none
  std::uint32_t version_a = 0, version_b = 0;  ///< of the bodies when the manifolds were made
  std::int32_t first_manifold = 0;             ///< in the slab
  std::int32_t manifold_count = 0;
  std::uint8_t touching = 0;  ///< begin was reported, end was not
  std::uint8_t known = 0;     ///< 0: nothing of it may be used
  std::uint8_t pushed = 0;    ///< within a step, until events are collected: its shapes pushed each other
};

struct Slab {
  std::vector<ContactManifold> manifolds;
  std::vector<ContactPoint> points;
  std::vector<ContactAnchor> anchors;
  std::vector<ContactReference> references;
  std::vector<Vec3> own_normals;     ///< of the manifolds of pairs with a reference
  std::vector<std::int32_t> ended;   ///< pairs of the OLD generation that touched and are gone
  std::vector<std::int32_t> began;   ///< pairs that touch and did not before; written when events are collected
  std::vector<std::int32_t> ceased;  ///< pairs that touched and are apart, though their bounds still overlap
  std::int64_t recycled = 0;
  bool all_balls = false;      ///< every pair of the block is two balls in contact: may be updated in place
  bool all_follow = false;     ///< all manifolds have anchors and no pair needs re-collision: may be updated in place
  std::uint64_t made = 0;      ///< number of the update that made the manifolds, which are the same since; 0: unknown
  std::uint64_t computed = 0;  ///< number of the update that last wrote anything here
  std::uint64_t unmoved = 0;   ///< ContactCache::entries_ when none of its bodies was found to move; 0: some did
  int rests = 0;               ///< updates in a row in which none of its bodies had moved, up to kRests + 1

  /// After so many updates at the same place another one would write the same bits: the first measures what was made
  /// while the bodies moved, the second starts from numbers that were measured at rest.
  static constexpr int kRests = 2;
  /// The last update left it alone.
  bool is_still() const { return rests > kRests; }
  /// Before its pairs are updated one by one.
  void clear_manifolds() {
    manifolds.clear(), points.clear(), anchors.clear(), references.clear(), own_normals.clear();
    recycled = 0;
    all_balls = all_follow = true;
  }
  PartManifolds scratch;
};

struct ContactGeneration {
  std::vector<BroadPair> pairs;      ///< sorted by (a, b)
  std::vector<ContactPair> records;  ///< per pair
  std::vector<Slab> slabs;           ///< per block of pairs
};

struct DetectSettings {
  double margin = 0.02;
  double dt = 0;
  bool recycling = true;
  double recycle_shift = 1e-3, recycle_turn = 1e-3;  ///< m, rad
  std::span<const std::uint8_t> moved{};  ///< per body: 0 if it is where it was in the last update; empty: unknown
  bool any_entered = true;                ///< some body moved that had not moved in the last update
};

/// What contacts are made from.
struct DetectInput {
  const Bodies& bodies;
  const Shapes& shapes;
  const DetectSettings& settings;
};

class ContactCache {
 public:
  static constexpr std::int64_t kPairBlock = 256;

  /// Where the broad phase writes the pairs of the next update.
  std::vector<BroadPair>& next_pairs() { return next_.pairs; }

  /// Drops all that is known about pairs with a shape whose flag is set (removed since the last step). Calls
  /// `forgotten(pair, was_touching)` for each of them that had contacts, in order.
  template <class Forgotten>
  void forget(std::span<const std::uint8_t> flag, Forgotten&& forgotten) {
    for (std::size_t i = 0; i < now_.pairs.size(); ++i) {
      const BroadPair& pair = now_.pairs[i];
      ContactPair& record = now_.records[i];
      const bool gone = flag[to_index(pair.a)] != 0 || flag[to_index(pair.b)] != 0;
      if (!gone || record.known == 0) continue;
      if (record.manifold_count > 0 || record.touching != 0) forgotten(pair, record.touching != 0);
      record = {};
    }
  }

  /// Finds which pairs were there before. After it, `update` may be called.
  void match(ThreadPool* pool);

  /// Makes the manifolds of next_pairs() and turns the generations.
  void update(const Bodies& bodies, const Shapes& shapes, const DetectSettings& settings, ThreadPool* pool);

  std::span<const BroadPair> pairs() const { return now_.pairs; }
  std::span<ContactPair> records() { return now_.records; }
  std::span<const ContactPair> records() const { return now_.records; }
  std::span<Slab> slabs() { return {now_.slabs.data(), slab_count_}; }
  std::span<const Slab> slabs() const { return {now_.slabs.data(), slab_count_}; }
  /// The generation before: what `Slab::ended` refers to.
  const ContactGeneration& before() const { return next_; }

  std::int64_t manifold_count() const;
  std::int64_t point_count() const;
  std::int64_t recycled_count() const;

  /// For snapshots.
  const ContactGeneration& generation() const { return now_; }
  void restore(ContactGeneration generation);

 private:
  /// Pairs begin to end of the next generation, which share a slab.
  struct PairBlock {
    std::int64_t begin = 0, end = 0;
    std::size_t slab() const { return to_index(begin / kPairBlock); }
    std::size_t size() const { return to_index(end - begin); }
  };
  /// What was known about a pair; slab is null if nothing was.
  struct KnownPair {
    ContactPair record;
    const Slab* slab = nullptr;
  };

  void match_block(const PairBlock& block);
  void update_block(const DetectInput& in, const PairBlock& block);
  bool has_same_pairs(const PairBlock& block) const;
  void take_over(const PairBlock& block);
  bool stands_still(const DetectInput& in, const PairBlock& block) const;
  void make_block(const DetectInput& in, const PairBlock& block);
  KnownPair known_before(std::size_t i) const;
  bool update_balls_in_place(const DetectInput& in, const PairBlock& block);
  bool follow_in_place(const DetectInput& in, const PairBlock& block);

  ContactGeneration now_, next_;
  std::size_t slab_count_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t entries_ = 1;        ///< another number whenever pairs changed or a body began to move
  std::vector<std::int32_t> match_;  ///< per next pair: its index in now_, or -1
  bool same_pairs_ = false;          ///< next_.pairs equals now_.pairs: match_ is the identity and not filled, and
                                     ///< the records are those of next_ already
};

}  // namespace cairn
