// SPDX-License-Identifier: MIT
// Schedule: in which order the contacts of a sweep are visited, and which may be visited side by side. Depends on the
// graph of the problem alone, never on the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/graph/colouring.h"
#include "cairn/graph/edges.h"
#include "cairn/solvers/prox/prox_settings.h"
#include "cairn/solvers/solver.h"

namespace cairn {

enum class StageKind {
  serial,       ///< one after the other
  independent,  ///< no two share a body: any order, side by side
  chunks,       ///< each chunk one after the other, chunks share no body: side by side
  jacobi,       ///< all from the same state, changes applied afterwards (unsafe contacts)
  slices,       ///< each chunk one after the other on its own copy of the state, all changes added up (unsafe contacts)
  split,  ///< pairs of bodies side by side by mass splitting (split_stage.h): safe, since each pair works on copies
          ///< of its bodies with n_b times their inverse mass, whose mean is taken
};

/// order[begin .. end), visited as `kind` says. For chunks and slices: chunk c is
/// order[chunk_start[first_chunk + c] .. chunk_start[first_chunk + c + 1]).
struct SweepStage {
  StageKind kind = StageKind::serial;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_chunk = 0;
  std::int64_t chunk_count = 0;
};

struct Schedule {
  std::vector<std::int32_t> order;        ///< contact visited at each position
  std::vector<SweepStage> stages;         ///< in sequence
  std::vector<std::int64_t> chunk_start;  ///< boundaries of all chunks of all stages
  std::vector<std::int64_t> colour_sizes;
  std::int64_t unsafe_contacts = 0;  ///< in jacobi, slices and split stages: outside colours
};

/// Memory that the making of schedules keeps from one to the next.
struct ScheduleScratch {
  ColouringScratch sets;
  Colouring colouring;
  std::vector<std::int64_t> next;  ///< per colour, or per block and colour: where its next contact goes
  std::vector<std::int64_t> key;   ///< per colour that is given: its stage
};

/// For contacts between bodies (edges; bodies that cannot move are kNoVertex). Jacobi and the schedules automatic,
/// sequential, greedy, relaxed and split allocate nothing when `schedule` and `scratch` are warm.
void make_schedule(const ProxSettings& settings, std::span<const Edge> edges, std::int32_t vertex_count,
                   ScheduleScratch& scratch, Schedule& schedule);
Schedule make_schedule(const ProxSettings& settings, std::span<const Edge> edges, std::int32_t vertex_count);

/// For blocks of an assembled matrix (neighbours: the pattern). Throws InputError for the schedule split: there are no
/// masses.
Schedule make_schedule(const ProxSettings& settings, const Lists& neighbours);

/// Contacts that come with a colour.
struct ColouredContacts {
  std::span<const std::int32_t> colour;  ///< per contact (SolveContext::contact_colour)
  std::span<const Edge> edges;           ///< per contact
};

/// Which contacts that come with a colour are left over, and what becomes of them.
struct LeftOver {
  std::int64_t merge_below = 0;                  ///< colours with fewer contacts than this are left over too,
  std::int32_t max_colours = kMostGivenColours;  ///< and so are colours from this one on
  bool is_split = false;                         ///< a split stage, if there are more than a few; else serial
};

/// Up to so many contacts are visited one after the other sooner than side by side.
inline constexpr std::int64_t kFewLeftOver = 128;

/// For contacts that come with a colour: a stage of chunks per colour in ascending
/// order, then those of colour -1 and what else is left over in one last stage, in the order given. Contacts of one
/// colour that follow each other and share a body are one group and stay in one chunk, in their order; chunks are cut
/// at the first end of a group after 1024 contacts. Throws InputError for a colour that is not in
/// [-1, kMostGivenColours).
void schedule_by_colour(const ColouredContacts& contacts, const LeftOver& left_over, ThreadPool* pool,
                        ScheduleScratch& scratch, Schedule& schedule);

/// Whether no body is in two groups of one stage of chunks, a group being neighbours in `order` with the same two
/// bodies.
bool is_proper(const Schedule& schedule, std::span<const Edge> edges, std::int32_t vertex_count);

}  // namespace cairn
