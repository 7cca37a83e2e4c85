// SPDX-License-Identifier: MIT
// The scenes that a live run can go over to, with sliders for their parameters.

/** The ends of what is allowed, as the program says it: "a whole number in [1, 200]". */
export function rangeOf(allowed) {
  const found = /\[([^,\]]+), ([^\]]+)\]/.exec(allowed);
  return found ? { least: Number(found[1]), most: Number(found[2]), whole: allowed.includes("whole") } : null;
}

/** A slider that can be set by hand: ranges of the program are wide, the usual values are not. */
export function sliderOf({ value, allowed }) {
  const range = rangeOf(allowed), usual = Number(value);
  if (!range || !Number.isFinite(usual)) return null;
  const most = Math.min(range.most, usual === 0 ? Math.max(1, Math.min(50, range.most)) : usual > 0 ? 5 * usual : range.most);
  const least = Math.max(range.least, usual < 0 ? 5 * usual : Math.min(range.least, 0));
  return { least, most: Math.max(most, least), step: range.whole ? 1 : undefined };
}

export class SceneMenu {
  constructor(folder, player) {
    Object.assign(this, { folder, player, controls: [], scenes: [], name: "", values: {} });
    this.choice = folder.add(this, "name", [""]).name("scene").onChange((name) => this.choose(name));
    this.ask();
  }

  /** The list comes from the program; until it is there, nothing can be chosen. */
  async ask() {
    const { source } = this.player;
    for (let tries = 0; tries < 50 && !source.connected; ++tries) await new Promise((done) => setTimeout(done, 100));
    const answer = await source.ask("scenes").catch(() => null);
    if (!answer) return;
    this.scenes = answer.scenes;
    const current = source.layout?.scene ?? "";
    const [first] = this.scenes, given = first && !first.parameters ? first.name : ""; // of the command line
    this.name = this.scenes.find(({ name }) => name === current)?.name ?? given;
    const names = this.scenes.map(({ name }) => name);
    this.choice = this.choice.options(this.name ? names : ["", ...names]).name("scene").onChange((name) => this.choose(name));
    this.showParameters();
  }

  choose(name) {
    this.name = name;
    this.showParameters();
    this.load();
  }

  showParameters() {
    for (const control of this.controls) control.destroy();
    this.controls = [];
    this.values = {};
    const scene = this.scenes.find(({ name }) => name === this.name);
    for (const parameter of scene?.parameters ?? []) {
      const slider = sliderOf(parameter);
      this.values[parameter.name] = slider ? Number(parameter.value) : parameter.value;
      const control = slider ? this.folder.add(this.values, parameter.name, slider.least, slider.most, slider.step)
        : this.folder.add(this.values, parameter.name);
      control.domElement.title = `${parameter.help}; ${parameter.allowed}`;
      this.controls.push(control.onFinishChange(() => this.load()));
    }
  }

  /** Only what differs from the defaults is said: the program knows the rest. */
  load() {
    const scene = this.scenes.find(({ name }) => name === this.name);
    if (!scene) return null;
    const changed = (scene.parameters ?? []).filter(({ name, value }) => String(this.values[name]) !== String(Number(value)) &&
      String(this.values[name]) !== value);
    return this.player.load(this.name, Object.fromEntries(changed.map(({ name }) => [name, this.values[name]])));
  }
}
