// SPDX-License-Identifier: MIT
// LaneProblem: the contacts of one step packed for wide lanes, in float.
//
// A manifold is up to four points of one pair of bodies with one normal. Its numbers stand in one lane of a group
// (lane_fields.h). The layout says which one (lane_layout.h). Velocities and masses of bodies stand beside it, in
// coordinates scaled by mass (lane_bodies.h).
//
//   load_bodies, then key per manifold, lay_out, fill per manifold; the solver; read per manifold, read_body
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cairn/core/aligned.h"
#include "cairn/problem/lanes/lane_bodies.h"
#include "cairn/problem/lanes/lane_fields.h"
#include "cairn/problem/lanes/lane_layout.h"
#include "cairn/problem/lanes/lane_manifold.h"

namespace cairn {

class LaneProblem : public LaneBodies, public LaneLayout {
 public:
  AlignedVector<float> data;     ///< fields of all groups
  AlignedVector<float> records;  ///< of all groups, lanes not in use included

  /// Where a manifold belongs among the bodies that are loaded.
  LaneKey key(const LaneTraits& traits, const LanePlace& place) const;

  /// The layout of manifolds with the given keys. Allocates and sorts only if they differ from the last ones; true if
  /// they do not.
  bool lay_out(std::span<const LaneKey> keys);
  /// The last layout again, for bodies that were loaded since.
  void keep_layout();

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

 private:
  template <Impulses kWhich>
  void read_as(std::size_t i, double factor, LaneManifold& manifold) const;
  void point_at_nobody();

  std::size_t pointed_at_ = 0;  ///< record that lanes not in use point at
};

/// Where the second body cannot move the lane sees the manifold from there: b <-> a, normal and tangent reversed. The
/// impulses along them and about the normal stay; that along the second tangent, normal x tangent, changes its sign.
constexpr double side_of(bool turned) { return turned ? -1.0 : 1.0; }

}  // namespace cairn
