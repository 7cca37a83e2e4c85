// SPDX-License-Identifier: MIT
// The panel on the right: what is shown and from where, and for a live run the scene, the solver, the settings, the
// joints and the hands.
import GUI from "lil-gui";
import { VIEWS } from "./camera.js";
import { JointControls } from "./joint_controls.js";
import { SceneMenu } from "./scene_menu.js";
import { SolverSettings } from "./solver_settings.js";

export const RECORDED_COLOURS = ["body", "speed", "island", "sleep"];
export const LIVE_COLOURS = ["body", "speed", "island", "sleep", "graph", "sub-bodies"];
const SHAPES = ["sphere", "box", "capsule", "cylinder", "cone"];

export class Panel {
  constructor(holder, player) {
    this.gui = new GUI({ container: holder, title: "Cairn" });
    this.player = player;
    this.gui.onOpenClose((changed) => {
      if (changed !== this.gui) return;
      holder.classList.toggle("closed", changed._closed);
      player.resize();
    });
    const { live } = player.source;
    if (live) this.scenes = new SceneMenu(this.gui.addFolder("scene"), player);
    this.joints = new JointControls(this.gui.addFolder("joints"), player);
    if (live) this.addRun();
    this.addView();
    this.addCamera();
    if (live) this.addHands();
    if (window.innerHeight < 420 || window.innerWidth < 600) this.gui.close();
  }

  addView() {
    const folder = this.gui.addFolder("show"), { player } = this, { view } = player;
    folder.add(view, "colour", player.colours).onChange((value) => player.setView("colour", value)).listen();
    const marks = { contacts: "contacts", normals: "normals", forces: "forces at contacts", xray: "through bodies",
      joints: "joint frames", shadows: "shadows", walls: "clear walls", plots: "plots" };
    for (const [name, label] of Object.entries(marks))
      folder.add(view, name).name(label).onChange((value) => player.setView(name, value)).listen();
  }

  addCamera() {
    const folder = this.gui.addFolder("camera and film"), { player } = this, { view } = player;
    this.camera = folder.add(view, "camera", Object.keys(VIEWS)).name("look from").listen()
      .onChange((name) => player.lookAs(name));
    folder.add(view, "follow", ["bodies", "picked", "off"]).name("follow (g)").listen()
      .onChange((value) => player.setView("follow", value));
    folder.add({ fit: () => player.lookAs("all bodies") }, "fit").name("fit all bodies");
    folder.add({ picture: () => player.media.picture() }, "picture").name("keep a picture (s)");
    folder.add({ film: () => player.film() }, "film").name("begin or end a film (m)");
    folder.close();
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
    this.solverSettings = new SolverSettings(folder.addFolder("settings of the solver"), source);
    folder.add({ curves: () => player.showCurves() }, "curves").name("curves of all solvers (v)");
    folder.add({ restart: () => player.restart() }, "restart");
    folder.add({ previous: () => source.tell("previous") }, "previous").name("run before the restart");
    folder.add({ save: () => player.saveRun() }, "save").name("save this run");
    this.settings = [];
  }

  /** Another list of bodies, joints or cameras. */
  rebuild(layout) {
    const names = [...layout.cameras.map((camera) => camera.name), ...Object.keys(VIEWS)];
    this.camera = this.camera.options(names).name("look from").listen()
      .onChange((name) => this.player.lookAs(name));
    this.joints.rebuild(layout);
  }

  /** Solvers and settings are those of the program, which tells them after the page is there. */
  refresh() {
    const { source } = this.player, names = source.solvers ?? [];
    this.joints.refresh(source.frame);
    if (!this.run) return;
    if (this.names !== names.join()) {
      this.names = names.join();
      this.solver = this.solver.options(names).listen();
    }
    if (this.settings.length === 0 && source.settings.dt !== undefined) this.addSettings(source);
    this.solverSettings.refresh();
  }

  addSettings(source) {
    const { settings } = source, change = (name) => (value) => source.change({ [name]: value });
    const add = (name, ...range) => {
      const control = this.run.add(settings, name, ...range).onFinishChange(change(name)).listen();
      this.settings.push(control);
      return control;
    };
    add("dt", 1e-4, 0.05).decimals(5).name("dt [s]");
    add("iterations", 1, 500, 1).name("sweeps");
    if (Array.isArray(settings.gravity)) {
      const pull = { get z() { return settings.gravity[2]; }, set z(value) { settings.gravity[2] = value; } };
      this.settings.push(this.run.add(pull, "z", -30, 30).name("gravity z [m/s2]").listen()
        .onFinishChange(() => source.change({ gravity: [...settings.gravity] })));
    }
    settings.friction ??= 0.5;
    add("friction", 0, 2).name("friction of all");
    if (settings.threads !== undefined) add("threads", 0, 64, 1);
    if (settings.sleep !== undefined) add("sleep");
  }

  addHands() {
    const folder = this.gui.addFolder("hands"), { hands } = this.player;
    folder.add(hands, "strength", 0.5, 20).name("pull [Hz]");
    folder.add(hands, "shape", SHAPES);
    folder.add(hands, "ballRadius", 0).name("radius [m]").listen();
    folder.add(hands, "ballSpeed", 0).name("speed of a shot [m/s]").listen();
    folder.add({ shoot: () => hands.shoot([0, 0]) }, "shoot").name("shoot (b: at the pointer)");
    folder.add({ drop: () => hands.dropBody([0, 0]) }, "drop").name("drop (d: at the pointer)");
    folder.add({ remove: () => hands.removePicked() }, "remove").name("remove the picked body");
    folder.close();
  }
}
