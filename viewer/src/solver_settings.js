// SPDX-License-Identifier: MIT
// The settings of the solver of now, by name; the program says what they are and refuses what is not allowed.

export class SolverSettings {
  constructor(folder, source) {
    Object.assign(this, { folder, source, controls: [], values: {} });
    folder.close();
    folder.onOpenClose((changed) => { if (changed === folder && !folder._closed) this.ask(); });
  }

  /** Another solver has other settings: they are asked for when people look at them. */
  refresh() {
    if (this.folder._closed || this.source.solver === this.label || this.asking) return;
    this.ask();
  }

  async ask() {
    this.asking = true;
    const answer = await this.source.ask("settings", { details: true }).catch(() => null);
    this.asking = false;
    this.label = this.source.solver;
    if (!answer) return;
    for (const control of this.controls) control.destroy();
    this.values = {};
    this.controls = answer.solver_settings.map(({ name, value, help, allowed }) => {
      this.values[name] = value;
      const control = this.folder.add(this.values, name).onFinishChange((text) => this.change(name, text));
      control.domElement.title = `${help}; ${allowed}`;
      return control;
    });
  }

  async change(name, value) {
    const settings = { ...this.given(), [name]: String(value) };
    await this.source.tell("solver", { name: this.source.solver.split(":")[0], settings });
    this.ask();
  }

  /** What was set before, as the label tells it: NAME:setting=value,... */
  given() {
    const [, list = ""] = this.source.solver.split(/:(.*)/s);
    return Object.fromEntries(list.split(",").filter(Boolean).map((pair) => pair.split("=")));
  }
}
