// SPDX-License-Identifier: MIT
// Hinges and sliders as numbers: where they are, what they carry, and in a live run a slider for their drives. One of
// them can be plotted.

const MOST = 24, EVERY_MS = 150;
const STIFFNESS = 500, DAMPING = 50; // of a drive that a slider gives to a joint without one

export class JointControls {
  constructor(folder, player) {
    Object.assign(this, { folder, player, rows: [], controls: [], drawn: 0 });
    folder.hide();
  }

  rebuild({ joints }) {
    for (const control of this.controls) control.destroy();
    const { player } = this, { view, source } = player, shown = joints.filter(({ coordinate }) => coordinate > 0);
    this.rows = [];
    this.folder.show(shown.length > 0);
    if (shown.length === 0) return void (this.controls = []);
    const names = ["none", ...shown.map(({ name }) => name)];
    if (!names.includes(view.plotted)) view.plotted = "none";
    this.controls = [this.folder.add(view, "plotted", names).name("plot").onChange((name) => player.setView("plotted", name))];
    for (const joint of shown.slice(0, MOST)) this.controls.push(this.row(joint, source.live));
    if (shown.length > 8) this.folder.close();
  }

  row(joint, live) {
    const limited = Number.isFinite(joint.lower), unit = joint.coordinate === 1 ? Math.PI : 1;
    const row = { joint, target: joint.drive.kind === 1 ? joint.drive.speed : joint.drive.position };
    const [low, high] = limited && joint.drive.kind !== 1 ? [joint.lower, joint.upper] : [-unit, unit];
    row.control = this.folder.add(row, "target", low, high).decimals(3).listen().onChange((value) => this.drive(row, value));
    if (!live) row.control.disable();
    row.control.domElement.classList.add("joint");
    row.control.domElement.dataset.joint = joint.name;
    this.rows.push(row);
    return row.control;
  }

  /** One at a time; a slider that moved meanwhile is told next. */
  async drive(row, value) {
    row.wanted = value;
    if (row.sending) return;
    row.sending = true;
    const { drive, index } = row.joint, speed = drive.kind === 1;
    while (row.wanted !== undefined) {
      const target = row.wanted;
      row.wanted = undefined;
      const gains = drive.kind === 0 ? { stiffness: STIFFNESS, damping: DAMPING } : {};
      await this.player.source.tell("drive", speed ? { joint: index, kind: "velocity", speed: target }
        : { joint: index, kind: "position", position: target, ...gains });
    }
    row.sending = false;
  }

  refresh(frame) {
    const now = performance.now();
    if (!frame || this.rows.length === 0 || now - this.drawn < EVERY_MS) return;
    this.drawn = now;
    for (const row of this.rows) {
      const { joint } = row, [position, , effort] = frame.readings.subarray(5 * joint.index, 5 * joint.index + 5);
      const [length, force] = joint.coordinate === 1 ? ["rad", "N m"] : ["m", "N"];
      row.text = position === undefined ? joint.name
        : `${joint.name}: ${position.toFixed(3)} ${length}, ${Number(effort.toPrecision(3))} ${force}`;
      row.control.name(row.text);
      const told = frame.targets[joint.index];
      if (!row.sending && row.wanted === undefined && Number.isFinite(told)) row.target = told;
    }
  }
}
