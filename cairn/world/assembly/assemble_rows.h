// SPDX-License-Identifier: MIT
// Rows of the problem besides those of contacts, and back: locked axes, rolling resistance, joints.
#pragma once

#include "cairn/solvers/lane_solver.h"
#include "cairn/world/assembly/assemble.h"
#include "cairn/world/joints.h"

namespace cairn {

/// After assemble_bodies. Locked axes and rolling resistance come first, then the joints that can move something: a
/// block for the rows that hold, then blocks of up to six for those with bounds. All rows and their warm start are
/// written. `step_ratio` is dt over the dt of the last step, by which impulses scale; 0 if there was none.
void assemble_rows(const ContactSource& from, const Bodies& bodies, const WorldSettings& settings, double step_ratio,
                   ThreadPool* pool, Joints& joints, Assembly& out);

/// Rows of joints that are swept get the speed at which a step along a straight line ends on the curve of the joint,
/// C(x + dt u') = C(x) + dt (J u' + kappa): their target is -kappa, found at the velocities of the beginning. A mass
/// on a rod that turns by phi in a step keeps cos phi + phi/2 sin phi of its speed, hence 1 - phi^4/24; without it cos
/// phi. Only where the solver takes one sub-step: in several, displacements would run ahead. After assemble_lanes and
/// LaneSolver::choose_joints.
void follow_curves(const Bodies& bodies, const Joints& joints, const LaneSolver& solver, ThreadPool* pool,
                   Assembly& out);

/// Impulses of the solution back to the joints, and the forces they make.
void scatter_joint_impulses(const Assembly& assembly, ThreadPool* pool, Joints& joints);

}  // namespace cairn
