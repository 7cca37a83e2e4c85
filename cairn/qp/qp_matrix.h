// SPDX-License-Identifier: MIT
// QpMatrix: the symmetric matrix H of a bounded QP, dense, sparse or banded, behind what active sets need of it:
// products, single rows, and a factor of the rows and columns that are free.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/parallel.h"

namespace cairn {

/// Solves with H_FF, the rows and columns of H in a list F.
class QpFactor {
 public:
  virtual ~QpFactor() = default;
  /// `free` ascends. False where H_FF is not positive definite.
  virtual bool factor(std::span<const std::int32_t> free, ThreadPool* pool) = 0;
  /// X <- H_FF^-1 X for `count` right-hand sides, one after the other.
  virtual void solve(std::span<double> x, int count, ThreadPool* pool) = 0;
  /// How many single solves cost as much as the last factorisation: when to refactor.
  virtual double factor_over_solve() const = 0;
};

class QpMatrix {
 public:
  virtual ~QpMatrix() = default;
  virtual int size() const = 0;
  virtual double diagonal(int i) const = 0;
  /// y = H x; same bits for any pool.
  virtual void multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const = 0;
  /// Y = H X for `count` columns, one after the other: the bits of `multiply`.
  virtual void multiply_all(std::span<const double> x, int count, std::span<double> y, ThreadPool* pool) const;
  /// Adds `factor` times row i of H to `to`.
  virtual void add_row(int i, double factor, std::span<double> to) const = 0;
  virtual double row_dot(int i, std::span<const double> x) const = 0;
  /// Rows that must be free together in what is factored: frees those that are missing.
  virtual void complete_free(std::span<std::uint8_t> is_free) const { static_cast<void>(is_free); }
  /// The matrix must outlive it.
  virtual std::unique_ptr<QpFactor> make_factor() const = 0;
};

/// All entries, row by row.
class DenseMatrix : public QpMatrix {
 public:
  DenseMatrix() = default;
  /// InputError unless there are size^2 finite entries that are symmetric to round-off.
  DenseMatrix(int size, std::vector<double> values);
  /// All zero, for one who writes symmetric entries himself; keeps its memory.
  std::span<double> reset(int size);
  void set_diagonal(int i, double value) { values_[to_index(i) * to_index(size_ + 1)] = value; }

  int size() const override { return size_; }
  double diagonal(int i) const override { return at(i, i); }
  void multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const override;
  void add_row(int i, double factor, std::span<double> to) const override;
  double row_dot(int i, std::span<const double> x) const override;
  std::unique_ptr<QpFactor> make_factor() const override;
  double at(int i, int j) const { return values_[to_index(i) * to_index(size_) + to_index(j)]; }

 private:
  int size_ = 0;
  std::vector<double> values_;
};

/// The lower half of a band: column j has the entries (j, j) ... (j + bandwidth, j); those behind the last row are not
/// used.
class BandedMatrix : public QpMatrix {
 public:
  /// InputError unless there are size (bandwidth + 1) finite entries.
  BandedMatrix(int size, int bandwidth, std::vector<double> values);

  int size() const override { return size_; }
  int bandwidth() const { return bandwidth_; }
  double diagonal(int i) const override { return *column(i); }
  void multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const override {
    multiply_all(x, 1, y, pool);
  }
  /// The band is read once for all columns (Litven 2013, (6.1), symbgmm).
  void multiply_all(std::span<const double> x, int count, std::span<double> y, ThreadPool* pool) const override;
  void add_row(int i, double factor, std::span<double> to) const override;
  double row_dot(int i, std::span<const double> x) const override;
  std::unique_ptr<QpFactor> make_factor() const override;
  const double* column(int j) const { return values_.data() + static_cast<std::ptrdiff_t>(j) * (bandwidth_ + 1); }

 private:
  int size_, bandwidth_;
  std::vector<double> values_;
};

struct MatrixEntry {
  std::int32_t row = 0, column = 0;
  double value = 0;
};

/// How a sparse matrix is factored.
enum class SparseMethod {
  band,  ///< in the order of Cuthill and McKee, as a band: thin sheets, such as contact patches on a grid
  ldl,   ///< L D L^T with little fill (sparse_ldl.h): general graphs
};

/// Compressed rows, both halves.
class SparseQpMatrix : public QpMatrix {
 public:
  /// Entries of both halves; those at one place are added. InputError where they are not finite or not symmetric.
  SparseQpMatrix(int size, std::vector<MatrixEntry> entries, SparseMethod method = SparseMethod::band);
  SparseMethod method() const { return method_; }

  int size() const override { return static_cast<int>(first_.size()) - 1; }
  double diagonal(int i) const override;
  void multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const override;
  void add_row(int i, double factor, std::span<double> to) const override;
  double row_dot(int i, std::span<const double> x) const override;
  std::unique_ptr<QpFactor> make_factor() const override;

  std::span<const std::int32_t> columns(int i) const;
  std::span<const double> values(int i) const;

 private:
  SparseMethod method_ = SparseMethod::band;
  std::vector<std::int64_t> first_{0};  ///< per row into column_ and value_; one more at the end
  std::vector<std::int32_t> column_;    ///< ascend within a row
  std::vector<double> value_;
};

/// The order of Cuthill and McKee (1969), reversed: neighbours come near each other, so that the matrix is a narrow
/// band. Each component begins at a vertex that is far from some other (George, Liu 1979). Returns the vertices in
/// their new order. Ours, because Eigen has none and the engine does without Boost; a test compares it with Boost's.
std::vector<std::int32_t> reverse_cuthill_mckee(const SparseQpMatrix& matrix, std::span<const std::int32_t> vertices);

}  // namespace cairn
