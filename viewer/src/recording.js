// SPDX-License-Identifier: MIT
// A recording as a source of frames. Its data is what cairn/record/page_data.cpp packs: everything is decoded once.
import { Reader } from "./bytes.js";
import { inflate, readContacts, readNumbers } from "./columns.js";
import { Frame } from "./frame.js";
import { findIslands } from "./islands.js";
import { readCameras, readJoints, readLayout } from "./layout.js";
import { SurfaceTrack } from "./surfaces.js";

const MAGIC = "CAIRNPG2";
const SAMPLES = 12; // frames that are looked at for the scales

export class Recording {
  /** bytes: as the page holds them. */
  static async open(bytes) {
    if (new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC)
      throw new Error("this page holds no recording that it can read");
    return new Recording(new Reader(await inflate(bytes.subarray(MAGIC.length))));
  }

  constructor(reader) {
    Object.assign(this, { live: false, playing: false, speed: 1, groups: false });
    this.layout = readLayout(reader);
    this.layout.joints = readJoints(reader);
    this.layout.cameras = readCameras(reader);
    this.readStatistics(reader);
    this.readFrames(reader);
    this.surfaces = SurfaceTrack.read(reader, this.frames.length);
    this.layout.solids = this.surfaces?.solids ?? 0;
    this.frame = new Frame(this.layout.moving.length);
    this.seek(0);
  }

  readStatistics(reader) {
    const names = reader.texts(), steps = reader.count();
    const times = Float64Array.from({ length: steps }, () => reader.f64());
    this.history = { times, columns: Object.fromEntries(names.map((name) => [name, reader.floats(steps)])) };
  }

  readFrames(reader) {
    const count = reader.count(), n = this.layout.moving.length;
    this.frames = Array.from({ length: count }, () => ({ time: reader.f64() }));
    for (const frame of this.frames) frame.step = reader.count();
    this.pose = readNumbers(reader, count, n, 7);
    this.velocity = readNumbers(reader, count, n, 6);
    this.awake = reader.bytes(count * n);
    this.contacts = readContacts(reader, count);
    this.joints = reader.u32();
    this.readings = readNumbers(reader, count, this.joints, 5);
  }

  get first() { return 0; }
  get last() { return this.frames.length - 1; }
  get solver() { return this.layout.solver; }

  decode(number, frame) {
    const n = frame.moving, { begin, a, b, mode, vectors } = this.contacts, rows = (x, width) =>
      x.subarray(number * n * width, (number + 1) * n * width);
    Object.assign(frame, this.frames[number]);
    frame.pose.set(rows(this.pose, 7));
    frame.velocity.set(rows(this.velocity, 6));
    frame.flags.set(rows(this.awake, 1));
    frame.contacts.take(a, b, mode, vectors, begin[number], begin[number + 1]);
    frame.readings = this.readings.subarray(number * this.joints * 5, (number + 1) * this.joints * 5);
    frame.surfaces = this.surfaces?.decode(number);
    if (this.groups) findIslands(this.layout, frame);
  }

  seek(number) {
    this.position = Math.max(0, Math.min(this.last, Math.round(number) || 0));
    this.clock = this.frames[this.position].time;
    this.decode(this.position, this.frame);
    this.fresh = true;
  }

  seekTime(time) { this.seek(this.numberAt(time)); }

  /** The last frame at or before a time. */
  numberAt(time) {
    let low = 0, high = this.last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].time <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Fastest body [m/s] and largest impulse [N s] of some frames: the scales of colours and arrows. */
  scales() {
    const frame = new Frame(this.layout.moving.length);
    let fastest = this.surfaces?.fastest ?? 0, strongest = 0;
    for (let k = 0; k <= this.last; k += Math.max(1, Math.floor(this.frames.length / SAMPLES))) {
      this.decode(k, frame);
      for (let i = 0; i < frame.moving; ++i) fastest = Math.max(fastest, frame.speed(i) || 0);
      for (let c = 0; c < frame.contacts.count; ++c)
        strongest = Math.max(strongest, Math.hypot(...frame.contacts.impulse(c)) || 0);
    }
    return { fastest, strongest };
  }

  play() {
    if (this.position === this.last) this.seek(0);
    this.playing = this.fresh = true;
  }
  pause() { this.playing = false; this.fresh = true; }
  nudge(by) { this.pause(); this.seek(this.position + by); }
  restart() { this.pause(); this.seek(0); }
  setSpeed(factor) { this.speed = factor; }

  /** Everything is here, but islands, which are found in the contacts and joints of a frame when they are asked for. */
  watch(contacts, groups) {
    if (groups === this.groups) return;
    this.groups = groups;
    this.seek(this.position);
  }

  /** A number of a body over all frames: [times, values], at most so many. */
  bodyHistory(place, value, most = 2000) {
    const frame = new Frame(this.layout.moving.length), stride = Math.max(1, Math.ceil(this.frames.length / most));
    const times = [], values = [];
    for (let k = 0; k <= this.last; k += stride) {
      const n = frame.moving;
      frame.pose = this.pose.subarray(k * n * 7, (k + 1) * n * 7);
      frame.velocity = this.velocity.subarray(k * n * 6, (k + 1) * n * 6);
      times.push(this.frames[k].time);
      values.push(value(frame, place));
    }
    return [times, values];
  }

  /** A reading of a joint over all frames. */
  jointHistory(joint, reading) {
    const at = (k) => this.readings[(k * this.joints + joint) * 5 + reading];
    return [this.frames.map(({ time }) => time), this.frames.map((_, k) => at(k))];
  }

  /** Called before every picture; true when there is something new to show. */
  advance(seconds) {
    if (this.playing) {
      const clock = this.clock + seconds * this.speed, number = this.numberAt(clock);
      if (number !== this.position) this.seek(number);
      this.clock = clock;
      if (this.position === this.last) this.playing = false, this.fresh = true;
    }
    const fresh = this.fresh;
    this.fresh = false;
    return fresh;
  }
}
