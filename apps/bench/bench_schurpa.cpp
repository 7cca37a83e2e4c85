// SPDX-License-Identifier: MIT
// cairn bench schurpa: the banded factorisation (fig. 5.3) and the perturbed active sets (table 7.1) of J. A. Litven, A
// Parallel Active-Set Method for Solving Frictional Contact Problems, 2013, with its figures beside ours.
//
// Protocol: contestants take turns, the best of several rounds counts. Our factor is timed with its reading of the
// matrix, LAPACK's without, since it works in place. QPs are random bands: off-diagonal entries uniform in [-1, 1], the
// diagonal 1.2 times the radius of their spectrum, c uniform in [-0.1, 0.9]: nine of ten variables are free, so that
// what is factored is nearly as large as the thesis says.
#include "apps/bench/bench_schurpa.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "apps/bench/band_peer.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/core/timer.h"
#include "cairn/qp/pdasm.h"

namespace cairn::cli {

namespace {

constexpr int kRhs = 10;  // of fig. 5.3
constexpr double kMilli = 1e3;

std::vector<double> random_band(int size, int bandwidth, Random& random) {
  const auto stride = to_index(bandwidth) + 1;
  std::vector<double> band(to_index(size) * stride);
  for (double& value : band) value = random.uniform(-1, 1);
  // Wigner's semicircle: 2 sqrt(2 rho entries of variance 1/3).
  const double radius = 2 * std::sqrt(2.0 * bandwidth / 3);
  for (std::size_t j = 0; j < to_index(size); ++j) band[j * stride] = 1.2 * radius;
  return band;
}

double best_ms(double before, const std::function<void()>& call) {
  Timer timer;
  call();
  const double now = kMilli * timer.seconds();
  return before > 0 ? std::min(before, now) : now;
}

/// One size of fig. 5.3.
BandTimes measure_band(int size, int bandwidth, int rounds) {
  BandTimes times;
  times.size = size, times.bandwidth = bandwidth;
  Random random(1);
  const std::vector<double> band = random_band(size, bandwidth, random);
  const BandedMatrix h(size, bandwidth, band);
  std::vector<std::int32_t> all(to_index(size));
  for (int i = 0; i < size; ++i) all[to_index(i)] = i;
  const auto pool = make_pool(2);
  const auto one = h.make_factor(), two = h.make_factor();
  std::vector<double> x(to_index(size) * kRhs, 1.0), work;
  for (int round = 0; round < rounds && !interrupted(); ++round) {
    times.factor_1 = best_ms(times.factor_1, [&] { one->factor(all, nullptr); });
    times.solve_1 = best_ms(times.solve_1, [&] { one->solve(x, kRhs, nullptr); });
    times.factor_2 = best_ms(times.factor_2, [&] { two->factor(all, pool.get()); });
    times.solve_2 = best_ms(times.solve_2, [&] { two->solve(x, kRhs, pool.get()); });
    std::fill(x.begin(), x.end(), 1.0);
    // LAPACK without fast kernels takes seconds: once is enough.
    if (has_band_peer() && times.lapack < kMilli) {
      work = band;
      times.lapack = best_ms(times.lapack, [&] { factor_band_peer(size, bandwidth, work); });
    }
  }
  return times;
}

PerturbedRow::Side side_of(const QpReport& report) {
  return {kMilli * report.factor_seconds, kMilli * report.solve_seconds, kMilli * report.seconds, report.factorisations,
          report.solves};
}

/// The start is the solution's active set with the first `delta` variables on the other side.
PerturbedRow measure_row(const BoundedQp& qp, const QpSolution& exact, int delta, int rounds,
                         const QpContext& context) {
  PerturbedRow row;
  row.delta = delta;
  std::vector<BoundState> start = exact.state;
  for (std::size_t i = 0; i < to_index(delta); ++i)
    start[i] = start[i] == BoundState::free ? BoundState::lower : BoundState::free;
  QpSolution mine, theirs;
  for (int round = 0; round < rounds && !interrupted(); ++round) {
    mine.state = theirs.state = start;
    Pdasm schurpa, direct({.schur = false});
    const QpReport a = schurpa.solve(qp, mine, context), b = direct.solve(qp, theirs, context);
    if (round == 0 || kMilli * a.seconds < row.schurpa.total_ms) row.schurpa = side_of(a);
    if (round == 0 || kMilli * b.seconds < row.direct.total_ms) row.direct = side_of(b);
    row.iterations = a.iterations, row.direct_iterations = b.iterations;
    row.residual = std::max(a.residual, b.residual);
  }
  double largest = std::numeric_limits<double>::min();
  for (const double x : theirs.x) largest = std::max(largest, std::fabs(x));
  for (std::size_t i = 0; i < mine.x.size(); ++i)
    row.difference = std::max(row.difference, std::fabs(mine.x[i] - theirs.x[i]) / largest);
  return row;
}

void measure_table(int size, int bandwidth, int rounds, Progress& progress, SchurpaResults& results) {
  Random random(7);
  const BandedMatrix h(size, bandwidth, random_band(size, bandwidth, random));
  const auto n = to_index(size);
  BoundedQp qp{&h, std::vector<double>(n), std::vector<double>(n, 0.0),
               std::vector<double>(n, std::numeric_limits<double>::infinity())};
  for (double& c : qp.c) c = random.uniform(-0.1, 0.9);
  const auto pool = make_pool(results.threads);
  const QpContext context{.pool = pool.get(), .interrupt = &interrupted()};
  QpSolution exact;
  solve_pdasm(qp, exact, context);
  results.size = size, results.bandwidth = bandwidth;
  results.free = static_cast<int>(std::count(exact.state.begin(), exact.state.end(), BoundState::free));
  for (const PublishedRow& published : published_rows()) {
    progress.update(fmt::format("table 7.1, {} changes", published.delta));
    if (interrupted()) return;
    results.rows.push_back(measure_row(qp, exact, published.delta, rounds, context));
  }
}

}  // namespace

const std::vector<PublishedRow>& published_rows() {
  static const std::vector<PublishedRow> kRows{
      {0, 279.6, 44.6, 350.9, 1, 263.9, 1},     {10, 282.7, 169.6, 484.1, 15, 1004.6, 4},
      {20, 278.7, 227.7, 540.2, 31, 1229.1, 5}, {30, 282.0, 257.6, 574.1, 42, 1260.2, 5},
      {40, 284.4, 274.5, 593.3, 54, 1253.3, 5}, {50, 283.5, 359.5, 678.1, 72, 1265.3, 5}};
  return kRows;
}

int run_bench_schurpa(const BenchSchurpaOptions& options) {
  for (const std::string& file : {options.html, options.csv, options.json})
    if (!file.empty() && file != "-" && !options.force) check_can_write(file).value_or_throw();
  const int size = options.quick ? 2000 : 8000, bandwidth = options.quick ? 250 : 1000, rounds = options.quick ? 2 : 5;
  SchurpaResults results;
  {
    Progress progress("bench schurpa");
    for (int part = 1; part <= 4; ++part) {
      progress.update(fmt::format("fig. 5.3, size {}", size * part / 4));
      results.band.push_back(measure_band(size * part / 4, bandwidth, part == 4 ? 2 * rounds : rounds));
      if (interrupted()) return kInterrupted;
    }
    measure_table(size, bandwidth, rounds, progress, results);
    results.frozen = measure_frozen_steps(options.quick, progress);
    if (interrupted()) return kInterrupted;
  }
  print(results);
  write_schurpa(results, options);
  const bool differs = std::any_of(results.rows.begin(), results.rows.end(),
                                   [](const PerturbedRow& row) { return !(row.difference <= 1e-8); });
  return differs ? kCheckFailed : kDone;
}

}  // namespace cairn::cli
