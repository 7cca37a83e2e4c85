// SPDX-License-Identifier: MIT
// file_user SCENE PROBLEM: reads a scene, makes some steps, writes the problem of the last one and reads it back.
#include <cstdio>
#include <variant>

#include "cairn/cairn.h"
#include "cairn/files.h"

int main(int count, char** arguments) {
  using namespace cairn;
  if (count != 3) return 2;
  LoadedScene scene = build_scene(read_scene(arguments[1]).value_or_throw()).value_or_throw();
  for (int i = 0; i < 30; ++i) scene.world.step(1.0 / 60);
  const std::size_t contacts = scene.world.problem().contacts.size();
  write_problem({.problem = scene.world.problem()}, arguments[2], {.overwrite = true}).value_or_throw();
  const ProblemFile file = read_problem_in_process(arguments[2]).value_or_throw();
  const bool same = std::get<ContactProblem>(file.problem).contacts.size() == contacts;
  std::printf("%s of a scene with %zu bodies were written and read\n",
              contacts > 0 && same ? "the contacts" : "NOT the contacts", scene.world.body_count());
}
