// SPDX-License-Identifier: MIT
// Statistics of a live run over its steps, for plots. Bounded: when it is full, every second entry goes.

const MOST = 4000;

export class History {
  constructor(names) {
    this.names = names;
    this.clear();
  }

  clear() {
    this.steps = [];
    this.times = [];
    this.columns = Object.fromEntries(this.names.map((name) => [name, []]));
  }

  get last() { return this.steps.length > 0 ? this.steps[this.steps.length - 1] : -1; }

  /**
   * One step; what is not newer than the last one is known already, and before the first nothing is measured.
   * values: in the order of the names.
   */
  add(step, time, values) {
    if (step <= this.last || step === 0) return;
    this.steps.push(step);
    this.times.push(time);
    this.names.forEach((name, k) => this.columns[name].push(values[k]));
    if (this.steps.length > MOST) this.keep((_, k) => k % 2 === 0);
  }

  /** Forgets what came after a step: the run was resumed there. */
  cut(step) {
    if (this.last > step) this.keep((_, k) => this.steps[k] <= step);
  }

  /** Takes the answer to `history` in place of what is known of its steps: frames that were not shown come with it. */
  merge({ steps, times, statistics }) {
    const low = steps[0], high = steps[steps.length - 1];
    if (steps.length === 0) return;
    const before = (_, k) => this.steps[k] < low, after = (_, k) => this.steps[k] > high;
    const theirs = (_, k) => steps[k] > 0;
    const joined = (ours, other) => [...ours.filter(before), ...other.filter(theirs), ...ours.filter(after)];
    for (const name of this.names)
      this.columns[name] = joined(this.columns[name], statistics[name] ?? steps.map(() => null));
    this.times = joined(this.times, times);
    this.steps = joined(this.steps, steps);
    while (this.steps.length > MOST) this.keep((_, k) => k % 2 === 0);
  }

  keep(chosen) {
    // The columns before the steps, which `chosen` may look at.
    for (const name of this.names) this.columns[name] = this.columns[name].filter(chosen);
    this.times = this.times.filter(chosen);
    this.steps = this.steps.filter(chosen);
  }
}
