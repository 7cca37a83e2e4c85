// SPDX-License-Identifier: MIT
// Continuous collision: what it works with within a step. Everything is found anew in every step; memory alone is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/broad/query_tree.h"
#include "cairn/narrow/collide.h"
#include "cairn/world/assembly/assemble.h"
#include "cairn/world/sweep.h"

namespace cairn {

inline constexpr int kMostImpacts = 8;   ///< of a body in a step on what keeps its path; then it goes along with that
inline constexpr int kMostMeetings = 8;  ///< with others that change theirs; then it looks at these no more

/// The next touch of a continuous body, as its last search found it.
struct NextTouch {
  Touch touch;
  std::int32_t shape = -1, other = -1;  ///< -1: none until the end of the step
  std::uint32_t version = 0;            ///< of the other body's path, if that is continuous
};

/// A continuous body on its way through the step.
struct FastBody {
  std::int32_t body = 0;
  BodyPath path;              ///< since its last impact
  Velocity velocity;          ///< at the beginning of that path
  Vec3 acceleration;          ///< m/s^2, that nothing holds against
  std::uint32_t version = 0;  ///< raised when the path changes
  int impacts = 0;            ///< so far, on what keeps its path
  int meetings = 0;           ///< so far, with others that change theirs
  bool is_tied = false;       ///< goes along with what it met last until the end of the step
  NextTouch next;

  bool is_changed() const { return version > 0; }
};

/// Two shapes that met within a step, for the events.
struct Hit {
  std::int32_t shape_a = 0, shape_b = 0;  ///< a < b
  Vec3 point, normal;                     ///< normal from a to b
  double time = 0;                        ///< fraction of the step
  double impulse = 0;                     ///< N s, along the normal
};

/// Lists of one thread's search.
struct SearchScratch {
  struct Candidate {
    double entry = 0;  ///< time from which on the boxes overlap
    std::int32_t shape = 0, other = 0;
  };
  std::vector<std::int32_t> nearby;
  std::vector<Candidate> candidates;
};

struct ContinuousWork {
  std::vector<FastBody> bodies;            ///< continuous ones, ascending
  std::vector<std::int32_t> number;        ///< per body: in `bodies`; -1: it is not there
  std::vector<std::int32_t> changed;       ///< numbers of those whose path has changed
  std::vector<std::int32_t> swift_shapes;  ///< those that leave their bounds within the step
  std::vector<std::uint8_t> is_swift;      ///< per shape
  QueryTree tree;                          ///< per entry of swift_shapes: where it is at some time of the step
  std::vector<SearchScratch> scratch;      ///< per block of bodies
  struct Event {
    double time = 0;
    std::int32_t number = 0;
    std::uint32_t version = 0;  ///< of the body's path
  };
  std::vector<Event> events;  ///< a heap, the first one on top
  std::vector<Hit> hits;

  // Of the impact at hand.
  PartManifolds manifolds;
  ContactProblem pair;  ///< two bodies
  std::vector<ImpactRow> rows;
};

struct WorldState;

/// A body that is not continuous on its way.
BodyPath planned_path(const WorldState& world, std::size_t body);
/// Resolves the next touch of a continuous body: both bodies get the velocities after the impact. Their paths go on
/// from there, but that of a body which is not continuous stays as it is.
void resolve_touch(WorldState& world, FastBody& fast);
/// How near a shape comes to another before they touch, m.
double touch_skin(const WorldState& world, std::size_t shape);

}  // namespace cairn
