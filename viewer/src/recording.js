// SPDX-License-Identifier: MIT
// A recording as a source of frames. Its data is what cairn/record/page_data.cpp packs: frames have different lengths
// because of their contacts, so they are found once and decoded when they are shown.
import { Reader } from "./bytes.js";
import { Frame } from "./frame.js";
import { readCameras, readLayout } from "./layout.js";
import { SurfaceTrack } from "./surfaces.js";

const CONTACT_BYTES = 4 + 4 + 1 + 9 * 4;
const SAMPLES = 12; // frames that are looked at for the scales

export class Recording {
  constructor(bytes) {
    this.live = false;
    this.playing = false;
    this.speed = 1;
    const reader = (this.reader = new Reader(bytes.buffer));
    if (reader.tag(8) !== "CAIRNPG1") throw new Error("this page holds no recording that it can read");
    this.layout = readLayout(reader);
    this.readStatistics(reader);
    this.findFrames(reader);
    this.layout.cameras = readCameras(reader);
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

  findFrames(reader) {
    const count = reader.count(), n = this.layout.moving.length;
    this.frames = [];
    for (let k = 0; k < count; ++k) {
      this.frames.push({ at: reader.at, time: reader.f64(), step: reader.count() });
      reader.at += n * (7 * 4 + 6 * 4 + 1);
      const contacts = reader.count();
      reader.at += contacts * CONTACT_BYTES;
    }
  }

  get first() { return 0; }
  get last() { return this.frames.length - 1; }
  get solver() { return this.layout.solver; }

  decode(number, frame) {
    const { at, time, step } = this.frames[number];
    this.reader.at = at + 16;
    Object.assign(frame, { time, step });
    frame.readBodies(this.reader);
    frame.contacts.read(this.reader, false);
    frame.surfaces = this.surfaces?.decode(number);
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
  watch() {} // everything is here

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
