// SPDX-License-Identifier: MIT
// What is seen: bodies as instances of their surfaces, light and shadow, the camera. z is up.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { one, putAmount, putKind, putOne, theme } from "./colours.js";
import { AWAKE, QUARANTINED } from "./frame.js";
import { ContactGlyphs } from "./contact_glyphs.js";
import { JointGlyphs, Spring } from "./joint_glyphs.js";
import { reaches } from "./layout.js";
import { drawnSurfaces } from "./simplify.js";
import { SurfaceMeshes } from "./surfaces.js";

const FROM = [0.6, -1, 0.45]; // the camera, at first
const FADE = 0.995; // per frame, of the scales that follow a live run
const SLOW_MS = 200, SLOW_PICTURES = 8; // when shadows go, then pixels

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.colourBy = "body";
    this.picked = -1;
    this.groups = [];
    this.fastest = this.strongest = 1e-9;
    Object.assign(this, { margin: { right: 0, bottom: 0 }, dirty: true, shadows: true, slow: 0, quality: 2 });
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.ray = new THREE.Raycaster();
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.75, flatShading: true, side: THREE.DoubleSide });
    this.contacts = new ContactGlyphs(this.scene);
    this.joints = new JointGlyphs(this.scene);
    this.spring = new Spring(this.scene);
    this.surfaces = new SurfaceMeshes(this.scene);
    this.addLights();
    this.useTheme();
  }

  /** Bodies of a new layout in place of the old ones. */
  build(layout) {
    this.layout = layout;
    for (const { mesh } of this.groups) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      mesh.dispose();
    }
    const owners = layout.surfaces.map(() => []);
    for (const body of layout.bodies) owners[body.surface].push(body);
    this.groups = drawnSurfaces(layout).map((surface, number) => this.instances(surface, owners[number]));
    this.surfaces.build(layout.solids ?? 0);
    this.painted = null;
  }

  /** One mesh for all bodies of a surface; what does not move is placed here and never again. */
  instances(surface, bodies) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(surface.vertices, 3));
    geometry.setIndex(new THREE.BufferAttribute(surface.triangles, 1));
    geometry.computeVertexNormals();
    const mesh = new THREE.InstancedMesh(geometry, this.material, bodies.length);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * bodies.length), 3);
    mesh.frustumCulled = false; // three keeps the bounds of instances and does not notice that they move
    mesh.castShadow = bodies.some((body) => body.moves);
    mesh.receiveShadow = true;
    const numbers = (name) => Int32Array.from(bodies, (body) => body[name]);
    bodies.forEach((body, k) => putPose(body.start, 0, mesh.instanceMatrix.array, 16 * k));
    this.scene.add(mesh);
    return { mesh, index: numbers("index"), place: numbers("place") };
  }

  addLights() {
    this.sky = new THREE.HemisphereLight(0xffffff, 0xb0aaa0, 2);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  useTheme() {
    const { sky, fixed, still, picked } = theme();
    this.scene.background = new THREE.Color(sky);
    this.fixedColour = one(fixed);
    this.stillColour = one(still);
    this.pickedColour = one(picked);
    this.painted = null;
    this.dirty = true;
  }

  /** Scales of colours [m/s] and arrows [N s]; none: they follow the run. */
  setScales({ fastest, strongest }) {
    this.follow = fastest === 0;
    this.fastest = Math.max(1e-6, fastest);
    this.strongest = Math.max(1e-12, strongest);
  }

  /** Camera, light and sizes from the bodies of a frame. */
  measure(frame) {
    const unit = this.aim(frame);
    this.contacts.setSize(Math.min(0.008 * this.radius, 0.12 * unit), this.radius);
    this.joints.setSize(Math.min(0.06 * this.radius, 0.5 * unit));
    this.spring.setSize(0.012 * this.radius);
  }

  /**
   * The camera on the bodies of a frame. Those far from most others, beyond Tukey's fences, do not widen the view.
   * Returns how far a usual body reaches. way: from the bodies to the camera; zoom: nearer when more than 1.
   */
  aim(frame, way = FROM, zoom = 1) {
    const reach = reaches(this.layout), box = new THREE.Box3();
    const { moving } = this.layout, sizes = moving.map((body) => reach[body.surface]).sort((a, b) => a - b);
    const unit = sizes[sizes.length >> 1] ?? 1;
    const fences = [0, 1, 2].map((axis) => fence(moving.map((_, i) => frame.pose[7 * i + axis]), 4 * unit));
    moving.forEach((body, i) => {
      const p = frame.pose.subarray(7 * i, 7 * i + 3), r = reach[body.surface];
      if (!fences.every(([low, high], axis) => p[axis] >= low && p[axis] <= high)) return;
      box.expandByPoint(new THREE.Vector3(p[0] - r, p[1] - r, p[2] - r));
      box.expandByPoint(new THREE.Vector3(p[0] + r, p[1] + r, p[2] + r));
    });
    SurfaceMeshes.widen(box, frame.surfaces);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.centre = box.getCenter(new THREE.Vector3());
    this.radius = Math.max(0.05, 0.5 * box.getSize(new THREE.Vector3()).length());
    this.placeSun();
    this.look(new THREE.Vector3(...way).normalize(), zoom);
    return unit;
  }

  /** The light and its shadows around a ball. */
  placeSun(centre = this.centre, radius = this.radius) {
    const { sun } = this, r = 1.6 * radius;
    this.lit = { centre: centre.clone(), radius };
    sun.position.copy(centre).add(new THREE.Vector3(-2, -1.1, 3).multiplyScalar(radius));
    sun.target.position.copy(centre);
    Object.assign(sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    sun.shadow.camera.updateProjectionMatrix();
    sun.shadow.normalBias = 0.004 * radius;
  }

  /** Shadows go with the bodies: a ball of their mean place and spread, moved when they have left the one before. */
  followShadows(frame) {
    if (!this.lit || !this.sun.castShadow || frame.moving === 0) return;
    const mean = new THREE.Vector3(), { pose, moving } = frame;
    let squares = 0, count = 0;
    for (let i = 0; i < moving; ++i) {
      const x = pose[7 * i], y = pose[7 * i + 1], z = pose[7 * i + 2];
      if (!Number.isFinite(x + y + z)) continue;
      mean.x += x, mean.y += y, mean.z += z, squares += x * x + y * y + z * z, count += 1;
    }
    if (count === 0) return;
    mean.divideScalar(count);
    const spread = Math.sqrt(Math.max(0, squares / count - mean.lengthSq()));
    const reach = Math.min(Math.max(this.radius, 2 * spread), 20 * this.radius), { centre, radius } = this.lit;
    if (mean.distanceTo(centre) > 0.5 * radius || reach > 1.3 * radius || reach < radius / 2)
      this.placeSun(mean, 1.2 * reach);
  }

  /** As a camera of the scene file stands. */
  lookFrom({ position, target, up, fieldOfView }) {
    const distance = Math.max(1e-6, new THREE.Vector3(...position).distanceTo(new THREE.Vector3(...target)));
    Object.assign(this.camera, { fov: fieldOfView, near: distance / 500, far: distance * 50 });
    this.camera.up.set(...up).normalize();
    this.camera.position.set(...position);
    this.camera.updateProjectionMatrix();
    this.controls.target.set(...target);
    this.controls.update();
    this.dirty = true;
  }

  /** A ball around the bodies fills what the panels leave of the picture. */
  look(way, zoom) {
    const { width, height } = this.size, free = Math.min(height - this.margin.bottom, width - this.margin.right);
    const half = (Math.tan((0.5 * this.camera.fov * Math.PI) / 180) * free) / height;
    const distance = (1.02 * this.radius) / Math.sin(Math.atan(half)) / zoom;
    this.camera.near = distance / 500;
    this.camera.far = distance * 50;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(way, distance);
    this.controls.update();
  }

  show(frame) {
    this.dirty = true;
    if (this.follow) this.followScales(frame);
    this.followShadows(frame);
    for (const { mesh, place } of this.groups) {
      const matrices = mesh.instanceMatrix.array;
      for (let k = 0; k < place.length; ++k) if (place[k] >= 0) putPose(frame.pose, 7 * place[k], matrices, 16 * k);
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // for picking
    }
    this.paint(frame);
    this.surfaces.show(frame.surfaces, this.colourBy, this.fastest);
    this.contacts.show(frame.contacts, this.strongest);
    this.joints.show(this.layout, frame);
  }

  followScales(frame) {
    let fastest = 1e-6, strongest = 1e-12;
    for (let i = 0; i < frame.moving; ++i) fastest = Math.max(fastest, frame.speed(i) || 0);
    const { count, vectors } = frame.contacts;
    for (let k = 0, at = 6; k < count; ++k, at += 9)
      strongest = Math.max(strongest, Math.hypot(vectors[at], vectors[at + 1], vectors[at + 2]) || 0);
    this.fastest = Math.max(fastest, FADE * this.fastest);
    this.strongest = Math.max(strongest, FADE * this.strongest);
  }

  /** Colours that say which body it is change only when another body is picked. */
  paint(frame) {
    const key = this.colourBy === "body" ? `body ${this.picked}` : null;
    if (key !== null && key === this.painted) return;
    this.painted = key;
    this.most = 1;
    if (this.colourBy === "sub-bodies") for (const count of frame.subBodies) this.most = Math.max(this.most, count);
    for (const { mesh, index, place } of this.groups) {
      const colours = mesh.instanceColor.array;
      for (let k = 0; k < index.length; ++k) this.putColour(index[k], place[k], frame, colours, 3 * k);
      mesh.instanceColor.needsUpdate = true;
    }
  }

  putColour(index, place, frame, out, at) {
    if (index === this.picked) return putOne(this.pickedColour, out, at);
    if (place < 0) return putOne(this.fixedColour, out, at);
    switch (this.colourBy) {
      case "body": return putKind(index, out, at);
      case "speed": return putAmount(frame.speed(place) / this.fastest, out, at);
      case "island":
        return frame.island[place] < 0 ? putOne(this.stillColour, out, at) : putKind(frame.island[place], out, at);
      case "sleep":
        if (frame.flags[place] & QUARANTINED) return putKind(3, out, at);
        return frame.flags[place] & AWAKE ? putKind(1, out, at) : putKind(0, out, at);
      case "sub-bodies": return putAmount(frame.subBodies[place] / this.most, out, at);
      default: return putOne(this.stillColour, out, at); // graph colours are those of the contacts
    }
  }

  /** What the colours say, as a line of text. */
  legend() {
    return { speed: `\nviolet 0 to yellow ${this.fastest.toPrecision(2)} m/s`, island: "\na colour for each island",
      sleep: "\norange awake, blue asleep, red quarantined", graph: "\ncontacts: a colour for each graph colour",
      "sub-bodies": `\nviolet 0 to yellow ${this.most} sub-bodies` }[this.colourBy] ?? "";
  }

  /** A ray through a place of the canvas, -1 to 1 each. */
  rayAt(x, y) {
    this.camera.updateMatrixWorld();
    this.ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return this.ray.ray;
  }

  /** The body under a place of the canvas, or -1. */
  bodyAt(x, y) {
    this.rayAt(x, y);
    this.scene.updateMatrixWorld();
    const hits = this.ray.intersectObjects(this.groups.map((group) => group.mesh));
    if (hits.length === 0) return -1;
    return this.groups.find((group) => group.mesh === hits[0].object).index[hits[0].instanceId];
  }

  /** Where a point of the world is on the canvas, -1 to 1 each. */
  project(x, y, z) {
    this.camera.updateMatrixWorld();
    const p = new THREE.Vector3(x, y, z).project(this.camera);
    return [p.x, p.y];
  }

  /** margin: what the panels cover at the right and at the bottom; the scene is drawn in the middle of the rest. */
  resize(width, height, margin) {
    Object.assign(this, { size: { width, height }, margin, dirty: true });
    this.renderer.setPixelRatio(this.quality > 0 ? Math.min(2, window.devicePixelRatio) : 0.6);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, margin.right / 2, margin.bottom / 2, width, height);
  }

  /** Draws what is new since the last picture; false: nothing is. */
  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  /** Without a graphics card pictures are slow: after some slow ones the shadows go, then a part of the pixels. */
  pace(ms) {
    this.slow = ms > SLOW_MS ? this.slow + 1 : 0;
    if (this.slow < SLOW_PICTURES || this.quality === 0) return;
    this.slow = 0;
    this.setQuality(this.quality - 1);
    this.onShadows?.(false); // the mark in the panel says what is drawn
  }

  /** 2: as good as it can be. */
  setQuality(quality) {
    this.quality = quality;
    this.sun.castShadow = this.shadows && quality === 2;
    this.resize(this.size.width, this.size.height, this.margin);
  }
}

/** A column-major matrix from position and quaternion w, x, y, z; a body whose numbers broke down is not drawn. */
function putPose(pose, from, out, at) {
  const px = pose[from], py = pose[from + 1], pz = pose[from + 2];
  const w = pose[from + 3], x = pose[from + 4], y = pose[from + 5], z = pose[from + 6];
  if (!Number.isFinite(px + py + pz + w + x + y + z)) { out.fill(0, at, at + 16); return; }
  out[at] = 1 - 2 * (y * y + z * z), out[at + 1] = 2 * (x * y + w * z), out[at + 2] = 2 * (x * z - w * y);
  out[at + 4] = 2 * (x * y - w * z), out[at + 5] = 1 - 2 * (x * x + z * z), out[at + 6] = 2 * (y * z + w * x);
  out[at + 8] = 2 * (x * z + w * y), out[at + 9] = 2 * (y * z - w * x), out[at + 10] = 1 - 2 * (x * x + y * y);
  out[at + 12] = px, out[at + 13] = py, out[at + 14] = pz;
  out[at + 3] = out[at + 7] = out[at + 11] = 0, out[at + 15] = 1;
}

/** What lies within 1.5 times the distance of the quartiles beyond them, and some slack. */
function fence(values, slack) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return [0, 0];
  const low = sorted[sorted.length >> 2], high = sorted[(3 * sorted.length - 1) >> 2];
  const reach = 1.5 * (high - low) + slack;
  return [low - reach, high + reach];
}
