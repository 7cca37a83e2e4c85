// SPDX-License-Identifier: MIT
// Around the bodies: sky with a horizon, endless grounds with a grid whose lines are metres apart, sun and shadow.
import * as THREE from "three";
import { theme } from "./colours.js";

const GROUND_REACH = 60; // of the radius of the scene: there the ground has become the horizon
const SUN = [-1.3, -1.5, 3];

export class Backdrop {
  constructor(scene) {
    this.scene = scene;
    this.grounds = [];
    this.spacing = 1;
    this.sky = new THREE.HemisphereLight(0xffffff, 0xffffff, 1.5);
    this.sun = new THREE.DirectionalLight(0xfff4e2, 2.6);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0006;
    this.dome = makeDome();
    scene.add(this.sky, this.sun, this.sun.target, this.dome);
  }

  useTheme() {
    const { horizon, zenith, ground, line, shade } = theme();
    this.scene.background = new THREE.Color(horizon);
    this.dome.material.uniforms.horizon.value.set(horizon);
    this.dome.material.uniforms.zenith.value.set(zenith);
    this.sky.groundColor.set(shade);
    for (const { material } of this.grounds) {
      material.color.set(ground);
      material.userData.line.value.set(line);
      material.userData.horizon.value.set(horizon);
    }
  }

  /** Half-spaces that stay where they are become grounds without an end. */
  build(layout) {
    for (const mesh of this.grounds) this.scene.remove(mesh), mesh.geometry.dispose(), mesh.material.dispose();
    this.grounds = layout.bodies.filter(isGround).map((body) => makeGround(layout.surfaces[body.surface], body.start));
    for (const mesh of this.grounds) this.scene.add(mesh);
    this.useTheme();
    if (this.centre) this.measure(this.centre, this.radius);
  }

  /** The grid suits the scene: a field is the power of ten below its radius. */
  measure(centre, radius) {
    Object.assign(this, { centre: centre.clone(), radius });
    this.spacing = 10 ** Math.floor(Math.log10(radius));
    for (const mesh of this.grounds) {
      // The middle of the ground is under the scene, on a crossing of lines.
      const local = mesh.userData.inverse.clone().multiply(new THREE.Matrix4().setPosition(centre));
      const snap = (k) => Math.round(local.elements[12 + k] / (10 * this.spacing)) * 10 * this.spacing;
      mesh.matrix.copy(mesh.userData.pose).multiply(new THREE.Matrix4().makeTranslation(snap(0), snap(1), 0));
      mesh.matrix.scale(new THREE.Vector3(GROUND_REACH * radius, GROUND_REACH * radius, 1));
      mesh.matrixWorldNeedsUpdate = true;
      mesh.material.userData.spacing.value = this.spacing;
      mesh.material.userData.reach.value = 0.5 * GROUND_REACH * radius;
    }
    this.placeSun(centre, radius);
  }

  /** The light and its shadows around a ball. */
  placeSun(centre, radius) {
    const { sun } = this, r = 1.6 * radius;
    this.lit = { centre: centre.clone(), radius };
    sun.position.copy(centre).add(new THREE.Vector3(...SUN).multiplyScalar(radius));
    sun.target.position.copy(centre);
    Object.assign(sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    sun.shadow.camera.updateProjectionMatrix();
    sun.shadow.normalBias = 0.004 * radius;
  }

  /** Shadows go with the bodies: a ball of their mean place and spread, moved when they have left the one before. */
  followShadows({ mean, spread }) {
    if (!this.lit || !this.sun.castShadow) return;
    const reach = Math.min(Math.max(this.radius, 2 * spread), 20 * this.radius), { centre, radius } = this.lit;
    if (mean.distanceTo(centre) > 0.5 * radius || reach > 1.3 * radius || reach < radius / 2)
      this.placeSun(mean, 1.2 * reach);
  }

  /** The dome is always around the camera. */
  follow(camera) {
    this.dome.position.copy(camera.position);
    this.dome.scale.setScalar(0.9 * camera.far);
  }
}

export function isGround(body) { return !body.moves && body.shape === "half_space"; }

function makeDome() {
  const material = new THREE.ShaderMaterial({
    uniforms: { horizon: { value: new THREE.Color() }, zenith: { value: new THREE.Color() } },
    vertexShader: "varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `uniform vec3 horizon, zenith; varying vec3 way;
      void main() {
        gl_FragColor = vec4(mix(horizon, zenith, smoothstep(0.0, 0.55, normalize(way).z)), 1.0);
        #include <colorspace_fragment>
      }`,
    side: THREE.BackSide, depthWrite: false,
  });
  const dome = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), material);
  dome.frustumCulled = false;
  dome.renderOrder = -1;
  return dome;
}

/** A square of side 1 in the plane of the half-space; its size comes with the scene. */
function makeGround(surface, start) {
  const at = (k) => new THREE.Vector3(...surface.vertices.subarray(3 * k, 3 * k + 3));
  const [a, b, c] = [0, 1, 2].map((k) => at(surface.triangles[k]));
  const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
  const turn = new THREE.Quaternion(start[4], start[5], start[6], start[3]);
  normal.applyQuaternion(turn);
  const point = a.applyQuaternion(turn).add(new THREE.Vector3(start[0], start[1], start[2]));
  const across = Math.abs(normal.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  across.addScaledVector(normal, -across.dot(normal)).normalize();
  const origin = normal.clone().multiplyScalar(point.dot(normal)); // nearest to that of the world: lines at whole metres
  const pose = new THREE.Matrix4().makeBasis(across, normal.clone().cross(across), normal).setPosition(origin);
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), groundMaterial());
  mesh.matrixAutoUpdate = false;
  mesh.receiveShadow = true;
  mesh.userData = { pose, inverse: pose.clone().invert() };
  return mesh;
}

/** Lines at every field and stronger ones at every tenth; both fade where they would be too dense, and into the sky. */
function groundMaterial() {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.95, side: THREE.DoubleSide,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  material.userData = { line: { value: new THREE.Color() }, horizon: { value: new THREE.Color() }, spacing: { value: 1 },
    reach: { value: 1 } };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { gridLine: material.userData.line, gridHorizon: material.userData.horizon,
      gridSpacing: material.userData.spacing, gridReach: material.userData.reach });
    shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nvarying vec2 gridPlace;")
      .replace("#include <begin_vertex>",
        "#include <begin_vertex>\ngridPlace = vec2(position.x * length(modelMatrix[0].xyz), position.y * length(modelMatrix[1].xyz));");
    shader.fragmentShader = shader.fragmentShader.replace("#include <common>", `#include <common>
        varying vec2 gridPlace; uniform vec3 gridLine, gridHorizon; uniform float gridSpacing, gridReach;
        float gridLines(float spacing, float width) {
          vec2 at = gridPlace / spacing, size = fwidth(at);
          vec2 away = abs(fract(at - 0.5) - 0.5) / max(size, vec2(1e-6));
          vec2 fade = 1.0 - smoothstep(vec2(0.08), vec2(0.35), size);
          vec2 on = (1.0 - smoothstep(vec2(width - 0.5), vec2(width + 0.5), away)) * fade;
          return max(on.x, on.y);
        }`)
      .replace("#include <color_fragment>", `#include <color_fragment>
        float gridOn = max(0.45 * gridLines(gridSpacing, 0.6), 0.9 * gridLines(10.0 * gridSpacing, 0.9));
        diffuseColor.rgb = mix(diffuseColor.rgb, gridLine, gridOn);`)
      .replace("#include <opaque_fragment>", `#include <opaque_fragment>
        gl_FragColor.rgb = mix(gl_FragColor.rgb, gridHorizon, smoothstep(0.12, 0.95, length(gridPlace) / gridReach));`);
  };
  return material;
}
