/* SPDX-License-Identifier: MIT
 * The C interface: a box falls, a door is driven, a ball passes through a ghost, a state is saved, an error is told. */
#include <stdio.h>
#include <stdlib.h>

#include "cairn_c.h"

static void check(CairnStatus status) {
  if (status == CAIRN_OK) return;
  fprintf(stderr, "cairn: %s\n", cairn_error());
  exit(1);
}

static CairnBody add(CairnWorld* world, const CairnBodyDef* def, CairnShape* shape) {
  const CairnShape* shapes[1];
  CairnBody body;
  shapes[0] = shape;
  check(cairn_add_body(world, def, shapes, 1, &body));
  cairn_shape_destroy(shape); /* the body has its own copy */
  return body;
}

static CairnBody add_floor(CairnWorld* world) {
  const double up[3] = {0, 0, 1};
  CairnBodyDef def = cairn_body_def();
  CairnShape* shape = NULL;
  def.kind = CAIRN_FIXED;
  check(cairn_half_space(up, 0, &shape));
  return add(world, &def, shape);
}

static CairnBody add_box(CairnWorld* world, double x, double z) {
  CairnBodyDef def = cairn_body_def();
  CairnShape* shape = NULL;
  def.position[0] = x, def.position[2] = z;
  check(cairn_box(0.5, 0.5, 0.5, &shape));
  return add(world, &def, shape);
}

/* Bodies that are ghosts touch nothing. */
static int32_t accept(void* user, CairnBody a, CairnBody b) {
  const CairnBody* ghost = user;
  return a.index != ghost->index && b.index != ghost->index;
}

int main(void) {
  CairnWorld* world = NULL;
  CairnBody box, door, ghost;
  CairnJoint hinge;
  CairnJointDef def = cairn_joint_def();
  CairnReport report;
  CairnState state;
  CairnArrays arrays;
  double angle = 0;
  size_t size = 0;
  int i;

  check(cairn_world_create(NULL, &world));
  add_floor(world);
  box = add_box(world, 0, 2);
  door = add_box(world, 5, 3);
  ghost = add_box(world, 10, 2);
  def.body_b = door;
  def.point[0] = 4.5, def.axis[0] = 0, def.axis[2] = 1;
  def.drive_speed = 0.5, def.drive_max_force = 1e5;
  check(cairn_add_joint(world, &def, &hinge));
  check(cairn_set_filter(world, accept, &ghost));

  for (i = 0; i < 120; ++i) check(cairn_step(world, 1.0 / 60, &report));
  check(cairn_get_state(world, box, &state));
  check(cairn_joint_position(world, hinge, &angle));
  check(cairn_get_arrays(world, &arrays));
  printf("after %.1f s: box at z = %.2f m, door at %.2f rad, %d bodies\n", report.time, state.position[2], angle,
         (int)arrays.count);
  check(cairn_get_state(world, ghost, &state));
  printf("the ghost fell through the floor: %s\n", state.position[2] < -5 ? "yes" : "no");

  check(cairn_save(world, NULL, 0, &size));
  printf("a state of some bytes: %s\n", size > 100 ? "yes" : "no");
  check(cairn_remove_body(world, box));
  if (cairn_remove_body(world, box) == CAIRN_BAD_INPUT) printf("refused: %s\n", cairn_error());
  cairn_world_destroy(world);
  return 0;
}
