// SPDX-License-Identifier: MIT
#include "cairn/qp/sparse_ldl.h"

#include <Eigen/SparseCholesky>
#include <algorithm>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr double kLeastPivot = 1e-15;  // of the diagonal entry: below, it is round-off

class SparseLdl : public QpFactor {
 public:
  explicit SparseLdl(const SparseQpMatrix& matrix) : matrix_(matrix) {}

  bool factor(std::span<const std::int32_t> free, ThreadPool*) override {
    const int n = static_cast<int>(free.size());
    std::vector<std::int32_t> place(to_index(matrix_.size()), -1);
    for (int i = 0; i < n; ++i) place[to_index(free[to_index(i)])] = i;
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i) {
      const int row = free[to_index(i)];
      for (std::size_t k = 0; k < matrix_.columns(row).size(); ++k) {
        const int j = place[to_index(matrix_.columns(row)[k])];
        if (j >= 0 && j <= i) entries.emplace_back(i, j, matrix_.values(row)[k]);
      }
    }
    Eigen::SparseMatrix<double> lower(n, n);
    lower.setFromTriplets(entries.begin(), entries.end());
    ldl_.compute(lower);
    if (ldl_.info() != Eigen::Success) return false;
    const auto& pivots = ldl_.vectorD();
    const auto& order = ldl_.permutationPinv().indices();  // per place of the factor: the row that was given
    for (int k = 0; k < n; ++k) {
      const double diagonal = matrix_.diagonal(free[to_index(order.size() > 0 ? order[k] : k)]);
      if (!(pivots[k] > kLeastPivot * diagonal)) return false;
    }
    // Flops of the factor, sum of squares of its columns, over those of a solve.
    const auto& l = ldl_.matrixL().nestedExpression();
    double squares = 0, entries_of_l = 0;
    for (int k = 0; k < n; ++k) {
      const double length = static_cast<double>(l.outerIndexPtr()[k + 1] - l.outerIndexPtr()[k]) + 1;
      squares += length * length, entries_of_l += length;
    }
    over_solve_ = n > 0 ? std::max(1.0, squares / (4 * entries_of_l)) : 1.0;
    return true;
  }

  void solve(std::span<double> x, int count, ThreadPool*) override {
    const auto n = static_cast<Eigen::Index>(x.size()) / std::max(count, 1);
    for (int k = 0; k < count && n > 0; ++k) {
      Eigen::Map<Eigen::VectorXd> mine(x.data() + k * n, n);
      mine = ldl_.solve(mine).eval();
    }
  }
  double factor_over_solve() const override { return over_solve_; }

 private:
  const SparseQpMatrix& matrix_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldl_;
  double over_solve_ = 1;
};

}  // namespace

std::unique_ptr<QpFactor> make_sparse_ldl(const SparseQpMatrix& matrix) { return std::make_unique<SparseLdl>(matrix); }

}  // namespace cairn
