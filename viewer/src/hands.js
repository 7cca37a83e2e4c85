// SPDX-License-Identifier: MIT
// What the pointer does to bodies. A click picks, a double click looks there; while a live run plays, dragging a body
// pulls it by a spring, as a finger that stays on it and control and drag always do; shift and click picks a contact.
// Bodies are shot, dropped and removed. In a live run the program finds what is under the pointer and does the rest.
import * as THREE from "three";

const STILL_PIXELS = 4; // a click that moved further has turned the camera
const CONTACT_PIXELS = 14;
const PRESS_MS = 350; // a finger that stays that long has a body

export class Hands {
  constructor(player, canvas) {
    Object.assign(this, { player, canvas, held: null, armed: null, at: [0, 0], shape: "sphere", ballSpeed: 20,
      ballRadius: 0.1, strength: 4 });
    let from = null;
    // Before the camera's own listeners, which would turn.
    canvas.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      this.at = this.place(event);
      const asked = event.ctrlKey || event.metaKey;
      if (this.live && asked) event.stopImmediatePropagation(), this.grab(event);
      else if (this.live && event.pointerType === "touch") this.pressLong(event);
      else if (this.pulls(event)) event.stopImmediatePropagation(), (this.armed = event);
    }, { capture: true });
    window.addEventListener("pointermove", (event) => {
      this.at = this.place(event);
      const moved = from ? Math.hypot(event.clientX - from[0], event.clientY - from[1]) : 0;
      if (moved > 2 * STILL_PIXELS) clearTimeout(this.press);
      if (this.armed && moved > STILL_PIXELS) this.grab(this.armed), (this.armed = null);
    });
    canvas.addEventListener("dblclick", (event) => {
      const point = this.stage.pointAt(...this.place(event));
      if (point) this.stage.rig.focus(point), (this.stage.dirty = true);
    });
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => this.release());
    canvas.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey) return;
      if (from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) > STILL_PIXELS) return;
      if (event.shiftKey) this.player.pickContact(this.contactAt(event));
      else this.pickAt(...this.place(event));
    });
  }

  /** Whether a plain drag that begins here pulls a body: one that moves, while the run plays. */
  pulls(event) {
    const { source } = this.player;
    if (!this.live || !source.playing || event.button !== 0 || event.shiftKey || event.pointerType === "touch") return false;
    return source.layout.bodies[this.stage.bodyAt(...this.place(event))]?.moves ?? false;
  }

  get live() { return this.player.source.live; }
  get stage() { return this.player.stage; }

  /** Sizes that suit the scene: a ball that crosses it in a third of a second. */
  measure(radius) {
    this.ballSpeed = Number((6 * radius).toPrecision(2));
    this.ballRadius = Number((0.07 * radius).toPrecision(2));
  }

  /** Of an event on the canvas, -1 to 1 each. */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
  }

  /** The ray as a command has it. */
  rayAt(place) {
    const { origin, direction } = this.stage.rayAt(...place);
    return { origin: origin.toArray(), direction: direction.toArray() };
  }

  async pickAt(x, y) {
    if (!this.live) return this.player.pick(this.stage.bodyAt(x, y));
    const hit = await this.player.source.tell("pick", this.rayAt([x, y]));
    if (hit) this.player.pick(hit.body);
  }

  /** The contact whose point is nearest on the screen, -1 when none is near. */
  contactAt(event) {
    const { contacts } = this.player.source.frame, box = this.canvas.getBoundingClientRect();
    const [x, y] = this.place(event);
    let best = -1, least = CONTACT_PIXELS;
    for (let k = 0; k < contacts.count; ++k) {
      const [px, py] = this.stage.project(...contacts.point(k));
      const distance = Math.hypot((px - x) * 0.5 * box.width, (py - y) * 0.5 * box.height);
      if (distance < least) (least = distance), (best = k);
    }
    return best;
  }

  /** The camera does not turn with the finger that pulls. */
  pressLong(event) {
    clearTimeout(this.press);
    this.press = setTimeout(async () => {
      this.stage.controls.enabled = false;
      await this.grab(event);
    }, PRESS_MS);
  }

  async grab(event) {
    const place = this.place(event), { source } = this.player;
    this.wanted = true;
    const hit = await source.tell("pick", this.rayAt(place));
    const body = source.layout.bodies[hit?.body ?? -1];
    if (!this.wanted || !body?.moves || !source.frame) return;
    this.player.pick(body.index);
    this.hold(body, new THREE.Vector3(...hit.point));
  }

  /** Holds a body by a point of the world; the hand moves in the plane that faces the camera there. */
  hold(body, point) {
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    const { frame, generation } = this.player.source;
    this.held = { body, generation, point, local: inBody(frame.poseOf(body), point), target: point.clone(),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, point) };
    this.sendDrag();
  }

  /** Before every picture: the hand follows the pointer, the spring both. */
  update() {
    const { held } = this, { frame, generation } = this.player.source;
    if (!held || !frame) return;
    if (generation !== held.generation) return this.release(); // other bodies: the numbers may be others
    const target = this.stage.rayAt(...this.at).intersectPlane(held.plane, new THREE.Vector3());
    if (target && !target.equals(held.target)) held.target = target, this.sendDrag();
    this.stage.spring.show(inWorld(frame.poseOf(held.body), held.local), held.target);
    this.stage.dirty = true;
  }

  /** One at a time; a hand that moved meanwhile is told next. */
  async sendDrag() {
    const { held } = this;
    if (this.sending || !held) return;
    this.sending = true;
    const sent = held.target;
    const answer = await this.player.source.tell("drag",
      { body: held.body.index, generation: held.generation, point: held.point.toArray(), target: sent.toArray(),
        frequency: this.strength });
    this.sending = false;
    if (answer === null) return this.drop();
    if (this.held === held && held.target !== sent) this.sendDrag();
  }

  release() {
    clearTimeout(this.press);
    this.armed = null;
    this.stage.controls.enabled = true;
    this.wanted = false;
    if (this.held) this.player.source.tell("release");
    this.drop();
  }

  drop() {
    this.held = null;
    this.stage.spring.hide();
    this.stage.dirty = true;
  }

  /** A body from the camera towards the pointer. */
  shoot(place = this.at) {
    if (!this.live) return null;
    return this.player.source.tell("shoot",
      { ...this.rayAt(place), speed: this.ballSpeed, radius: this.ballRadius, shape: this.shape });
  }

  /** A body at rest above what is under the pointer. */
  dropBody(place = this.at) {
    if (!this.live) return null;
    const point = this.stage.pointAt(...place) ?? this.stage.rig.centre;
    const origin = [point.x, point.y, point.z + 4 * this.ballRadius];
    return this.player.source.tell("shoot",
      { origin, direction: [0, 0, -1], speed: 0, radius: this.ballRadius, shape: this.shape });
  }

  removePicked() {
    const { source, picked } = this.player;
    if (!this.live || picked < 0) return null;
    this.player.pick(-1);
    return source.tell("remove", { body: picked, generation: source.generation });
  }
}

function inWorld(pose, local) {
  return local.clone().applyQuaternion(new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]))
    .add(new THREE.Vector3(pose[0], pose[1], pose[2]));
}

function inBody(pose, point) {
  return point.clone().sub(new THREE.Vector3(pose[0], pose[1], pose[2]))
    .applyQuaternion(new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]).invert());
}
