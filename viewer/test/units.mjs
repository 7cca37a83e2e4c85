// SPDX-License-Identifier: MIT
// What needs no browser: bytes, frames and the history of a live run. Usage: node --test units.mjs
import assert from "node:assert/strict";
import test from "node:test";
import { Reader, fromBase64 } from "../src/bytes.js";
import { Contacts, Frame } from "../src/frame.js";
import { History } from "../src/history.js";
import { inflate, readContacts, readNumbers } from "../src/columns.js";
import { findIslands } from "../src/islands.js";
import { readCameras } from "../src/layout.js";
import { curvePoints, positive } from "../src/points.js";
import { rangeOf, sliderOf } from "../src/scene_menu.js";
import { cluster, drawnSurfaces } from "../src/simplify.js";

/** One contact as the program packs it: bodies, mode, graph colour, gap, point, normal, impulse. */
function contactBytes(contacts) {
  const bytes = new ArrayBuffer(8 + 51 * contacts.length), view = new DataView(bytes);
  view.setUint32(0, contacts.length, true);
  contacts.forEach(({ a, b, mode, colour, gap, vectors }, k) => {
    const at = 8 + 51 * k;
    view.setUint32(at, a, true), view.setUint32(at + 4, b, true), view.setUint8(at + 8, mode);
    view.setInt16(at + 9, colour, true), view.setFloat32(at + 11, gap, true);
    vectors.forEach((x, i) => view.setFloat32(at + 15 + 4 * i, x, true));
  });
  return bytes;
}

/** A square of n x n fields, two triangles each. */
function square(n) {
  const vertices = [], triangles = [], at = (i, j) => i * (n + 1) + j;
  for (let i = 0; i <= n; ++i) for (let j = 0; j <= n; ++j) vertices.push(i / n, j / n, 0);
  for (let i = 0; i < n; ++i)
    for (let j = 0; j < n; ++j) {
      triangles.push(at(i, j), at(i + 1, j), at(i, j + 1));
      triangles.push(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
    }
  return { vertices: Float32Array.from(vertices), triangles: Uint32Array.from(triangles) };
}

test("base64 with every padding", () => {
  for (const [text, bytes] of [["", []], ["TQ==", [77]], ["TWE=", [77, 97]], ["TWFu", [77, 97, 110]]])
    assert.deepEqual([...fromBase64(text)], bytes);
});

test("counts are of 64 bits and text follows its length", () => {
  const bytes = new Uint8Array([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 97, 98, 99]);
  const reader = new Reader(bytes.buffer);
  assert.equal(reader.count(), 1 + 2 * 2 ** 32);
  assert.equal(reader.text(), "abc");
});

test("contacts are read, split along their normal, and found by body", () => {
  const contacts = new Contacts();
  // 3 N s along the normal z, 4 across.
  const one = { a: 0, b: 7, mode: 2, colour: -1, gap: -0.5, vectors: [1, 2, 3, 0, 0, 1, 0, 4, 3] };
  contacts.read(new Reader(contactBytes([{ ...one, b: 3 }, one])));
  assert.equal(contacts.count, 2);
  assert.deepEqual(contacts.of(7), [1]);
  assert.deepEqual(contacts.of(0), [0, 1]);
  const { push, rub, gap, colour, mode, point } = contacts.describe(1);
  assert.deepEqual([push, rub, gap, colour, mode, point], [3, 4, -0.5, -1, 2, [1, 2, 3]]);
});

test("contacts grow and keep what is read", () => {
  const contacts = new Contacts(), many = Array.from({ length: 1000 }, (_, k) =>
    ({ a: k, b: k + 1, mode: 1, colour: k, gap: k, vectors: Array(9).fill(k) }));
  contacts.read(new Reader(contactBytes(many)));
  assert.equal(contacts.count, 1000);
  assert.deepEqual([contacts.a[999], contacts.colour[999], contacts.vectors[8999]], [999, 999, 999]);
});

test("a frame is filled in place from any offset", () => {
  const frame = new Frame(1), pose = frame.pose, bytes = new ArrayBuffer(3 + 53), view = new DataView(bytes);
  for (let k = 0; k < 13; ++k) view.setFloat32(3 + 4 * k, k, true);
  view.setUint8(55, 1);
  const reader = new Reader(bytes);
  reader.at = 3;
  frame.readBodies(reader);
  assert.equal(frame.pose, pose);
  assert.deepEqual([...frame.pose, ...frame.velocity, ...frame.flags], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1]);
});

test("history takes only what is newer, forgets a dropped future and stays bounded", () => {
  const history = new History(["x"]);
  for (const step of [0, 1, 2, 3, 3, 2, 4]) history.add(step, 0.1 * step, [step]);
  assert.deepEqual(history.steps, [1, 2, 3, 4]);
  history.cut(2);
  assert.deepEqual([history.steps, history.columns.x], [[1, 2], [1, 2]]);
  history.add(3, 0.3, [30]);
  assert.deepEqual(history.columns.x, [1, 2, 30]);
  for (let step = 4; step < 20000; ++step) history.add(step, 0.1 * step, [step]);
  assert.ok(history.steps.length <= 4000);
  assert.ok(history.columns.x.every((value, k) => value === history.steps[k] || value === 30));
});

test("residuals of round-off stay within the decades of an axis", () => {
  assert.deepEqual(positive([7e-33, 0, 1e-3, -1, NaN, Infinity, null]), [1e-16, 1e-16, 1e-3, null, null, null, null]);
});

test("curves never go back in time, and one point does not stretch the axis", () => {
  const curves = [{ residual: [4, 3, 2, 1], ms: [1, 3, 2, 4], sweeps: [1, 2, 3, 4] }, { residual: [5], ms: [9], sweeps: [80] }];
  assert.deepEqual(curvePoints(curves, "ms"), [[[1, 3, 4], [4, 3, 1]], [[], []]]);
  assert.deepEqual(curvePoints(curves, "sweeps")[1], [[], []]);
});

test("cameras of a scene file have names", () => {
  const bytes = new ArrayBuffer(60), view = new DataView(bytes);
  view.setUint32(0, 1, true);
  view.setUint32(8, 4, true);
  new Uint8Array(bytes).set([115, 105, 100, 101], 16);
  for (let k = 0; k < 10; ++k) view.setFloat32(20 + 4 * k, k, true);
  const [camera] = readCameras(new Reader(bytes));
  assert.equal(camera.name, "side");
  assert.deepEqual([...camera.position, ...camera.target, ...camera.up, camera.fieldOfView], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

/** Words as a page has them: the four bytes of all of them apart. */
function planes(words) { return [0, 8, 16, 24].flatMap((shift) => words.map((word) => (word >>> shift) & 255)); }
const bitsOf = (x) => new Uint32Array(Float32Array.of(x).buffer)[0];

test("numbers of a page are differences to the frame before", () => {
  const frames = [[1.5, -2], [1.25, 1e-3], [7, 0]], words = [];
  frames.forEach((row, f) => row.forEach((x, i) => words.push(bitsOf(x) - (f > 0 ? bitsOf(frames[f - 1][i]) : 0))));
  const numbers = readNumbers(new Reader(Uint8Array.from(planes(words)).buffer), 3, 2, 1);
  assert.deepEqual([...numbers], [...Float32Array.from(frames.flat())]);
});

test("contacts of a page continue those of the same bodies", () => {
  // Two frames: bodies 1-2 twice and 3-5, then 1-2 once.
  const counts = [3, 0, 0, 0, 1, 0, 0, 0], values = [[1, 2, 3], [4]], first = values[0].map(bitsOf);
  const column = planes([...first, bitsOf(4) - first[0]]);
  const bytes = [...counts, ...planes([1, 0, 2, 1]), ...planes([1, 1, 2, 1]), 1, 2, 1, 0, ...Array(9).fill(column).flat()];
  const { begin, a, b, mode, vectors } = readContacts(new Reader(Uint8Array.from(bytes).buffer), 2);
  assert.deepEqual([[...begin], [...a], [...b], [...mode]], [[0, 3, 4], [1, 1, 3, 1], [2, 2, 5, 2], [1, 2, 1, 0]]);
  assert.deepEqual([0, 1, 2, 3].map((k) => vectors[9 * k]), [1, 2, 3, 4]);
});

test("bytes without a head are made whole", async () => {
  const { deflateRawSync } = await import("node:zlib");
  const bytes = Uint8Array.from({ length: 1000 }, (_, k) => k % 7);
  assert.deepEqual(new Uint8Array(await inflate(deflateRawSync(bytes))), bytes);
});

test("islands of a recording are what contacts and joints connect", () => {
  const bodies = [-1, 0, 1, 2, 3].map((place) => ({ place }));
  const frame = { moving: 4, flags: Uint8Array.of(1, 1, 1, 0), island: new Int32Array(4), contacts:
    { count: 3, a: [0, 1, 3], b: [1, 2, 4], mode: [1, 2, 0] } };
  findIslands({ bodies, joints: [{ a: 2, b: 3 }] }, frame);
  assert.deepEqual([...frame.island], [0, 0, 0, -1]);
});

test("sliders have room about the usual value", () => {
  assert.deepEqual(rangeOf("a whole number in [1, 200]"), { least: 1, most: 200, whole: true });
  assert.deepEqual(sliderOf({ value: "10", allowed: "a whole number in [1, 200]" }), { least: 1, most: 50, step: 1 });
  assert.deepEqual(sliderOf({ value: "0", allowed: "a number in [0, 100]" }), { least: 0, most: 50, step: undefined });
  assert.equal(sliderOf({ value: "x", allowed: "a name" }), null);
});

test("steps that are sent later fill what was not seen", () => {
  const history = new History(["x"]);
  for (const step of [2, 5, 9]) history.add(step, 0.1 * step, [step]);
  history.merge({ steps: [3, 4, 5], times: [0.3, 0.4, 0.5], statistics: { x: [30, 40, 50] } });
  assert.deepEqual([history.steps, history.columns.x], [[2, 3, 4, 5, 9], [2, 30, 40, 50, 9]]);
  history.merge({ steps: [0, 1, 2], times: [0, 0.1, 0.2], statistics: { x: [0, 10, 20] } });
  assert.deepEqual([history.steps, history.columns.x], [[1, 2, 3, 4, 5, 9], [10, 20, 30, 40, 50, 9]]);
  history.merge({ steps: [], times: [], statistics: {} });
  assert.equal(history.times.length, 6);
});

test("a surface in cells has a vertex and no more for each", () => {
  const { vertices, triangles } = cluster(square(40), 4); // the last line of vertices falls into the last cells
  assert.equal(vertices.length / 3, 16);
  assert.equal(triangles.length / 3, 18); // of 3 x 3 fields between 16 vertices
  assert.ok(triangles.every((corner) => corner < 16));
});

test("surfaces stay as they are until all bodies together have too many triangles", () => {
  const surfaces = [square(20)], bodies = (n) => Array.from({ length: n }, () => ({ surface: 0 }));
  assert.equal(drawnSurfaces({ surfaces, bodies: bodies(100) }), surfaces);
  const [coarse] = drawnSurfaces({ surfaces, bodies: bodies(10000) });
  assert.ok(coarse.triangles.length < surfaces[0].triangles.length / 4);
});
