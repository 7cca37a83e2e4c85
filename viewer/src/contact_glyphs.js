// SPDX-License-Identifier: MIT
// Contacts as points, normals and force arrows, instances whose matrices are written in place.
import * as THREE from "three";
import { FORCE_COLOUR, MODE_COLOURS, NORMAL_COLOUR, one, putKind, putOne } from "./colours.js";

const MODES = MODE_COLOURS.map(one);
const NO_COLOUR = one("#8a9097");
const PICKED_SCALE = 2.2;

export class ContactGlyphs {
  constructor(scene) {
    Object.assign(this, { scene, shown: true, normalsShown: false, forcesShown: true, xray: false, byGraph: false });
    Object.assign(this, { picked: -1, capacity: 0, size: 0.01, radius: 1, parts: [] });
  }

  /** size: radius of a point; radius: of the scene. */
  setSize(size, radius) {
    Object.assign(this, { size, radius, capacity: 0 });
  }

  /** Makes room; lengths along y are 1, to be stretched, and heads keep their size. */
  reserve(count) {
    if (count <= this.capacity) return;
    for (const mesh of this.parts) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
    this.capacity = Math.max(256, 2 * count);
    const s = this.size;
    this.points = this.instances(new THREE.SphereGeometry(s, 8, 6), "#ffffff");
    this.points.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.capacity), 3);
    const rod = (radius) => new THREE.CylinderGeometry(radius, radius, 1, 6).translate(0, 0.5, 0);
    this.normals = this.instances(rod(0.25 * s), NORMAL_COLOUR);
    this.shafts = this.instances(rod(0.4 * s), FORCE_COLOUR);
    this.heads = this.instances(new THREE.ConeGeometry(1.3 * s, 3.5 * s, 8), FORCE_COLOUR);
    this.parts = [this.points, this.normals, this.shafts, this.heads];
  }

  instances(geometry, colour) {
    const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({ color: colour }), this.capacity);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return mesh;
  }

  show(contacts, strongest) {
    const count = this.shown ? contacts.count : 0;
    this.reserve(count);
    if (this.parts.length === 0) return;
    this.points.count = count;
    this.normals.count = this.normalsShown ? count : 0;
    this.shafts.count = this.heads.count = this.forcesShown ? count : 0;
    for (const { material } of this.parts) material.depthTest = !this.xray;
    for (let k = 0; k < count; ++k) {
      this.putPoint(contacts, k);
      if (this.normalsShown) stick(contacts.vectors, 9 * k, 9 * k + 3, 0.05 * this.radius, this.normals, k);
      if (this.forcesShown) this.putForce(contacts, k, strongest);
    }
    for (const part of this.parts) part.instanceMatrix.needsUpdate = true;
    this.points.instanceColor.needsUpdate = true;
  }

  putPoint(contacts, k) {
    const out = this.points.instanceMatrix.array, at = 16 * k, v = contacts.vectors;
    out.fill(0, at, at + 15);
    out[at] = out[at + 5] = out[at + 10] = k === this.picked ? PICKED_SCALE : 1;
    out[at + 12] = v[9 * k], out[at + 13] = v[9 * k + 1], out[at + 14] = v[9 * k + 2], out[at + 15] = 1;
    const colours = this.points.instanceColor.array;
    if (!this.byGraph) putOne(MODES[contacts.mode[k]] ?? NO_COLOUR, colours, 3 * k);
    else if (contacts.colour[k] < 0) putOne(NO_COLOUR, colours, 3 * k);
    else putKind(contacts.colour[k], colours, 3 * k);
  }

  /** Lengths as the root of the impulse, so that small ones are seen beside large ones. */
  putForce(contacts, k, strongest) {
    const v = contacts.vectors, at = 9 * k + 6, impulse = Math.hypot(v[at], v[at + 1], v[at + 2]);
    const length = impulse > 0 ? 0.3 * this.radius * Math.sqrt(impulse / strongest) : 0;
    stick(v, 9 * k, at, length, this.shafts, k);
    const from = 16 * k, shaft = this.shafts.instanceMatrix.array, head = this.heads.instanceMatrix.array;
    for (let i = 0; i < 16; ++i) head[from + i] = shaft[from + i];
    for (let i = 0; i < 3; ++i) {
      head[from + 4 + i] = length > 0 ? shaft[from + 4 + i] / length : 0;
      head[from + 12 + i] = shaft[from + 12 + i] + shaft[from + 4 + i];
    }
  }
}

/** A matrix that takes y to length times the direction, at a point; all zero where there is no direction. */
function stick(v, point, way, length, mesh, k) {
  const out = mesh.instanceMatrix.array, at = 16 * k;
  const size = Math.hypot(v[way], v[way + 1], v[way + 2]);
  out.fill(0, at, at + 16);
  if (!(size > 0 && length > 0)) return;
  const x = v[way] / size, y = v[way + 1] / size, z = v[way + 2] / size;
  // Two directions across: the first is the cross product with the axis that lies most across.
  let ax = 0, ay = -z, az = y;
  if (Math.abs(x) > 0.7) (ax = z), (ay = 0), (az = -x);
  const a = Math.hypot(ax, ay, az);
  ax /= a, ay /= a, az /= a;
  out[at] = ax, out[at + 1] = ay, out[at + 2] = az;
  out[at + 4] = length * x, out[at + 5] = length * y, out[at + 6] = length * z;
  out[at + 8] = ay * z - az * y, out[at + 9] = az * x - ax * z, out[at + 10] = ax * y - ay * x;
  out[at + 12] = v[point], out[at + 13] = v[point + 1], out[at + 14] = v[point + 2];
  out[at + 15] = 1;
}
