// SPDX-License-Identifier: MIT
// Lines over time on a small canvas, with the shown instant; a click goes there.

export class Plot {
  /** lines: {name, colour, values}; times and values have one entry per step. */
  constructor(canvas, title, times, lines, seek) {
    Object.assign(this, { canvas, title, times, lines });
    let low = Infinity, high = -Infinity;
    for (const { values } of lines)
      for (const value of values) if (Number.isFinite(value)) (low = Math.min(low, value)), (high = Math.max(high, value));
    if (!(high > low)) (low = Number.isFinite(low) ? low - 1 : 0), (high = low + 2);
    this.low = low;
    this.high = high;
    this.first = times[0] ?? 0;
    this.span = (times[times.length - 1] ?? 1) - this.first || 1;
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect();
      seek(this.first + (this.span * (event.clientX - box.left)) / box.width);
    });
  }

  draw(now) {
    const { canvas } = this, scale = window.devicePixelRatio || 1;
    const width = (canvas.width = canvas.clientWidth * scale), height = (canvas.height = canvas.clientHeight * scale);
    const pen = canvas.getContext("2d");
    const top = 16 * scale, x = (t) => ((t - this.first) / this.span) * width;
    const y = (v) => height - 3 * scale - ((v - this.low) / (this.high - this.low)) * (height - top - 6 * scale);
    pen.clearRect(0, 0, width, height);
    pen.font = `${11 * scale}px system-ui, sans-serif`;
    let at = 4 * scale;
    for (const [text, colour] of [[this.title, "#555"], ...this.lines.map((line) => [line.name, line.colour])]) {
      pen.fillStyle = colour;
      pen.fillText(text, at, 11 * scale);
      at += pen.measureText(text).width + 8 * scale;
    }
    for (const { values, colour } of this.lines) {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.2 * scale;
      pen.beginPath();
      values.forEach((value, k) => Number.isFinite(value) && pen.lineTo(x(this.times[k]), y(value)));
      pen.stroke();
    }
    pen.strokeStyle = "#000";
    pen.lineWidth = scale;
    pen.beginPath();
    pen.moveTo(x(now), top);
    pen.lineTo(x(now), height);
    pen.stroke();
  }
}
