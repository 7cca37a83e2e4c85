// SPDX-License-Identifier: MIT
// The data of a page, as cairn/record/page_data.cpp packs it: little-endian, counts of 64 bits. Frames have different
// lengths because of their contacts, so they are found once and decoded when they are shown.

const CONTACT_BYTES = 4 + 4 + 1 + 9 * 4;

class Reader {
  constructor(bytes) {
    this.view = new DataView(bytes.buffer);
    this.at = 0;
  }
  u8() { return this.view.getUint8(this.at++); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  f64() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
  count() { const low = this.u32(); return low + 2 ** 32 * this.u32(); }
  text() { return new TextDecoder().decode(this.bytes(this.count())); }
  bytes(n) { this.at += n; return new Uint8Array(this.view.buffer, this.at - n, n); }
  // Copies, because views of numbers would have to begin at multiples of their size.
  floats(n) { this.at += 4 * n; return new Float32Array(this.view.buffer.slice(this.at - 4 * n, this.at)); }
  indices(n) { this.at += 4 * n; return new Uint32Array(this.view.buffer.slice(this.at - 4 * n, this.at)); }
}

/** Base64 to bytes, in pieces: one string of all bytes would take twice the memory. */
export function fromBase64(text) {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const piece = 4 << 18;
  for (let from = 0, to = 0; from < text.length; from += piece) {
    const part = atob(text.slice(from, from + piece));
    for (let k = 0; k < part.length; ++k) bytes[to++] = part.charCodeAt(k);
  }
  return bytes;
}

export class Recording {
  constructor(bytes) {
    const reader = (this.reader = new Reader(bytes));
    const magic = new TextDecoder().decode(reader.bytes(8));
    if (magic !== "CAIRNPG1") throw new Error("this page holds no recording that it can read");
    this.scene = reader.text();
    this.solver = reader.text();
    this.program = reader.text();
    this.dt = reader.f64();
    this.readBodies(reader);
    this.readStatistics(reader);
    this.findFrames(reader);
  }

  readBodies(reader) {
    this.surfaces = Array.from({ length: reader.count() }, () => ({
      vertices: reader.floats(3 * reader.count()),
      triangles: reader.indices(3 * reader.count()),
    }));
    this.bodies = Array.from({ length: reader.count() }, (_, index) => ({
      index, name: reader.text(), shape: reader.text(), moves: reader.u8() === 1, mass: reader.f32(),
      surface: reader.u32(), start: reader.floats(7),
    }));
    this.moving = this.bodies.filter((body) => body.moves);
    this.moving.forEach((body, place) => (body.place = place));
  }

  readStatistics(reader) {
    const names = Array.from({ length: reader.count() }, () => reader.text());
    const steps = reader.count();
    this.times = Float64Array.from({ length: steps }, () => reader.f64());
    this.statistics = Object.fromEntries(names.map((name) => [name, reader.floats(steps)]));
  }

  findFrames(reader) {
    const count = reader.count(), n = this.moving.length;
    this.frames = [];
    for (let k = 0; k < count; ++k) {
      const frame = { at: reader.at, time: reader.f64(), step: reader.count() };
      reader.at += n * (7 * 4 + 6 * 4 + 1);
      frame.contacts = reader.count();
      reader.at += frame.contacts * CONTACT_BYTES;
      this.frames.push(frame);
    }
  }

  /** Poses (7 numbers) and velocities (6) of what moves, and the contacts. */
  frame(k) {
    const { at, time, step, contacts } = this.frames[k], reader = this.reader, n = this.moving.length;
    reader.at = at + 16;
    const frame = { time, step, pose: reader.floats(7 * n), velocity: reader.floats(6 * n), awake: reader.bytes(n) };
    reader.count();
    frame.contacts = Array.from({ length: contacts }, () => ({
      a: reader.u32(), b: reader.u32(), mode: reader.u8(),
      point: reader.floats(3), normal: reader.floats(3), impulse: reader.floats(3),
    }));
    return frame;
  }
}
