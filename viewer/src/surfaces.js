// SPDX-License-Identifier: MIT
// Elastic solids: their surfaces frame by frame, as cairn/record/elastic_page.cpp packs them behind a recording, and
// the meshes that show them.
import * as THREE from "three";
import { putAmount, putKind } from "./colours.js";

const MARK = "SURFACE1";

/** Where the surfaces of each frame are; they are decoded when they are shown. */
export class SurfaceTrack {
  /** The reader stands behind the frames; null where there are no surfaces. */
  static read(reader, frames) {
    if (reader.left < MARK.length || reader.tag(MARK.length) !== MARK) return null;
    return new SurfaceTrack(reader, frames);
  }

  constructor(reader, frames) {
    this.reader = reader;
    this.solids = reader.count();
    this.fastest = reader.f32();
    this.frames = Array.from({ length: frames }, () => Array.from({ length: this.solids }, () => this.find()));
  }

  find() {
    const { reader } = this, vertices = reader.count(), at = reader.at;
    reader.at += 16 * vertices;
    const triangles = reader.count(), indices = reader.at;
    reader.at += 12 * triangles;
    return { vertices, at, triangles, indices };
  }

  decode(number) {
    const { reader } = this;
    return this.frames[number].map(({ vertices, at, triangles, indices }) => {
      reader.at = at;
      const position = reader.floats(3 * vertices), speed = reader.floats(vertices);
      reader.at = indices;
      return { position, speed, index: reader.indices(3 * triangles) };
    });
  }
}

/** The meshes of all solids. */
export class SurfaceMeshes {
  constructor(scene) {
    this.scene = scene;
    this.meshes = [];
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.6, vertexColors: true, side: THREE.DoubleSide });
  }

  /** As many as there are solids; none: all go. */
  build(solids) {
    for (const mesh of this.meshes) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
    }
    this.meshes = Array.from({ length: solids }, () => {
      const mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
      Object.assign(mesh, { frustumCulled: false, castShadow: true, receiveShadow: true });
      this.scene.add(mesh);
      return mesh;
    });
  }

  show(surfaces, colourBy, fastest) {
    surfaces?.forEach(({ position, speed, index }, k) => {
      const geometry = new THREE.BufferGeometry(), colours = new Float32Array(position.length);
      for (let v = 0; v < speed.length; ++v) {
        if (colourBy === "body") putKind(k, colours, 3 * v);
        else putAmount(speed[v] / fastest, colours, 3 * v);
      }
      geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
      geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
      geometry.setIndex(new THREE.BufferAttribute(index, 1));
      geometry.computeVertexNormals();
      this.meshes[k].geometry.dispose();
      this.meshes[k].geometry = geometry;
    });
  }

  /** Makes a box hold all solids of a frame. */
  static widen(box, surfaces) {
    const point = new THREE.Vector3();
    for (const { position } of surfaces ?? [])
      for (let at = 0; at < position.length; at += 3)
        box.expandByPoint(point.set(position[at], position[at + 1], position[at + 2]));
  }
}
