// SPDX-License-Identifier: MIT
// One instant of a run as arrays of numbers, which are filled again for the next: 10,000 bodies with their contacts
// come many times a second, and an object for each would keep the browser busy with nothing else.

export const MODES = ["open", "stick", "slide"];
export const AWAKE = 1, QUARANTINED = 2; // bits of a body's flags

/** The contacts of a frame; the arrays are at least `count` long. */
export class Contacts {
  constructor() {
    this.count = 0;
    this.reserve(64);
  }

  reserve(size) {
    if (this.a?.length >= size) return;
    const length = Math.max(size, 2 * (this.a?.length ?? 0));
    this.a = new Uint32Array(length); // places in the list of bodies
    this.b = new Uint32Array(length);
    this.mode = new Uint8Array(length);
    this.colour = new Int16Array(length); // of the graph, -1: none or not known
    this.gap = new Float32Array(length); // m, NaN: not known
    this.vectors = new Float32Array(9 * length); // point, normal from a to b, impulse on b
  }

  /** As in a page, or with graph colour and gap as in a live run. */
  read(reader, full) {
    const count = reader.count(), view = reader.view;
    this.reserve(count);
    this.count = count;
    let at = reader.at;
    for (let k = 0; k < count; ++k) {
      this.a[k] = view.getUint32(at, true);
      this.b[k] = view.getUint32(at + 4, true);
      this.mode[k] = view.getUint8(at + 8);
      this.colour[k] = full ? view.getInt16(at + 9, true) : -1;
      this.gap[k] = full ? view.getFloat32(at + 11, true) : NaN;
      at += full ? 15 : 9;
      for (let i = 0; i < 9; ++i, at += 4) this.vectors[9 * k + i] = view.getFloat32(at, true);
    }
    reader.at = at;
  }

  point(k) { return this.vectors.subarray(9 * k, 9 * k + 3); }
  normal(k) { return this.vectors.subarray(9 * k + 3, 9 * k + 6); }
  impulse(k) { return this.vectors.subarray(9 * k + 6, 9 * k + 9); }

  /** Numbers of the contacts of a body. */
  of(body) {
    const found = [];
    for (let k = 0; k < this.count; ++k) if (this.a[k] === body || this.b[k] === body) found.push(k);
    return found;
  }

  /** One contact as an object, for those who look at few; the impulse is split along the normal [N s]. */
  describe(k) {
    const normal = [...this.normal(k)], impulse = [...this.impulse(k)];
    const push = normal[0] * impulse[0] + normal[1] * impulse[1] + normal[2] * impulse[2];
    const rub = Math.hypot(...impulse.map((x, i) => x - push * normal[i]));
    return { a: this.a[k], b: this.b[k], mode: this.mode[k], colour: this.colour[k], gap: this.gap[k],
      point: [...this.point(k)], normal, impulse, push, rub };
  }
}

export class Frame {
  /** moving: the number of bodies with a pose. */
  constructor(moving) {
    this.moving = moving;
    this.time = this.step = 0;
    this.pose = new Float32Array(7 * moving); // position, then w, x, y, z
    this.velocity = new Float32Array(6 * moving); // linear, then angular
    this.flags = new Uint8Array(moving);
    this.hasGroups = false;
    this.island = new Int32Array(moving).fill(-1);
    this.subBodies = new Uint16Array(moving);
    this.contacts = new Contacts();
  }

  readBodies(reader) {
    reader.fill(this.pose, 7 * this.moving);
    reader.fill(this.velocity, 6 * this.moving);
    reader.fill(this.flags, this.moving);
  }

  readGroups(reader) {
    this.hasGroups = reader.u8() === 1;
    if (!this.hasGroups) return;
    reader.fill(this.island, this.moving);
    reader.fill(this.subBodies, this.moving);
  }

  /** m/s, of the body at a place. */
  speed(place) {
    const v = this.velocity, at = 6 * place;
    return Math.hypot(v[at], v[at + 1], v[at + 2]);
  }

  /** Pose of a body: of this frame, or where one that does not move stays. */
  poseOf(body) { return body.moves ? this.pose.subarray(7 * body.place, 7 * body.place + 7) : body.start; }
}
