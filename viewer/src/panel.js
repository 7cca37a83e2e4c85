// SPDX-License-Identifier: MIT
// The panel on the right: what is shown, and for a live run the solver, the settings and the hands.
import GUI from "lil-gui";

export const RECORDED_COLOURS = ["body", "speed", "sleep"];
export const LIVE_COLOURS = ["body", "speed", "island", "sleep", "graph", "sub-bodies"];

export class Panel {
  constructor(holder, player) {
    this.gui = new GUI({ container: holder, title: "Cairn" });
    this.player = player;
    this.gui.onOpenClose((changed) => {
      if (changed !== this.gui) return;
      holder.classList.toggle("closed", changed._closed);
      player.resize();
    });
    if (player.source.live) this.addRun();
    this.addView();
    if (player.source.live) this.addHands();
    if (window.innerHeight < 420 || window.innerWidth < 600) this.gui.close();
  }

  addView() {
    const folder = this.gui.addFolder("show"), { player } = this, { view } = player;
    folder.add(view, "colour", player.colours).onChange((value) => player.setView("colour", value)).listen();
    const marks = { contacts: "contacts", normals: "normals", forces: "forces", xray: "through bodies",
      shadows: "shadows", plots: "plots" };
    if (player.source.live) marks.joints = "joint frames";
    for (const [name, label] of Object.entries(marks))
      folder.add(view, name).name(label).onChange((value) => player.setView(name, value)).listen();
  }

  addRun() {
    const folder = this.gui.addFolder("run"), { player } = this, { source } = player;
    this.run = folder;
    // The program says NAME:setting=value,...
    this.chosen = {
      get solver() { return source.solver.split(":")[0]; },
      set solver(name) { source.setSolver(name); },
    };
    this.solver = folder.add(this.chosen, "solver", source.solvers).listen();
    folder.add({ curves: () => player.showCurves() }, "curves").name("curves of all solvers");
    folder.add({ restart: () => player.restart() }, "restart");
    this.settings = [];
  }

  /** Solvers and settings are those of the program, which tells them after the page is there. */
  refresh() {
    const { source } = this.player, names = source.solvers ?? [];
    if (!this.run) return;
    if (this.names !== names.join()) {
      this.names = names.join();
      this.solver = this.solver.options(names).listen();
    }
    if (this.settings.length === 0 && source.settings.dt !== undefined) this.addSettings(source);
  }

  addSettings(source) {
    const { settings } = source, change = (name) => (value) => source.change({ [name]: value });
    const add = (name, ...range) => {
      const control = this.run.add(settings, name, ...range).onFinishChange(change(name)).listen();
      this.settings.push(control);
      return control;
    };
    add("dt", 1e-4, 0.05).decimals(5).name("dt [s]");
    if (Array.isArray(settings.gravity)) {
      const pull = { get z() { return settings.gravity[2]; }, set z(value) { settings.gravity[2] = value; } };
      this.settings.push(this.run.add(pull, "z", -30, 30).name("gravity z [m/s2]").listen()
        .onFinishChange(() => source.change({ gravity: [...settings.gravity] })));
    }
    if (settings.threads !== undefined) add("threads", 0, 64, 1);
    if (settings.sleep !== undefined) add("sleep");
  }

  addHands() {
    const folder = this.gui.addFolder("hands"), { hands } = this.player;
    folder.add(hands, "ballSpeed", 0).name("ball speed [m/s]").listen();
    folder.add(hands, "ballRadius", 0).name("ball radius [m]").listen();
    folder.add({ shoot: () => hands.shoot() }, "shoot").name("shoot a ball (b)");
    folder.add({ remove: () => hands.removePicked() }, "remove").name("remove the picked body");
    folder.close();
  }
}
