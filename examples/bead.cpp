// SPDX-License-Identifier: MIT
// The smallest program: a 3 kg bead pushed by a moving wall, one step, and how good the answer is.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  cairn::ContactProblem problem;  // a time step is a value: bodies, contacts, dt
  problem.bodies.resize(2);
  problem.bodies[0].inverse_mass = 1.0 / 3.0;
  problem.bodies[1].velocity.linear = {0, 0, 1};  // no mass: a wall, moving up
  cairn::ContactBlock contact;                    // normal +z, from the wall to the bead
  contact.body_a = 1, contact.body_b = 0, contact.friction1 = contact.friction2 = 0.5;
  problem.contacts.push_back(contact);

  cairn::ContactSolution solution;
  cairn::SolveContext context;
  const cairn::SolveReport report = cairn::make_solver("gauss_seidel")->solve(problem, solution, context);
  std::printf("%s: bead moves at %g m/s, impulse %g N s, residual %g\n", cairn::to_string(report.reason),
              solution.velocity[0].linear.z, solution.contact_impulse[0][0],
              cairn::residual(problem, solution).natural_map);
}
