// SPDX-License-Identifier: MIT
// What the two bodies of a contact would do to each other if there were no other: the first half of fast frictional
// dynamics. At the contact each body is a mass, perceived along the normal n:
//
//   1 / m_i = (n, x_i x n)^T M_i^-1 (n, x_i x n)
//   p = -(b + v_n) / (1/m_a + 1/m_b)             v_n: normal velocity of b relative to a; b: gap, overlap, restitution
//   f = -(v_t + p c_t) / k_t                     per tangent, c_t: what the normal impulse adds to v_t
//
// With b = 0 both bodies leave with the normal velocity (m_a v_a + m_b v_b) / (m_a + m_b), the one of maximal
// compression. A body that cannot move has 1/m = 0 and its own velocity, so moving walls are right.
#pragma once

#include <array>
#include <span>

#include "cairn/problem/contact_problem.h"
#include "cairn/solvers/ffd/ffd_settings.h"

namespace cairn {

/// Which of the two bodies cannot give way to the other, because it lies on something that cannot move: it is taken as
/// one that cannot move itself.
struct HeldSides {
  bool a = false, b = false;
};

struct PairImpulse {
  double normal = 0;              ///< p, N s; negative: so much more the bodies may approach each other
  double still = 0;               ///< p without what pushes an overlap apart
  double bounce = 0;              ///< mode pe: the restitution if the contact bounces, and p does not contain it
  std::array<double, 3> slide{};  ///< f along the tangents and for the spin
  HeldSides held;                 ///< as it was given
};

/// For the given velocities of all bodies.
PairImpulse pair_impulse(const ContactProblem& problem, const ContactBlock& contact, HeldSides held, FfdMode mode,
                         std::span<const Velocity> velocity);

}  // namespace cairn
