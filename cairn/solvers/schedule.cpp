// SPDX-License-Identifier: MIT
#include "cairn/solvers/schedule.h"

#include <algorithm>
#include <numeric>

#include "cairn/graph/colouring.h"
#include "cairn/graph/partition.h"

namespace cairn {

namespace {

/// A graph of contacts in either form, with the three questions a schedule asks.
struct EdgeGraph {
  static constexpr ScheduleKind kAutomatic = ScheduleKind::greedy;
  std::span<const Edge> edges;
  std::int32_t vertex_count;

  std::size_t size() const { return edges.size(); }
  Colouring colour(bool balanced) const {
    return balanced ? colour_edges_balanced(edges, vertex_count) : colour_edges_greedy(edges, vertex_count);
  }
  EdgeParts split(std::int32_t parts) const {
    return split_edges(edges, partition_graph(edges, vertex_count, parts), parts);
  }
  Colouring colour_subset(std::span<const std::int32_t> subset) const {
    std::vector<Edge> some;
    for (const std::int32_t k : subset) some.push_back(edges[static_cast<std::size_t>(k)]);
    return colour_edges_greedy(some, vertex_count);
  }
};

struct BlockGraph {
  static constexpr ScheduleKind kAutomatic = ScheduleKind::sequential;
  const Lists& neighbours;

  std::size_t size() const { return static_cast<std::size_t>(neighbours.count()); }
  Colouring colour(bool balanced) const {
    return balanced ? colour_vertices_balanced(neighbours) : colour_vertices_greedy(neighbours);
  }
  /// A block is inside its part if all its neighbours are in the same part or on the border.
  EdgeParts split(std::int32_t parts) const {
    const std::vector<std::int32_t> part = partition_vertices(neighbours, parts);
    std::vector<std::int32_t> key(part);
    for (std::size_t k = 0; k < part.size(); ++k)
      for (const std::int32_t j : neighbours[static_cast<std::int64_t>(k)])
        if (part[static_cast<std::size_t>(j)] < part[k]) key[k] = parts;  // the higher side of a cut is the border
    return split_by_part(key, parts);
  }
  Colouring colour_subset(std::span<const std::int32_t> subset) const {
    std::vector<std::int32_t> position(size(), -1);
    for (std::size_t i = 0; i < subset.size(); ++i)
      position[static_cast<std::size_t>(subset[i])] = static_cast<std::int32_t>(i);
    Lists some;
    for (const std::int32_t k : subset) {
      for (const std::int32_t j : neighbours[k])
        if (position[static_cast<std::size_t>(j)] >= 0) some.item.push_back(position[static_cast<std::size_t>(j)]);
      some.start.push_back(static_cast<std::int64_t>(some.item.size()));
    }
    return colour_vertices_greedy(some);
  }
};

void append_stage(Schedule& schedule, StageKind kind, std::span<const std::int32_t> contacts) {
  if (contacts.empty()) return;
  const auto begin = static_cast<std::int64_t>(schedule.order.size());
  schedule.order.insert(schedule.order.end(), contacts.begin(), contacts.end());
  schedule.stages.push_back({kind, begin, static_cast<std::int64_t>(schedule.order.size()), 0, 0});
  if (kind == StageKind::jacobi || kind == StageKind::split)
    schedule.unsafe_contacts += static_cast<std::int64_t>(contacts.size());
}

/// One stage per colour; colours below `merge_below` are merged into one jacobi stage at the end.
void append_colours(Schedule& schedule, const Colouring& colouring, std::span<const std::int32_t> names,
                    std::int64_t merge_below) {
  const Lists groups = group_by(colouring.colour, static_cast<std::int32_t>(colouring.sizes.size()));
  std::vector<std::int32_t> contacts, unsafe;
  for (std::int64_t c = 0; c < groups.count(); ++c) {
    contacts.clear();
    for (const std::int32_t i : groups[c]) contacts.push_back(names[static_cast<std::size_t>(i)]);
    if (colouring.sizes[static_cast<std::size_t>(c)] < merge_below) {
      unsafe.insert(unsafe.end(), contacts.begin(), contacts.end());
    } else {
      append_stage(schedule, StageKind::independent, contacts);
      schedule.colour_sizes.push_back(colouring.sizes[static_cast<std::size_t>(c)]);
    }
  }
  append_stage(schedule, StageKind::jacobi, unsafe);
}

/// Side by side: the given chunks as one stage.
void append_chunks(Schedule& schedule, StageKind kind, const Lists& chunks) {
  append_stage(schedule, kind, chunks.item);
  if (chunks.item.empty()) return;
  Stage& stage = schedule.stages.back();
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

template <class Graph>
Schedule schedule_graph(const ProxSettings& settings, const Graph& graph) {
  Schedule schedule;
  std::vector<std::int32_t> all(graph.size());
  std::iota(all.begin(), all.end(), 0);
  if (settings.order == SweepOrder::jacobi) {
    append_stage(schedule, StageKind::jacobi, all);
    schedule.unsafe_contacts = 0;  // all of them, by choice
    return schedule;
  }
  switch (settings.schedule == ScheduleKind::automatic ? Graph::kAutomatic : settings.schedule) {
    case ScheduleKind::automatic:
    case ScheduleKind::sequential: append_stage(schedule, StageKind::serial, all); break;
    case ScheduleKind::greedy: append_colours(schedule, graph.colour(false), all, 0); break;
    case ScheduleKind::balanced: append_colours(schedule, graph.colour(true), all, 0); break;
    case ScheduleKind::relaxed: append_colours(schedule, graph.colour(false), all, settings.merge_below); break;
    case ScheduleKind::naive:
      append_chunks(schedule, StageKind::split, equal_slices(graph.size(), settings.parts));
      break;
    case ScheduleKind::partitions: {
      const EdgeParts parts = graph.split(settings.parts);
      append_chunks(schedule, StageKind::chunks, parts.inside);
      append_colours(schedule, graph.colour_subset(parts.border), parts.border, 0);
      break;
    }
  }
  return schedule;
}

}  // namespace

Schedule make_schedule(const ProxSettings& settings, std::span<const Edge> edges, std::int32_t vertex_count) {
  return schedule_graph(settings, EdgeGraph{edges, vertex_count});
}

Schedule make_schedule(const ProxSettings& settings, const Lists& neighbours) {
  return schedule_graph(settings, BlockGraph{neighbours});
}

}  // namespace cairn
