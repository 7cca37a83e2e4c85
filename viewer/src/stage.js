// SPDX-License-Identifier: MIT
// What is seen: bodies as instances of their surfaces, their colours, and what is under the pointer. z is up.
import * as THREE from "three";
import { Backdrop, isGround } from "./backdrop.js";
import { Rig } from "./camera.js";
import { one, putAmount, putKind, putOne, theme } from "./colours.js";
import { AWAKE, QUARANTINED } from "./frame.js";
import { ContactGlyphs } from "./contact_glyphs.js";
import { JointGlyphs, Spring } from "./joint_glyphs.js";
import { drawnSurfaces } from "./simplify.js";
import { bodyMaterial, shadedSurface } from "./surface.js";
import { SurfaceMeshes } from "./surfaces.js";

const FADE = 0.995; // per frame, of the scales that follow a live run
const SLOW_MS = 200, SLOW_PICTURES = 8; // when shadows go, then pixels
const PICKED = 0.6; // how far the colour of the picked body goes towards that of picking
const HIDE_EVERY_MS = 250, HIDE_RAYS = 7, HIDE_TRIANGLES = 20_000; // walls that hide the bodies are looked for

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.colourBy = "body";
    this.picked = -1;
    this.groups = [];
    this.fastest = this.strongest = 1e-9;
    Object.assign(this, { dirty: true, shadows: true, slow: 0, quality: 2, walls: true, looked: 0 });
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.rig = new Rig(canvas, () => (this.dirty = true));
    this.backdrop = new Backdrop(this.scene);
    this.ray = new THREE.Raycaster();
    this.material = bodyMaterial();
    this.contacts = new ContactGlyphs(this.scene);
    this.joints = new JointGlyphs(this.scene);
    this.spring = new Spring(this.scene);
    this.surfaces = new SurfaceMeshes(this.scene);
    this.useTheme();
  }

  get camera() { return this.rig.camera; }
  get controls() { return this.rig.controls; }
  get radius() { return this.rig.radius; }
  get sun() { return this.backdrop.sun; }

  /** Bodies of a new layout in place of the old ones. */
  build(layout) {
    this.layout = layout;
    for (const { mesh } of this.groups) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      if (mesh.material !== this.material) mesh.material.dispose();
      mesh.dispose();
    }
    this.backdrop.build(layout);
    // What stays has a material of its own, so that a wall which hides the others can be looked through.
    const owners = new Map();
    for (const body of layout.bodies.filter((b) => !isGround(b))) {
      const key = `${body.surface} ${body.moves && !seenThrough(body) ? "moves" : body.index}`;
      if (!owners.has(key)) owners.set(key, []);
      owners.get(key).push(body);
    }
    const surfaces = drawnSurfaces(layout), shaded = new Map();
    const geometry = (number) => {
      if (!shaded.has(number)) shaded.set(number, shadedSurface(surfaces[number]));
      return shaded.get(number);
    };
    const groups = mergeFixed([...owners.values()]);
    this.groups = groups.map((bodies) => this.instances(geometry(bodies[0].surface), bodies));
    this.surfaces.build(layout.solids ?? 0);
    this.painted = null;
  }

  /** One mesh for all bodies of a surface; what does not move is placed here and never again. */
  instances(geometry, bodies) {
    const moves = bodies.some((body) => body.moves), [first] = bodies;
    const clear = seenThrough(first) ? { transparent: true, opacity: first.colour[3], depthWrite: false } : null;
    const material = clear || !moves ? bodyMaterial(clear ?? {}) : this.material;
    const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * bodies.length), 3);
    mesh.frustumCulled = false; // three keeps the bounds of instances and does not notice that they move
    mesh.castShadow = !clear;
    mesh.receiveShadow = true;
    const numbers = (name) => Int32Array.from(bodies, (body) => body[name]);
    bodies.forEach((body, k) => putPose(body.start, 0, mesh.instanceMatrix.array, 16 * k));
    this.scene.add(mesh);
    return { mesh, index: numbers("index"), place: numbers("place"), clear: clear !== null,
      triangles: (bodies.length * geometry.getAttribute("position").count) / 3 };
  }

  useTheme() {
    const { fixed, still, picked } = theme();
    this.backdrop.useTheme();
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
    const unit = this.rig.measure(this.layout, frame), { centre, radius } = this.rig;
    this.backdrop.measure(centre, radius);
    this.contacts.setSize(Math.min(0.008 * radius, 0.12 * unit), radius);
    this.joints.setSize(Math.min(0.06 * radius, 0.5 * unit));
    this.spring.setSize(0.012 * radius);
  }

  /** The camera on the bodies of a frame. */
  aim(frame, way, zoom) {
    this.rig.measure(this.layout, frame);
    this.backdrop.placeSun(this.rig.centre, this.rig.radius);
    this.rig.look(way, zoom);
  }

  /** Mean place of the bodies, and how far they are spread. */
  spreadOf(frame) {
    const mean = new THREE.Vector3(), { pose, moving } = frame;
    let squares = 0, count = 0;
    for (let i = 0; i < moving; ++i) {
      const x = pose[7 * i], y = pose[7 * i + 1], z = pose[7 * i + 2];
      if (!Number.isFinite(x + y + z)) continue;
      mean.x += x, mean.y += y, mean.z += z, squares += x * x + y * y + z * z, count += 1;
    }
    if (count === 0) return null;
    mean.divideScalar(count);
    return { mean, spread: Math.sqrt(Math.max(0, squares / count - mean.lengthSq())) };
  }

  show(frame) {
    this.dirty = true;
    if (this.follow) this.followScales(frame);
    const spread = this.spreadOf(frame);
    if (spread) this.backdrop.followShadows(spread);
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
    this.frame = frame;
  }

  /** Large fixed bodies between the camera and the others are seen through; looked at a few times a second. */
  clearWalls(now) {
    if (!this.frame || now - this.looked < HIDE_EVERY_MS) return;
    this.looked = now;
    const walls = this.groups.filter(({ place, clear, triangles }) =>
      place[0] < 0 && !clear && triangles < HIDE_TRIANGLES);
    if (walls.length === 0) return;
    const hits = new Map(walls.map(({ mesh }) => [mesh, 0])), { pose, moving } = this.frame;
    const stride = Math.max(1, Math.floor(moving / HIDE_RAYS)), eye = this.camera.position;
    let rays = 0;
    for (let i = 0; i < moving && rays < 2 * HIDE_RAYS; i += stride, ++rays) {
      const way = new THREE.Vector3(pose[7 * i], pose[7 * i + 1], pose[7 * i + 2]).sub(eye), far = way.length();
      if (!Number.isFinite(far)) continue;
      this.ray.set(eye, way.normalize());
      this.ray.far = 0.98 * far;
      for (const mesh of new Set(this.ray.intersectObjects([...hits.keys()]).map((hit) => hit.object)))
        hits.set(mesh, hits.get(mesh) + 1);
    }
    this.ray.far = Infinity;
    for (const [mesh, count] of hits) this.setClear(mesh, this.walls && count > 0.3 * rays);
  }

  setClear(mesh, clear) {
    const { material } = mesh;
    if (material.transparent === clear) return;
    Object.assign(material, { transparent: clear, opacity: clear ? 0.22 : 1, depthWrite: !clear, needsUpdate: true });
    mesh.castShadow = !clear;
    this.dirty = true;
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
    this.putPlain(index, place, frame, out, at);
    if (index !== this.picked) return;
    for (let k = 0; k < 3; ++k) out[at + k] = (1 - PICKED) * out[at + k] + PICKED * this.pickedColour[k];
  }

  putPlain(index, place, frame, out, at) {
    const { colour } = this.layout.bodies[index];
    if (place < 0) return putOne(colour ?? this.fixedColour, out, at);
    switch (this.colourBy) {
      case "body": return this.putOwn(this.layout.bodies[index], out, at);
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

  /** The colour that the scene gives a body, or one that tells it from its neighbours. */
  putOwn({ colour, index }, out, at) { colour ? putOne(colour, out, at) : putKind(index, out, at); }

  /** A ray through a place of the canvas, -1 to 1 each. */
  rayAt(x, y) {
    this.camera.updateMatrixWorld();
    this.ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return this.ray.ray;
  }

  /** The body under a place of the canvas and the point of it; null: none. Grounds are none. */
  hitAt(x, y) {
    this.rayAt(x, y);
    this.scene.updateMatrixWorld();
    const solid = this.groups.filter(({ mesh }) => !mesh.material.transparent).map(({ mesh }) => mesh);
    const [hit] = this.ray.intersectObjects(solid);
    if (!hit) return null;
    return { point: hit.point, body: this.groups.find(({ mesh }) => mesh === hit.object).index[hit.instanceId] };
  }

  /** The body under a place of the canvas, or -1. */
  bodyAt(x, y) { return this.hitAt(x, y)?.body ?? -1; }

  /** A point to look at: of a body, else of a ground; null: the sky. */
  pointAt(x, y) {
    const hit = this.hitAt(x, y);
    if (hit) return hit.point;
    return this.ray.intersectObjects(this.backdrop.grounds)[0]?.point ?? null;
  }

  /** Where a point of the world is on the canvas, -1 to 1 each. */
  project(x, y, z) {
    this.camera.updateMatrixWorld();
    const p = new THREE.Vector3(x, y, z).project(this.camera);
    return [p.x, p.y];
  }

  resize(width, height, margin) {
    this.dirty = true;
    this.renderer.setPixelRatio(this.quality > 0 ? Math.min(2, window.devicePixelRatio) : 0.6);
    this.renderer.setSize(width, height, false);
    this.rig.resize(width, height, margin);
  }

  /** Draws what is new since the last picture; false: nothing is. */
  draw() {
    if (!this.dirty) return false;
    this.clearWalls(performance.now());
    this.dirty = false;
    this.backdrop.follow(this.camera);
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
    const { size, margin } = this.rig;
    this.resize(size.width, size.height, margin);
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

/** Whether the scene says that a body is seen through. */
function seenThrough({ colour }) { return colour !== null && colour[3] < 1; }

/** Fixed bodies by themselves are a draw call each: beyond some, those of a surface share one. */
function mergeFixed(groups) {
  const alone = groups.filter(([body]) => !body.moves && !seenThrough(body));
  if (alone.length <= 32) return groups;
  const merged = new Map();
  for (const [body] of alone) {
    if (!merged.has(body.surface)) merged.set(body.surface, []);
    merged.get(body.surface).push(body);
  }
  return [...groups.filter((group) => !alone.includes(group)), ...merged.values()];
}
