// SPDX-License-Identifier: MIT
// StaggeredRows: one island as dense numbers, with or without bodies.
//
//   y = W r + q,   rows: normals, joint rows, then both tangents of every contact times their friction coefficients
//
// so that the disc of friction has the radius of the normal impulse, whatever the coefficients.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/graph/edges.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"

namespace cairn {

class StaggeredRows {
 public:
  /// Both keep their memory. The problem is valid and without spin friction.
  void load(const ContactProblem& problem);
  void load(const DelassusProblem& problem);

  std::size_t contacts() const { return contacts_; }
  std::size_t joints() const { return joints_; }
  std::size_t rows() const { return 3 * contacts_ + joints_; }
  bool has_friction() const { return has_friction_; }
  std::size_t tangent(std::size_t contact, std::size_t axis) const { return contacts_ + joints_ + 2 * contact + axis; }
  /// Row i of the friction QP: the tangents, then the joint rows.
  std::size_t friction_row(std::size_t i) const {
    return i < 2 * contacts_ ? tangent(i / 2, i % 2) : contacts_ + i - 2 * contacts_;
  }

  double w(std::size_t i, std::size_t j) const { return w_[i * rows() + j]; }
  /// W, where rows that move nothing have no entries.
  double live(std::size_t i, std::size_t j) const { return is_dead(i) || is_dead(j) ? 0.0 : w(i, j); }
  double q(std::size_t i) const { return q_[i]; }
  bool is_dead(std::size_t i) const { return is_dead_[i] != 0; }  ///< nothing that the row pushes can move
  double lower(std::size_t joint_row) const { return lower_[joint_row]; }
  double upper(std::size_t joint_row) const { return upper_[joint_row]; }
  /// Friction coefficients of a contact along its tangents.
  const std::array<double, 2>& friction(std::size_t contact) const { return friction_[contact]; }

 private:
  /// Which bodies a row pushes, and how.
  struct Row {
    std::int32_t body_a = 0, body_b = 0;
    Velocity push_a, push_b;      ///< J^T
    Velocity change_a, change_b;  ///< M^-1 J^T
  };

  void resize(std::size_t contacts, std::size_t joints);
  void read_rows(const ContactProblem& problem);
  void set_row(const ContactProblem& problem, std::size_t at, const Row& row);
  void couple(const ContactProblem& problem);
  void mirror();

  std::size_t contacts_ = 0, joints_ = 0;
  bool has_friction_ = false;
  std::vector<double> w_, q_;
  std::vector<char> is_dead_;
  std::vector<double> lower_, upper_;
  std::vector<std::array<double, 2>> friction_;
  std::vector<Row> row_;
  std::vector<Edge> edges_;  ///< per row: its bodies
  Lists at_body_;            ///< per body: its rows
};

}  // namespace cairn
