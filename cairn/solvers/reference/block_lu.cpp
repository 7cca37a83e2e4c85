// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/block_lu.h"

#include <Eigen/SparseLU>
#include <vector>

#include "cairn/core/index.h"

namespace cairn {

namespace {

using Matrix = Eigen::SparseMatrix<double>;  // by columns

/// The block matrix by columns. Rows of a block row ascend, so a stable pass over rows fills each column in order.
void convert(const BlockSparse& from, bool drop_zeros, Matrix& to) {
  const int dim = from.dim;
  const auto order = static_cast<Eigen::Index>(from.rows() * dim);
  to.resize(order, order);
  Eigen::VectorXi count = Eigen::VectorXi::Zero(order);
  const auto for_each = [&](auto&& use) {
    for (std::int64_t i = 0; i < from.rows(); ++i)
      for (int row = 0; row < dim; ++row)
        for (auto e = from.row_start[to_index(i)]; e < from.row_start[to_index(i) + 1]; ++e) {
          const double* values = from.block(e) + row * dim;
          const auto first = static_cast<std::int64_t>(from.column[to_index(e)]) * dim;
          for (int col = 0; col < dim; ++col)
            if (!drop_zeros || values[col] != 0) use(i * dim + row, first + col, values[col]);
        }
  };
  for_each([&](std::int64_t, std::int64_t col, double) { ++count[col]; });
  to.reserve(count);
  for_each([&](std::int64_t row, std::int64_t col, double value) { to.insertBackUncompressed(row, col) = value; });
  to.makeCompressed();
}

}  // namespace

struct BlockLu::Factors {
  Pattern pattern;
  bool ordered = false;
  Matrix matrix;
  mutable Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> lu;  // signDeterminant is not const
};

BlockLu::BlockLu(Pattern pattern) : factors_(std::make_unique<Factors>()) { factors_->pattern = pattern; }
BlockLu::~BlockLu() = default;

bool BlockLu::factorise(const BlockSparse& matrix) {
  Factors& f = *factors_;
  const bool drop_zeros = f.pattern == Pattern::drop_zeros;
  convert(matrix, drop_zeros, f.matrix);
  for (Eigen::Index k = 0; k < f.matrix.nonZeros(); ++k)
    if (!std::isfinite(f.matrix.valuePtr()[k])) return false;
  if (drop_zeros || !f.ordered) f.lu.analyzePattern(f.matrix);
  f.ordered = true;
  f.lu.factorize(f.matrix);
  return f.lu.info() == Eigen::Success;
}

bool BlockLu::solve(std::span<const double> rhs, std::span<double> x) const {
  const Factors& f = *factors_;
  const auto size = static_cast<Eigen::Index>(rhs.size());
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(rhs.data(), size);
  Eigen::VectorXd result = f.lu.solve(b);
  if (!result.allFinite()) return false;
  const Eigen::VectorXd defect = b - f.matrix * result;
  result += f.lu.solve(defect);
  Eigen::Map<Eigen::VectorXd>(x.data(), size) = result;
  return result.allFinite();
}

int BlockLu::determinant_sign() const { return factors_->lu.signDeterminant() < 0 ? -1 : 1; }

}  // namespace cairn
