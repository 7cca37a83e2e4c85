// SPDX-License-Identifier: MIT
// BodySpace: an island with bodies as a NewtonSpace. With M^-1 = S S^T of every body, G = D J S and
//
//   1 + G^T D G      six unknowns per body that can move, blocks where two bodies touch or are joined
//
// whatever the number of contacts: a box on four corners is as cheap as a box on one. Locked axes have a zero in S and
// need no inverse. Internal to `exact`.
#pragma once

#include <array>
#include <vector>

#include "cairn/problem/contact_problem.h"
#include "cairn/problem/natural_map.h"
#include "cairn/solvers/exact/body_matrix.h"
#include "cairn/solvers/exact/newton_space.h"

namespace cairn {

class BodySpace : public NewtonSpace {
 public:
  /// Reads an island, which must outlive the measurements. Keeps its memory; no result depends on islands before.
  void load(const ContactProblem& island);

  std::size_t state_size() const override { return state_size_; }
  void to_state(std::span<const double> x, std::span<double> s) const override;
  void to_velocity(std::span<const double> s, std::span<double> dz) const override;
  bool factorise(std::span<const double> response) override;
  bool solve(std::span<const double> rhs, std::span<double> ds) override;
  double measure(std::span<const double> x) override;

  /// Impulses of the problem from scaled ones and back; rows that move nothing have none.
  void to_impulses(std::span<const double> x, ContactSolution& solution) const;
  void from_impulses(const ContactSolution& solution, std::span<double> x) const;

 private:
  using Row = std::array<double, 12>;                   ///< of G: six numbers for body a, six for body b
  using Factor = std::array<std::array<double, 3>, 3>;  ///< lower triangle of S for turning

  void number_bodies();
  void add_contact(const ContactBlock& contact);
  void add_joint(const JointBlock& joint);
  void finish_unit(const LawUnit& unit);
  Row weigh(std::int32_t body_a, std::int32_t body_b, const Velocity& a, const Velocity& b) const;
  template <int D>
  void add_product(const LawUnit& unit, const BodyMatrix::Place& place, const double* response);

  const ContactProblem* island_ = nullptr;
  int dim_ = 3;
  std::size_t state_size_ = 0;
  std::vector<std::int32_t> number_;  ///< per body of the island: its number among those that move; kNoVertex: fixed
  std::vector<double> root_mass_;     ///< per body of the island: root of the inverse mass
  std::vector<Factor> turning_;       ///< per body of the island
  std::vector<Edge> edges_;           ///< per unit
  std::vector<Row> g_;                ///< per row
  BodyMatrix matrix_;
  ContactRuler ruler_;
  ContactSolution scratch_;
};

}  // namespace cairn
