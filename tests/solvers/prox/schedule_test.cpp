// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cairn/core/index.h"
#include "cairn/problem/delassus.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

std::vector<Edge> edges_of(const ContactProblem& problem) {
  std::vector<Edge> edges;
  const auto vertex = [&](std::int32_t b) { return problem.bodies[to_index(b)].is_dynamic() ? b : kNoVertex; };
  for (const ContactBlock& c : problem.contacts) edges.push_back({vertex(c.body_a), vertex(c.body_b)});
  return edges;
}

/// Vertices touched by positions [begin, end) of the schedule.
std::multiset<std::int32_t> touched(const Schedule& schedule, const std::vector<Edge>& edges, std::int64_t begin,
                                    std::int64_t end) {
  std::multiset<std::int32_t> result;
  for (std::int64_t i = begin; i < end; ++i) {
    const Edge& edge = edges[to_index(schedule.order[to_index(i)])];
    for (const std::int32_t v : {edge.a, edge.b})
      if (v != kNoVertex) result.insert(v);
  }
  return result;
}

TEST(Schedule, VisitsEveryContactOnceAndKeepsItsPromises) {
  const ContactProblem problem = scenes::ball_grid(6);
  const std::vector<Edge> edges = edges_of(problem);
  for (const ScheduleKind kind :
       {ScheduleKind::automatic, ScheduleKind::sequential, ScheduleKind::greedy, ScheduleKind::balanced,
        ScheduleKind::relaxed, ScheduleKind::split, ScheduleKind::naive, ScheduleKind::partitions}) {
    ProxSettings settings;
    settings.schedule = kind;
    settings.parts = 4;
    settings.merge_below = 100;
    const Schedule schedule = make_schedule(settings, edges, 217);
    std::vector<std::int32_t> seen = schedule.order;
    std::sort(seen.begin(), seen.end());
    std::vector<std::int32_t> all(edges.size());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(seen, all);
    for (const SweepStage& stage : schedule.stages) {
      if (stage.kind == StageKind::independent) {
        const auto vertices = touched(schedule, edges, stage.begin, stage.end);
        EXPECT_EQ(std::set<std::int32_t>(vertices.begin(), vertices.end()).size(), vertices.size());
      }
      if (stage.kind != StageKind::chunks) continue;
      std::set<std::int32_t> before;
      for (std::int64_t c = 0; c < stage.chunk_count; ++c) {
        const auto first = to_index(stage.first_chunk + c);
        const auto mine = touched(schedule, edges, schedule.chunk_start[first], schedule.chunk_start[first + 1]);
        for (const std::int32_t v : mine) ASSERT_EQ(before.count(v), 0u) << "two chunks share a body";
        before.insert(mine.begin(), mine.end());
      }
    }
  }
}

TEST(Schedule, RelaxedMergesSmallColoursIntoOneUnsafeStageAtTheEnd) {
  const ContactProblem problem = scenes::ball_grid(8);  // colours 256 x 4, 240, 144
  ProxSettings settings;
  settings.schedule = ScheduleKind::relaxed;
  settings.merge_below = 250;
  const Schedule schedule = make_schedule(settings, edges_of(problem), 513);
  EXPECT_EQ(schedule.colour_sizes, (std::vector<std::int64_t>{256, 256, 256, 256}));
  EXPECT_EQ(schedule.unsafe_contacts, 384);
  EXPECT_EQ(schedule.stages.back().kind, StageKind::jacobi);
}

TEST(Schedule, BlocksOfAMatrixAreColouredLikeTheirContacts) {
  const ContactProblem problem = scenes::ball_grid(8);
  const DelassusProblem assembled = to_delassus(problem);
  ProxSettings settings;
  settings.schedule = ScheduleKind::greedy;
  const Schedule by_edges = make_schedule(settings, edges_of(problem), 513);
  const Schedule by_blocks = make_schedule(settings, Lists{assembled.w.row_start, assembled.w.column});
  EXPECT_EQ(by_blocks.order, by_edges.order);
  EXPECT_EQ(by_blocks.colour_sizes, by_edges.colour_sizes);
}

/// Groups of seven contacts between bodies 2 g and 2 g + 1.
std::vector<Edge> sevens(std::int32_t groups) {
  std::vector<Edge> edges;
  for (std::int32_t g = 0; g < groups; ++g)
    for (int k = 0; k < 7; ++k) edges.push_back(k % 2 == 0 ? Edge{2 * g, 2 * g + 1} : Edge{2 * g + 1, 2 * g});
  return edges;
}

TEST(Schedule, GivenColoursAreCutAtTheFirstEndOfAGroupAfter1024Contacts) {
  const std::vector<Edge> edges = sevens(500);  // 3500 contacts: 1024 -> 1029 = 147 * 7
  std::vector<std::int32_t> colour(edges.size(), 2);
  ScheduleScratch scratch;
  Schedule schedule;
  schedule_by_colour({colour, edges}, {}, nullptr, scratch, schedule);
  ASSERT_EQ(schedule.stages.size(), 1u) << "colours 0 and 1 do not occur";
  EXPECT_EQ(schedule.stages[0].kind, StageKind::chunks);
  EXPECT_EQ(schedule.chunk_start, (std::vector<std::int64_t>{0, 1029, 2058, 3087, 3500}));
  EXPECT_EQ(schedule.stages[0].chunk_count, 4);
  EXPECT_EQ(schedule.colour_sizes, (std::vector<std::int64_t>{3500}));
  EXPECT_TRUE(is_proper(schedule, edges, 1000));
}

TEST(Schedule, GivenColoursAreSortedStablyWithTheUncolouredLast) {
  const std::vector<Edge> edges = sevens(10000);  // several blocks of the sort
  std::vector<std::int32_t> colour(edges.size());
  for (std::size_t k = 0; k < colour.size(); ++k) colour[k] = static_cast<std::int32_t>(k / 7 * 5 % 9) - 1;
  std::vector<std::int32_t> expected(edges.size());
  std::iota(expected.begin(), expected.end(), 0);
  const auto key = [&](std::int32_t k) {
    const std::int32_t c = colour[to_index(k)];
    return c < 0 ? 99 : c;
  };
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return key(a) < key(b); });
  for (const int threads : {1, 2, 3, 8}) {
    const auto pool = make_pool(threads);
    ScheduleScratch scratch;
    Schedule schedule;
    schedule_by_colour({colour, edges}, {}, pool.get(), scratch, schedule);
    EXPECT_EQ(schedule.order, expected);
    ASSERT_EQ(schedule.stages.size(), 9u);
    EXPECT_EQ(schedule.stages.back().kind, StageKind::serial);
    EXPECT_EQ(schedule.unsafe_contacts, 0);
    EXPECT_TRUE(is_proper(schedule, edges, 20000));
  }
}

TEST(Schedule, ImproperColoursAreSeen) {
  const std::vector<Edge> edges{{0, 1}, {0, 1}, {2, 3}, {1, 2}, {kNoVertex, 4}, {kNoVertex, 5}};
  const auto proper = [&](std::vector<std::int32_t> colour) {
    ScheduleScratch scratch;
    Schedule schedule;
    schedule_by_colour({colour, edges}, {}, nullptr, scratch, schedule);
    return is_proper(schedule, edges, 6);
  };
  EXPECT_TRUE(proper({0, 0, 0, 1, 0, 0})) << "the ground couples nothing";
  EXPECT_FALSE(proper({0, 0, 0, 0, 0, 0})) << "1 and 2 are shared by two pairs";
  EXPECT_FALSE(proper({1, 1, 0, 1, 0, 0})) << "neighbours in the order, but not one pair";
  EXPECT_TRUE(proper({0, 0, 0, -1, 0, 0}));
}

}  // namespace
}  // namespace cairn
