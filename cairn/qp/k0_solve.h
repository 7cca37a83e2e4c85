// SPDX-License-Identifier: MIT
// K0Solver: the saddle point system of one active set, factored, for any right-hand sides: all that SCHURPA asks of a
// problem (Litven 2013, 3.2 and 5.1). What is factored is positive definite, banded or sparse as H is.
//
//   contact   [ H    -I_B ] [ alpha  ]   [ c ]      alpha_B = -b,  H_FF alpha_F = c_F - H_FB alpha_B
//             [ -I_B'     ] [ lambda ] = [ b ]      lambda = -c_B + H_BF alpha_F + H_BB alpha_B          (5.3)-(5.6)
//
//   friction  [ H    E_A' ] [ beta ]   [ d ]        beta_p = E_A' b / 2,  beta = beta_p + Z beta_z
//             [ E_A       ] [ nu   ] = [ b ]        (Z' H Z) beta_z = Z' (d - H beta_p)
//                                                   nu = E_A (d - H beta) / 2                            (5.15)-(5.20)
//
// with the signs and the term H_BB of the thesis corrected. E has four facets per contact, (1, 1), (-1, -1), (1, -1),
// (-1, 1); of one contact at most two are active, never opposite ones (theorem 4.2). Rows of E_A are orthogonal with
// squared norm 2, so a contact with two active facets needs no case of its own: it has no column in Z.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/qp/qp_matrix.h"

namespace cairn {

class K0Solver {
 public:
  virtual ~K0Solver() = default;
  virtual int unknowns() const = 0;
  virtual int active() const = 0;  ///< constraints
  /// On entry c and b, on return the unknowns and the multipliers; `count` right-hand sides, one after the other.
  virtual void solve(std::span<double> x, std::span<double> multiplier, int count, ThreadPool* pool) = 0;
};

/// A facet of a friction diamond.
struct ActiveFacet {
  std::int32_t contact = 0;
  std::int32_t facet = 0;  ///< 0 to 3, in the order above
};

/// One column of Z: a e_2c + b e_2c+1.
struct NullColumn {
  std::int32_t contact = 0;
  double a = 0, b = 0;
};

/// Z of (5.12) for `contacts` contacts. InputError where facets are none, do not ascend, or are opposite.
std::vector<NullColumn> null_space(int contacts, std::span<const ActiveFacet> active);

/// G^F = Z' H Z, in the same form; the bandwidth of a band is at most one more than that of H.
BandedMatrix reduce(const BandedMatrix& h, std::span<const NullColumn> z);
SparseQpMatrix reduce(const SparseQpMatrix& h, std::span<const NullColumn> z);

/// C0_solve. `bound` ascends; H must outlive it. InputError where H_FF is not positive definite.
std::unique_ptr<K0Solver> make_contact_k0(const QpMatrix& h, std::span<const std::int32_t> bound, ThreadPool* pool);

/// F0_solve, with H of two rows per contact.
std::unique_ptr<K0Solver> make_friction_k0(const BandedMatrix& h, std::span<const ActiveFacet> active,
                                           ThreadPool* pool);
std::unique_ptr<K0Solver> make_friction_k0(const SparseQpMatrix& h, std::span<const ActiveFacet> active,
                                           ThreadPool* pool);

}  // namespace cairn
