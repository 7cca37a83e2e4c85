// SPDX-License-Identifier: MIT
// DelassusProblem: contacts assembled into a matrix, the numbers an FCLIB file holds.
//
//   y = W lambda + q,   W = J M^-1 J^T (block sparse),   q = J u_free + b
//
// with the contact law of contact_problem.h on every block (n, s[, t[, spin]]). It has no bodies: Eulerian solids,
// finite elements and published files end here too. W may be rank deficient and, in files, slightly unsymmetric.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/math/block_sparse.h"
#include "cairn/math/friction_set.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

struct DelassusProblem {
  BlockSparse w;
  std::vector<double> q;               ///< dim per contact
  std::vector<FrictionAxes> friction;  ///< per contact

  int dim() const { return w.dim; }
  std::int64_t contact_count() const { return static_cast<std::int64_t>(friction.size()); }
  friend bool operator==(const DelassusProblem&, const DelassusProblem&) = default;
};

/// What a solver fills; on entry `impulse` is the warm start (empty: start from zero).
struct DelassusSolution {
  std::vector<double> impulse;   ///< lambda, dim per contact
  std::vector<double> velocity;  ///< y = W lambda + q, dim per contact
};

/// Throws InputError when sizes disagree, an entry is not finite or a friction coefficient is negative.
void validate(const DelassusProblem& problem);

/// Assembles W and q. Contacts between bodies that share no dynamic body have no block; static bodies couple nothing.
/// Joints cannot be expressed in this form: a problem that has any is refused.
DelassusProblem to_delassus(const ContactProblem& problem, ThreadPool* pool = nullptr);

/// Block counts of W (equal to those of T) without assembling it.
struct BlockCounts {
  std::int64_t static_aware = 0;    ///< static bodies couple nothing: what is stored
  std::int64_t ground_as_body = 0;  ///< static bodies counted like any other, as Poulsen 2010 does (table 3.2)
};
BlockCounts count_blocks(const ContactProblem& problem);

/// Impulses of the assembled problem as a warm start of the matrix-free one, and back.
void scatter_impulses(const ContactProblem& problem, const DelassusSolution& from, ContactSolution& to);
void gather_impulses(const ContactProblem& problem, const ContactSolution& from, int dim, DelassusSolution& to);

}  // namespace cairn
