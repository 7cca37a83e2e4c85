// SPDX-License-Identifier: MIT
// The camera: fits the bodies into what the panels leave free, follows them, focuses on a point, and stands where the
// scene file or a name says.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { isGround } from "./backdrop.js";
import { reaches } from "./layout.js";
import { SurfaceMeshes } from "./surfaces.js";

const FROM = [0.62, -1, 0.42]; // at first
const ROOM = 1.06; // around what is fitted
const DEAD = 0.35; // of the radius: so far the bodies may go before the camera follows
export const VIEWS = { "all bodies": FROM, front: [0, -1, 0.05], back: [0, 1, 0.05], left: [-1, 0, 0.05],
  right: [1, 0, 0.05], top: [0, -0.02, 1] };

export class Rig {
  constructor(canvas, onChange) {
    this.camera = new THREE.PerspectiveCamera(36, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", onChange);
    this.size = { width: 1, height: 1 };
    this.margin = { left: 0, right: 0, bottom: 0 };
    this.centre = new THREE.Vector3();
    this.radius = 1;
    this.anchor = null; // what is followed, where it was
  }

  /** margin: what panels cover; the scene is drawn in the middle of the rest. */
  resize(width, height, margin) {
    Object.assign(this, { size: { width, height }, margin });
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, (margin.right - margin.left) / 2, margin.bottom / 2, width, height);
  }

  /**
   * The box around the bodies of a frame. Those far from most others, beyond Tukey's fences, do not widen it; fixed
   * bodies that are not much larger than all the others belong to it. Returns how far a usual body reaches.
   */
  measure(layout, frame) {
    const reach = reaches(layout), box = new THREE.Box3(), { moving } = layout;
    const sizes = moving.map((body) => reach[body.surface]).sort((a, b) => a - b), unit = sizes[sizes.length >> 1] ?? 1;
    const fences = [0, 1, 2].map((axis) => fence(moving.map((_, i) => frame.pose[7 * i + axis]), 4 * unit));
    const inside = (p, r) => fences.every(([low, high], axis) => p[axis] + r >= low && p[axis] - r <= high);
    for (const body of moving) {
      const p = frame.poseOf(body), r = reach[body.surface];
      if (inside(p, r) && Number.isFinite(p[0] + p[1] + p[2])) growBox(box, layout.surfaces[body.surface], p);
    }
    const size = box.isEmpty() ? Infinity : box.getSize(new THREE.Vector3()).length();
    for (const body of layout.bodies) {
      if (body.moves || isGround(body) || reach[body.surface] > 0.75 * size || !inside(body.start, reach[body.surface]))
        continue;
      growBox(box, layout.surfaces[body.surface], body.start);
    }
    SurfaceMeshes.widen(box, frame.surfaces);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.box = box;
    this.centre = box.getCenter(new THREE.Vector3());
    this.radius = Math.max(0.05, 0.5 * box.getSize(new THREE.Vector3()).length());
    return unit;
  }

  /** The corners of the box fill the free part of the picture. way: from the bodies to the camera. */
  look(way = FROM, zoom = 1) {
    const { camera, size, margin, box } = this, out = new THREE.Vector3(...way).normalize();
    const aside = new THREE.Vector3(0, 0, 1).cross(out).normalize(), up = out.clone().cross(aside);
    const slope = Math.tan((0.5 * camera.fov * Math.PI) / 180) / ROOM; // of half the picture's height
    const tall = slope * Math.max(0.25, 1 - margin.bottom / size.height);
    const wide = slope * camera.aspect * Math.max(0.25, 1 - (margin.left + margin.right) / size.width);
    let distance = 0.05 * this.radius;
    for (let k = 0; k < 8; ++k) {
      const pick = (bit, axis) => ((k >> bit) & 1 ? box.max : box.min)[axis];
      const corner = new THREE.Vector3(pick(0, "x"), pick(1, "y"), pick(2, "z")).sub(this.centre);
      const need = Math.max(Math.abs(corner.dot(aside)) / wide, Math.abs(corner.dot(up)) / tall);
      distance = Math.max(distance, corner.dot(out) + need);
    }
    distance = Math.max(distance, 1.2 * slope * this.radius) / zoom;
    camera.up.set(0, 0, 1);
    this.stand(this.centre.clone().addScaledVector(out, distance), this.centre, distance);
  }

  /** As a camera of the scene file stands. */
  lookFrom({ position, target, up, fieldOfView }) {
    const from = new THREE.Vector3(...position), to = new THREE.Vector3(...target);
    this.camera.fov = fieldOfView;
    this.camera.up.set(...up).normalize();
    this.stand(from, to, Math.max(1e-6, from.distanceTo(to)));
  }

  stand(from, to, distance) {
    const { camera, controls } = this;
    Object.assign(camera, { near: distance / 500, far: Math.max(50 * distance, 80 * this.radius) });
    camera.updateProjectionMatrix();
    controls.target.copy(to);
    camera.position.copy(from);
    controls.update();
    this.anchor = null;
  }

  /** Turns about a point from now on, from half as far at most. */
  focus(point) {
    const { camera, controls } = this, back = camera.position.clone().sub(controls.target);
    const distance = Math.min(back.length(), Math.max(0.5 * back.length(), 0.2 * this.radius));
    this.stand(point.clone().add(back.setLength(distance)), point, distance);
  }

  /** Goes with a point; slack: only when it leaves a ball about where it was. */
  follow(point, slack) {
    if (!Number.isFinite(point.x + point.y + point.z)) return;
    if (!this.anchor) this.anchor = point.clone();
    const way = point.clone().sub(this.anchor), free = slack ? DEAD * this.radius : 0;
    if (way.length() <= free) return;
    way.setLength(way.length() - free);
    this.anchor.add(way);
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.controls.update();
  }
}

/** The corners of a surface at a pose; of a large one, some. */
function growBox(box, { vertices }, p) {
  const turn = new THREE.Quaternion(p[4], p[5], p[6], p[3]), v = new THREE.Vector3();
  const stride = 3 * Math.max(1, Math.floor(vertices.length / 900));
  for (let k = 0; k < vertices.length; k += stride)
    box.expandByPoint(v.set(vertices[k], vertices[k + 1], vertices[k + 2]).applyQuaternion(turn)
      .add({ x: p[0], y: p[1], z: p[2] }));
}

/** What lies within 1.5 times the distance of the quartiles beyond them, and some slack. */
function fence(values, slack) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return [0, 0];
  const low = sorted[sorted.length >> 2], high = sorted[(3 * sorted.length - 1) >> 2];
  const reach = 1.5 * (high - low) + slack;
  return [low - reach, high + reach];
}
