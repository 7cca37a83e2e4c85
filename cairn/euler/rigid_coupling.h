// SPDX-License-Identifier: MIT
// RigidCoupling: rigid bodies and their joints as a part of the contact problem of elastic solids.
//
// There are two kinds of contacts: rows of solids against rigid bodies, and contacts between rigid bodies. Each side of
// a contact acts at an arm r from the centre of its body. Joints have no bounds and are eliminated:
//
//   M u' = M u_free + J^T lambda + G^T mu,   G u' + b + S mu = 0
//   W = J (M^-1 - M^-1 G^T A^-1 G M^-1) J^T,   A = G M^-1 G^T + S                        (a Schur complement)
//
// So solids and bodies are one DelassusProblem. Contacts of one body couple with each other. Contacts of bodies with
// joints all couple. These parts of the matrix are dense.
#pragma once

#include <vector>

#include "cairn/euler/contact_rows.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

class RigidCoupling {
 public:
  /// Throws InputError for joints with limits, drives or friction, and for contacts with spin friction. The problem
  /// must outlive the coupling.
  explicit RigidCoupling(const ContactProblem& problem);

  /// Velocities of all bodies at the end of the step if joints hold and nothing touches.
  const std::vector<Velocity>& free_velocity() const { return free_; }

  /// The problem of the solids extended by the bodies. Contacts between bodies come behind the rows of the solids.
  DelassusProblem extend(const DelassusProblem& solids, const ContactRows& rows, ThreadPool* pool);

  /// Writes velocities, displacements and impulses of the bodies from the impulses of the extended problem.
  void finish(std::span<const double> impulse, ContactSolution& solution) const;

 private:
  /// One end of a contact at a body that can move.
  struct Side {
    std::int32_t body = -1;
    double sign = 1;
    Vec3 arm;
  };
  struct Contact {
    Side side[2];
    Frame frame;
    bool is_joined = false;        ///< a side is at a body with joints
    std::vector<double> response;  ///< L^-1 G M^-1 J^T, three columns of joint rows, A = L L^T
  };

  void check() const;
  void factor_joints();
  void hold_joints();
  std::vector<double> joint_velocity_of(const std::vector<Velocity>& velocity) const;
  void solve_joints(std::vector<double>& x) const;
  void add_joint_impulses(std::span<const double> impulse, std::vector<Velocity>& velocity) const;
  void add_impulse(const Side& side, const Vec3& impulse, std::vector<Velocity>& velocity) const;
  void list_contacts(const ContactRows& rows);
  void find_response(Contact& contact) const;
  void find_columns(const DelassusProblem& solids, BlockSparse& w) const;
  void write_block(const Contact& c, const Contact& d, double* block) const;

  const ContactProblem& problem_;
  std::vector<Velocity> free_;
  std::vector<double> factor_;          ///< L, dense, by rows
  std::vector<double> bias_;            ///< b per joint row
  std::vector<std::int32_t> block_of_;  ///< per joint row: its joint
  std::vector<char> has_joint_;         ///< per body
  std::vector<Contact> contacts_;       ///< rows of solids, then contacts of the problem
  std::size_t rows_ = 0;                ///< how many of them are rows of solids
};

}  // namespace cairn
