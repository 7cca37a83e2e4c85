// SPDX-License-Identifier: MIT
// Coarser surfaces for scenes of many round bodies: no picture of 10,000 spheres needs 500 triangles for each.

const MOST_TRIANGLES = 1_500_000; // of all bodies together
const FINEST = 10, COARSEST = 4; // cells along the longest side of a surface

/** The surfaces of a layout, with fewer triangles where their bodies would have too many together. */
export function drawnSurfaces(layout) {
  const uses = new Uint32Array(layout.surfaces.length);
  for (const body of layout.bodies) uses[body.surface] += 1;
  const total = (surfaces) => surfaces.reduce((sum, s, k) => sum + (uses[k] * s.triangles.length) / 3, 0);
  let drawn = layout.surfaces;
  for (let cells = FINEST; cells >= COARSEST && total(drawn) > MOST_TRIANGLES; cells -= 2)
    drawn = layout.surfaces.map((surface, k) => (uses[k] > 1 ? cluster(surface, cells) : surface));
  return drawn;
}

/** Vertices of one cell become their mean, and triangles that lose a corner go. */
export function cluster({ vertices, triangles }, cells) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((x, k) => { low[k % 3] = Math.min(low[k % 3], x); high[k % 3] = Math.max(high[k % 3], x); });
  const side = Math.max(...high.map((x, k) => x - low[k])) / cells || 1;
  const cell = (x, k) => Math.min(cells - 1, Math.floor((x - low[k]) / side));
  const numbers = new Map(), sums = [], place = new Uint32Array(vertices.length / 3);
  for (let v = 0; v < place.length; ++v) {
    const [x, y, z] = vertices.subarray(3 * v, 3 * v + 3);
    const key = (cell(x, 0) * cells + cell(y, 1)) * cells + cell(z, 2);
    if (!numbers.has(key)) numbers.set(key, sums.push([0, 0, 0, 0]) - 1);
    place[v] = numbers.get(key);
    const sum = sums[place[v]];
    sum[0] += x, sum[1] += y, sum[2] += z, sum[3] += 1;
  }
  const kept = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [place[triangles[t]], place[triangles[t + 1]], place[triangles[t + 2]]];
    if (new Set(corners).size === 3) kept.push(...corners);
  }
  const means = sums.flatMap(([x, y, z, n]) => [x / n, y / n, z / n]);
  return { vertices: Float32Array.from(means), triangles: Uint32Array.from(kept) };
}
