// SPDX-License-Identifier: MIT
#include "cairn/problem/global_problem.h"

#include <fmt/core.h>

#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "cairn/core/index.h"

namespace cairn {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Dense = Eigen::MatrixXd;

constexpr double kDropRatio = 1e-14;          // of max |W|: round-off of the elimination
constexpr std::int64_t kColumnsAtATime = 96;  // a multiple of 2 and 3; bounds the dense memory of the elimination
constexpr double kResidualTolerance = 1e-6;   // of a solve with the factors; worse means singular to working precision

std::size_t at(std::int64_t i) { return to_index(i); }

void validate_vector(const std::vector<double>& x, const char* name, std::int64_t size) {
  if (static_cast<std::int64_t>(x.size()) != size)
    fail_input(fmt::format("{} has {} entries, it must have {}", name, x.size(), size));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) fail_input(fmt::format("{}[{}] is {}, it must be finite", name, i, x[i]));
}

void validate_friction(int dim, const std::vector<double>& mu) {
  if (dim != 2 && dim != 3) fail_input(fmt::format("dim is {}, it must be 2 or 3", dim));
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (!(std::isfinite(mu[k]) && mu[k] >= 0))
      fail_input(fmt::format("mu[{}] is {}, it must be finite and not negative", k, mu[k]));
}

/// Where and how a matrix stands in a larger one.
struct Placing {
  std::int64_t row = 0, col = 0;
  bool transpose = false;
  double sign = 1;
};

void append(const SparseMatrix& m, const Placing& at_place, std::vector<Eigen::Triplet<double>>& out) {
  const auto& [row, col, transpose, sign] = at_place;
  for (std::int64_t c = 0; c < m.cols; ++c)
    for (std::int64_t e = m.col_start[at(c)]; e < m.col_start[at(c) + 1]; ++e) {
      const std::int64_t r = m.row[at(e)];
      out.emplace_back(static_cast<int>(row + (transpose ? c : r)), static_cast<int>(col + (transpose ? r : c)),
                       sign * m.value[at(e)]);
    }
}

/// `m` in the upper left corner of a rows x m.cols matrix of zeros.
Sparse to_eigen(const SparseMatrix& m, std::int64_t rows) {
  std::vector<Eigen::Triplet<double>> entries;
  append(m, {}, entries);
  Sparse result(rows, m.cols);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// LU factors that know whether they can be trusted.
class Factors {
 public:
  explicit Factors(const Sparse& matrix) : matrix_(matrix) {
    matrix_.makeCompressed();
    if (matrix_.rows() == 0) return;
    regular_ = !has_empty_line();  // the ordering below does not expect one
    if (!regular_) return;
    lu_.compute(matrix_);
    regular_ = lu_.info() == Eigen::Success;
    if (regular_) probe();
  }

  bool regular() const { return regular_; }

  Dense solve(const Dense& rhs) const { return rhs.rows() == 0 ? rhs : Dense(lu_.solve(rhs)); }

 private:
  bool has_empty_line() const {
    std::vector<char> row_used(at(matrix_.rows()), 0);
    for (int c = 0; c < matrix_.outerSize(); ++c) {
      bool used = false;
      for (Sparse::InnerIterator it(matrix_, c); it; ++it)
        if (it.value() != 0) used = true, row_used[at(it.row())] = 1;
      if (!used) return true;
    }
    return std::find(row_used.begin(), row_used.end(), 0) != row_used.end();
  }

  /// Solves for the image of a vector of ones: a pivot lost to round-off shows as a wrong or infinite answer.
  void probe() {
    const Eigen::VectorXd image = matrix_ * Eigen::VectorXd::Ones(matrix_.cols());
    const Eigen::VectorXd x = lu_.solve(image);
    const double off = (matrix_ * x - image).cwiseAbs().maxCoeff();
    regular_ = x.allFinite() && off <= kResidualTolerance * std::max(image.cwiseAbs().maxCoeff(), 1e-300);
  }

  Sparse matrix_;
  Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>> lu_;
  bool regular_ = true;
};

/// Collects W block column by block column and drops what is round-off.
class BlockColumns {
 public:
  BlockColumns(std::int64_t contacts, int dim) : contacts_(contacts), dim_(dim) {}

  /// Columns [first, first + columns.cols()) of W, whole block columns, in ascending order of calls. The largest entry
  /// so far never exceeds the final one, so what is dropped here would be dropped in the end.
  void add(std::int64_t first, const Dense& columns) {
    if (columns.size() > 0) largest_ = std::max(largest_, columns.cwiseAbs().maxCoeff());
    for (std::int64_t c = 0; c < columns.cols(); c += dim_)
      for (std::int64_t r = 0; r < columns.rows(); r += dim_) {
        const bool diagonal = r == first + c;
        if (!diagonal && columns.block(r, c, dim_, dim_).cwiseAbs().maxCoeff() < kDropRatio * largest_) continue;
        row_.push_back(static_cast<std::int32_t>(r / dim_));
        column_.push_back(static_cast<std::int32_t>((first + c) / dim_));
        for (int i = 0; i < dim_; ++i)
          for (int j = 0; j < dim_; ++j) value_.push_back(columns(r + i, c + j));
      }
  }

  BlockSparse finish() {
    const std::vector<char> keep = drop();
    BlockSparse w;
    w.dim = dim_;
    w.row_start.assign(at(contacts_) + 1, 0);
    for (std::size_t k = 0; k < row_.size(); ++k)
      if (keep[k]) ++w.row_start[at(row_[k]) + 1];
    std::partial_sum(w.row_start.begin(), w.row_start.end(), w.row_start.begin());
    w.column.resize(at(w.row_start.back()));
    w.values.resize(w.column.size() * at(dim_ * dim_));
    std::vector<std::int64_t> next(w.row_start.begin(), w.row_start.end() - 1);
    for (std::size_t k = 0; k < row_.size(); ++k) {
      if (!keep[k]) continue;
      const std::int64_t place = next[at(row_[k])]++;
      w.column[at(place)] = column_[k];
      std::copy_n(value_.begin() + static_cast<std::ptrdiff_t>(k * at(dim_ * dim_)), dim_ * dim_, w.block(place));
    }
    find_diagonal(w);
    return w;
  }

 private:
  /// Zeroes small entries; which blocks have something left (or are on the diagonal).
  std::vector<char> drop() {
    std::vector<char> keep(row_.size());
    for (std::size_t k = 0; k < row_.size(); ++k) {
      keep[k] = row_[k] == column_[k];
      for (std::size_t e = k * at(dim_ * dim_); e < (k + 1) * at(dim_ * dim_); ++e) {
        if (std::fabs(value_[e]) < kDropRatio * largest_) value_[e] = 0;
        if (value_[e] != 0) keep[k] = 1;
      }
    }
    return keep;
  }

  std::int64_t contacts_;
  int dim_;
  double largest_ = 0;
  std::vector<std::int32_t> row_, column_;
  std::vector<double> value_;
};

std::vector<FrictionAxes> isotropic_friction(int dim, const std::vector<double>& mu) {
  std::vector<FrictionAxes> friction(mu.size());
  for (std::size_t k = 0; k < mu.size(); ++k) friction[k] = {mu[k], dim == 2 ? 0.0 : mu[k], 0.0};
  return friction;
}

std::vector<double> sum(const std::vector<double>& a, double sign, const Eigen::VectorXd& b) {
  std::vector<double> result = a;
  for (std::size_t i = 0; i < a.size(); ++i) result[i] += sign * b[static_cast<Eigen::Index>(i)];
  return result;
}

Eigen::VectorXd as_vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

bool is_finite(const DelassusProblem& p) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(p.w.values.begin(), p.w.values.end(), finite) && std::all_of(p.q.begin(), p.q.end(), finite);
}

/// The matrix that the elimination factorises: M, or with equalities the KKT matrix (M, -G; G^T, 0).
Sparse system_matrix(const GlobalProblem& problem) {
  const std::int64_t dofs = problem.m.rows, size = dofs + problem.g.cols;
  std::vector<Eigen::Triplet<double>> entries;
  append(stores_one_triangle(problem.m) ? complete_triangle(problem.m) : problem.m, {}, entries);
  append(problem.g, {0, dofs, false, -1.0}, entries);
  append(problem.g, {dofs, 0, true, 1.0}, entries);
  Sparse result(size, size);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace

void validate(const GlobalProblem& problem) {
  validate_friction(problem.dim, problem.mu);
  const std::int64_t dofs = problem.m.rows, rows = problem.dim * problem.contact_count();
  validate(problem.m, "M", dofs, dofs);
  validate(problem.h, "H", dofs, rows);
  const std::int64_t equalities = problem.g.cols;
  if (equalities > 0) validate(problem.g, "G", dofs, equalities);
  validate_vector(problem.f, "f", dofs);
  validate_vector(problem.w, "w", rows);
  validate_vector(problem.b, "b", equalities);
}

void validate(const LocalProblem& problem) {
  validate_friction(problem.dim, problem.mu);
  const std::int64_t rows = problem.dim * static_cast<std::int64_t>(problem.mu.size()), equalities = problem.v.cols;
  validate(problem.w, "W", rows, rows);
  if (equalities > 0) {
    validate(problem.v, "V", rows, equalities);
    validate(problem.r, "R", equalities, equalities);
  }
  validate_vector(problem.q, "q", rows);
  validate_vector(problem.s, "s", equalities);
}

Expected<DelassusProblem> to_delassus(const GlobalProblem& problem) {
  validate(problem);
  const bool constrained = problem.g.cols > 0;
  const Factors factors(system_matrix(problem));
  const std::int64_t size = problem.m.rows + problem.g.cols, rows = problem.h.cols;
  const Error singular{ErrorKind::bad_input, constrained
                                                 ? "the matrix (M, -G; G^T, 0) is singular: equalities are redundant "
                                                   "or M does not determine the velocities"
                                                 : "M is singular: every degree of freedom needs mass or stiffness"};
  if (!factors.regular()) return singular;

  const Sparse h = to_eigen(problem.h, size);
  BlockColumns blocks(problem.contact_count(), problem.dim);
  for (std::int64_t first = 0; first < rows; first += kColumnsAtATime) {
    const std::int64_t count = std::min(kColumnsAtATime, rows - first);
    blocks.add(first, h.transpose() * factors.solve(Dense(h.middleCols(first, count))));
  }
  Eigen::VectorXd load(size);
  load.head(problem.m.rows) = as_vector(problem.f);
  load.tail(problem.g.cols) = -as_vector(problem.b);
  DelassusProblem result;
  result.w = blocks.finish();
  result.q = sum(problem.w, 1.0, h.transpose() * factors.solve(load));
  result.friction = isotropic_friction(problem.dim, problem.mu);
  if (!is_finite(result)) return singular;
  return result;
}

Expected<DelassusProblem> to_delassus(const LocalProblem& problem) {
  validate(problem);
  DelassusProblem result;
  result.friction = isotropic_friction(problem.dim, problem.mu);
  if (problem.v.cols == 0) {
    result.w = to_blocks(problem.w, problem.dim);
    result.q = problem.q;
    return result;
  }
  const Factors factors(to_eigen(problem.r, problem.r.rows));
  const Error singular{ErrorKind::bad_input, "R is singular: the equalities cannot be eliminated"};
  if (!factors.regular()) return singular;

  const std::int64_t rows = problem.w.rows;
  const Sparse w = to_eigen(problem.w, rows), v = to_eigen(problem.v, rows), vt = v.transpose();
  BlockColumns blocks(static_cast<std::int64_t>(problem.mu.size()), problem.dim);
  for (std::int64_t first = 0; first < rows; first += kColumnsAtATime) {
    const std::int64_t count = std::min(kColumnsAtATime, rows - first);
    blocks.add(first, Dense(w.middleCols(first, count)) - v * factors.solve(Dense(vt.middleCols(first, count))));
  }
  result.w = blocks.finish();
  result.q = sum(problem.q, -1.0, v * factors.solve(as_vector(problem.s)));
  if (!is_finite(result)) return singular;
  return result;
}

}  // namespace cairn
