// SPDX-License-Identifier: MIT
// How one body answers all its contacts at once: the second half of fast frictional dynamics. Bodies are independent,
// so each is answered on its own (Kaufman, Edmunds, Pai 2005; as in the pe engine, with corrections).
//
//   normal    minimise 1/2 |u' - u|_M^2  subject to  n_i . u' >= n_i . u + p_i / m_i          (half_spaces.h)
//   friction  minimise 1/2 |S u' - w|^2 over f,  |f_i| <= mu lambda_i, by sweeps over the contacts of the body
//
// with p_i, w of the pairs (pair_impulses.h) and lambda_i the multipliers of the first problem: impulses, so that
// friction is Coulomb's. Mode `pe` bounds velocities instead, s . delta <= mu (n . r) in four directions around that of
// sliding, which lets balls slide with 2/7 of Coulomb's friction; and one restitution, the mean of all contacts by
// violation, stretches the whole normal response, u' = u + delta + (1 + e) r.
#pragma once

#include <array>
#include <span>

#include "cairn/problem/contact_problem.h"
#include "cairn/solvers/ffd/contact_lists.h"
#include "cairn/solvers/ffd/ffd_settings.h"
#include "cairn/solvers/ffd/half_spaces.h"
#include "cairn/solvers/ffd/pair_impulses.h"

namespace cairn {

/// What a contact did to one of its two bodies: n, s, t, spin as in ContactSolution.
using SideImpulse = std::array<double, 4>;

/// One contact of a body, in the metric of that body. Not initialised: there are arrays of them on the stack.
struct BodyContact {
  std::array<Six, 3> tangent;    ///< of the two tangents and of the spin
  std::array<double, 3> wanted;  ///< what tangent . z should become
  double stiffest;               ///< the largest square of a tangent
};

/// Directions of friction per contact, mode pe.
inline constexpr std::size_t kPeDirections = 4;
/// Rows that the response of a body needs per contact.
inline constexpr std::size_t kMostRowsPerContact = 1 + kPeDirections;
inline constexpr std::size_t rows_per_contact(FfdMode mode) { return mode == FfdMode::pe ? kMostRowsPerContact : 1; }

/// A body with its contacts, and room for what they become.
struct ResponseTask {
  const ContactProblem& problem;
  std::span<const PairImpulse> pairs;  ///< by contact
  std::span<const ContactSide> sides;  ///< of this body, hard ones first
  std::span<SideImpulse> impulses;     ///< by contact, of body a and of body b; those of this body are added to
  std::span<BodyRow> rows;             ///< rows_per_contact each
  std::span<BodyContact> contacts;     ///< one each
  const BodyMetric& metric;
};

enum class Response {
  done,
  stopped,  ///< nothing satisfies its contacts with bodies that cannot move: the body is stopped
};

/// The new velocity of the body.
Response respond(const ResponseTask& task, const FfdSettings& settings, Velocity& velocity);

}  // namespace cairn
