// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/body_matrix.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/solvers/ldl/ldl_ordering.h"

namespace cairn {

namespace {

constexpr int kDim = BodyMatrix::kDim;
constexpr std::size_t kMostForFill = 100;  // bodies; above, the search for minimum fill costs more than it saves

/// c -= a b.
inline void subtract_product(const double* a, const double* b, double* c) {
  for (int i = 0; i < kDim; ++i) {
    double row[kDim];
    for (int j = 0; j < kDim; ++j) row[j] = c[i * kDim + j];
    for (int k = 0; k < kDim; ++k) {
      const double factor = a[i * kDim + k];
      for (int j = 0; j < kDim; ++j) row[j] -= factor * b[k * kDim + j];
    }
    for (int j = 0; j < kDim; ++j) c[i * kDim + j] = row[j];
  }
}

/// x -= a y.
inline void subtract_product_vector(const double* a, const double* y, double* x) {
  for (int i = 0; i < kDim; ++i) {
    double sum = 0;
    for (int k = 0; k < kDim; ++k) sum += a[i * kDim + k] * y[k];
    x[i] -= sum;
  }
}

/// Rows of the six by `columns` matrix b in the order of the exchanges, then b <- U^-1 L^-1 b.
template <int Columns>
inline void solve_pivot(const double* lu, const std::array<std::int8_t, kDim>& exchange, double* b) {
  double x[kDim * Columns];
  for (int i = 0; i < kDim; ++i)
    for (int j = 0; j < Columns; ++j) x[i * Columns + j] = b[exchange[to_index(i)] * Columns + j];
  for (int i = 1; i < kDim; ++i)
    for (int k = 0; k < i; ++k)
      for (int j = 0; j < Columns; ++j) x[i * Columns + j] -= lu[i * kDim + k] * x[k * Columns + j];
  for (int i = kDim - 1; i >= 0; --i) {
    for (int k = i + 1; k < kDim; ++k)
      for (int j = 0; j < Columns; ++j) x[i * Columns + j] -= lu[i * kDim + k] * x[k * Columns + j];
    const double inverse = 1 / lu[i * kDim + i];
    for (int j = 0; j < Columns; ++j) b[i * Columns + j] = x[i * Columns + j] *= inverse;
  }
}

}  // namespace

void BodyMatrix::set_graph(std::span<const Edge> edges, std::int32_t body_count) {
  if (body_count == body_count_ && std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end())) return;
  edges_.assign(edges.begin(), edges.end());
  body_count_ = body_count;
  analyse();
  find_targets();
  find_places();
  values_.assign(to_index(stored_blocks()) * kEntries, 0.0);
  exchange_.resize(to_index(body_count));
}

/// Who is eliminated when, and joined to whom.
void BodyMatrix::analyse() {
  const auto count = to_index(body_count_);
  LdlGraph graph;
  graph.nodes.assign(count, {kDim, false, {kNoVertex, kNoVertex}});
  graph.neighbours.resize(count);
  for (const Edge& edge : edges_)
    if (edge.a != kNoVertex && edge.b != kNoVertex) {
      graph.neighbours[to_index(edge.a)].push_back(edge.b);
      graph.neighbours[to_index(edge.b)].push_back(edge.a);
    }
  for (auto& list : graph.neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const LdlElimination elimination =
      eliminate(graph, count <= kMostForFill ? LdlOrdering::minimum_fill : LdlOrdering::minimum_degree);
  order_.clear(), start_.assign(1, 0), column_.clear();
  position_.resize(count);
  for (const LdlStep& step : elimination.steps) {
    position_[to_index(step.node)] = static_cast<std::int32_t>(order_.size());
    order_.push_back(step.node);
  }
  for (const LdlStep& step : elimination.steps) {
    for (const std::int32_t body : step.column) column_.push_back(position_[to_index(body)]);
    start_.push_back(static_cast<std::int32_t>(column_.size()));
  }
}

/// The upper block of two positions that are joined, position < other; the lower one follows it.
std::int32_t BodyMatrix::upper_of(std::int32_t position, std::int32_t other) const {
  const auto begin = column_.begin() + start_[to_index(position)];
  const auto end = column_.begin() + start_[to_index(position) + 1];
  const auto at = std::lower_bound(begin, end, other);
  CAIRN_ASSERT(at != end && *at == other);
  return body_count_ + 2 * static_cast<std::int32_t>(at - column_.begin());
}

void BodyMatrix::find_targets() {
  targets_.clear(), first_target_.clear();
  for (std::int32_t p = 0; p < body_count_; ++p) {
    first_target_.push_back(static_cast<std::int64_t>(targets_.size()));
    const auto begin = to_index(start_[to_index(p)]);
    const auto end = to_index(start_[to_index(p) + 1]);
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = i + 1; j < end; ++j) targets_.push_back(upper_of(column_[i], column_[j]));
  }
}

void BodyMatrix::find_places() {
  places_.clear();
  for (const Edge& edge : edges_) {
    Place place;
    if (edge.a != kNoVertex) place.aa = position_[to_index(edge.a)];
    if (edge.b != kNoVertex) place.bb = position_[to_index(edge.b)];
    if (place.aa >= 0 && place.bb >= 0) {
      const std::int32_t upper = upper_of(std::min(place.aa, place.bb), std::max(place.aa, place.bb));
      place.ab = place.aa < place.bb ? upper : upper + 1;
      place.ba = place.aa < place.bb ? upper + 1 : upper;
    }
    places_.push_back(place);
  }
}

void BodyMatrix::set_identity() {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::int32_t p = 0; p < body_count_; ++p)
    for (int i = 0; i < kDim; ++i) block(p)[i * kDim + i] = 1;
}

bool BodyMatrix::factorise_pivot(std::int32_t position) {
  double* a = block(position);
  auto& exchange = exchange_[to_index(position)];
  for (int i = 0; i < kDim; ++i) exchange[to_index(i)] = static_cast<std::int8_t>(i);
  for (int p = 0; p < kDim; ++p) {
    int best = p;
    for (int i = p + 1; i < kDim; ++i)
      if (std::fabs(a[i * kDim + p]) > std::fabs(a[best * kDim + p])) best = i;
    const double pivot = a[best * kDim + p];
    if (!(std::fabs(pivot) > 0) || !std::isfinite(pivot)) return false;
    if (best != p) {
      std::swap_ranges(a + p * kDim, a + (p + 1) * kDim, a + best * kDim);
      std::swap(exchange[to_index(p)], exchange[to_index(best)]);
    }
    const double inverse = 1 / pivot;
    for (int i = p + 1; i < kDim; ++i) {
      const double factor = a[i * kDim + p] *= inverse;
      for (int j = p + 1; j < kDim; ++j) a[i * kDim + j] -= factor * a[p * kDim + j];
    }
  }
  return true;
}

/// Position by position: U <- pivot^-1 U, then (i, j) -= L_i U_j for all pairs of its column.
bool BodyMatrix::factorise() {
  for (std::int32_t p = 0; p < body_count_; ++p) {
    if (!factorise_pivot(p)) return false;
    const std::int32_t begin = start_[to_index(p)], end = start_[to_index(p) + 1];
    const auto& exchange = exchange_[to_index(p)];
    const std::int32_t* target = targets_.data() + first_target_[to_index(p)];
    for (std::int32_t i = begin; i < end; ++i) solve_pivot<kDim>(block(p), exchange, block(body_count_ + 2 * i));
    for (std::int32_t i = begin; i < end; ++i) {
      const double *upper_i = block(body_count_ + 2 * i), *lower_i = upper_i + kEntries;
      subtract_product(lower_i, upper_i, block(column_[to_index(i)]));
      for (std::int32_t j = i + 1; j < end; ++j, ++target) {
        const double *upper_j = block(body_count_ + 2 * j), *lower_j = upper_j + kEntries;
        subtract_product(lower_i, upper_j, block(*target));
        subtract_product(lower_j, upper_i, block(*target + 1));
      }
    }
  }
  return true;
}

void BodyMatrix::solve(std::span<double> x) const {
  const auto at = [&](std::int32_t position) { return x.data() + std::int64_t{order_[to_index(position)]} * kDim; };
  const auto upper = [&](std::int32_t entry) {
    return values_.data() + (body_count_ + 2 * std::int64_t{entry}) * kEntries;
  };
  for (std::int32_t p = 0; p < body_count_; ++p) {
    solve_pivot<1>(values_.data() + std::int64_t{p} * kEntries, exchange_[to_index(p)], at(p));
    for (auto i = start_[to_index(p)]; i < start_[to_index(p) + 1]; ++i)
      subtract_product_vector(upper(i) + kEntries, at(p), at(column_[to_index(i)]));
  }
  for (std::int32_t p = body_count_ - 1; p >= 0; --p)
    for (auto i = start_[to_index(p)]; i < start_[to_index(p) + 1]; ++i)
      subtract_product_vector(upper(i), at(column_[to_index(i)]), at(p));
}

}  // namespace cairn
