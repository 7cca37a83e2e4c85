// SPDX-License-Identifier: MIT
// Guide, chapter 11: what is refused, and what is reported. Messages say what to change.
#include <cstdio>

#include "cairn/cairn.h"

namespace {

/// Prints the message of the InputError that `call` throws. Nothing has changed then.
template <class Call>
void expect_refusal(Call&& call) {
  try {
    call();
    std::printf("accepted\n");
  } catch (const cairn::InputError& error) {
    std::printf("refused: %s\n", error.what());
  }
}

}  // namespace

int main() {
  using namespace cairn;
  World world;
  const BodyId body = world.add_body({}, {{.shape = make_sphere(0.5)}});

  // Arguments are checked at the door, in release builds too.
  expect_refusal([] { make_sphere(-1); });
  expect_refusal([&] { world.step(-0.1); });
  expect_refusal([&] { world.add_joint({}); });
  expect_refusal([] { make_solver("gaus_seidel"); });

  // A handle of something that is gone is recognised, however often its place was used again.
  world.remove_body(body);
  world.add_body({}, {{.shape = make_sphere(0.5)}});
  expect_refusal([&] { world.view(body); });

  // A solve that does not converge is no error: the report says why it stopped and how far it came.
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].inverse_mass = 1;
  problem.bodies[0].velocity.linear = {1, 0, -1};
  ContactBlock contact;  // normal +z, from body 1 to body 0
  contact.body_a = 1, contact.body_b = 0;
  problem.contacts.push_back(contact);
  ContactSolution solution;
  SolveContext context;
  context.stop = {.tolerance = 1e-12, .max_iterations = 0};
  const SolveReport report = make_solver("gauss_seidel")->solve(problem, solution, context);
  std::printf("%s after %d iterations\n", to_string(report.reason), report.iterations);
}
