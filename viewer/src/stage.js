// SPDX-License-Identifier: MIT
// What is seen: bodies as instances of their surfaces, shadows, contacts with normals and force arrows. z is up.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const MODE_COLOURS = [0x9aa0a6, 0x2a9d54, 0xd9480f]; // open, stick, slide
const FIXED = new THREE.Color(0xb9b9b4);
const PICKED = new THREE.Color(0xffd43b);
const UP = new THREE.Vector3(0, 1, 0); // along which three's cones point

/** Hues by the golden ratio: neighbours lie far apart. */
function bodyColour(index, out) {
  return out.setHSL((0.618033988749895 * index) % 1, 0.55, 0.55);
}

/** Blue, slow, over green to red, fast: 0 to 1. */
function speedColour(x, out) {
  return out.setHSL(0.62 * (1 - Math.min(1, x)), 0.75, 0.5);
}

export class Stage {
  constructor(canvas, recording) {
    this.recording = recording;
    this.colourBy = "body";
    this.showContacts = true;
    this.picked = -1;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(0xe8eef5);
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.measure();
    this.addLights();
    this.addBodies();
    this.addContacts();
    this.look();
  }

  /** The box of what moves over the run, by some frames, and the scales that follow from it. */
  measure() {
    const box = new THREE.Box3(), point = new THREE.Vector3(), run = this.recording;
    const reach = run.surfaces.map((s) => {
      let most = 0;
      for (let k = 0; k < s.vertices.length; k += 3)
        most = Math.max(most, Math.hypot(s.vertices[k], s.vertices[k + 1], s.vertices[k + 2]));
      return most;
    });
    this.fastest = 1e-6;
    this.strongest = 1e-12;
    const step = Math.max(1, Math.floor(run.frames.length / 12));
    for (let k = 0; k < run.frames.length; k += step) {
      const frame = run.frame(k);
      run.moving.forEach((body, i) => {
        point.fromArray(frame.pose, 7 * i);
        const r = reach[body.surface];
        if (k === 0 && Number.isFinite(point.length()))
          box.expandByPoint(point.clone().addScalar(r)).expandByPoint(point.clone().addScalar(-r));
        const speed = Math.hypot(...frame.velocity.subarray(6 * i, 6 * i + 3));
        if (Number.isFinite(speed)) this.fastest = Math.max(this.fastest, speed);
      });
      for (const c of frame.contacts) this.strongest = Math.max(this.strongest, Math.hypot(...c.impulse) || 0);
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.centre = box.getCenter(new THREE.Vector3());
    this.radius = Math.max(0.05, 0.5 * box.getSize(new THREE.Vector3()).length());
  }

  addLights() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x9a9488, 1.6));
    const sun = new THREE.DirectionalLight(0xffffff, 2.2), r = 1.6 * this.radius;
    sun.position.copy(this.centre).add(new THREE.Vector3(-2, -1.1, 3).multiplyScalar(this.radius));
    sun.target.position.copy(this.centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    sun.shadow.normalBias = 0.004 * this.radius;
    this.scene.add(sun, sun.target);
  }

  addBodies() {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.75, flatShading: true, side: THREE.DoubleSide });
    const owners = this.recording.surfaces.map(() => []);
    for (const body of this.recording.bodies) owners[body.surface].push(body);
    this.groups = this.recording.surfaces.map((surface, number) => {
      const bodies = owners[number];
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(surface.vertices, 3));
      geometry.setIndex(new THREE.BufferAttribute(surface.triangles, 1));
      geometry.computeVertexNormals();
      const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
      mesh.frustumCulled = false; // three keeps the bounds of instances and does not notice that they move
      mesh.castShadow = bodies.some((body) => body.moves);
      mesh.receiveShadow = true;
      this.scene.add(mesh);
      return { mesh, bodies };
    });
  }

  addContacts() {
    const count = this.recording.frames.reduce((most, frame) => Math.max(most, frame.contacts), 1);
    const size = 0.008 * this.radius;
    const instances = (geometry, colour) => {
      const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({ color: colour }), count);
      mesh.frustumCulled = false;
      this.scene.add(mesh);
      return mesh;
    };
    this.points = instances(new THREE.SphereGeometry(size, 8, 6), 0xffffff);
    // Of length 1 from the origin along y, to be stretched; heads keep their size.
    this.normals = instances(new THREE.CylinderGeometry(0.25 * size, 0.25 * size, 1, 5).translate(0, 0.5, 0), 0x3b5bdb);
    this.shafts = instances(new THREE.CylinderGeometry(0.4 * size, 0.4 * size, 1, 6).translate(0, 0.5, 0), 0xc2255c);
    this.heads = instances(new THREE.ConeGeometry(1.3 * size, 3.5 * size, 8), 0xc2255c);
  }

  look() {
    const distance = (1.15 * this.radius) / Math.sin((0.5 * this.camera.fov * Math.PI) / 180);
    this.camera.near = distance / 500;
    this.camera.far = distance * 50;
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(new THREE.Vector3(0.6, -1, 0.45).normalize(), distance);
    this.controls.update();
  }

  show(frame) {
    this.frame = frame;
    this.placeBodies(frame);
    this.placeContacts(frame);
  }

  placeBodies(frame) {
    const matrix = new THREE.Matrix4(), p = new THREE.Vector3(), q = new THREE.Quaternion();
    const one = new THREE.Vector3(1, 1, 1), colour = new THREE.Color();
    for (const { mesh, bodies } of this.groups) {
      bodies.forEach((body, k) => {
        const from = body.moves ? frame.pose : body.start, at = body.moves ? 7 * body.place : 0;
        p.set(from[at], from[at + 1], from[at + 2]);
        q.set(from[at + 4], from[at + 5], from[at + 6], from[at + 3]);
        // A body whose numbers broke down is not drawn.
        if (Number.isFinite(p.length() + q.length())) matrix.compose(p, q, one);
        else matrix.makeScale(0, 0, 0);
        mesh.setMatrixAt(k, matrix);
        mesh.setColorAt(k, this.colourOf(body, frame, colour));
      });
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
      mesh.boundingSphere = null; // for picking
    }
  }

  colourOf(body, frame, out) {
    if (body.index === this.picked) return out.copy(PICKED);
    if (!body.moves) return out.copy(FIXED);
    if (this.colourBy === "body") return bodyColour(body.index, out);
    const at = 6 * body.place;
    return speedColour(Math.hypot(...frame.velocity.subarray(at, at + 3)) / this.fastest || 0, out);
  }

  placeContacts(frame) {
    const parts = [this.points, this.normals, this.shafts, this.heads];
    for (const part of parts) part.count = this.showContacts ? frame.contacts.length : 0;
    if (!this.showContacts) return;
    const matrix = new THREE.Matrix4(), point = new THREE.Vector3(), way = new THREE.Vector3();
    const turn = new THREE.Quaternion(), scale = new THREE.Vector3(1, 1, 1), colour = new THREE.Color();
    const place = (mesh, k) => mesh.setMatrixAt(k, matrix.compose(point, turn, scale));
    frame.contacts.forEach((c, k) => {
      point.fromArray(c.point);
      place(this.points, k);
      this.points.setColorAt(k, colour.setHex(MODE_COLOURS[c.mode] ?? 0));
      turn.setFromUnitVectors(UP, way.fromArray(c.normal).normalize());
      scale.y = 0.06 * this.radius;
      place(this.normals, k);
      const impulse = way.fromArray(c.impulse).length();
      turn.setFromUnitVectors(UP, way.normalize());
      // Lengths as the root of the force, so that small ones are seen beside large ones.
      scale.setScalar(impulse > 0 ? 1 : 0);
      scale.y = 0.3 * this.radius * Math.sqrt(impulse / this.strongest);
      place(this.shafts, k);
      point.addScaledVector(way, scale.y);
      scale.y = scale.x;
      place(this.heads, k);
      scale.set(1, 1, 1);
      turn.identity();
    });
    for (const part of parts) part.instanceMatrix.needsUpdate = true;
    if (this.points.instanceColor) this.points.instanceColor.needsUpdate = true;
  }

  /** The body under a place of the canvas (-1 to 1 each), or -1. */
  bodyAt(x, y) {
    const ray = new THREE.Raycaster();
    this.scene.updateMatrixWorld();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const hits = ray.intersectObjects(this.groups.map((group) => group.mesh));
    if (hits.length === 0) return -1;
    return this.groups.find((group) => group.mesh === hits[0].object).bodies[hits[0].instanceId].index;
  }

  /** Where a point of the world is on the canvas, -1 to 1 each. */
  project(x, y, z) {
    this.camera.updateMatrixWorld();
    const p = new THREE.Vector3(x, y, z).project(this.camera);
    return [p.x, p.y];
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  draw() { this.renderer.render(this.scene, this.camera); }
}
