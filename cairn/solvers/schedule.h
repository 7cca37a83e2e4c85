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
#include "cairn/solvers/prox_settings.h"

namespace cairn {

enum class StageKind {
  serial,       ///< one after the other
  independent,  ///< no two share a body: any order, side by side
  chunks,       ///< each chunk one after the other, chunks share no body: side by side
  jacobi,       ///< all from the same state, changes applied afterwards (unsafe contacts)
  split,        ///< each chunk one after the other on its own copy of the state, copies merged afterwards
};

/// order[begin .. end), visited as `kind` says. For chunks and split: chunk c is
/// order[chunk_start[first_chunk + c] .. chunk_start[first_chunk + c + 1]).
struct Stage {
  StageKind kind = StageKind::serial;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_chunk = 0;
  std::int64_t chunk_count = 0;
};

struct Schedule {
  std::vector<std::int32_t> order;        ///< contact visited at each position
  std::vector<Stage> stages;              ///< in sequence
  std::vector<std::int64_t> chunk_start;  ///< boundaries of all chunks of all stages
  std::vector<std::int64_t> colour_sizes;
  std::int64_t unsafe_contacts = 0;  ///< in jacobi and split stages
};

/// Memory that the making of schedules keeps from one to the next.
struct ScheduleScratch {
  ColouringScratch sets;
  Colouring colouring;
  std::vector<std::int64_t> next;  ///< per colour, or per block and colour: where its next contact goes
};

/// For contacts between bodies (edges; bodies that cannot move are kNoVertex). Jacobi and the schedules automatic,
/// sequential, greedy and relaxed allocate nothing when `schedule` and `scratch` are warm.
void make_schedule(const ProxSettings& settings, std::span<const Edge> edges, std::int32_t vertex_count,
                   ScheduleScratch& scratch, Schedule& schedule);
Schedule make_schedule(const ProxSettings& settings, std::span<const Edge> edges, std::int32_t vertex_count);

/// For blocks of an assembled matrix (neighbours: the pattern).
Schedule make_schedule(const ProxSettings& settings, const Lists& neighbours);

/// For contacts that come with a colour (SolveContext::contact_colour): a stage of chunks per colour in ascending
/// order, then those of colour -1 in a serial stage. Contacts of one colour that follow each other and share a body are
/// one group and stay in one chunk, in their order; chunks are cut at the first end of a group after 1024 contacts.
/// Throws InputError for a colour that is not in [-1, kMostGivenColours).
void schedule_by_colour(std::span<const std::int32_t> colour, std::span<const Edge> edges, ThreadPool* pool,
                        ScheduleScratch& scratch, Schedule& schedule);

/// Whether no body is in two groups of one stage of chunks, a group being neighbours in `order` with the same two
/// bodies.
bool is_proper(const Schedule& schedule, std::span<const Edge> edges, std::int32_t vertex_count);

}  // namespace cairn
