// SPDX-License-Identifier: MIT
// The step that is shown, solved again by every solver: their residuals over sweeps and over milliseconds.
import uPlot from "uplot";
import { Chart } from "./chart.js";
import { KINDS, lineColour } from "./colours.js";
import { curvePoints } from "./points.js";

// After eight colours the next kind of line, with its name in CSS.
const DASHES = [[[], "solid"], [[7, 4], "dashed"], [[2, 2], "dotted"], [[9, 2, 2, 2], "double"]];

export class Curves {
  constructor(box, source) {
    Object.assign(this, { box, source, charts: [], result: null });
    this.text = box.querySelector(".curves-text");
    this.holder = box.querySelector(".curves-charts");
    this.legend = box.querySelector(".curves-legend");
    box.querySelector(".close").onclick = () => this.hide();
  }

  hide() { this.box.hidden = true; }

  /** Asks, shows and resolves with the answer. */
  async fetch(values = {}) {
    this.box.hidden = false;
    this.clear();
    this.text.textContent = "solving this step with every solver...";
    try {
      this.result = await this.source.ask("curves", values);
      this.show();
    } catch (error) {
      this.text.textContent = `no curves: ${error.message}`;
      throw error;
    }
    return this.result;
  }

  clear() {
    for (const chart of this.charts) chart.remove();
    this.charts = [];
    this.legend.replaceChildren();
  }

  show() {
    this.clear();
    if (!this.result) return;
    const { step, contacts } = this.result;
    this.text.textContent = `step ${step}, ${contacts} contacts`;
    const ends = (curve) => curve.residual[curve.residual.length - 1] ?? Infinity;
    const good = this.result.curves.filter((c) => c.error === undefined).sort((a, b) => ends(a) - ends(b));
    const lines = good.map((c, k) => {
      const [dash, border] = DASHES[Math.floor(k / KINDS.length) % DASHES.length];
      return { name: c.solver, colour: lineColour(k), dash, border, dots: c.residual.length < 3 };
    });
    for (const [title, from] of [["residual over sweeps", "sweeps"], ["residual over milliseconds", "ms"]]) {
      const chart = new Chart(this.holder,
        { title, lines, log: true, logX: from === "ms", spanGaps: true, size: [44, 20] });
      if (good.length > 0) chart.set(joined(good, from));
      this.charts.push(chart);
    }
    good.forEach((curve, k) =>
      this.addRow(lines[k], `${ends(curve).toExponential(1)}  ${last(curve.ms).toPrecision(3)} ms`, k));
    for (const { solver, error } of this.result.curves) if (error !== undefined) this.addRow({ name: solver }, error);
    this.resize();
  }

  /** A name, its end, and pointing at it brings its lines out. */
  addRow({ name, colour = "", border = "none" }, text, number = -1) {
    const [row, line, title, end] = ["div", "i", "b", "span"].map((tag) => document.createElement(tag));
    line.style.borderTop = `3px ${border} ${colour}`;
    title.textContent = name;
    end.textContent = text;
    row.append(line, title, end);
    const focus = (series) => { for (const { plot } of this.charts) plot.setSeries(series, { focus: true }); };
    if (number >= 0) row.onmouseenter = () => focus(number + 1), row.onmouseleave = () => focus(null);
    this.legend.append(row);
  }

  resize() { for (const chart of this.charts) chart.resize(); }
}

function last(values) { return values[values.length - 1] ?? NaN; }

function joined(curves, from) { return uPlot.join(curvePoints(curves, from)); }
