// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/assembled_space.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/problem/natural_map.h"
#include "cairn/solvers/reference/reference.h"
#include "cairn/solvers/staggered/staggered_island.h"

namespace cairn {

namespace {

constexpr int kReferenceSteps = 3000;  // sweeps and Newton steps of `reference`

}  // namespace

AssembledSpace::AssembledSpace(const DelassusProblem& problem, const ExactSettings& settings)
    : problem_(problem),
      staggered_contacts_(settings.staggered_contacts),
      reference_contacts_(settings.reference_contacts),
      cone_(to_unit_cone(problem)),
      lu_(BlockLu::Pattern::drop_zeros),
      matrix_(cone_.a) {
  const int dim = cone_.dim();
  law_.q = cone_.q, law_.scale = cone_.scale;
  law_.softness.assign(law_.q.size(), 0.0);
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(cone_.contact_count()); ++k) {
    law_.units.push_back({k * dim, k * dim * dim, dim});
    for (int i = 0; i < dim; ++i) law_.rho.push_back((i == 0 ? cone_.rho_n : cone_.rho_t)[to_index(k)]);
  }
  law_.block_entries = law_.units.size() * to_index(dim * dim);
  zero_.assign(law_.rows(), 0.0);
  impulse_.resize(law_.rows()), velocity_.resize(law_.rows());
}

void AssembledSpace::to_state(std::span<const double> x, std::span<double> s) const {
  multiply_add(cone_.a, x, zero_, s);
}

void AssembledSpace::to_velocity(std::span<const double> s, std::span<double> dz) const {
  std::copy(s.begin(), s.end(), dz.begin());
}

/// Block (k, j) is A_kj D_j, and one more on the diagonal.
bool AssembledSpace::factorise(std::span<const double> response) {
  const int dim = cone_.dim();
  for (std::size_t k = 0; k < law_.units.size(); ++k)
    for (auto e = matrix_.row_start[k]; e < matrix_.row_start[k + 1]; ++e) {
      const auto j = to_index(matrix_.column[to_index(e)]);
      const double *a = cone_.a.block(e), *d = response.data() + law_.units[j].block;
      double* m = matrix_.block(e);
      for (int row = 0; row < dim; ++row)
        for (int col = 0; col < dim; ++col) {
          double sum = j == k && row == col ? 1.0 : 0.0;
          for (int i = 0; i < dim; ++i) sum += a[row * dim + i] * d[i * dim + col];
          m[row * dim + col] = sum;
        }
    }
  return lu_.factorise(matrix_);
}

bool AssembledSpace::solve(std::span<const double> rhs, std::span<double> ds) { return lu_.solve(rhs, ds); }

double AssembledSpace::measure(std::span<const double> x) {
  to_impulses(x, impulse_);
  multiply_add(problem_.w, impulse_, problem_.q, velocity_);
  return relative_residual(problem_, impulse_, velocity_);
}

ExactIslandReport AssembledSpace::stagger(const IslandLimits& limits, std::span<double> x) {
  if (problem_.contact_count() > staggered_contacts_ || problem_.dim() > 3) return {};
  DelassusSolution solution;
  solution.impulse.resize(x.size()), solution.velocity.resize(x.size());
  to_impulses(x, solution.impulse);
  const ExactIslandReport report = StaggeredIsland({}).run(problem_, solution, limits);
  from_impulses(solution.impulse, x);
  return report;
}

int AssembledSpace::sweep(int sweeps, const IslandLimits& limits, std::span<double> x) {
  int done = 0;
  for (; done < sweeps && !limits.must_stop(); ++done) cairn::sweep(cone_, x);
  return done;
}

bool AssembledSpace::refer(const IslandLimits& limits, std::span<double> x) {
  if (problem_.contact_count() > reference_contacts_) return false;
  DelassusSolution solution;
  solution.impulse.resize(x.size());
  to_impulses(x, solution.impulse);
  SolveContext context;
  context.stop = {limits.stop.tolerance, kReferenceSteps, limits.time_left()};
  context.details = false, context.interrupt = limits.interrupt;
  ReferenceSolver().solve(problem_, solution, context);
  from_impulses(solution.impulse, x);
  return true;
}

void AssembledSpace::to_impulses(std::span<const double> x, std::span<double> impulse) const {
  for (std::size_t i = 0; i < x.size(); ++i) impulse[i] = law_.scale[i] * x[i];
}

void AssembledSpace::from_impulses(std::span<const double> impulse, std::span<double> x) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = law_.scale[i] > 0 ? impulse[i] / law_.scale[i] : 0.0;
    x[i] = std::isfinite(value) ? value : 0.0;
  }
}

}  // namespace cairn
