// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/assembled_staggered.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/math/friction_set.h"
#include "cairn/qp/pdasm.h"

namespace cairn {

namespace {

constexpr double kHalfRoot = 0.70710678118654752440;  // of a diamond with corners at 1: half its side
constexpr int kRescueSweeps = 5;                      // times as many as before
constexpr double kRefactorShare = 1e9;                // columns are limited by their number alone (Litven 2013, 7.2)
constexpr double kQpTolerance = 1e-10;                // residual at which a QP may end before its sets do
constexpr int kFreeTurns = 4;                         // before answers are averaged

/// Coordinates along the axes at 45 degrees, and back.
void to_diagonal(double& s, double& t) {
  const double p = kHalfRoot * (s + t);
  t = kHalfRoot * (t - s);
  s = p;
}
void from_diagonal(double& p, double& q) {
  const double s = kHalfRoot * (p - q);
  q = kHalfRoot * (p + q);
  p = s;
}

SparseQpMatrix contact_matrix(const DelassusProblem& problem, double eps) {
  std::vector<MatrixEntry> entries;
  entries.reserve(problem.w.column.size());
  const BlockSparse& w = problem.w;
  for (std::int64_t i = 0; i < w.rows(); ++i)
    for (std::int64_t k = w.row_start[to_index(i)]; k < w.row_start[to_index(i) + 1]; ++k) {
      const std::int32_t j = w.column[to_index(k)];
      const double value = w.block(k)[0];
      entries.push_back({static_cast<std::int32_t>(i), j, j == i ? value * (1 + eps) : value});
    }
  return {static_cast<int>(w.rows()), std::move(entries)};
}

/// W_tt along the diagonals of the tangents.
SparseQpMatrix friction_matrix(const DelassusProblem& problem, double eps) {
  std::vector<MatrixEntry> entries;
  entries.reserve(4 * problem.w.column.size());
  const BlockSparse& w = problem.w;
  for (std::int64_t i = 0; i < w.rows(); ++i)
    for (std::int64_t k = w.row_start[to_index(i)]; k < w.row_start[to_index(i) + 1]; ++k) {
      const std::int32_t j = w.column[to_index(k)];
      const double* block = w.block(k);
      double m[2][2] = {{block[4], block[5]}, {block[7], block[8]}};
      to_diagonal(m[0][0], m[0][1]);
      to_diagonal(m[1][0], m[1][1]);
      to_diagonal(m[0][0], m[1][0]);
      to_diagonal(m[0][1], m[1][1]);
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
          const bool is_diagonal = j == i && a == b;
          entries.push_back(
              {static_cast<std::int32_t>(2 * i + a), 2 * j + b, is_diagonal ? m[a][b] * (1 + eps) : m[a][b]});
        }
    }
  return {static_cast<int>(2 * w.rows()), std::move(entries)};
}

/// x_i <- clamp(x_i + (c - H x)_i / H_ii, l_i, u_i), one after the other.
void sweep(const BoundedQp& qp, std::span<const double> diagonal, std::span<double> x, int times) {
  for (int k = 0; k < times; ++k)
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (qp.lower[i] == qp.upper[i]) continue;
      const double wanted = x[i] + (qp.c[i] - qp.h->row_dot(static_cast<int>(i), x)) / diagonal[i];
      x[i] = std::clamp(wanted, qp.lower[i], qp.upper[i]);
    }
}

void read_states(const BoundedQp& qp, QpSolution& solution) {
  solution.state.resize(solution.x.size());
  for (std::size_t i = 0; i < solution.x.size(); ++i)
    solution.state[i] = solution.x[i] <= qp.lower[i]   ? BoundState::lower
                        : solution.x[i] >= qp.upper[i] ? BoundState::upper
                                                       : BoundState::free;
}

/// What the first QP of a kind began with, against the last answer.
void compare_states(const std::vector<BoundState>& start, const std::vector<BoundState>& end, QpTally& tally) {
  std::size_t right = 0;
  tally.free = 0;
  for (std::size_t i = 0; i < end.size(); ++i) {
    right += start[i] == end[i] ? 1 : 0;
    tally.free += end[i] == BoundState::free ? 1 : 0;
  }
  tally.right_at_start = end.empty() ? 1 : static_cast<double>(right) / static_cast<double>(end.size());
}

}  // namespace

/// One of the two QPs, with what it keeps from one iteration to the next.
struct AssembledStaggered::Program {
  Program(SparseQpMatrix h, bool schur)
      : matrix(std::move(h)),
        pdasm(PdasmSettings{.schur = schur, .schur_settings = {.refactor_share = kRefactorShare}}) {
    const auto n = to_index(matrix.size());
    qp = {&matrix, Vector(n), Vector(n, 0.0), Vector(n, std::numeric_limits<double>::infinity())};
    solution.x.resize(n);
    for (int i = 0; i < matrix.size(); ++i) diagonal.push_back(matrix.diagonal(i));
  }
  SparseQpMatrix matrix;
  Vector diagonal;
  Pdasm pdasm;
  BoundedQp qp;
  QpSolution solution;            ///< x is the start of Gauss-Seidel on entry
  std::vector<BoundState> start;  ///< of the first QP, before any sweep
};

/// Sweeps guess the set; where the sets do not end, sweeps from the best iterate guess again.
void AssembledStaggered::solve_program(Program& p, QpTally& tally, ThreadPool* pool) const {
  const Timer timer;
  const CpuTimer cpu_timer;
  const bool is_first = ++tally.solves == 1;
  for (std::size_t i = 0; i < p.solution.x.size(); ++i)
    p.solution.x[i] = std::clamp(p.solution.x[i], p.qp.lower[i], p.qp.upper[i]);
  if (is_first) {
    read_states(p.qp, p.solution);
    p.start = p.solution.state;
  }
  const QpContext context{.pool = pool, .tolerance = kQpTolerance, .max_iterations = settings_.most_sets};
  int sweeps = settings_.sweeps, sets = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    sweep(p.qp, p.diagonal, p.solution.x, sweeps);
    read_states(p.qp, p.solution);
    const Vector swept = p.solution.x;
    const QpReport report = p.pdasm.solve(p.qp, p.solution, context);
    sets += report.iterations;
    tally.factorisations += report.factorisations;
    tally.linear_solves += report.solves;
    tally.columns = std::max(tally.columns, report.schur_columns);
    if (report.end == QpEnd::converged) break;
    if (!(report.residual <= kkt_residual(p.qp, swept, pool))) p.solution.x = swept;
    if (attempt == 0) ++tally.rescues;
    if (attempt == 2) ++tally.unfinished;
    sweeps = kRescueSweeps * std::max(1, settings_.sweeps);
  }
  tally.most_sets = std::max(tally.most_sets, sets);
  compare_states(p.start, p.solution.state, tally);
  tally.seconds += timer.seconds();
  tally.cpu_seconds += cpu_timer.seconds();
}

/// c = -(q_n + W_nt b) + eps D a.
void AssembledStaggered::solve_contact(const DelassusProblem& problem, Program& p, QpTally& tally, ThreadPool* pool) {
  const std::size_t n = problem.friction.size();
  Vector friction_only = impulse_;
  for (std::size_t i = 0; i < n; ++i) friction_only[3 * i] = 0;
  multiply_add(problem.w, friction_only, problem.q, velocity_);
  for (std::size_t i = 0; i < n; ++i) {
    const double proximal = settings_.eps * problem.w.diagonal_block(static_cast<std::int64_t>(i))[0] * impulse_[3 * i];
    p.qp.c[i] = proximal - velocity_[3 * i];
    p.solution.x[i] = impulse_[3 * i];
  }
  solve_program(p, tally, pool);
  for (std::size_t i = 0; i < n; ++i) impulse_[3 * i] = p.solution.x[i];
}

void AssembledStaggered::solve_friction(const DelassusProblem& problem, Program& p, QpTally& tally, ThreadPool* pool) {
  const std::size_t n = problem.friction.size();
  Vector normal_only = impulse_;
  for (std::size_t i = 0; i < n; ++i) normal_only[3 * i + 1] = normal_only[3 * i + 2] = 0;
  multiply_add(problem.w, normal_only, problem.q, velocity_);
  for (std::size_t i = 0; i < n; ++i) {
    double b[2] = {impulse_[3 * i + 1], impulse_[3 * i + 2]}, y[2] = {velocity_[3 * i + 1], velocity_[3 * i + 2]};
    to_diagonal(b[0], b[1]);
    to_diagonal(y[0], y[1]);
    const double side = kHalfRoot * problem.friction[i].s * impulse_[3 * i];
    const double over = settings_.eps / (1 + settings_.eps);  // the diagonal of the QP has eps in it
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t row = 2 * i + k;
      p.qp.c[row] = over * p.diagonal[row] * b[k] - y[k];
      p.qp.lower[row] = -side;
      p.qp.upper[row] = side;
      p.solution.x[row] = b[k];
    }
  }
  solve_program(p, tally, pool);
  for (std::size_t i = 0; i < n; ++i) {
    double s = p.solution.x[2 * i], t = p.solution.x[2 * i + 1];
    from_diagonal(s, t);
    impulse_[3 * i + 1] = s;
    impulse_[3 * i + 2] = t;
  }
}

/// |l - l_last|_W^2 <= tolerance^2 |l_last|_W^2.
bool AssembledStaggered::has_settled(const DelassusProblem& problem) {
  const Vector zero(impulse_.size(), 0.0);
  Vector change(impulse_.size());
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = impulse_[i] - last_[i];
  const auto energy = [&](const Vector& x) {
    multiply_add(problem.w, x, zero, velocity_);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * velocity_[i];
    return sum;
  };
  return energy(change) <= settings_.tolerance * settings_.tolerance * energy(last_);
}

void AssembledStaggered::relax() {
  for (std::size_t i = 0; i < impulse_.size(); ++i) impulse_[i] = 0.5 * (impulse_[i] + last_[i]);
}

void AssembledStaggered::read_start(const DelassusProblem& problem, const DelassusSolution& solution) {
  const std::size_t n = problem.friction.size();
  impulse_ = solution.impulse;
  impulse_.resize(3 * n, 0.0);
  velocity_.resize(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    impulse_[3 * i] = std::max(0.0, impulse_[3 * i]);
    project_disc(problem.friction[i].s * impulse_[3 * i], impulse_[3 * i + 1], impulse_[3 * i + 2]);
  }
}

AssembledStaggeredReport AssembledStaggered::solve(const DelassusProblem& problem, DelassusSolution& solution,
                                                   ThreadPool* pool) {
  require(problem.dim() == 3, "staggered projections need contacts with three components");
  AssembledStaggeredReport report;
  read_start(problem, solution);
  bool has_friction = false;
  for (const FrictionAxes& mu : problem.friction) {
    require(mu.s == mu.t && mu.spin == 0, "staggered projections need friction that is the same in all directions");
    has_friction = has_friction || mu.s > 0;
  }
  if (!problem.friction.empty()) {
    Program contact(contact_matrix(problem, settings_.eps), settings_.schur);
    std::unique_ptr<Program> friction;
    if (has_friction) friction = std::make_unique<Program>(friction_matrix(problem, settings_.eps), settings_.schur);
    report.settled = false;
    while (!report.settled && report.iterations < settings_.iterations) {
      if (report.iterations >= kFreeTurns) relax();
      last_ = impulse_;
      solve_contact(problem, contact, report.contact, pool);
      if (friction) solve_friction(problem, *friction, report.friction, pool);
      ++report.iterations;
      report.settled = !friction || has_settled(problem);
    }
  }
  for (QpTally* tally : {&report.contact, &report.friction})
    tally->refactorings = std::max(0, tally->factorisations - 1);
  solution.impulse = impulse_;
  solution.velocity.resize(impulse_.size());
  if (!problem.friction.empty()) multiply_add(problem.w, impulse_, problem.q, solution.velocity);
  return report;
}

}  // namespace cairn
