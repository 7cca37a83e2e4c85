// SPDX-License-Identifier: MIT
// Impacts: bodies that meet within the step and bounce do so at its beginning, before the solve, whatever the solver.
//
// A round is one simultaneous impact of all contacts of an island that would close within the step (Newton's law,
// solved as Moreau 1988 does):
//
//   0 <= lambda  _|_  v' - target >= 0,   target = -e v   where the bodies meet faster than the restitution threshold,
//                                         target = -|v|   where they touch and do not
//
// with friction in its cone. Its energy changes by the sum of lambda (v + v') / 2: without friction a round with e = 1
// keeps it, and no round adds to it.
// What a rebound drives into a third body is a round of its own: were it left to the solve, which holds contacts that
// are not there yet at their gap, that speed would be lost. The solve then sees bodies that have bounced.
//
// Bodies that joints or locked axes hold bounce in the solve instead (ContactBlock::restitution): what their
// impact meets is the mechanism.
#pragma once

#include <span>

#include "cairn/world/assembly/assemble.h"

namespace cairn {

/// Changes the velocities of the problem's bodies. After assemble_bodies and assemble_rows. `horizon`: s, contacts that
/// would close by then are impacts; at least dt, and more where the solver holds contacts at their gap beyond the step.
void apply_impacts(const ContactSource& from, double horizon, ThreadPool* pool, Assembly& out);

/// The masses of a row whose contact and bodies are there.
void find_masses(const ContactProblem& problem, ImpactRow& row);

/// One round: changes the velocities of the problem's bodies by the impulses of the rows that are active. Their target,
/// masses and `before` are given; `fastest` is the fastest approach among them, m/s. The second one takes back what
/// energy the sweeps may have added.
void sweep_round(ContactProblem& problem, double fastest, std::span<ImpactRow> rows);
void solve_round(ContactProblem& problem, double fastest, std::span<ImpactRow> rows);

/// External accelerations of bodies that bounced, from the velocities that they have now: free turning depends on them.
void renew_accelerations(const Bodies& bodies, const Vec3& gravity, Assembly& out);

}  // namespace cairn
