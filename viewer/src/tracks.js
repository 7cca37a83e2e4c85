// SPDX-License-Identifier: MIT
// Numbers of one body or joint over time, for plots. A recording has them all; of a live run they are gathered from the
// frames that are shown since the plot was wanted.
import { History } from "./history.js";

const READINGS = ["position", "velocity", "effort"];

/** What is plotted of a body. */
const BODY = {
  "speed [m/s]": (frame, place) => frame.speed(place),
  "height [m]": (frame, place) => frame.pose[7 * place + 2],
};

class Track {
  constructor(source, title, names) {
    Object.assign(this, { source, title, names, history: new History(names) });
  }

  /** Takes what the frame of now has. */
  add(frame) {
    this.history.cut(this.source.last);
    this.history.add(frame.step, frame.time, this.values(frame));
  }

  data() {
    if (this.source.live) return [this.history.times, ...this.names.map((name) => this.history.columns[name])];
    this.whole ??= this.recorded();
    return this.whole;
  }
}

export class BodyTrack extends Track {
  constructor(source, body) {
    super(source, body.name, Object.keys(BODY));
    Object.assign(this, { key: `body ${body.name}`, body });
  }
  values(frame) { return Object.values(BODY).map((value) => value(frame, this.body.place)); }
  recorded() {
    const parts = Object.values(BODY).map((value) => this.source.bodyHistory(this.body.place, value));
    return [parts[0][0], ...parts.map(([, values]) => values)];
  }
}

export class JointTrack extends Track {
  constructor(source, joint) {
    const [length, force] = joint.coordinate === 1 ? ["rad", "N m"] : ["m", "N"];
    super(source, joint.name, [`position [${length}]`, `velocity [${length}/s]`, `effort [${force}]`]);
    Object.assign(this, { key: `joint ${joint.name}`, joint });
  }
  values(frame) { return READINGS.map((_, k) => frame.readings[5 * this.joint.index + k] ?? NaN); }
  recorded() {
    const parts = READINGS.map((_, k) => this.source.jointHistory(this.joint.index, k));
    return [parts[0][0], ...parts.map(([, values]) => values)];
  }
}
