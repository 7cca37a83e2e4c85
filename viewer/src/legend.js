// SPDX-License-Identifier: MIT
// What the colours mean: a bar with its unit for amounts, patches for kinds.
import { KINDS, rampGradient } from "./colours.js";

const short = (x) => (x >= 1e3 || (x > 0 && x < 1e-2) ? x.toExponential(1) : String(Number(x.toPrecision(2))));

export class Legend {
  constructor(box) { this.box = box; }

  /** most: the amount at the bright end of the bar. */
  show(colour, most) {
    const key = `${colour} ${most}`;
    if (key === this.key) return;
    this.key = key;
    const amounts = { speed: ["speed", "m/s"], "sub-bodies": ["sub-bodies", ""] }[colour];
    const patches = { sleep: [[1, "awake"], [0, "asleep"], [3, "quarantined"]],
      island: [[0, "a colour for each island"]], graph: [[0, "a colour for each graph colour of contacts"]] }[colour];
    this.box.hidden = !amounts && !patches;
    if (amounts) this.showBar(...amounts, most);
    if (patches) this.box.replaceChildren(...patches.map(([kind, text]) => patch(KINDS[kind], text)));
  }

  showBar(name, unit, most) {
    const title = document.createElement("div"), bar = document.createElement("i"), ends = document.createElement("div");
    title.textContent = unit ? `${name} [${unit}]` : name;
    bar.className = "ramp";
    bar.style.background = rampGradient();
    ends.className = "ends";
    for (const x of [0, most / 2, most]) ends.append(Object.assign(document.createElement("span"), { textContent: short(x) }));
    this.box.replaceChildren(title, bar, ends);
  }
}

function patch(colour, text) {
  const row = document.createElement("div"), mark = document.createElement("i");
  mark.className = "patch";
  mark.style.background = colour;
  row.append(mark, text);
  return row;
}
