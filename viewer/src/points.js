// SPDX-License-Identifier: MIT
// Numbers as a plot can show them.

const LEAST = 1e-16; // on a logarithm: what is smaller is round-off, and would need more decades than an axis has

/** What a logarithm can show; what was not measured is negative. */
export function positive(values) {
  return Array.from(values, (x) => (x !== null && x >= 0 && Number.isFinite(x) ? Math.max(LEAST, x) : null));
}
export function finite(values) { return Array.from(values, (x) => (Number.isFinite(x) ? x : null)); }

/**
 * Curves with their own places side by side on one axis. A logarithm has no place for 0 ms; times are measured one by
 * one, so a point that took less than the one before is left out; a solver of a single point does not stretch the axis.
 */
export function curvePoints(curves, from) {
  const lines = curves.filter((c) => c.residual.length > 2);
  const most = lines.length > 0 ? Math.max(...lines.map((c) => Math.max(...c[from]))) : Infinity;
  return curves.map((c) => {
    let before = from === "ms" ? 0 : -1;
    const keep = c[from].map((x, k) => [x, c.residual[k]]).filter(([x]) => {
      if (!(x > before && x <= most)) return false;
      before = x;
      return true;
    });
    return [keep.map(([x]) => x), positive(keep.map(([, y]) => y))];
  });
}
