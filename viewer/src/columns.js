// SPDX-License-Identifier: MIT
// The frames of a page as cairn/record/page_frames.cpp packs them: columns of numbers whose bytes stand apart, each the
// difference of its bits to those of the frame before.

/** Bytes without a head (RFC 1951), made whole by the browser. */
export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

/** The next `count` whole numbers of 32 bits. */
export function readWords(reader, count) {
  const planes = [0, 1, 2, 3].map(() => reader.bytes(count)), words = new Uint32Array(count);
  for (let k = 0; k < count; ++k) words[k] = planes[0][k] | (planes[1][k] << 8) | (planes[2][k] << 16) | (planes[3][k] << 24);
  return words;
}

/** `width` columns of every one of n things over all frames: floats by frame, thing and column. */
export function readNumbers(reader, frames, n, width) {
  const bits = new Uint32Array(frames * n * width), row = n * width;
  for (let column = 0; column < width; ++column) {
    const words = readWords(reader, frames * n);
    for (let f = 0, k = 0; f < frames; ++f)
      for (let i = 0; i < n; ++i, ++k) {
        const at = f * row + i * width + column;
        bits[at] = words[k] + (f > 0 ? bits[at - row] : 0);
      }
  }
  return new Float32Array(bits.buffer);
}

/** Contacts of all frames; `begin[f]` to `begin[f + 1]` are those of frame f. */
export function readContacts(reader, frames) {
  const begin = new Uint32Array(frames + 1);
  for (let f = 0; f < frames; ++f) begin[f + 1] = begin[f] + reader.u32();
  const total = begin[frames], a = readWords(reader, total), b = readWords(reader, total);
  for (let f = 0; f < frames; ++f)
    for (let k = begin[f]; k < begin[f + 1]; ++k) {
      if (k > begin[f]) a[k] += a[k - 1];
      b[k] += a[k];
    }
  const mode = reader.bytes(total).slice(), columns = Array.from({ length: 9 }, () => readWords(reader, total));
  const bits = new Uint32Array(9 * total);
  let before = new Map();
  for (let f = 0; f < frames; ++f) {
    const now = new Map();
    for (let k = begin[f]; k < begin[f + 1]; ++k) {
      const key = a[k] * 2 ** 26 + b[k], own = now.get(key) ?? [], from = before.get(key)?.[own.length];
      for (let i = 0; i < 9; ++i) bits[9 * k + i] = columns[i][k] + (from === undefined ? 0 : bits[9 * from + i]);
      own.push(k);
      now.set(key, own);
    }
    before = now;
  }
  return { begin, a, b, mode, vectors: new Float32Array(bits.buffer) };
}
