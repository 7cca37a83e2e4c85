// SPDX-License-Identifier: MIT
// Surfaces as they are shaded: round where neighbouring triangles nearly lie in a plane, sharp elsewhere, and sharp
// edges are told to the shader, which draws them as thin lines. Everything is made once per surface.
import * as THREE from "three";

const SHARP = Math.cos((32 * Math.PI) / 180); // triangles that meet at more have an edge between them
const MOST_TRIANGLES = 200_000; // of a surface that is looked at so closely

/** A geometry with positions, normals and `edge`, three numbers per corner that are 0 along sharp edges. */
export function shadedSurface({ vertices, triangles }) {
  if (triangles.length / 3 > MOST_TRIANGLES) return plainSurface(vertices, triangles);
  const place = weld(vertices), faces = faceNormals(vertices, triangles);
  const position = new Float32Array(3 * triangles.length), normal = new Float32Array(3 * triangles.length);
  triangles.forEach((corner, k) => position.set(vertices.subarray(3 * corner, 3 * corner + 3), 3 * k));
  const around = facesAround(place, triangles, vertices.length / 3);
  for (let k = 0; k < triangles.length; ++k) cornerNormal(faces, around[place[triangles[k]]], Math.floor(k / 3), normal, 3 * k);
  return geometryOf(position, normal, edgeMarks(place, faces, triangles));
}

function geometryOf(position, normal, edge) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
  geometry.setAttribute("edge", new THREE.BufferAttribute(edge, 3));
  return geometry;
}

/** Very many triangles: shared corners, no edges. */
function plainSurface(vertices, triangles) {
  const geometry = geometryOf(vertices, new Float32Array(vertices.length), new Float32Array(vertices.length).fill(1));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  geometry.computeVertexNormals();
  return geometry;
}

/** Per vertex the first one at the same place: surfaces put together from parts share none. */
export function weld(vertices) {
  let most = 1e-12;
  for (const x of vertices) most = Math.max(most, Math.abs(x));
  const cell = 1e-5 * most, first = new Map(), place = new Uint32Array(vertices.length / 3);
  for (let v = 0; v < place.length; ++v) {
    const key = [0, 1, 2].map((k) => Math.round(vertices[3 * v + k] / cell)).join();
    if (!first.has(key)) first.set(key, v);
    place[v] = first.get(key);
  }
  return place;
}

/** Normals of the triangles, their length twice the area. */
function faceNormals(vertices, triangles) {
  const out = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[t + k]), side = (to, k) => vertices[to + k] - vertices[a + k];
    const ux = side(b, 0), uy = side(b, 1), uz = side(b, 2), vx = side(c, 0), vy = side(c, 1), vz = side(c, 2);
    out[t] = uy * vz - uz * vy, out[t + 1] = uz * vx - ux * vz, out[t + 2] = ux * vy - uy * vx;
  }
  return out;
}

function facesAround(place, triangles, count) {
  const around = Array.from({ length: count }, () => []);
  triangles.forEach((corner, k) => around[place[corner]].push(Math.floor(k / 3)));
  return around;
}

/** Whether two triangles lie so nearly in a plane that no edge is seen; one without area is no reason for an edge. */
function smooth(faces, f, g) {
  const a = 3 * f, b = 3 * g;
  const dot = faces[a] * faces[b] + faces[a + 1] * faces[b + 1] + faces[a + 2] * faces[b + 2];
  const sizes = Math.hypot(faces[a], faces[a + 1], faces[a + 2]) * Math.hypot(faces[b], faces[b + 1], faces[b + 2]);
  return sizes === 0 || dot >= SHARP * sizes;
}

/** The mean over the triangles around a corner that belong to the same smooth piece, larger ones counting more. */
function cornerNormal(faces, around, own, out, at) {
  let x = 0, y = 0, z = 0;
  for (const f of around) if (smooth(faces, own, f)) (x += faces[3 * f]), (y += faces[3 * f + 1]), (z += faces[3 * f + 2]);
  const size = Math.hypot(x, y, z) || 1;
  out[at] = x / size, out[at + 1] = y / size, out[at + 2] = z / size;
}

/** Barycentric coordinates; that of an edge which is not sharp stays 1, so that it is never near 0. */
function edgeMarks(place, faces, triangles) {
  const owners = new Map(), marks = new Float32Array(3 * triangles.length);
  const ends = (t, k) => {
    const a = place[triangles[3 * t + ((k + 1) % 3)]], b = place[triangles[3 * t + ((k + 2) % 3)]];
    return a < b ? `${a},${b}` : `${b},${a}`;
  };
  for (let t = 0; t < triangles.length / 3; ++t)
    for (let k = 0; k < 3; ++k) {
      const key = ends(t, k);
      if (!owners.has(key)) owners.set(key, []);
      owners.get(key).push(t);
    }
  for (let t = 0; t < triangles.length / 3; ++t)
    for (let k = 0; k < 3; ++k) {
      const other = owners.get(ends(t, k)).find((f) => f !== t);
      const sharp = other !== undefined && !smooth(faces, t, other);
      for (let corner = 0; corner < 3; ++corner) marks[9 * t + 3 * corner + k] = sharp && corner !== k ? 0 : 1;
    }
  return marks;
}

/** The material of bodies: soft light, and edges as lines of about a pixel that vanish where there is no room. */
export function bodyMaterial(options = {}) {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0, side: THREE.DoubleSide, ...options });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <common>",
      "#include <common>\nattribute vec3 edge;\nvarying vec3 vEdge;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvEdge = edge;");
    shader.fragmentShader = shader.fragmentShader.replace("#include <common>", "#include <common>\nvarying vec3 vEdge;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec3 edgeStep = fwidth(vEdge);
        vec3 edgePixels = vEdge / max(edgeStep, vec3(1e-6));
        float edgeNear = 1.0 - smoothstep(0.5, 1.5, min(edgePixels.x, min(edgePixels.y, edgePixels.z)));
        float edgeRoom = 1.0 - smoothstep(0.1, 0.35, max(edgeStep.x, max(edgeStep.y, edgeStep.z)));
        diffuseColor.rgb *= 1.0 - 0.5 * edgeNear * edgeRoom;`);
  };
  return material;
}
