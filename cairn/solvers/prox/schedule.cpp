// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/graph/partition.h"

namespace cairn {

namespace {

/// A graph of contacts in either form, with the three questions a schedule asks.
struct EdgeGraph {
  static constexpr ScheduleKind kAutomatic = ScheduleKind::greedy;
  std::span<const Edge> edges;
  std::int32_t vertex_count;

  std::size_t size() const { return edges.size(); }
  void colour(bool balanced, ScheduleScratch& scratch) const {
    if (balanced)
      scratch.colouring = colour_edges_balanced(edges, vertex_count);
    else
      colour_edges_greedy(edges, vertex_count, scratch.sets, scratch.colouring);
  }
  EdgeParts split(std::int32_t parts) const {
    return split_edges(edges, partition_graph(edges, vertex_count, parts), parts);
  }
  Colouring colour_subset(std::span<const std::int32_t> subset) const {
    std::vector<Edge> some;
    for (const std::int32_t k : subset) some.push_back(edges[to_index(k)]);
    return colour_edges_greedy(some, vertex_count);
  }
};

struct BlockGraph {
  static constexpr ScheduleKind kAutomatic = ScheduleKind::sequential;
  const Lists& neighbours;

  std::size_t size() const { return to_index(neighbours.count()); }
  void colour(bool balanced, ScheduleScratch& scratch) const {
    scratch.colouring = balanced ? colour_vertices_balanced(neighbours) : colour_vertices_greedy(neighbours);
  }
  /// A block is inside its part if all its neighbours are in the same part or on the border.
  EdgeParts split(std::int32_t parts) const {
    const std::vector<std::int32_t> part = partition_vertices(neighbours, parts);
    std::vector<std::int32_t> key(part);
    for (std::size_t k = 0; k < part.size(); ++k)
      for (const std::int32_t j : neighbours[static_cast<std::int64_t>(k)])
        if (part[to_index(j)] < part[k]) key[k] = parts;  // the higher side of a cut is the border
    return split_by_part(key, parts);
  }
  Colouring colour_subset(std::span<const std::int32_t> subset) const {
    std::vector<std::int32_t> position(size(), -1);
    for (std::size_t i = 0; i < subset.size(); ++i) position[to_index(subset[i])] = static_cast<std::int32_t>(i);
    Lists some;
    for (const std::int32_t k : subset) {
      for (const std::int32_t j : neighbours[k])
        if (position[to_index(j)] >= 0) some.item.push_back(position[to_index(j)]);
      some.start.push_back(static_cast<std::int64_t>(some.item.size()));
    }
    return colour_vertices_greedy(some);
  }
};

void clear(Schedule& schedule) {
  schedule.order.clear();
  schedule.stages.clear();
  schedule.chunk_start.clear();
  schedule.colour_sizes.clear();
  schedule.unsafe_contacts = 0;
}

/// A stage of the `count` positions that follow the last stage.
void append_stage(Schedule& schedule, StageKind kind, std::int64_t count) {
  if (count == 0) return;
  const std::int64_t begin = schedule.stages.empty() ? 0 : schedule.stages.back().end;
  schedule.stages.push_back({kind, begin, begin + count, 0, 0});
  if (kind == StageKind::jacobi || kind == StageKind::slices || kind == StageKind::split)
    schedule.unsafe_contacts += count;
}

/// All contacts as they come.
void append_all(Schedule& schedule, StageKind kind, std::size_t count) {
  schedule.order.resize(count);
  std::iota(schedule.order.begin(), schedule.order.end(), 0);
  append_stage(schedule, kind, static_cast<std::int64_t>(count));
}

/// What becomes of the colours that are left over.
struct Merge {
  std::int64_t below = 0;                                      ///< colours with fewer contacts than this,
  std::size_t from = std::numeric_limits<std::size_t>::max();  ///< and those from this one on,
  StageKind kind = StageKind::jacobi;                          ///< are one last stage of this kind
  bool takes(std::size_t colour, std::int64_t size) const { return size < below || colour >= from; }
};

/// One stage per colour of scratch.colouring, then one of what is merged: Jacobi-wise colour by colour, split in the
/// order of the contacts, so that those of a pair of bodies stay neighbours. names[i] is the contact that was coloured
/// as item i; without names, i itself.
void append_colours(Schedule& schedule, std::span<const std::int32_t> names, const Merge& merge,
                    ScheduleScratch& scratch) {
  const std::vector<std::int64_t>& sizes = scratch.colouring.sizes;
  auto at = static_cast<std::int64_t>(schedule.order.size());
  scratch.next.assign(sizes.size() + 1, 0);  // the last: of a split stage
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (merge.takes(c, sizes[c])) continue;
    scratch.next[c] = at;
    at += sizes[c];
    append_stage(schedule, StageKind::independent, sizes[c]);
    schedule.colour_sizes.push_back(sizes[c]);
  }
  const std::int64_t merged = at;
  scratch.next.back() = merged;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (!merge.takes(c, sizes[c])) continue;
    scratch.next[c] = at;
    at += sizes[c];
  }
  append_stage(schedule, merge.kind, at - merged);
  schedule.order.resize(to_index(at));
  for (std::size_t i = 0; i < scratch.colouring.colour.size(); ++i) {
    const auto c = to_index(scratch.colouring.colour[i]);
    const bool is_split = merge.kind == StageKind::split && merge.takes(c, sizes[c]);
    std::int64_t& next = is_split ? scratch.next.back() : scratch.next[c];
    schedule.order[to_index(next++)] = names.empty() ? static_cast<std::int32_t>(i) : names[i];
  }
}

/// Side by side: the given chunks as one stage.
void append_chunks(Schedule& schedule, StageKind kind, const Lists& chunks) {
  if (chunks.item.empty()) return;
  schedule.order.insert(schedule.order.end(), chunks.item.begin(), chunks.item.end());
  append_stage(schedule, kind, static_cast<std::int64_t>(chunks.item.size()));
  SweepStage& stage = schedule.stages.back();
  stage.first_chunk = static_cast<std::int64_t>(schedule.chunk_start.size());
  stage.chunk_count = chunks.count();
  for (const std::int64_t start : chunks.start) schedule.chunk_start.push_back(stage.begin + start);
}

Lists equal_slices(std::size_t count, int parts) {
  Lists slices;
  slices.item.resize(count);
  std::iota(slices.item.begin(), slices.item.end(), 0);
  for (std::int64_t p = 1; p <= parts; ++p) slices.start.push_back(static_cast<std::int64_t>(count) * p / parts);
  return slices;
}

Merge merge_of(const ProxSettings& settings) {
  Merge merge;
  if (settings.schedule == ScheduleKind::relaxed) merge.below = settings.merge_below;
  if (settings.schedule == ScheduleKind::split)
    merge = {settings.merge_below, to_index(settings.max_colours), StageKind::split};
  return merge;
}

template <class Graph>
void schedule_graph(const ProxSettings& settings, const Graph& graph, ScheduleScratch& scratch, Schedule& schedule) {
  clear(schedule);
  if (settings.order == SweepOrder::jacobi) {
    append_all(schedule, StageKind::jacobi, graph.size());
    schedule.unsafe_contacts = 0;  // all of them, by choice
    return;
  }
  switch (settings.schedule == ScheduleKind::automatic ? Graph::kAutomatic : settings.schedule) {
    case ScheduleKind::automatic:
    case ScheduleKind::sequential: append_all(schedule, StageKind::serial, graph.size()); break;
    case ScheduleKind::greedy:
    case ScheduleKind::balanced:
    case ScheduleKind::relaxed:
    case ScheduleKind::split:
      graph.colour(settings.schedule == ScheduleKind::balanced, scratch);
      append_colours(schedule, {}, merge_of(settings), scratch);
      break;
    case ScheduleKind::naive:
      append_chunks(schedule, StageKind::slices, equal_slices(graph.size(), settings.parts));
      break;
    case ScheduleKind::partitions: {
      const EdgeParts parts = graph.split(settings.parts);
      append_chunks(schedule, StageKind::chunks, parts.inside);
      scratch.colouring = graph.colour_subset(parts.border);
      append_colours(schedule, parts.border, {}, scratch);
      break;
    }
  }
}

/// Smallest and largest colour.
struct ColourRange {
  std::int32_t least = 0, most = -1;
};

ColourRange range_of(std::span<const std::int32_t> colour, std::int64_t grain, ThreadPool* pool) {
  const auto join = [](const ColourRange& a, const ColourRange& b) {
    return ColourRange{std::min(a.least, b.least), std::max(a.most, b.most)};
  };
  return parallel_reduce(
      pool, static_cast<std::int64_t>(colour.size()), grain, ColourRange{},
      [&](std::int64_t begin, std::int64_t end) {
        ColourRange range;
        for (std::int64_t k = begin; k < end; ++k) {
          const std::int32_t c = colour[to_index(k)];
          range = join(range, {c, c});
        }
        return range;
      },
      join);
}

bool share_vertex(const Edge& a, const Edge& b) {
  return (a.a != kNoVertex && (a.a == b.a || a.a == b.b)) || (a.b != kNoVertex && (a.b == b.a || a.b == b.b));
}

/// Boundaries of the chunks of one of the schedule's stages.
void cut_into_chunks(std::span<const Edge> edges, SweepStage& stage, Schedule& schedule) {
  constexpr std::int64_t kChunk = 1024;
  const auto edge_at = [&](std::int64_t position) -> const Edge& {
    return edges[to_index(schedule.order[to_index(position)])];
  };
  stage.first_chunk = static_cast<std::int64_t>(schedule.chunk_start.size());
  schedule.chunk_start.push_back(stage.begin);
  for (std::int64_t at = stage.begin; at < stage.end; ++stage.chunk_count) {
    at = std::min(at + kChunk, stage.end);
    while (at < stage.end && share_vertex(edge_at(at - 1), edge_at(at))) ++at;
    schedule.chunk_start.push_back(at);
  }
}

/// Gives the colours that are left over the last key; scratch.next holds the counts by block and colour. Returns
/// whether there are any.
bool merge_colours(const LeftOver& left_over, std::int64_t colours, std::int64_t blocks, ScheduleScratch& scratch) {
  bool any = false;
  for (std::int64_t c = 0; c < colours; ++c) {
    std::int64_t size = 0;
    for (std::int64_t block = 0; block < blocks; ++block) size += scratch.next[to_index(block * (colours + 1) + c)];
    if (size == 0 || (size >= left_over.merge_below && c < left_over.max_colours)) continue;
    scratch.key[to_index(c)] = colours;
    any = true;
  }
  return any;
}

}  // namespace

void make_schedule(const ProxSettings& settings, std::span<const Edge> edges, std::int32_t vertex_count,
                   ScheduleScratch& scratch, Schedule& schedule) {
  schedule_graph(settings, EdgeGraph{edges, vertex_count}, scratch, schedule);
}

Schedule make_schedule(const ProxSettings& settings, std::span<const Edge> edges, std::int32_t vertex_count) {
  ScheduleScratch scratch;
  Schedule schedule;
  make_schedule(settings, edges, vertex_count, scratch, schedule);
  return schedule;
}

Schedule make_schedule(const ProxSettings& settings, const Lists& neighbours) {
  if (settings.order == SweepOrder::gauss_seidel && settings.schedule == ScheduleKind::split)
    fail_input("schedule=split needs bodies and operator=factorised: use schedule=relaxed", ErrorKind::unsupported);
  ScheduleScratch scratch;
  Schedule schedule;
  schedule_graph(settings, BlockGraph{neighbours}, scratch, schedule);
  return schedule;
}

/// A stable counting sort: blocks of contacts count their colours, the counts become places, the blocks fill them in.
void schedule_by_colour(const ColouredContacts& contacts, const LeftOver& left_over, ThreadPool* pool,
                        ScheduleScratch& scratch, Schedule& schedule) {
  const std::span<const std::int32_t> colour = contacts.colour;
  constexpr std::int64_t kBlock = 16384;
  const auto count = static_cast<std::int64_t>(colour.size());
  const ColourRange range = range_of(colour, kBlock, pool);
  if (range.least < -1 || range.most >= kMostGivenColours)
    fail_input(
        fmt::format("contact_colour: colours must lie in [-1, {}), give -1 to contacts beyond", kMostGivenColours));
  clear(schedule);
  const std::int64_t colours = range.most + 1, keys = colours + 1;  // the last key: left over
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  const auto next_of = [&](std::int64_t k) -> std::int64_t& {
    const std::int32_t c = colour[to_index(k)];
    const std::int64_t key = c >= 0 ? scratch.key[to_index(c)] : colours;
    return scratch.next[to_index(k / kBlock * keys + key)];
  };
  const auto count_keys = [&] {
    scratch.next.assign(to_index(blocks * keys), 0);
    parallel_for(pool, count, kBlock, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) ++next_of(k);
    });
  };
  scratch.key.resize(to_index(colours));
  std::iota(scratch.key.begin(), scratch.key.end(), 0);
  count_keys();
  if (merge_colours(left_over, colours, blocks, scratch)) count_keys();
  std::int64_t at = 0;
  for (std::int64_t key = 0; key < keys; ++key) {
    const std::int64_t begin = at;
    for (std::int64_t block = 0; block < blocks; ++block) {
      std::int64_t& next = scratch.next[to_index(block * keys + key)];
      at += std::exchange(next, at);
    }
    const StageKind last = left_over.is_split && at - begin > kFewLeftOver ? StageKind::split : StageKind::serial;
    append_stage(schedule, key < colours ? StageKind::chunks : last, at - begin);
    if (key < colours && at > begin) schedule.colour_sizes.push_back(at - begin);
  }
  schedule.order.resize(colour.size());
  parallel_for(pool, count, kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) schedule.order[to_index(next_of(k)++)] = static_cast<std::int32_t>(k);
  });
  for (SweepStage& stage : schedule.stages)
    if (stage.kind == StageKind::chunks) cut_into_chunks(contacts.edges, stage, schedule);
}

bool is_proper(const Schedule& schedule, std::span<const Edge> edges, std::int32_t vertex_count) {
  std::vector<std::int64_t> last(to_index(vertex_count), -1);  // position last seen at, per vertex
  for (const SweepStage& stage : schedule.stages) {
    if (stage.kind != StageKind::chunks) continue;
    std::int64_t group = stage.begin;
    for (std::int64_t i = stage.begin; i < stage.end; ++i) {
      const Edge& edge = edges[to_index(schedule.order[to_index(i)])];
      if (i > stage.begin) {
        const Edge& before = edges[to_index(schedule.order[to_index(i) - 1])];
        const bool same = (before.a == edge.a && before.b == edge.b) || (before.a == edge.b && before.b == edge.a);
        if (!same) group = i;
      }
      for (const std::int32_t v : {edge.a, edge.b}) {
        if (v == kNoVertex) continue;
        std::int64_t& seen = last[to_index(v)];
        if (seen >= stage.begin && seen < group) return false;
        seen = i;
      }
    }
  }
  return true;
}

}  // namespace cairn
