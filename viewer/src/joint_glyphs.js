// SPDX-License-Identifier: MIT
// Joints as the axes of their two frames with a line between them, and the spring by which a body is dragged.
import * as THREE from "three";
import { AXIS_COLOURS, SPRING_COLOUR } from "./colours.js";

const SEGMENTS = 7; // of a joint: three axes of both frames, and the line between
const COILS = 9, COIL_POINTS = 160;

export class JointGlyphs {
  constructor(scene) {
    this.scene = scene;
    this.shown = false;
    this.size = 0.1;
    const material = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false });
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 1;
    scene.add(this.lines);
  }

  setSize(size) { this.size = size; }

  build(layout) {
    this.layout = layout;
    const points = 2 * SEGMENTS * layout.joints.length, colours = new Float32Array(3 * points);
    const list = [...AXIS_COLOURS, ...AXIS_COLOURS, SPRING_COLOUR].map((colour) => new THREE.Color(colour));
    for (let p = 0; p < points; ++p) list[(p >> 1) % SEGMENTS].toArray(colours, 3 * p);
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry();
    this.lines.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * points), 3));
    this.lines.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  }

  show(layout, frame) {
    this.lines.visible = this.shown && layout.joints.length > 0;
    if (!this.lines.visible) return;
    if (this.layout !== layout) this.build(layout);
    const attribute = this.lines.geometry.getAttribute("position"), out = attribute.array;
    const p = new THREE.Vector3(), q = new THREE.Quaternion(), tip = new THREE.Vector3(), from = new THREE.Vector3();
    let at = 0;
    const put = (v) => { v.toArray(out, at); at += 3; };
    for (const { a, b, frameA, frameB } of layout.joints) {
      for (const [body, local, size] of [[a, frameA, 1], [b, frameB, 0.7]]) {
        place(layout.bodies[body], frame, local, p, q);
        for (let axis = 0; axis < 3; ++axis) {
          put(p);
          tip.set(0, 0, 0).setComponent(axis, size * this.size);
          put(tip.applyQuaternion(q).add(p));
        }
        if (size === 1) from.copy(p);
      }
      put(from);
      put(p);
    }
    attribute.needsUpdate = true;
  }
}

/** A frame of a body (none: of the world) in the world. */
function place(body, frame, local, p, q) {
  p.set(local[0], local[1], local[2]);
  q.set(local[4], local[5], local[6], local[3]);
  if (!body) return;
  const pose = frame.poseOf(body), turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
  p.applyQuaternion(turn).add(new THREE.Vector3(pose[0], pose[1], pose[2]));
  q.premultiply(turn);
}

export class Spring {
  constructor(scene) {
    const material = new THREE.LineBasicMaterial({ color: SPRING_COLOUR, depthTest: false });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * COIL_POINTS), 3));
    this.line = new THREE.Line(geometry, material);
    this.ends = [0, 1].map(() => new THREE.Mesh(new THREE.SphereGeometry(1, 12, 8),
      new THREE.MeshBasicMaterial({ color: SPRING_COLOUR, depthTest: false })));
    this.group = new THREE.Group();
    this.group.add(this.line, ...this.ends);
    this.group.traverse((part) => { part.frustumCulled = false; part.renderOrder = 2; });
    this.group.visible = false;
    scene.add(this.group);
  }

  setSize(size) { this.size = size; }

  hide() { this.group.visible = false; }

  /** A coil from where the body is held to the hand. */
  show(anchor, hand) {
    const way = hand.clone().sub(anchor), length = way.length();
    const across = new THREE.Vector3(0, 0, 1).cross(way);
    if (across.length() < 1e-6 * (1 + length)) across.set(1, 0, 0);
    across.normalize();
    const other = way.clone().normalize().cross(across), point = new THREE.Vector3();
    const attribute = this.line.geometry.getAttribute("position");
    for (let k = 0; k < COIL_POINTS; ++k) {
      const x = k / (COIL_POINTS - 1), angle = 2 * Math.PI * COILS * x;
      const r = this.size * Math.min(1, 12 * x, 12 * (1 - x), length / this.size);
      point.copy(anchor).addScaledVector(way, x);
      point.addScaledVector(across, r * Math.cos(angle)).addScaledVector(other, r * Math.sin(angle));
      point.toArray(attribute.array, 3 * k);
    }
    attribute.needsUpdate = true;
    this.ends[0].position.copy(anchor);
    this.ends[1].position.copy(hand);
    for (const end of this.ends) end.scale.setScalar(0.6 * this.size);
    this.group.visible = true;
  }
}
