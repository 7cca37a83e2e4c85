// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/qp/qp_matrix.h"

namespace cairn {

namespace {

class CuthillMckee {
 public:
  CuthillMckee(const SparseQpMatrix& matrix, std::span<const std::int32_t> vertices)
      : matrix_(matrix), mark_(to_index(matrix.size()), kOutside) {
    for (const std::int32_t v : vertices) mark_[to_index(v)] = 0;
  }

  /// Level by level from `start`, neighbours by ascending degree; appends to `order`. Returns the number of levels.
  int walk(std::int32_t start, std::vector<std::int32_t>& order) {
    const int mark = ++last_mark_;
    std::size_t at = order.size(), level_end = at + 1;
    mark_[to_index(start)] = mark;
    order.push_back(start);
    int levels = 1;
    for (; at < order.size(); ++at) {
      if (at == level_end) ++levels, level_end = order.size();
      around_.clear();
      for (const std::int32_t v : matrix_.columns(order[at])) {
        int& seen = mark_[to_index(v)];
        if (seen != kOutside && seen != mark) seen = mark, around_.push_back(v);
      }
      std::sort(around_.begin(), around_.end(), [&](std::int32_t a, std::int32_t b) { return is_before(a, b); });
      order.insert(order.end(), around_.begin(), around_.end());
    }
    return levels;
  }

  /// A vertex from which there are as many levels as from any found: the last one of a walk, until that is no farther.
  std::int32_t far_vertex(std::int32_t start) {
    std::vector<std::int32_t> order;
    for (int farthest = 0;;) {
      order.clear();
      const int levels = walk(start, order);
      if (levels <= farthest) return start;
      farthest = levels, start = order.back();
    }
  }

  bool is_before(std::int32_t a, std::int32_t b) const {
    const std::size_t mine = matrix_.columns(a).size(), theirs = matrix_.columns(b).size();
    return mine != theirs ? mine < theirs : a < b;
  }

 private:
  static constexpr int kOutside = -1;

  const SparseQpMatrix& matrix_;
  std::vector<int> mark_;  ///< per vertex: the last walk that saw it
  int last_mark_ = 0;
  std::vector<std::int32_t> around_;
};

}  // namespace

std::vector<std::int32_t> reverse_cuthill_mckee(const SparseQpMatrix& matrix, std::span<const std::int32_t> vertices) {
  CuthillMckee graph(matrix, vertices);
  std::vector<std::int32_t> starts(vertices.begin(), vertices.end()), order;
  std::sort(starts.begin(), starts.end(), [&](std::int32_t a, std::int32_t b) { return graph.is_before(a, b); });
  std::vector<std::uint8_t> is_done(to_index(matrix.size()), 0);
  for (const std::int32_t start : starts) {
    if (is_done[to_index(start)] != 0) continue;
    const std::size_t first = order.size();
    graph.walk(graph.far_vertex(start), order);
    for (std::size_t k = first; k < order.size(); ++k) is_done[to_index(order[k])] = 1;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace cairn
