// SPDX-License-Identifier: MIT
// What every active-set method solves: the QP with the bounds of an active set as equalities (Litven 2013, (2.5)),
//
//   H_FF x_F = c_F - H_FB x_B,   x_B at their bounds,   lambda_B = c_B - H_BF x_F - H_BB x_B
//
// DirectSaddle factors H_FF of every set. SchurSaddle factors one set and borders it with what changed since (3.5):
//
//   [ K0  U ] [ y  ]   [ (c, b) ]        K0 = [ H    I_B ]     U: e_i for a variable that was bound since,
//   [ U^T   ] [ pi ] = [   w    ]             [ I_B^T    ]        e_i of lambda for one that was freed
//
//   v = K0^-1 (c, b),   R = K0^-1 U,   C = -U^T R,   C pi = w - U^T v,   y = v - R pi
//
// Columns count against the set that was factored, not against the last one; a change that is taken back deletes its
// column. v is kept as long as c and b stay.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/qp/border_matrix.h"
#include "cairn/qp/bounded_qp.h"

namespace cairn {

/// When SchurSaddle factors anew.
struct SchurSettings {
  int most_columns = 500;       ///< Litven 2013, 7.2: max_solve
  double least_pivot = 1e-10;   ///< of C, smallest over largest
  double refactor_share = 1.0;  ///< columns may cost as much as this many factorisations
};

/// H_FF of one set of free variables, factored.
struct FreePart {
  std::unique_ptr<QpFactor> factor;
  std::vector<std::int32_t> free;
  std::vector<double> packed, product;  ///< scratch

  bool make(QpReport& report, ThreadPool* pool);
  /// x_F <- H_FF^-1 (g_F - H_FB x_B).
  void solve(const QpMatrix& h, std::span<const double> g, std::span<double> x, QpReport& report, ThreadPool* pool);
};

class SaddleSolver {
 public:
  virtual ~SaddleSolver() = default;

  /// x and lambda of an active set, with iterative refinement. False: not positive definite.
  bool solve(const BoundedQp& qp, std::span<const BoundState> state, QpSolution& solution, QpReport& report,
             ThreadPool* pool);
  /// The matrix is another one, though it may stand at the same address: everything is dropped.
  virtual void reset() = 0;
  /// The same matrix has other entries: nothing that was factored holds any more, but its memory is kept.
  virtual void change() = 0;

 protected:
  /// Makes `solve_system` ready for this active set.
  virtual bool prepare(const BoundedQp& qp, std::span<const BoundState> state, QpReport& report, ThreadPool* pool) = 0;
  /// Where refinement does not help: factors this very set, if that is not what was done. False: nothing is gained.
  virtual bool renew(const BoundedQp& qp, std::span<const BoundState> state, QpReport& report, ThreadPool* pool) = 0;
  /// x_F from right-hand sides g on the free rows; on entry x has the values of the others.
  virtual void solve_system(const BoundedQp& qp, std::span<const BoundState> state, std::span<const double> g,
                            std::span<double> x, QpReport& report, ThreadPool* pool) = 0;

 private:
  double refine(const BoundedQp& qp, std::span<const BoundState> state, QpSolution& solution, QpReport& report,
                ThreadPool* pool);
  double defect(const BoundedQp& qp, std::span<const BoundState> state, QpSolution& solution, ThreadPool* pool);

  std::vector<double> trial_, residual_;
};

std::unique_ptr<SaddleSolver> make_direct_saddle();
std::unique_ptr<SaddleSolver> make_schur_saddle(const SchurSettings& settings);

/// SchurSaddle, for those who change the matrix in place (staggered projections turn friction axes).
class SchurSaddle : public SaddleSolver {
 public:
  explicit SchurSaddle(const SchurSettings& settings) : settings_(settings) {}

  void reset() override;
  void change() override;
  /// Variables i and i + 1 are now those along other axes, the first of which is (x, y) in the old ones: their columns
  /// are made anew, and so is v; the other columns are turned. Where only one of them was factored, nothing holds.
  void turn(int i, double x, double y);
  int columns() const { return static_cast<int>(changed_.size()); }

 protected:
  bool prepare(const BoundedQp& qp, std::span<const BoundState> state, QpReport& report, ThreadPool* pool) override;
  bool renew(const BoundedQp& qp, std::span<const BoundState> state, QpReport& report, ThreadPool* pool) override;
  void solve_system(const BoundedQp& qp, std::span<const BoundState> state, std::span<const double> g,
                    std::span<double> x, QpReport& report, ThreadPool* pool) override;

 private:
  bool refactor(const BoundedQp& qp, std::span<const BoundState> state, bool complete, QpReport& report,
                ThreadPool* pool);
  void drop_reverted(std::span<const BoundState> state);
  void find_fresh(std::span<const BoundState> state);
  void erase_column(std::size_t at);
  std::span<double> column(std::size_t k) { return {columns_.data() + k * base_free_.size(), base_free_.size()}; }
  void add_columns(const BoundedQp& qp, QpReport& report, ThreadPool* pool);
  double schur_entry(const BoundedQp& qp, std::int32_t i, std::span<const double> column) const;
  bool factor_schur();
  void solve_schur();
  void update_base(const BoundedQp& qp, std::span<const BoundState> state, std::span<const double> g,
                   std::span<const double> x, QpReport& report, ThreadPool* pool);

  SchurSettings settings_;
  FreePart part_;
  const QpMatrix* matrix_ = nullptr;
  bool is_factored_ = false;
  std::vector<std::uint8_t> base_free_;  ///< per variable: whether free in the factored set
  std::vector<std::int32_t> changed_;    ///< variables with a column, in the order of columns
  std::vector<std::int32_t> fresh_;      ///< those that need one
  std::vector<double> columns_;          ///< per column: x of K0^-1 u
  BorderMatrix schur_;                   ///< C
  std::vector<double> lu_;               ///< C factored with row exchanges
  std::vector<std::int32_t> pivot_;
  std::vector<double> v_, g_, b_;  ///< v, and of what right-hand sides
  bool has_v_ = false;
  std::vector<double> scale_;  ///< of rows and columns of C
  std::vector<double> pi_, product_, correction_, full_;
};

}  // namespace cairn
