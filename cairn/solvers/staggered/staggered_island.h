// SPDX-License-Identifier: MIT
// StaggeredIsland: one island by staggered projections (Litven 2013, algorithms 4.1 and 4.2, on rigid bodies).
//
//   contact   min 1/2 z^T W_zz z + (q_z + W_zt beta)^T z      z = (normal impulses >= 0, joint rows within their
//   bounds) friction  min 1/2 s^T W_ss s + (q_s + W_sn alpha)^T s     s = (beta in the diamond of mu alpha, joint rows
//   again)
//
// in turn. A diamond is a box along turned axes (rotated_matrix.h); its corner is realigned with the direction in which
// friction pushes, so that the corner is the point of Coulomb's disc. What the contact QP sees of friction, g = W_zt
// beta, is accelerated by Anderson's method. Both QPs are solved by the primal-dual active set, either with one
// factorisation each for the whole solve (SCHURPA-SP) or with one per active set.
//
// More contacts than carry a body make W singular. Both matrices have eps times their diagonal added, as a proximal
// term around the last iterate: in the end it vanishes, and the factorisations stay.
#pragma once

#include <memory>
#include <vector>

#include "cairn/problem/contact_problem.h"
#include "cairn/problem/natural_map.h"
#include "cairn/qp/pdasm.h"
#include "cairn/solvers/prox/acceleration.h"
#include "cairn/solvers/solver.h"
#include "cairn/solvers/staggered/rotated_matrix.h"
#include "cairn/solvers/staggered/staggered_settings.h"

namespace cairn {

class StaggeredIsland {
 public:
  explicit StaggeredIsland(const StaggeredSettings& settings);

  /// The problem is one island, valid, without spin friction. On entry the solution has impulses to start from; on
  /// return it is complete, and the best iterate by the residual, the start included.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, const SolveContext& context,
                    const StopSettings& stop);

 private:
  using Vector = std::vector<double>;
  /// A row of the island: which bodies it pushes, and how.
  struct Row {
    std::int32_t body_a = 0, body_b = 0;
    Velocity push_a, push_b;      ///< J^T
    Velocity change_a, change_b;  ///< M^-1 J^T
  };

  void read_rows(const ContactProblem& problem);
  void add_row(const ContactProblem& problem, const Row& row);
  void assemble(const ContactProblem& problem);
  void make_matrices();
  void read_start(const ContactProblem& problem, const ContactSolution& solution);
  bool solve_contact(const SolveContext& context, SolveReport& report);
  bool solve_friction(const SolveContext& context, SolveReport& report);
  void realign();
  bool turn_by_turn(const SolveContext& context, SolveReport& report);
  void see_friction();
  void propose(bool relax);
  double measure(const ContactProblem& problem, const SolveContext& context);
  double w(std::size_t i, std::size_t j) const { return w_[i * rows_.size() + j]; }
  std::size_t tangent(std::size_t contact, std::size_t axis) const { return contacts_ + joints_ + 2 * contact + axis; }
  void take(const QpReport& qp, SolveReport& report);

  StaggeredSettings settings_;
  std::size_t contacts_ = 0, joints_ = 0;
  bool has_friction_ = false;
  int failed_ = 0;               ///< QPs of this solve whose active sets did not end
  bool is_cold_ = false;         ///< nothing is known of which contacts slide
  std::vector<Row> rows_;        ///< normals, joint rows, tangents times their friction coefficients
  std::vector<char> is_dead_;    ///< per row: nothing it pushes can move
  Vector w_, q_;                 ///< per row
  Vector lower_, upper_;         ///< per joint row
  Vector alpha_, gamma_, beta_;  ///< normal impulses, joint impulses, friction over its coefficients
  Vector g_, seen_;              ///< W_zt beta as the next contact QP sees it, and as it is
  DenseMatrix contact_matrix_, friction_matrix_;
  std::unique_ptr<RotatedMatrix> turned_;
  std::unique_ptr<Pdasm> contact_, friction_;
  BoundedQp contact_qp_, friction_qp_;
  QpSolution contact_solution_, friction_solution_;
  std::unique_ptr<Accelerator> accelerator_;
  ContactRuler ruler_;
  ContactSolution trial_;
};

}  // namespace cairn
