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

  /** As a live run sends them. */
  read(reader) {
    const count = reader.count(), view = reader.view;
    this.reserve(count);
    this.count = count;
    let at = reader.at;
    for (let k = 0; k < count; ++k) {
      this.a[k] = view.getUint32(at, true);
      this.b[k] = view.getUint32(at + 4, true);
      this.mode[k] = view.getUint8(at + 8);
      this.colour[k] = view.getInt16(at + 9, true);
      this.gap[k] = view.getFloat32(at + 11, true);
      at += 15;
      for (let i = 0; i < 9; ++i, at += 4) this.vectors[9 * k + i] = view.getFloat32(at, true);
    }
    reader.at = at;
  }

  /** Those from one number to another of arrays that hold more; neither graph colour nor gap is known. */
  take(a, b, mode, vectors, from, to) {
    this.count = to - from;
    this.reserve(this.count);
    this.a.set(a.subarray(from, to));
    this.b.set(b.subarray(from, to));
    this.mode.set(mode.subarray(from, to));
    this.vectors.set(vectors.subarray(9 * from, 9 * to));
    this.colour.fill(-1, 0, this.count);
    this.gap.fill(NaN, 0, this.count);
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
    this.readings = new Float32Array(0); // of joints: position, velocity, effort, force, torque
    this.targets = new Float32Array(0); // of their drives, NaN: none; of live runs alone
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

  /** As a live run sends them; none where joints are very many. */
  readReadings(reader) {
    const count = reader.u32();
    if (this.targets.length !== count) {
      this.targets = new Float32Array(count);
      this.readings = new Float32Array(5 * count);
    }
    for (let k = 0; k < count; ++k) {
      for (let i = 0; i < 5; ++i) this.readings[5 * k + i] = reader.f32();
      this.targets[k] = reader.f32();
    }
  }

  /** m/s, of the body at a place. */
  speed(place) {
    const v = this.velocity, at = 6 * place;
    return Math.hypot(v[at], v[at + 1], v[at + 2]);
  }

  /** Pose of a body: of this frame, or where one that does not move stays. */
  poseOf(body) { return body.moves ? this.pose.subarray(7 * body.place, 7 * body.place + 7) : body.start; }
}
