// SPDX-License-Identifier: MIT
// Bytes as cairn/core/bytes.h writes them: little-endian, counts of 64 bits.

const TEXT = new TextDecoder();

export class Reader {
  /** buffer: an ArrayBuffer. */
  constructor(buffer) {
    this.view = new DataView(buffer);
    this.at = 0;
  }
  get left() { return this.view.byteLength - this.at; }
  u8() { return this.view.getUint8(this.at++); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  i32() { this.at += 4; return this.view.getInt32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  f64() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
  count() { const low = this.u32(); return low + 2 ** 32 * this.u32(); }
  text() { return TEXT.decode(this.bytes(this.count())); }
  texts() { return Array.from({ length: this.count() }, () => this.text()); }
  tag(length) { return TEXT.decode(this.bytes(length)); }
  bytes(n) { this.at += n; return new Uint8Array(this.view.buffer, this.at - n, n); }
  // Copies, because views of numbers would have to begin at multiples of their size.
  floats(n) { this.at += 4 * n; return new Float32Array(this.view.buffer.slice(this.at - 4 * n, this.at)); }
  indices(n) { this.at += 4 * n; return new Uint32Array(this.view.buffer.slice(this.at - 4 * n, this.at)); }

  /** Fills the first n numbers of a typed array, without anything new. */
  fill(target, n) {
    const size = n * target.BYTES_PER_ELEMENT;
    new Uint8Array(target.buffer, target.byteOffset, size).set(this.bytes(size));
  }
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
