// SPDX-License-Identifier: MIT
// LaneProblem: the contacts and joints of one step packed for wide lanes, in float.
//
// Manifolds (up to four points of one pair of bodies with one normal) that may be solved side by side stand in groups
// of kLanes. A group is one run of floats: fields of kLanes numbers each, lane l belonging to one manifold throughout.
// A stage is a run of groups no two manifolds of which share a body that can move; stages are solved one after the
// other.
//
// Coordinates are scaled by mass: with M^-1 = L L^T per body (L lower triangular), a body's velocity is u = L u', a row
// J becomes J' = J L, and an impulse changes u' by J'^T lambda. One set of numbers per row serves for reading and
// writing, whatever the inertia. Bodies that cannot move have no record: what they move by stands in the rows
// (`offset`).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/aligned.h"
#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

inline constexpr int kLanes = 16;
inline constexpr int kMostPoints = 4;
/// Islands that a solver treats alike make a batch; stages belong to one batch each.
inline constexpr int kMostBatches = 8;

/// A body that can move: what a sweep reads and writes, one cache line.
struct alignas(64) LaneBody {
  float velocity[8] = {};      ///< u': linear, angular; two unused
  float displacement[8] = {};  ///< d' since the beginning of the step
};

/// Six numbers in scaled coordinates.
struct alignas(32) LaneMotion {
  float value[8] = {};
};

/// L of a body: its lower triangle by rows for turning, the root of the inverse mass, unused.
struct alignas(32) LaneMass {
  float turn[6] = {};
  float shift = 0;
  float unused = 0;
};

/// What kind of manifolds a group holds: how many points, whether the first body can move, whether rows have extras. A
/// round one is of bodies that turn alike about every axis, with arms along the normal, as balls have: its normal row
/// turns nothing, and the rows of friction are the tangents times one number per body. Half the fields and less than
/// half the work.
struct LaneKind {
  int points = 1;          ///< 1, 2 or 4; three points stand in a kind of four
  bool two_bodies = true;  ///< else body a cannot move and has no fields
  bool extra = false;      ///< offsets, restitution, anisotropic friction, spin
  bool round = false;      ///< one point, no extras

  constexpr bool twists() const { return points > 1 || extra; }
  constexpr int index() const {
    if (round) return two_bodies ? 13 : 12;
    return (points == 1 ? 0 : points == 2 ? 1 : 2) + (two_bodies ? 3 : 0) + (extra ? 6 : 0);
  }
};
inline constexpr int kLaneKinds = 14;
constexpr LaneKind lane_kind(int index) {
  constexpr int kPoints[3] = {1, 2, 4};
  if (index >= 12) return {1, index == 13, false, true};
  return {kPoints[index % 3], index / 3 % 2 == 1, index >= 6, false};
}

/// Where the fields of a group of one kind begin, in units of kLanes floats: what a soft sweep needs first, then what
/// friction needs, then sums. Rows that read and write both bodies keep those of b first. Before `prepare` the arms
/// stand where the scaled rows go.
struct LaneFields {
  int body_b, body_a;        ///< indices of bodies, as int32
  int normal, tangent;       ///< three each; the second tangent is normal x tangent
  int shift_b, shift_a;      ///< roots of the inverse masses
  int friction;              ///< coefficient
  int turn_b, turn_a;        ///< round: signed arm times root of the inverse inertia; before `prepare` the arm
  int tangent_b, tangent_a;  ///< rows of friction: two times three; not if round
  int tangent_mass;          ///< inverse of the 2 x 2 block: 11, 12, 22; round: the one number on its diagonal
  int tangent_impulse;       ///< two
  int tangent_total;         ///< two: over the sub-steps so far
  int twist_b, twist_a;      ///< row of turning about the normal; points > 1 or extra
  int twist_mass, twist_impulse, twist_total;
  int twist_radius;       ///< bound of the twist impulse per friction and normal impulse
  int point, point_size;  ///< first point, fields per point
  int row_b, row_a, mass, gap, separation, impulse, total;  ///< within a point
  int offset, restitution, approach;                        ///< within a point, extra
  int tangent_offset, twist_offset, anisotropy;  ///< extra: two, one, one (second coefficient over the first)
  int split;                  ///< points > 1 or extra: two per point, what a unit of twist is as a force along the
                              ///< tangents there; before `prepare` the impulses of the point along them
  int soft_size, rigid_size;  ///< fields that a soft sweep reads are among these first ones; and a rigid one
  int size;                   ///< fields of the group
};
constexpr LaneFields lane_fields(LaneKind kind) {
  LaneFields f{};
  int next = 0;
  const auto take = [&](int count) {
    const int at = next;
    next += count;
    return at;
  };
  const int a = kind.two_bodies ? 1 : 0, full = kind.round ? 0 : 1, twist = kind.twists() ? 1 : 0;
  f.row_b = take(3 * full), f.row_a = take(3 * a * full);
  f.mass = take(1), f.separation = take(1), f.impulse = take(1);
  if (kind.extra) f.offset = take(1);
  f.gap = take(1), f.total = take(1);
  if (kind.extra) f.restitution = take(1), f.approach = take(1);
  f.point_size = next;
  next = 0;
  f.body_b = take(1), f.body_a = take(a);
  f.normal = take(3), f.shift_b = take(1), f.shift_a = take(a);
  f.point = take(kind.points * f.point_size);
  f.soft_size = next;
  f.tangent = take(3), f.friction = take(1);
  f.turn_b = take(1 - full), f.turn_a = take((1 - full) * a);
  f.tangent_b = take(6 * full), f.tangent_a = take(6 * a * full), f.tangent_mass = take(kind.round ? 1 : 3);
  f.tangent_impulse = take(2);
  f.twist_b = take(3 * twist), f.twist_a = take(3 * twist * a);
  f.twist_mass = take(twist), f.twist_impulse = take(twist), f.twist_radius = take(twist);
  if (kind.extra) f.tangent_offset = take(2), f.twist_offset = take(1), f.anisotropy = take(1);
  f.rigid_size = next;
  f.tangent_total = take(2), f.twist_total = take(twist);
  f.split = take(2 * twist * kind.points);
  f.size = next;
  return f;
}

/// What is written of a manifold before a solve: one record, the numbers of which go to fields of its lane. Fields of a
/// lane are a cache line apart and share it with fifteen other manifolds, maybe of other threads; a record has its own.
/// Turned into fields sixteen at a time (`prepare`), records cost less than writing number by number where they belong.
struct LaneInputs {
  static constexpr int kMostNumbers = 80, kMostFields = 160;
  int size = 0;                           ///< numbers of a record, a multiple of four
  std::int16_t field[kMostNumbers] = {};  ///< where each number goes; -1: nowhere
  std::int16_t number[kMostFields] = {};  ///< of the field in the record; -1: none
};
constexpr LaneInputs lane_inputs(LaneKind kind) {
  const LaneFields f = lane_fields(kind);
  LaneInputs in;
  for (std::int16_t& field : in.field) field = -1;
  for (std::int16_t& number : in.number) number = -1;
  const auto add = [&](int field, int count) {
    for (int k = 0; k < count; ++k) {
      in.number[field + k] = static_cast<std::int16_t>(in.size);
      in.field[in.size++] = static_cast<std::int16_t>(field + k);
    }
  };
  const int a = kind.two_bodies ? 1 : 0, full = kind.round ? 0 : 1, extra = kind.extra ? 1 : 0;
  add(f.body_b, 1), add(f.body_a, a);
  add(f.normal, 3), add(f.tangent, 3), add(f.friction, 1);
  add(f.turn_b, 1 - full), add(f.turn_a, (1 - full) * a);
  for (int i = 0; i < kind.points; ++i) {
    const int at = f.point + i * f.point_size;
    add(at + f.row_b, 3 * full), add(at + f.row_a, 3 * a * full);
    add(at + f.mass, full), add(at + f.gap, 1), add(at + f.impulse, 1);
    add(at + f.offset, extra), add(at + f.restitution, extra), add(at + f.approach, extra);
  }
  const int split = kind.twists() ? 1 : 0;
  add(f.tangent_impulse, 2 * (1 - split)), add(f.split, 2 * split * kind.points);
  add(f.twist_impulse, extra), add(f.twist_radius, extra);
  add(f.tangent_offset, 2 * extra), add(f.twist_offset, extra), add(f.anisotropy, extra);
  in.size = (in.size + 3) / 4 * 4;
  return in;
}

struct LaneGroup {
  std::uint32_t first = 0;   ///< of its fields, in units of kLanes floats
  std::uint32_t record = 0;  ///< the first of its kLanes records, in floats
  std::uint16_t kind = 0;
  std::uint16_t lanes = 0;  ///< in use, from 0
};

/// groups[first .. first + count) may be solved side by side.
struct LaneStage {
  std::int32_t first = 0, count = 0;
  std::int32_t batch = 0;
};

/// Where one manifold of the caller stands.
struct LaneSlot {
  std::uint32_t first = 0;   ///< of its fields, in floats
  std::uint32_t record = 0;  ///< in floats
  std::uint32_t kind = 0;
};

/// A manifold as its maker sees it. Only what its points fill is set: there are many.
struct LaneManifold {
  std::int32_t body_a, body_b;  ///< in the caller's numbering
  int count;                    ///< points
  Vec3 normal, tangent;         ///< normal from a to b; the second tangent is normal x tangent
  double friction1, friction2, spin_radius;
  struct Point {
    Vec3 arm_a, arm_b;
    double gap;
    std::array<double, 4> impulse;  ///< of the whole step: normal, tangents, spin
    double restitution, approach;   ///< normal velocity at the beginning of the step; only with restitution
  };
  std::array<Point, kMostPoints> point;

  LaneManifold() {}  // NOLINT: not set on purpose
  /// Without points yet, for the first of its contacts.
  explicit LaneManifold(const ContactBlock& c)
      : body_a(c.body_a),
        body_b(c.body_b),
        count(0),
        normal(c.normal),
        tangent(c.tangent1),
        friction1(c.friction1),
        friction2(c.friction2),
        spin_radius(c.spin_radius) {}

  void add(const ContactBlock& c, double approach, const std::array<double, 4>& impulse) {
    point[to_index(count++)] = {c.arm_a, c.arm_b, c.gap, impulse, c.restitution, approach};
  }
  std::span<const Point> points() const { return {point.data(), to_index(count)}; }
  std::span<Point> points() { return {point.data(), to_index(count)}; }
};

/// A manifold of one point that is no extra, in a form that need not be kept in memory: most are of this kind.
struct LaneSingle {
  std::int32_t body_a, body_b;
  Vec3 normal, tangent, arm_a, arm_b;
  double friction, gap;
  std::array<double, 3> impulse;
};

/// The second tangent of lanes is normal x tangent; that of a problem may be its opposite.
inline double handedness(const ContactBlock& c) {
  return dot(c.tangent2, cross(c.normal, c.tangent1)) < 0 ? -1.0 : 1.0;
}

/// What an island consists of: integers, so that it does not matter who counts them. They decide its batch.
struct IslandCounts {
  std::int32_t manifolds = 0;  ///< in lanes
  std::int32_t flat = 0;       ///< of several points
  std::int32_t touching = 0;   ///< some point of which is no farther apart than kTouchingGap
  std::int32_t bare = 0;       ///< of these, without an impulse to start from
  std::int32_t joints = 0;     ///< that hold two bodies together, both of which can move
};
inline constexpr double kTouchingGap = 1e-3;  ///< m

/// Counts one manifold. gap(p) and impulse(p): of point p, and its normal impulse to start from.
template <class Gap, class Impulse>
void count_manifold(int points, Gap&& gap, Impulse&& impulse, IslandCounts& counts) {
  bool touching = false, pushed = false;
  for (int p = 0; p < points && !(touching && pushed); ++p)
    touching = touching || gap(p) <= kTouchingGap, pushed = pushed || impulse(p) > 0;
  counts.manifolds += 1, counts.flat += points > 1 ? 1 : 0;
  counts.touching += touching ? 1 : 0, counts.bare += touching && !pushed ? 1 : 0;
}

/// What decides where a manifold stands.
struct LaneTraits {
  std::int32_t body_a = 0, body_b = 0;
  int count = 0;
  bool extra = false;  ///< restitution, anisotropic friction or spin; bodies that are moved by themselves are seen to
  Vec3 normal, arm_a, arm_b;  ///< of a single point, if LaneProblem::may_be_round
};

class LaneProblem {
 public:
  /// Records of the bodies that can move: u' and a' from velocities and accelerations, L from inverse masses.
  void load_bodies(std::span<const ProblemBody> bodies, ThreadPool* pool);

  /// Where a manifold belongs: kNoColour in a stage of its own. `ordinal`: how many manifolds of its pair came before.
  static constexpr std::int32_t kNoColour = -1;
  std::uint32_t key(const LaneTraits& traits, int batch, std::int32_t colour, int ordinal) const {
    const auto a = to_index(traits.body_a), b = to_index(traits.body_b);
    LaneKind kind{traits.count <= 2 ? traits.count : kMostPoints, body_of[a] >= 0 && body_of[b] >= 0,
                  traits.extra || moves_itself[a] != 0 || moves_itself[b] != 0, false};
    kind.round = !kind.extra && traits.count == 1 && may_be_round(traits.body_a, traits.body_b) &&
                 (body_of[a] < 0 || are_along(traits.normal, traits.arm_a)) &&
                 (body_of[b] < 0 || are_along(traits.normal, traits.arm_b));
    return with_colour(static_cast<std::uint32_t>(kind.index()), batch, colour, ordinal);
  }
  /// The same manifold in another batch and colour.
  static std::uint32_t with_colour(std::uint32_t key, int batch, std::int32_t colour, int ordinal) {
    const std::uint32_t low = (key & ((1u << kKindBits) - 1)) | static_cast<std::uint32_t>(batch) << kKindBits;
    if (colour < 0 || ordinal >= (1 << kOrdinalBits)) return kOverflow | low;
    return (static_cast<std::uint32_t>(colour) << (kOrdinalBits + kBatchBits + kKindBits)) |
           (static_cast<std::uint32_t>(ordinal) << (kBatchBits + kKindBits)) | low;
  }
  /// Whether the lane of such a manifold has extras: its traits, or a body that is moved by itself.
  static bool is_extra(std::uint32_t key) { return lane_kind(static_cast<int>(key & ((1u << kKindBits) - 1))).extra; }
  /// Whether those of the two bodies that can move turn alike about every axis.
  bool may_be_round(std::int32_t a, std::int32_t b) const {
    return (turns_alike[to_index(a)] & turns_alike[to_index(b)]) != 0;
  }

  /// Groups and stages for manifolds with the given keys; allocates and sorts only if they differ from the last ones.
  /// True if they do not.
  bool lay_out(std::span<const std::uint32_t> keys);
  /// Whether manifolds i, i + 1, ... of the last layout had these keys: then they may be filled before it is said that
  /// the layout is kept.
  bool has_keys(std::size_t i, std::span<const std::uint32_t> keys) const {
    return i + keys.size() <= keys_.size() && std::equal(keys.begin(), keys.end(), keys_.data() + i);
  }
  /// The last layout again, for bodies that were loaded since.
  void keep_layout() {
    if (nobody_ != bodies.size() - 1) point_at_nobody();
  }

  /// Writes the record of manifold i of the layout; its impulses are divided by `sub_steps`.
  void fill(std::size_t i, const LaneManifold& manifold, int sub_steps);
  /// The same for one of a single point and no extras.
  void fill(std::size_t i, const LaneSingle& single, int sub_steps);
  /// Impulses of manifold i times `factor`, after a solve, in the frame in which it was filled: those of all sub-steps
  /// (if the solve added them up), or of the last. Of the manifold, the second body, the count and the radius of spin
  /// must be set.
  enum class Impulses { total, last };
  void read(std::size_t i, Impulses which, double factor, LaneManifold& manifold) const;
  /// Whether some point of manifold i was pushed in any sub-step.
  bool was_pushed(std::size_t i) const;
  /// Those of the last sub-step for one of a single point and no extras; `b`: its second body.
  struct SingleImpulse {
    std::array<double, 3> impulse;
    bool was_pushed;
  };
  SingleImpulse read_single(std::size_t i, double factor, std::int32_t b) const;

  /// End-of-step velocity and displacement of a body, after a solve over dt. What no manifold touches moves as if there
  /// were no lanes, in double.
  void read_body(std::size_t i, const ProblemBody& body, double dt, int sub_steps, Velocity& velocity,
                 Velocity& displacement) const;
  /// J L of a row J of body i; zero if it cannot move.
  Velocity scale_row(std::size_t i, const Velocity& row) const;
  bool can_move(std::size_t body) const { return body_of[body] >= 0; }
  /// Says of a body's record that something acts on it.
  void touch(std::int32_t body) {
    if (const std::int32_t record = body_of[to_index(body)]; record >= 0) touched[to_index(record)] = 1;
  }

  std::vector<LaneGroup> groups;
  std::vector<LaneStage> stages;
  AlignedVector<float> data;               ///< fields of all groups
  AlignedVector<float> records;            ///< of all groups, lanes not in use included
  AlignedVector<LaneBody> bodies;          ///< those that can move, then one that is nobody
  AlignedVector<LaneMass> masses;          ///< per record
  AlignedVector<LaneMotion> previous;      ///< per record: u' at the beginning of the sub-step
  AlignedVector<LaneMotion> pull;          ///< per record: a'
  std::vector<Velocity> still;             ///< per body of the caller: what of its velocity its record does not hold
  std::vector<std::int32_t> body_of;       ///< per body of the caller: its record, or -1
  std::vector<std::uint8_t> moves_itself;  ///< per body of the caller: `still` is not zero
  std::vector<std::uint8_t> turns_alike;   ///< per body of the caller: it cannot move, or L is one number
  std::uint64_t body_set = 0;              ///< another number whenever one of the three before changed
  std::vector<std::uint8_t> batch_of;      ///< per body of the caller: that of its island; set by the caller
  std::vector<LaneSlot> slots;             ///< per manifold
  std::vector<std::uint8_t> touched;       ///< per record: it is in a manifold, or a joint acts on it

 private:
  /// Of keys, lowest first; then the colour.
  static constexpr std::uint32_t kKindBits = 4, kBatchBits = 3, kOrdinalBits = 4;
  static_assert(kMostBatches == 1 << kBatchBits);
  static constexpr std::uint32_t kOverflow = 0xffff0000u;  ///< keys from here on: a stage of their own

  template <Impulses kWhich>
  void read_as(std::size_t i, double factor, LaneManifold& manifold) const;
  bool load_numbered(std::span<const ProblemBody> bodies, ThreadPool* pool);
  void point_at_nobody();
  /// To what a float can tell.
  static bool are_along(const Vec3& normal, const Vec3& arm) {
    const Vec3 off = cross(arm, normal);
    return dot(off, off) <= 1e-16 * dot(arm, arm);
  }

  std::vector<std::uint32_t> keys_;         ///< of the layout
  std::vector<std::uint32_t> first_group_;  ///< scratch
  std::size_t nobody_ = 0;                  ///< record that lanes not in use point at
};

}  // namespace cairn
