// SPDX-License-Identifier: MIT
// What a run consists of, apart from its motion: the head of a page (cairn/record/page_data.cpp) and of a live run.

/** Reads scene, solver, program, dt, surfaces and bodies; `moving` are those with a pose in every frame. */
export function readLayout(reader) {
  const layout = { scene: reader.text(), solver: reader.text(), program: reader.text(), dt: reader.f64(), joints: [],
    cameras: [] };
  layout.surfaces = Array.from({ length: reader.count() }, () => ({
    vertices: reader.floats(3 * reader.count()),
    triangles: reader.indices(3 * reader.count()),
  }));
  layout.bodies = Array.from({ length: reader.count() }, (_, index) => ({
    index, name: reader.text() || `body ${index}`, shape: reader.text(), moves: reader.u8() === 1, mass: reader.f32(),
    surface: reader.u32(), start: reader.floats(7), place: -1,
  }));
  layout.moving = layout.bodies.filter((body) => body.moves);
  layout.moving.forEach((body, place) => (body.place = place));
  return layout;
}

/** Joints of a live run: their frames belong to body a (-1: the world) and body b. */
export function readJoints(reader) {
  return Array.from({ length: reader.count() }, () => ({
    kind: reader.text(), a: reader.i32(), b: reader.i32(), frameA: reader.floats(7), frameB: reader.floats(7),
  }));
}

/** Views of the scene file, the first is the one to begin with; a page of an older program has none. */
export function readCameras(reader) {
  if (reader.left < 8) return [];
  return Array.from({ length: reader.count() }, () => ({
    position: reader.floats(3), target: reader.floats(3), up: reader.floats(3), fieldOfView: reader.f32(),
  }));
}

/** How far each surface reaches from its origin. */
export function reaches(layout) {
  return layout.surfaces.map(({ vertices }) => {
    let most = 0;
    for (let k = 0; k < vertices.length; k += 3)
      most = Math.max(most, Math.hypot(vertices[k], vertices[k + 1], vertices[k + 2]));
    return most;
  });
}
