// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/core/index.h"
#include "cairn/euler/contact_rows.h"

namespace cairn {

namespace {

constexpr std::int64_t kRowGrain = 32;

/// Tells which rows a node takes part in. Entries are sorted by node, and each entry knows the range of its node.
struct NodeIndex {
  struct Use {
    std::int32_t row = 0;
    double weight = 0;
  };
  std::vector<Use> uses;
  std::vector<std::pair<std::size_t, std::size_t>> range;  ///< per entry, into uses
};

NodeIndex index_nodes(const ContactRows& rows) {
  const std::size_t n = rows.entries.size();
  std::vector<std::int32_t> row_of(n);
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    for (std::size_t e = rows.rows[r].first; e < rows.rows[r].last; ++e) row_of[e] = static_cast<std::int32_t>(r);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& entries = rows.entries;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (entries[a].solid != entries[b].solid) return entries[a].solid < entries[b].solid;
    if (entries[a].node != entries[b].node) return entries[a].node < entries[b].node;
    return a < b;
  });
  NodeIndex index;
  index.uses.resize(n);
  index.range.resize(n);
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    const auto same = [&](std::size_t i) {
      return entries[order[i]].solid == entries[order[begin]].solid &&
             entries[order[i]].node == entries[order[begin]].node;
    };
    for (end = begin; end < n && same(end); ++end) index.uses[end] = {row_of[order[end]], entries[order[end]].weight};
    for (std::size_t i = begin; i < end; ++i) index.range[order[i]] = {begin, end};
  }
  return index;
}

/// Row c of K = S M^-1 S^T, sorted by column.
struct SparseRow {
  std::vector<std::int32_t> column;
  std::vector<double> value;
};

void find_row(const ContactRows& rows, std::span<const GridSolid> solids, const NodeIndex& index, std::size_t c,
              std::vector<double>& sum, std::vector<char>& is_touched, SparseRow& out) {
  for (std::size_t e = rows.rows[c].first; e < rows.rows[c].last; ++e) {
    const RowEntry& entry = rows.entries[e];
    const double scaled = entry.weight / solids[to_index(entry.solid)].mass[to_index(entry.node)];
    for (std::size_t u = index.range[e].first; u < index.range[e].second; ++u) {
      const auto d = to_index(index.uses[u].row);
      if (is_touched[d] == 0) {
        is_touched[d] = 1;
        sum[d] = 0;
        out.column.push_back(index.uses[u].row);
      }
      sum[d] += scaled * index.uses[u].weight;
    }
  }
  std::sort(out.column.begin(), out.column.end());
  for (const std::int32_t d : out.column) {
    out.value.push_back(sum[to_index(d)]);
    is_touched[to_index(d)] = 0;
  }
}

std::vector<SparseRow> find_coupling(const ContactRows& rows, std::span<const GridSolid> solids, ThreadPool* pool) {
  const NodeIndex index = index_nodes(rows);
  std::vector<SparseRow> coupling(rows.rows.size());
  parallel_for(pool, static_cast<std::int64_t>(rows.rows.size()), kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> sum(rows.rows.size());
    std::vector<char> is_touched(rows.rows.size(), 0);
    for (auto c = to_index(begin); c < to_index(end); ++c)
      find_row(rows, solids, index, c, sum, is_touched, coupling[c]);
  });
  return coupling;
}

/// The block of W for rows c and d: K_cd times the products of all pairs of axes of the two frames.
void write_block(double k, const Frame& c, const Frame& d, double* out) {
  const Vec3* mine[3] = {&c.normal, &c.tangent1, &c.tangent2};
  const Vec3* theirs[3] = {&d.normal, &d.tangent1, &d.tangent2};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[3 * i + j] = k * dot(*mine[i], *theirs[j]);
}

}  // namespace

DelassusProblem assemble_rows(const ContactRows& rows, std::span<const GridSolid> solids, double h, double rate,
                              ThreadPool* pool) {
  const std::vector<SparseRow> coupling = find_coupling(rows, solids, pool);
  DelassusProblem problem;
  problem.w.dim = 3;
  problem.w.row_start.assign(1, 0);
  for (const SparseRow& row : coupling) {
    problem.w.column.insert(problem.w.column.end(), row.column.begin(), row.column.end());
    problem.w.row_start.push_back(static_cast<std::int64_t>(problem.w.column.size()));
  }
  problem.w.values.resize(9 * problem.w.column.size());
  for_each_index(pool, rows.rows.size(), kRowGrain, [&](std::size_t c) {
    for (std::size_t k = 0; k < coupling[c].column.size(); ++k)
      write_block(coupling[c].value[k], rows.rows[c].frame, rows.rows[to_index(coupling[c].column[k])].frame,
                  problem.w.block(problem.w.row_start[c] + static_cast<std::int64_t>(k)));
  });
  find_diagonal(problem.w);
  for (const ContactRow& row : rows.rows) {
    const double bias = row.gap > 0 ? row.gap / h : rate * row.gap / h;
    problem.q.push_back(dot(row.frame.normal, row.velocity) + bias);
    problem.q.push_back(dot(row.frame.tangent1, row.velocity));
    problem.q.push_back(dot(row.frame.tangent2, row.velocity));
    problem.friction.push_back({row.friction, row.friction, 0});
  }
  return problem;
}

double apply_impulses(const ContactRows& rows, std::span<const double> impulse, std::span<GridSolid> solids) {
  Vec3 made;
  double all = 0;
  for (std::size_t c = 0; c < rows.rows.size(); ++c) {
    const ContactRow& row = rows.rows[c];
    const Vec3 push = impulse[3 * c] * row.frame.normal + impulse[3 * c + 1] * row.frame.tangent1 +
                      impulse[3 * c + 2] * row.frame.tangent2;
    double sum = 0;
    for (std::size_t e = row.first; e < row.last; ++e) {
      const RowEntry& entry = rows.entries[e];
      GridSolid& solid = solids[to_index(entry.solid)];
      const auto node = to_index(entry.node);
      solid.next[node] += (entry.weight / solid.mass[node]) * push;
      sum += entry.weight;
    }
    // The weights of a row between solids add up to 0. Against a body they add up to 1, and the body gets the opposite
    // push. Walls and fixed bodies do not count.
    if (row.key.b >= 0 || row.body >= 0) made += (row.body >= 0 ? sum - 1 : sum) * push;
    all += norm(push);
  }
  return all > 0 ? norm(made) / all : 0;
}

}  // namespace cairn
