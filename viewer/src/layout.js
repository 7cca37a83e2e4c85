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
    surface: reader.u32(), start: reader.floats(7), colour: readColour(reader), place: -1,
  }));
  layout.moving = layout.bodies.filter((body) => body.moves);
  layout.moving.forEach((body, place) => (body.place = place));
  return layout;
}

/** The colour that the scene gives a body, as shaders compute with it, and how solid it is; null: none. */
function readColour(reader) {
  const [red, green, blue, solid] = reader.bytes(4);
  if (solid === 0) return null;
  const linear = (x) => (x <= 0.04045 * 255 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4); // of sRGB
  return Float32Array.of(linear(red), linear(green), linear(blue), solid / 255);
}

/**
 * Joints: their frames belong to body a (-1: the world) and body b. coordinate: 0 none, 1 a turn, 2 a slide; its limits
 * are NaN where it has none.
 */
export function readJoints(reader) {
  return Array.from({ length: reader.count() }, (_, index) => ({
    index, kind: reader.text(), name: reader.text() || `joint ${index}`, a: reader.i32(), b: reader.i32(),
    frameA: reader.floats(7), frameB: reader.floats(7), coordinate: reader.u8(), lower: reader.f32(),
    upper: reader.f32(), drive: { kind: reader.u8(), position: reader.f32(), speed: reader.f32(),
      stiffness: reader.f32(), damping: reader.f32(), maxForce: reader.f32() },
  }));
}

/** Views of the scene file, the first is the one to begin with. */
export function readCameras(reader) {
  return Array.from({ length: reader.count() }, (_, number) => ({
    name: reader.text() || `camera ${number + 1}`, position: reader.floats(3), target: reader.floats(3), up: reader.floats(3), fieldOfView: reader.f32(),
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
