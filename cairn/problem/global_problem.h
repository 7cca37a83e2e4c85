// SPDX-License-Identifier: MIT
// Problems written with their degrees of freedom, as published files hold them, and the way to a DelassusProblem.
//
//   global   M v = H r + f + G l,  u = H^T v + w,  G^T v + b = 0      W = H^T M^-1 H, q = w + H^T M^-1 f without G
//   local    u = W r + V l + q,    V^T r + R l + s = 0                W' = W - V R^-1 V^T, q' = q - V R^-1 s
//
// with the contact law of delassus.h between r and u, component 0 normal, and isotropic friction mu per contact. M may
// be unsymmetric (gyroscopic terms). Everything is eliminated by sparse LU, some columns at a time.
#pragma once

#include <vector>

#include "cairn/core/errors.h"
#include "cairn/problem/delassus.h"
#include "cairn/problem/sparse_matrix.h"

namespace cairn {

struct GlobalProblem {
  int dim = 3;             ///< 2 or 3: rows per contact
  SparseMatrix m;          ///< dofs x dofs; one triangle alone stands for the symmetric matrix
  SparseMatrix h;          ///< dofs x (dim * contacts)
  SparseMatrix g;          ///< dofs x equalities; no columns where there are none
  std::vector<double> f;   ///< per dof
  std::vector<double> w;   ///< dim per contact
  std::vector<double> mu;  ///< per contact
  std::vector<double> b;   ///< per equality

  std::int64_t contact_count() const { return static_cast<std::int64_t>(mu.size()); }
  friend bool operator==(const GlobalProblem&, const GlobalProblem&) = default;
};

struct LocalProblem {
  int dim = 3;
  SparseMatrix w;          ///< (dim * contacts) square
  SparseMatrix v;          ///< (dim * contacts) x equalities; no columns where there are none
  SparseMatrix r;          ///< equalities square
  std::vector<double> q;   ///< dim per contact
  std::vector<double> s;   ///< per equality
  std::vector<double> mu;  ///< per contact
};

/// Both throw InputError, naming the part, when sizes disagree, an entry is not finite or mu is negative.
void validate(const GlobalProblem& problem);
void validate(const LocalProblem& problem);

/// Assembles W and q. Entries below 1e-14 of the largest are round-off of the elimination and become zero; blocks with
/// nothing left are not stored. An error value where M (with G: the KKT matrix) or R is singular.
Expected<DelassusProblem> to_delassus(const GlobalProblem& problem);

/// The same; without equalities W is taken entry by entry, nothing dropped.
Expected<DelassusProblem> to_delassus(const LocalProblem& problem);

/// The standard form of a problem with bodies: M block diagonal over the dynamic bodies, H = J^T, f = M u_free, w = the
/// biases and the motion of kinematic bodies. An error (unsupported) that says why where the problem has none: joints,
/// unequal friction axes, spin friction, or a body that turns about some axes only.
Expected<GlobalProblem> to_global(const ContactProblem& problem);

}  // namespace cairn
