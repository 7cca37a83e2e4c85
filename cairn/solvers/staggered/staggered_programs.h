// SPDX-License-Identifier: MIT
// The two quadratic programs of staggered projections (Litven 2013, (4.8) and (F2), on rigid bodies):
//
//   contact   min 1/2 z^T W_zz z + (q_z + g)^T z            z = (normal impulses >= 0, joint rows within their bounds)
//   friction  min 1/2 s^T W_ss s + (q_s + W_sn alpha)^T s   s = (beta in the polygon of alpha, joint rows again)
//
// with g = W_zt beta. More contacts than carry a body make W singular. So eps times the diagonal is added to both as a
// proximal term around the last iterate. The term vanishes as the turns converge, and the factorisations stay. Where
// the search for the active set of a program does not end, it is solved again with eps falling from one. Each answer
// is the next one's guess of who is bound. Without that a house of cards never begins.
//
// A regular polygon of 2m facets is the sum of m segments: beta = sum_k b_k d_k with |b_k| <= alpha sin(pi / 2m), where
// d_k are the directions of its sides. So friction is a bounded QP for every m. The diamond, m = 2, is a box in axes at
// 45 degrees to its corners (rotated_matrix.h), and can be realigned with sliding. Finer polygons are not realigned:
// some of their corners lie along the tangents.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cairn/qp/pdasm.h"
#include "cairn/solvers/staggered/rotated_matrix.h"
#include "cairn/solvers/staggered/staggered_rows.h"
#include "cairn/solvers/staggered/staggered_settings.h"

namespace cairn {

struct StaggeredIterate {
  std::vector<double> alpha;  ///< per contact: normal impulse
  std::vector<double> beta;   ///< two per contact: friction over its coefficients
  std::vector<double> gamma;  ///< per joint row
};

class ContactProgram {
 public:
  explicit ContactProgram(const StaggeredSettings& settings);

  /// The rows must outlive the solves. `at` is the start; is_cold: nothing is known of who carries.
  void reset(const StaggeredRows& rows, const StaggeredIterate& at, bool is_cold);
  /// `g` per normal and joint row. `at` is the last iterate on entry, and gets alpha and gamma.
  QpReport solve(std::span<const double> g, StaggeredIterate& at, const QpContext& context);
  double diagonal(std::size_t i) const { return matrix_.diagonal(static_cast<int>(i)); }

 private:
  void set_target(std::span<const double> g, const StaggeredIterate& at, double eps);
  void set_diagonal(double eps);

  double eps_;
  const StaggeredRows* rows_ = nullptr;
  DenseMatrix matrix_;
  Pdasm pdasm_;
  BoundedQp qp_;
  QpSolution solution_;
};

class FrictionProgram {
 public:
  explicit FrictionProgram(const StaggeredSettings& settings);

  void reset(const StaggeredRows& rows, const StaggeredIterate& at, bool is_cold);
  /// `at` gets beta and gamma. Realigns the diamonds first, where that is wanted.
  QpReport solve(StaggeredIterate& at, const QpContext& context);

 private:
  using Direction = std::array<double, 2>;

  bool is_diamond() const { return segments_ == 2; }
  std::size_t polygons() const { return segments_ * rows_->contacts(); }  ///< variables before the joint rows
  void fill_diamonds();
  void fill_polygons();
  Direction direction(std::size_t contact, std::size_t segment) const;
  bool has_plane(std::size_t contact) const;
  Direction find_aim(const StaggeredIterate& at, std::size_t contact) const;
  void guess_sliding(std::size_t contact, const Direction& aim);
  void realign(const StaggeredIterate& at);
  void set_bounds(const StaggeredIterate& at);
  void set_target(const StaggeredIterate& at, double eps);
  void set_diagonal(double eps);
  void read_answer(StaggeredIterate& at);

  StaggeredSettings settings_;
  std::size_t segments_;
  const StaggeredRows* rows_ = nullptr;
  bool is_cold_ = false;          ///< nothing is known of which contacts slide
  std::vector<Direction> sides_;  ///< per segment, of polygons that stay
  DenseMatrix matrix_;            ///< of the tangents and joint rows, or of segments and joint rows
  RotatedMatrix turned_;
  Pdasm pdasm_;
  BoundedQp qp_;
  QpSolution solution_;
  std::vector<double> weight_;        ///< per variable: W on the diagonal, without eps; zero: it takes no part
  std::vector<double> fixed_, last_;  ///< scratch: per tangent and joint row; the segments of the last iterate
};

}  // namespace cairn
