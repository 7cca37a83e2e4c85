// SPDX-License-Identifier: MIT
// uPlot as this page wants it: small, with the theme's colours, names in their lines' colours above the picture.
import uPlot from "uplot";
import { theme } from "./colours.js";

const FONT = "10px system-ui, sans-serif";

/** Numbers of an axis, short enough for its width. */
function short(values) {
  return values.map((x) => (x === null ? "" : Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 1e-2) ?
    x.toExponential(0).replace("e+", "e") : String(Number(x.toPrecision(3)))));
}

/** Lines of a logarithmic grid at whole powers of ten: between them they would be a grey field. */
function decades(_, values) {
  return values.map((x) => (x > 0 && Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-9 ? x : null));
}

export function axis(size, extra) {
  const { text, grid } = theme();
  return { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: FONT, size, gap: 2,
    values: (_, values) => short(values), ...extra };
}

export class Chart {
  /** lines: {name, colour, dash, dots}; log, logX: axes; onClick(x): clicks go there, and the lines are named. */
  constructor(holder, { title, lines, log = false, logX = false, spanGaps = false, onClick = null, size = [34, 16] }) {
    this.box = document.createElement("div");
    this.box.className = "chart";
    this.head = document.createElement("div");
    this.head.className = "chart-head";
    this.box.append(this.head);
    holder.append(this.box);
    this.now = null;
    this.name(title, onClick === null ? [] : lines);
    this.plot = new uPlot({
      width: 100, height: 60, padding: [4, 12, 0, 0], legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false, focus: { prox: 16 } }, focus: { alpha: 0.25 },
      scales: { x: { time: false, distr: logX ? 3 : 1 }, y: { distr: log ? 3 : 1 } },
      axes: [axis(size[1]), axis(size[0], log ? { grid: { stroke: theme().grid, width: 1, filter: decades } } : {})],
      series: [{}, ...lines.map(({ name, colour, dash, dots = false }) =>
        ({ label: name, stroke: colour, width: 1.3, dash, spanGaps, points: { show: dots } }))],
      hooks: { draw: [(plot) => this.mark(plot)] },
    }, [[], ...lines.map(() => [])], this.box);
    const { plot } = this;
    if (onClick) plot.over.addEventListener("click", () => onClick(plot.posToVal(plot.cursor.left, "x")));
  }

  name(title, lines) {
    for (const [text, colour] of [[title, ""], ...lines.map((line) => [line.name, line.colour])]) {
      const span = document.createElement("span");
      span.textContent = text;
      span.style.color = colour;
      this.head.append(span);
    }
  }

  mark({ ctx, bbox, valToPos }) {
    if (this.now === null) return;
    const x = valToPos.call(this.plot, this.now, "x", true);
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
    ctx.fillStyle = theme().text;
    ctx.fillRect(Math.round(x), bbox.top, Math.max(1, window.devicePixelRatio), bbox.height);
  }

  set(data, now = null) {
    this.now = now;
    this.plot.setData(data);
  }

  resize() {
    const width = this.box.clientWidth - 8, height = this.box.clientHeight - this.head.offsetHeight - 4;
    if (width > 20 && height > 20) this.plot.setSize({ width, height });
  }

  remove() {
    this.plot.destroy();
    this.box.remove();
  }
}
