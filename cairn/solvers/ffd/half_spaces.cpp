// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/half_spaces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundOff2 = 1e-20;  // of squares: a smaller violation is none
constexpr double kDependent = 1e-10;  // of |r|^2: what is left of a row outside the span of the active ones
constexpr std::size_t kMost = 6;
constexpr std::size_t kMostTurns = 50;  // and ten per row

/// The active rows with the factor of their products.
class ActiveRows {
 public:
  explicit ActiveRows(std::span<BodyRow> rows) : rows_(rows) {}

  std::size_t count() const { return count_; }
  std::size_t row(std::size_t j) const { return row_[j]; }
  double& multiplier(std::size_t j) { return lambda_[j]; }

  /// r = sum_j x_j a_j + rest, with the rest orthogonal to all active rows.
  void split(const Six& r, std::array<double, kMost>& x, Six& rest) {
    for (std::size_t j = 0; j < count_; ++j) {
      double sum = dot(rows_[row_[j]].row, r);
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[j][k] * y_[k];
      y_[j] = sum / factor_[j][j];
    }
    rest = r;
    for (std::size_t j = count_; j-- > 0;) {
      double sum = y_[j];
      for (std::size_t k = j + 1; k < count_; ++k) sum -= factor_[k][j] * x[k];
      x[j] = sum / factor_[j][j];
      add(rest, -x[j], rows_[row_[j]].row);
    }
  }
  /// Appends the row that was split last; `rest2` is the square of what was left of it.
  void append(std::size_t row, double lambda, double rest2) {
    for (std::size_t k = 0; k < count_; ++k) factor_[count_][k] = y_[k];
    factor_[count_][count_] = std::sqrt(rest2);
    row_[count_] = row, lambda_[count_] = lambda;
    ++count_;
  }
  void remove(std::size_t j) {
    for (--count_; j < count_; ++j) row_[j] = row_[j + 1], lambda_[j] = lambda_[j + 1];
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t k = 0; k <= i; ++k) {
        double sum = dot(rows_[row_[i]].row, rows_[row_[k]].row);
        for (std::size_t m = 0; m < k; ++m) sum -= factor_[i][m] * factor_[k][m];
        factor_[i][k] = i == k ? std::sqrt(sum) : sum / factor_[k][k];
      }
  }

 private:
  std::span<BodyRow> rows_;
  std::size_t count_ = 0;
  std::array<std::size_t, kMost> row_{};
  std::array<double, kMost> lambda_{}, y_{};
  std::array<std::array<double, kMost>, kMost> factor_{};
};

/// The row of [begin, end) that is violated furthest in space; `end` if there is none.
std::size_t most_violated(std::span<const BodyRow> rows, std::size_t begin, std::size_t end, const Six& z) {
  const double z2 = dot(z, z);
  std::size_t found = end;
  double worst = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const BodyRow& r = rows[i];
    const double slack = dot(r.row, z) - r.bound;
    if (!(slack < 0) || r.is_given_up || !(r.size2 > 0)) continue;
    const double slack2 = slack * slack;
    if (slack2 <= kRoundOff2 * (r.bound * r.bound + r.size2 * z2) || slack2 <= worst * r.size2) continue;
    worst = slack2 / r.size2, found = i;
  }
  return found;
}

enum class Entry { added, refused, refused_midway };  // midway: multipliers have changed

/// Row p becomes active, if that can be; rows whose multipliers would turn negative leave on the way.
Entry enter(std::span<const BodyRow> rows, std::size_t p, ActiveRows& active, Six& z) {
  const BodyRow& row = rows[p];
  double lambda = 0;
  for (;;) {
    std::array<double, kMost> x{};
    Six rest;
    active.split(row.row, x, rest);
    const double rest2 = dot(rest, rest);
    double dual = kInfinity;  // t1: the first multiplier that becomes zero
    std::size_t leaving = 0;
    for (std::size_t j = 0; j < active.count(); ++j)
      if (x[j] > 0 && active.multiplier(j) < dual * x[j]) dual = active.multiplier(j) / x[j], leaving = j;
    const bool is_free = active.count() < kMost && rest2 > kDependent * row.size2;
    const double primal = is_free ? (row.bound - dot(row.row, z)) / rest2 : kInfinity;  // t2: the row holds
    const double t = primal <= dual ? primal : dual;
    if (!(t < kInfinity)) return lambda > 0 ? Entry::refused_midway : Entry::refused;
    for (std::size_t j = 0; j < active.count(); ++j) active.multiplier(j) -= t * x[j];
    lambda += t;
    if (is_free) add(z, t, rest);
    if (primal <= dual) {
      active.append(p, lambda, rest2);
      return Entry::added;
    }
    active.remove(leaving);
  }
}

enum class Conflict { resolved, among_equals, hopeless };

/// Row p contradicts active rows. Those of lower ranks are given up, else p itself, unless some have its own rank.
Conflict resolve(std::span<BodyRow> rows, const RowRanks& ranks, std::size_t p, ActiveRows& active) {
  const auto rank = [&](std::size_t i) { return i < ranks.hard ? 0 : i < ranks.firm ? 1 : 2; };
  std::array<double, kMost> x{};
  Six rest;
  active.split(rows[p].row, x, rest);
  bool any_lower = false, any_equal = false;
  for (std::size_t j = 0; j < active.count(); ++j) {
    BodyRow& other = rows[active.row(j)];
    if (x[j] * x[j] * other.size2 <= kDependent * rows[p].size2) continue;  // not in it
    if (rank(active.row(j)) > rank(p)) any_lower = other.is_given_up = true;
    any_equal = any_equal || rank(active.row(j)) == rank(p);
  }
  if (any_lower) return Conflict::resolved;
  if (p < ranks.hard) return Conflict::hopeless;
  if (any_equal) return Conflict::among_equals;
  rows[p].is_given_up = true;
  return Conflict::resolved;
}

/// Rows that are not hard give way by as much as they push; see the header. Only the hard ones are held exactly: z goes
/// to the nearest point that satisfies them in the end. False: there is none.
bool compromise(std::span<BodyRow> rows, const RowRanks& ranks, Six& z) {
  constexpr int kSweeps = 16;  // two balls that squeeze a third are then within 1e-4
  for (BodyRow& row : rows) row.multiplier = 0;
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      BodyRow& row = rows[i];
      if (row.is_given_up || !(row.size2 > 0)) continue;
      const double gives = i < ranks.hard ? 0.0 : row.size2;
      const double before = row.multiplier;
      const double wanted = row.bound - dot(row.row, z) - gives * before;
      row.multiplier = std::max(0.0, before + wanted / (row.size2 + gives));
      add(z, row.multiplier - before, row.row);
    }
  const std::span<BodyRow> hard = rows.first(ranks.hard);
  for (BodyRow& row : hard) row.spare = row.multiplier;
  if (!move_into(hard, {hard.size(), hard.size()}, z)) return false;
  for (BodyRow& row : hard) row.multiplier += row.spare;
  return true;
}

void read_multipliers(ActiveRows& active, std::span<BodyRow> rows) {
  for (BodyRow& row : rows) row.multiplier = 0;
  for (std::size_t j = 0; j < active.count(); ++j) rows[active.row(j)].multiplier = active.multiplier(j);
}

/// Whether z is further from where the hard rows put it than the other rows justify; see the header.
bool is_too_far(std::span<const BodyRow> rows, std::size_t hard, const Six& held, const Six& z) {
  double furthest2 = 0;
  for (const BodyRow& row : rows.subspan(hard)) {
    const double distance = row.bound - dot(row.row, held);
    if (!row.is_given_up && row.size2 > 0 && distance > 0)
      furthest2 = std::max(furthest2, distance * distance / row.size2);
  }
  Six way = z;
  add(way, -1, held);
  return dot(way, way) > kStretch * kStretch * furthest2;
}

}  // namespace

bool move_into(std::span<BodyRow> rows, const RowRanks& ranks, Six& z) {
  for (BodyRow& row : rows) row.is_given_up = false;
  const std::size_t count = rows.size();
  const Six start = z;
  Six held = start;  // where the hard rows put it
  bool is_held = false;
  ActiveRows active(rows);
  for (std::size_t turn = 0; turn < kMostTurns + 10 * count; ++turn) {
    std::size_t p = most_violated(rows, 0, ranks.hard, z);
    if (p == ranks.hard) {
      if (!is_held) held = z, is_held = true;
      p = most_violated(rows, ranks.hard, ranks.firm, z);
      if (p == ranks.firm) p = most_violated(rows, ranks.firm, count, z);
    }
    if (p == count) {
      read_multipliers(active, rows);
      if (ranks.hard == count || !is_too_far(rows, ranks.hard, held, z)) return true;
      z = start;
      return compromise(rows, ranks, z);
    }
    const Entry entry = enter(rows, p, active, z);
    if (entry == Entry::added) continue;
    const Conflict conflict = resolve(rows, ranks, p, active);
    if (conflict == Conflict::hopeless) return false;
    if (entry == Entry::refused && rows[p].is_given_up) continue;
    z = start;
    if (conflict == Conflict::among_equals) return compromise(rows, ranks, z);
    active = ActiveRows(rows), is_held = false;
  }
  z = start;
  return ranks.hard < count && compromise(rows, ranks, z);
}

}  // namespace cairn
