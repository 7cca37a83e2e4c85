// SPDX-License-Identifier: MIT
// Assembled sweeps on W = A: rows of A ("naive" scheme) or of T = 1 - R A.
//
//   A:  y_k = A_row k lambda + q_k,         lambda_k <- prox(lambda_k - R_k y_k), or the exact local solution
//   T:  z_k = T_row k lambda + c_k,  c = -R q,  lambda_k <- prox(z_k)          Poulsen 2010 (3.12), sign of c corrected
//
// Rows stay in the order of the problem; the schedule only decides in which order they are visited.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/solvers/local_contact.h"
#include "cairn/solvers/prox/prox_step.h"
#include "cairn/solvers/prox/sweep.h"

namespace cairn {

namespace {

constexpr std::int64_t kRowGrain = 256;

/// The pattern of the matrix as neighbour lists.
Lists pattern_of(const BlockSparse& w) { return {w.row_start, w.column}; }

bool is_isotropic(const DelassusProblem& problem) {
  return std::all_of(problem.friction.begin(), problem.friction.end(),
                     [](const FrictionAxes& mu) { return mu.s == mu.t; });
}

template <int D>
class AssembledSweep : public Sweep {
 public:
  AssembledSweep(const DelassusProblem& problem, const ProxSettings& settings);

  int dim() const override { return D; }
  const Schedule& schedule() const override { return schedule_; }
  std::span<const std::int32_t> order() const override { return identity_; }
  std::size_t size() const override { return problem_.q.size(); }
  double run(std::span<double> lambda, ThreadPool* pool) override;
  void refresh(std::span<const double>, ThreadPool*) override {}  // nothing is kept beside lambda
  void project(std::span<double> lambda, ThreadPool* pool) const override;
  void scale_r(double nu) override;
  void weights(std::span<double> weight) const override;
  std::size_t bytes() const override;
  std::int64_t matrix_blocks() const override { return problem_.w.block_count(); }

 private:
  void choose_r(const ProxSettings& settings);
  double largest_eigenvalue_of_w() const;
  void build_t();

  /// What contact k becomes, given all impulses.
  void update(std::int64_t k, const double* lambda, double* next) const;
  void finish(std::int64_t k, const double* y, double* next) const;
  double visit(std::int64_t begin, std::int64_t end, double* lambda) const;
  double visit_split(std::int64_t begin, std::int64_t end, std::int32_t chunk, double* lambda) const;
  double run_jacobi(const SweepStage& stage, double* lambda, ThreadPool* pool);
  double run_slices(const SweepStage& stage, double* lambda, ThreadPool* pool);
  double commit(std::int64_t k, const double* next, double* lambda) const;

  const DelassusProblem& problem_;
  Schedule schedule_;
  FrictionSet set_ = FrictionSet::disc;
  bool use_t_ = false, exact_ = false;
  std::vector<std::int32_t> identity_;
  std::vector<ContactR> r_;          ///< per contact
  BlockSparse t_;                    ///< T, where it is used
  std::vector<double> c_;            ///< -R q, where T is used
  std::vector<double> old_;          ///< scratch: lambda before a jacobi or split stage
  std::vector<std::int32_t> chunk_;  ///< per contact: its chunk in split stages
};

template <int D>
AssembledSweep<D>::AssembledSweep(const DelassusProblem& problem, const ProxSettings& settings) : problem_(problem) {
  const Lists pattern = pattern_of(problem.w);
  schedule_ = make_schedule(settings, pattern);
  set_ = choose_set(settings.friction, D, is_isotropic(problem));
  use_t_ = settings.op == ContactOperator::t;
  const bool can_be_exact = D < 4 && is_isotropic(problem) && settings.friction == FrictionModel::automatic &&
                            settings.order == SweepOrder::gauss_seidel && !use_t_;
  exact_ = settings.local == LocalSolve::exact || (settings.local == LocalSolve::automatic && can_be_exact);
  if (exact_ && !can_be_exact)
    fail_input(
        "local=exact needs order Gauss-Seidel, operator=A, friction=automatic and isotropic friction without spin: "
        "use local=prox",
        ErrorKind::unsupported);
  identity_.resize(to_index(problem.contact_count()));
  std::iota(identity_.begin(), identity_.end(), 0);
  choose_r(settings);
  if (use_t_) build_t();
  for (const SweepStage& stage : schedule_.stages) {
    if (stage.kind != StageKind::slices) continue;
    chunk_.resize(identity_.size());
    for (std::int64_t c = 0; c < stage.chunk_count; ++c)
      for (std::int64_t i = schedule_.chunk_start[to_index(stage.first_chunk + c)];
           i < schedule_.chunk_start[to_index(stage.first_chunk + c + 1)]; ++i)
        chunk_[to_index(schedule_.order[to_index(i)])] = static_cast<std::int32_t>(c);
  }
}

template <int D>
void AssembledSweep<D>::choose_r(const ProxSettings& settings) {
  r_.resize(identity_.size());
  if (settings.r_factor == RFactor::global) {
    const double largest = largest_eigenvalue_of_w();
    const double r = largest > 0 ? settings.relaxation / largest : 0.0;
    std::fill(r_.begin(), r_.end(), ContactR{r, r});
    return;
  }
  for (std::size_t k = 0; k < r_.size(); ++k) {
    double sharing = 1;
    if (settings.order == SweepOrder::jacobi && settings.r_factor == RFactor::local)
      // Without bodies: the blocks of the row bound how often this contact is shared.
      sharing = static_cast<double>(problem_.w.row_start[k + 1] - problem_.w.row_start[k]);
    r_[k] = local_r<D>(problem_.w.diagonal_block(static_cast<std::int64_t>(k)), settings.relaxation, sharing);
  }
}

template <int D>
double AssembledSweep<D>::largest_eigenvalue_of_w() const {
  constexpr int kSteps = 20;
  std::vector<double> x(size()), y(size()), zero(size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + 0.1 * static_cast<double>(i % 7);
  double largest = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double length = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    if (!(length > 0)) break;
    for (double& value : x) value /= length;
    multiply_add(problem_.w, x, zero, y);
    largest = std::sqrt(std::inner_product(y.begin(), y.end(), y.begin(), 0.0));
    std::swap(x, y);
  }
  return largest;
}

template <int D>
void AssembledSweep<D>::build_t() {
  t_ = problem_.w;
  c_.resize(size());
  for (std::int64_t k = 0; k < t_.rows(); ++k) {
    const ContactR& r = r_[to_index(k)];
    for (std::int64_t e = t_.row_start[to_index(k)]; e < t_.row_start[to_index(k) + 1]; ++e)
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) {
          double& entry = t_.block(e)[i * D + j];
          const double one = e == t_.diagonal[to_index(k)] && i == j ? 1.0 : 0.0;
          entry = one - (i == 0 ? r.normal : r.friction) * entry;
        }
    for (int i = 0; i < D; ++i)
      c_[to_index(k * D + i)] = -(i == 0 ? r.normal : r.friction) * problem_.q[to_index(k * D + i)];
  }
}

/// From y (A) or z (T) of contact k to its next impulse; `next` holds the current one on entry.
template <int D>
void AssembledSweep<D>::finish(std::int64_t k, const double* y, double* next) const {
  const FrictionAxes& mu = problem_.friction[to_index(k)];
  if (use_t_) {
    std::copy_n(y, D, next);
    project_contact<D>(set_, mu, next);
    return;
  }
  if constexpr (D < 4) {
    if (exact_) {
      const double* block = problem_.w.diagonal_block(k);
      double b[D];  // the velocity without this contact's own impulse
      for (int i = 0; i < D; ++i) {
        b[i] = y[i];
        for (int j = 0; j < D; ++j) b[i] -= block[i * D + j] * next[j];
      }
      if (!solve_local_contact<D>(block, b, mu.s, next)) project_fixed_point<D>(block, b, mu.s, next);
      return;
    }
  }
  prox_step<D>(set_, mu, r_[to_index(k)], y, next);
}

template <int D>
void AssembledSweep<D>::update(std::int64_t k, const double* lambda, double* next) const {
  double y[D];
  multiply_row<D>(use_t_ ? t_ : problem_.w, k, lambda, y);
  const std::vector<double>& constant = use_t_ ? c_ : problem_.q;
  for (int i = 0; i < D; ++i) y[i] += constant[to_index(k * D + i)];
  std::copy_n(lambda + k * D, D, next);
  finish(k, y, next);
}

template <int D>
double AssembledSweep<D>::commit(std::int64_t k, const double* next, double* lambda) const {
  const double* block = problem_.w.diagonal_block(k);
  double energy = 0;
  for (int i = 0; i < D; ++i) {
    const double delta = next[i] - lambda[k * D + i];
    lambda[k * D + i] = next[i];
    energy = larger(energy, delta * delta * std::fabs(block[i * D + i]));
  }
  return energy;
}

template <int D>
double AssembledSweep<D>::visit(std::int64_t begin, std::int64_t end, double* lambda) const {
  double change = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t k = schedule_.order[to_index(i)];
    double next[D];
    update(k, lambda, next);
    change = larger(change, commit(k, next, lambda));
  }
  return change;
}

/// As `visit`, but impulses of other chunks are those from before the stage.
template <int D>
double AssembledSweep<D>::visit_split(std::int64_t begin, std::int64_t end, std::int32_t chunk, double* lambda) const {
  const BlockSparse& matrix = use_t_ ? t_ : problem_.w;
  const std::vector<double>& constant = use_t_ ? c_ : problem_.q;
  double change = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t k = schedule_.order[to_index(i)];
    double y[D], next[D];
    std::copy_n(constant.data() + k * D, D, y);
    for (std::int64_t e = matrix.row_start[to_index(k)]; e < matrix.row_start[to_index(k) + 1]; ++e) {
      const std::int64_t j = matrix.column[to_index(e)];
      const double* x = (chunk_[to_index(j)] == chunk ? lambda : old_.data()) + j * D;
      for (int row = 0; row < D; ++row)
        for (int column = 0; column < D; ++column) y[row] += matrix.block(e)[row * D + column] * x[column];
    }
    std::copy_n(lambda + k * D, D, next);
    finish(k, y, next);
    change = larger(change, commit(k, next, lambda));
  }
  return change;
}

template <int D>
double AssembledSweep<D>::run(std::span<double> lambda, ThreadPool* pool) {
  double change = 0;
  for (const SweepStage& stage : schedule_.stages) {
    double mine = 0;
    switch (stage.kind) {
      case StageKind::serial: mine = visit(stage.begin, stage.end, lambda.data()); break;
      case StageKind::independent:
        mine = parallel_reduce(
            pool, stage.end - stage.begin, kRowGrain, 0.0,
            [&](std::int64_t b, std::int64_t e) { return visit(stage.begin + b, stage.begin + e, lambda.data()); },
            larger);
        break;
      case StageKind::chunks:
        mine = parallel_reduce(
            pool, stage.chunk_count, 1, 0.0,
            [&](std::int64_t c, std::int64_t) {
              const auto first = to_index(stage.first_chunk + c);
              return visit(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], lambda.data());
            },
            larger);
        break;
      case StageKind::jacobi: mine = run_jacobi(stage, lambda.data(), pool); break;
      case StageKind::slices: mine = run_slices(stage, lambda.data(), pool); break;
      case StageKind::split: break;  // refused by make_schedule: there are no masses to split
    }
    change = larger(change, mine);
  }
  return std::sqrt(change);
}

template <int D>
double AssembledSweep<D>::run_jacobi(const SweepStage& stage, double* lambda, ThreadPool* pool) {
  old_.assign(lambda, lambda + size());
  return parallel_reduce(
      pool, stage.end - stage.begin, kRowGrain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double change = 0;
        for (std::int64_t i = stage.begin + begin; i < stage.begin + end; ++i) {
          const std::int64_t k = schedule_.order[to_index(i)];
          double next[D];
          update(k, old_.data(), next);
          change = larger(change, commit(k, next, lambda));
        }
        return change;
      },
      larger);
}

template <int D>
double AssembledSweep<D>::run_slices(const SweepStage& stage, double* lambda, ThreadPool* pool) {
  old_.assign(lambda, lambda + size());
  return parallel_reduce(
      pool, stage.chunk_count, 1, 0.0,
      [&](std::int64_t c, std::int64_t) {
        const auto first = to_index(stage.first_chunk + c);
        return visit_split(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], static_cast<std::int32_t>(c),
                           lambda);
      },
      larger);
}

template <int D>
void AssembledSweep<D>::project(std::span<double> lambda, ThreadPool*) const {
  for (std::size_t k = 0; k < r_.size(); ++k) project_contact<D>(set_, problem_.friction[k], lambda.data() + k * D);
}

/// R <- nu R, and with it T_kk <- 1 - nu (1 - T_kk), T_kj <- nu T_kj, c <- nu c (Poulsen 2010, (3.17)).
template <int D>
void AssembledSweep<D>::scale_r(double nu) {
  for (ContactR& r : r_) r = {nu * r.normal, nu * r.friction};
  if (!use_t_) return;
  for (double& value : t_.values) value *= nu;
  for (const std::int64_t e : t_.diagonal)
    for (int i = 0; i < D; ++i) t_.block(e)[i * D + i] += 1 - nu;
  for (double& value : c_) value *= nu;
}

template <int D>
void AssembledSweep<D>::weights(std::span<double> weight) const {
  const auto inverse = [](double r) { return r > 0 ? 1 / r : 0.0; };
  for (std::size_t k = 0; k < r_.size(); ++k)
    for (std::size_t i = 0; i < D; ++i) weight[k * D + i] = inverse(i == 0 ? r_[k].normal : r_[k].friction);
}

template <int D>
std::size_t AssembledSweep<D>::bytes() const {
  const BlockSparse& w = problem_.w;
  const std::size_t matrices = use_t_ ? 2 : 1;
  return matrices * (w.values.capacity() * sizeof(double) + w.column.capacity() * sizeof(std::int32_t) +
                     2 * w.row_start.capacity() * sizeof(std::int64_t)) +
         r_.capacity() * sizeof(ContactR) + (c_.capacity() + old_.capacity()) * sizeof(double) +
         (schedule_.order.capacity() + identity_.capacity() + chunk_.capacity()) * sizeof(std::int32_t);
}

}  // namespace

std::unique_ptr<Sweep> make_assembled_sweep(const DelassusProblem& problem, const ProxSettings& settings) {
  switch (problem.dim()) {
    case 2: return std::make_unique<AssembledSweep<2>>(problem, settings);
    case 3: return std::make_unique<AssembledSweep<3>>(problem, settings);
    case 4: return std::make_unique<AssembledSweep<4>>(problem, settings);
    default: fail_input("block dimension must be 2, 3 or 4");
  }
}

}  // namespace cairn
