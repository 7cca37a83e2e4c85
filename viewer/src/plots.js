// SPDX-License-Identifier: MIT
// What is measured, over time: energy, residual, contacts, milliseconds by stage. A click goes to that instant.
import { Chart } from "./chart.js";
import { lineColour } from "./colours.js";
import { finite, positive } from "./points.js";

const EVERY_MS = 100; // a live run has more steps than eyes can follow

/** [name, column or function of the columns] of every line; stages are found by their names. */
const CHARTS = [
  { title: "energy [J]", lines: [["kinetic", "kinetic_energy"], ["potential", "potential_energy"],
    ["elastic", "elastic_energy"], ["total", total]] },
  { title: "residual", log: true, lines: [["", "residual"]] },
  { title: "", lines: [["contacts", "contacts"], ["islands", "islands"], ["awake", "awake_bodies"]] },
  { title: "ms", stages: true, lines: [] },
];

/** Of runs that say all of them: elastic solids do not tell their potential energy. */
function total(columns) {
  const parts = ["kinetic_energy", "potential_energy", "elastic_energy"].map((name) => columns[name]).filter(Boolean);
  return Array.from(parts[0], (_, k) => parts.reduce((sum, part) => sum + part[k], 0));
}

export class Plots {
  constructor(holder, seek) {
    Object.assign(this, { holder, seek, charts: [], tracks: [], drawn: 0 });
  }

  build(columns) {
    for (const { chart } of this.charts) chart.remove();
    this.charts = [];
    for (const { title, log, lines, stages } of CHARTS) {
      const timed = Object.keys(columns).filter((name) => name.startsWith("ms_"));
      const there = ([, from]) => (from === total ? "potential_energy" : from) in columns;
      const found = stages ? timed.map((name) => [name.slice(3), name]) : lines.filter(there);
      if (found.length === 0) continue;
      const named = found.map(([name], k) => ({ name, colour: lineColour(k) }));
      const chart = new Chart(this.holder, { title, log, lines: named, onClick: (time) => this.seek(time) });
      this.charts.push({ chart, log, sources: found.map(([, from]) => from) });
    }
    for (const track of this.tracks) {
      const named = track.names.map((name, k) => ({ name, colour: lineColour(k) }));
      const chart = new Chart(this.holder, { title: track.title, lines: named, onClick: (time) => this.seek(time) });
      this.charts.push({ chart, track });
    }
    this.names = this.key(columns);
    this.resize();
  }

  /** Bodies and joints that are plotted beside the statistics. */
  follow(tracks) { this.tracks = tracks; }

  key(columns) { return [...Object.keys(columns), ...this.tracks.map((track) => track.key)].join(); }

  /** Draws, unless it did a moment ago. */
  update(history, now, at, force) {
    if (this.holder.hidden || (!force && at - this.drawn < EVERY_MS)) return;
    if (this.names !== this.key(history.columns)) this.build(history.columns);
    this.drawn = at;
    for (const { chart, log, sources, track } of this.charts) {
      if (track) {
        const [times, ...values] = track.data();
        chart.set([times, ...values.map(finite)], now);
        continue;
      }
      const lines = sources.map((from) => (typeof from === "string" ? history.columns[from] : from(history.columns)));
      chart.set([history.times, ...lines.map(log ? positive : finite)], now);
    }
  }

  resize() { for (const { chart } of this.charts) chart.resize(); }

  /** Other colours: made anew at the next update. */
  restyle() { this.names = null; }
}
