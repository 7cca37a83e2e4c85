// SPDX-License-Identifier: MIT
// Shows a source of frames, a Recording or a LiveRun, and passes on what people want. Both sources have
//   live, layout, frame, history {times, columns}, playing, speed, first <= position <= last (the slider),
//   play, pause, nudge(by), seek(position), seekTime(time), restart, setSpeed(factor), watch(contacts, groups),
//   scales(), and advance(seconds), which is called before every picture and says whether there is something new.
import * as THREE from "three";
import { VIEWS } from "./camera.js";
import { onTheme } from "./colours.js";
import { Curves } from "./curves.js";
import { Hands } from "./hands.js";
import { Inspector, bodyState } from "./inspector.js";
import { Legend } from "./legend.js";
import { Media } from "./media.js";
import { LIVE_COLOURS, Panel, RECORDED_COLOURS } from "./panel.js";
import { Plots } from "./plots.js";
import { Stage } from "./stage.js";
import { BodyTrack, JointTrack } from "./tracks.js";

const MESSAGE_MS = 5000;
export const NARROW = 600; // pixels: a phone

export class Player {
  constructor(source) {
    this.source = source;
    this.picked = -1;
    this.contact = -1;
    this.colours = source.live ? LIVE_COLOURS : RECORDED_COLOURS;
    this.view = { colour: "body", contacts: false, normals: false, forces: true, joints: false, xray: false,
      shadows: true, plots: window.innerHeight >= 480 && window.innerWidth >= NARROW, panels: true, walls: true,
      follow: "bodies", camera: "all bodies", plotted: "none" };
    this.stage = new Stage(element("view"));
    this.legend = new Legend(element("legend"));
    this.media = new Media(element("view"), () => `${this.layout?.scene ?? "cairn"}-${source.frame?.step ?? 0}`);
    this.stage.onShadows = (shown) => { this.view.shadows = shown; };
    this.hands = new Hands(this, element("view"));
    this.inspector = new Inspector(element("inspector"), () => this.refresh());
    this.plots = new Plots(element("plots"), (time) => this.seekTime(time));
    this.panel = new Panel(element("panel"), this);
    if (source.live) this.curves = new Curves(element("curves"), source);
    for (const part of document.querySelectorAll(source.live ? ".recorded" : ".live")) part.hidden = true;
    this.bind();
    this.resize();
    this.applyView();
  }

  /** Before every picture, ms. */
  tick(now) {
    const before = this.last ?? now, passed = Math.min(0.1, (now - before) / 1000), begun = performance.now();
    this.last = now;
    requestAnimationFrame((time) => this.tick(time));
    if (this.source.advance(passed)) {
      this.refresh(!this.source.playing);
      this.cost = performance.now() - begun;
    }
    if (this.source.live) this.hands.update();
    const drawn = this.layout ? this.stage.draw() : false;
    if (drawn && this.drawn) this.stage.pace(now - before);
    this.drawn = drawn;
  }

  /** Everything as the source has it; whole: also what is else drawn a few times a second. */
  refresh(whole = true) {
    const { source, stage } = this, { frame, layout } = source, now = performance.now();
    if (!frame) return;
    if (layout !== this.layout) this.rebuild();
    this.contact = this.inspector.find(frame.contacts);
    stage.picked = this.picked;
    stage.contacts.picked = this.contact;
    stage.show(frame);
    this.followBodies(frame);
    this.legend.show(this.view.colour, this.view.colour === "speed" ? stage.fastest : stage.most);
    this.showBar();
    this.panel.refresh();
    for (const track of this.plots.tracks) track.add(frame);
    this.plots.update(source.history, frame.time, now, whole);
    this.inspector.update(layout, frame, this.picked, this.contact, now, whole);
  }

  /** The camera goes with the picked body, or with all of them when they leave where they were. */
  followBodies(frame) {
    const { view, stage, picked, source } = this;
    const body = source.layout.bodies[picked];
    if (view.follow === "picked" && body?.moves) {
      const [x, y, z] = frame.poseOf(body);
      stage.rig.follow(new THREE.Vector3(x, y, z), false);
    } else if (view.follow === "bodies") {
      const spread = stage.spreadOf(frame);
      if (spread) stage.rig.follow(spread.mean, true);
    }
  }

  /** What is plotted beside the statistics: the picked body, and the joint that was chosen. */
  plot() {
    const { source, view, picked } = this, { bodies, joints } = source.layout, before = this.plots.tracks, wanted = [];
    if (bodies[picked]?.moves) wanted.push(new BodyTrack(source, bodies[picked]));
    const joint = joints.find(({ name }) => name === view.plotted);
    if (joint) wanted.push(new JointTrack(source, joint));
    this.plots.follow(wanted.map((track) => before.find(({ key }) => key === track.key) ?? track));
  }

  /** Another scene in a live run; the camera begins anew. */
  async load(scene, parameters) {
    const done = await this.source.tell("load", { scene, parameters });
    if (done) this.layout = null, this.picked = -1;
    if (done) this.source.ask("settings", { details: true }).then((values) => this.source.take(values)).catch(() => {});
    return done;
  }

  async saveRun() {
    const done = await this.source.tell("save", {});
    if (done) this.say(`Saved as ${done.file}, ${done.steps} steps: cairn replay ${done.file} --verify`, false);
    return done;
  }

  /** Another list of bodies: the picked one is found by its name, the camera stays. */
  rebuild() {
    const { layout, frame } = this.source, before = this.layout;
    const name = before?.bodies[this.picked]?.name;
    if (layout.bodies[this.picked]?.name !== name) this.picked = layout.bodies.findIndex((body) => body.name === name);
    this.layout = layout;
    this.stage.build(layout);
    this.panel.rebuild(layout);
    this.plot();
    if (before) return;
    this.stage.setScales(this.source.scales());
    this.stage.measure(frame);
    this.look();
    this.hands.measure(this.stage.radius);
    document.title = `${layout.scene} - Cairn`;
  }

  showBar() {
    const { source } = this, { frame, layout } = source, scrub = element("scrub");
    if (!this.scrubbing) Object.assign(scrub, { min: source.first, max: source.last, value: source.position });
    element("clock").textContent = `${frame.time.toFixed(3)} s, step ${frame.step}`;
    element("play").textContent = source.playing ? "\u275a\u275a" : "\u25b6";
    const grid = this.stage.backdrop.grounds.length > 0 ? `, grid ${length(this.stage.backdrop.spacing)}` : "";
    element("facts").textContent = `${layout.scene}\n${source.solver}\n${layout.bodies.length} bodies` +
      (layout.joints.length > 0 ? `, ${layout.joints.length} joints` : "") +
      (source.live ? "" : `, ${source.frames.length} frames`) + grid;
    if (!source.live) return;
    this.showSpeed();
    element("rate").textContent = `${source.rate.toFixed(2)} x real time`;
    const again = { same: "\u2713", other: "\u2260", "": "" }[source.repeat];
    element("hash").textContent = `${source.hash.slice(0, 8)} ${again}`;
    const compared = { same: ", as", other: ", not as", "": "" }[source.repeat];
    element("hash").title = `state hash ${source.hash}${compared && `${compared} when this step was shown before`}`;
  }

  /** The speed that the program was asked for, perhaps by another page. */
  showSpeed() {
    const { speed } = this.source;
    if (speed === this.speed) return;
    this.speed = speed;
    const option = [...element("speed").options].find(({ value }) => Math.abs(value - speed) < 1e-3);
    if (option) option.selected = true;
  }

  /** The camera on the bodies where they are now; without a way, and if there is one, that of the scene file. */
  look(way, zoom) {
    const { frame, layout } = this.source, [own] = layout?.cameras ?? [];
    if (!frame) return;
    this.stage.aim(frame, way, zoom);
    if (own && !way) this.stage.rig.lookFrom(own), this.view.camera = own.name;
  }

  /** A view by its name: of the scene file, or one that fits the bodies. */
  lookAs(name) {
    const own = this.source.layout?.cameras.find((camera) => camera.name === name);
    this.view.camera = name;
    if (own) this.stage.rig.lookFrom(own);
    else if (VIEWS[name] && this.source.frame) this.stage.aim(this.source.frame, VIEWS[name]);
    this.refresh();
  }

  state(index) { return bodyState(this.source.layout, this.source.frame, index); }

  pick(index) {
    this.picked = this.source.layout?.bodies[index] ? index : -1;
    if (this.picked < 0) this.inspector.target = null;
    this.watch();
    this.plot();
    this.refresh();
  }

  pickContact(k) {
    this.inspector.hold(this.source.frame.contacts, k);
    this.refresh();
  }

  setPlaying(playing) { playing ? this.source.play() : this.source.pause(); this.refresh(); }
  seek(position) { this.source.seek(position); this.refresh(); }
  seekTime(time) { this.source.pause(); this.source.seekTime(time); this.refresh(); }
  nudge(by) { this.source.nudge(by); this.refresh(); }

  /** A live run keeps the run so far beside the new one. */
  async restart() {
    const { source } = this, kept = source.last - source.first;
    await source.restart();
    if (source.live && kept > 0)
      this.say(`A new run. The one before, of ${kept} steps, is kept: "run before the restart" brings it back.`, false);
  }

  setSpeed(by) {
    const select = element("speed");
    select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
    this.source.setSpeed(Number(select.value));
  }

  setView(name, value) {
    this.view[name] = value;
    if (name === "shadows") this.stage.shadows = value, this.stage.setQuality(2);
    if (name === "follow") this.stage.rig.anchor = null;
    if (name === "plotted") this.plot();
    this.applyView();
    this.refresh();
  }

  applyView() {
    const { view, stage } = this, { contacts } = stage;
    stage.colourBy = view.colour;
    Object.assign(stage, { walls: view.walls, looked: 0 });
    Object.assign(contacts, { shown: view.contacts || view.colour === "graph", normalsShown: view.normals,
      forcesShown: view.forces && view.colour !== "graph", xray: view.xray || view.colour === "graph",
      byGraph: view.colour === "graph" });
    stage.joints.shown = view.joints;
    if (element("plots").hidden === view.plots || element("overlay").hidden === view.panels) {
      element("plots").hidden = !view.plots;
      element("overlay").hidden = !view.panels;
      this.resize();
    }
    this.watch();
  }

  /** Only what is looked at is sent. */
  watch() {
    const { view, picked } = this, groups = view.colour === "island" || view.colour === "sub-bodies" || picked >= 0;
    this.source.watch(view.contacts || view.colour === "graph" || picked >= 0, groups);
  }

  async showCurves(values) { return this.curves ? this.curves.fetch(values) : null; }

  bind() {
    element("play").onclick = () => this.setPlaying(!this.source.playing);
    element("back").onclick = () => this.nudge(-1);
    element("step").onclick = () => this.nudge(1);
    const scrub = element("scrub");
    scrub.oninput = () => {
      if (this.source.playing) this.source.pause();
      this.scrubbing = this.source.live;
      this.seek(Number(scrub.value));
    };
    scrub.onchange = () => { this.scrubbing = false; };
    element("speed").onchange = () => this.setSpeed(0);
    element("ask").onclick = () => this.toggleHelp();
    window.addEventListener("resize", () => this.resize());
    new ResizeObserver(() => this.resize()).observe(element("left")); // what it covers of the scene
    window.addEventListener("keydown", (event) => this.key(event));
    onTheme(() => { this.stage.useTheme(); this.plots.restyle(); this.curves?.show(); this.refresh(); });
  }

  film() {
    try {
      this.media.film();
      if (this.media.filming) this.say("Filming; press m again to end and keep the film.", true);
      else this.say("", true);
    } catch (error) {
      this.say(error.message, false);
    }
  }

  toggleHelp() { element("help").hidden = !element("help").hidden; }

  /** One key, one action. */
  actions() {
    const { source, view, hands } = this, flip = (name) => () => this.setView(name, !view[name]);
    const next = () => this.colours[(this.colours.indexOf(view.colour) + 1) % this.colours.length];
    const both = {
      " ": () => this.setPlaying(!source.playing), ArrowLeft: () => this.nudge(-1), ArrowRight: () => this.nudge(1),
      Home: () => this.nudge(-Infinity), End: () => this.nudge(Infinity), "+": () => this.setSpeed(1),
      "-": () => this.setSpeed(-1), Backspace: () => this.restart(), c: () => this.setView("colour", next()),
      f: flip("contacts"), j: flip("joints"), n: flip("normals"), x: flip("xray"), p: flip("plots"), h: flip("panels"),
      r: () => this.lookAs(this.source.layout?.cameras[0]?.name ?? "all bodies"), o: flip("walls"),
      s: () => this.media.picture(), m: () => this.film(),
      1: () => this.lookAs("front"), 2: () => this.lookAs("right"), 3: () => this.lookAs("top"),
      g: () => this.setView("follow", { off: "bodies", bodies: "picked", picked: "off" }[view.follow]),
      "?": () => this.toggleHelp(),
      Escape: () => { element("help").hidden = true; this.curves?.hide(); this.pick(-1); },
    };
    if (!source.live) return both;
    return { ...both, b: () => hands.shoot(), d: () => hands.dropBody(), Delete: () => hands.removePicked(),
      v: () => this.showCurves().catch(() => {}) };
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    if (tagName === "SELECT" || (tagName === "INPUT" && type !== "range" && type !== "checkbox")) return;
    if (tagName === "BUTTON" && event.key === " ") return;
    const action = this.actions()[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** A lasting message stays until its place is cleared; others go by themselves. */
  say(text, lasting) {
    const box = element("message");
    clearTimeout(this.silence);
    if (!lasting) this.silence = setTimeout(() => this.say(this.lasting ?? "", true), MESSAGE_MS);
    else this.lasting = text;
    box.textContent = text;
    box.hidden = text === "";
  }

  resize() {
    const { innerWidth: width, innerHeight: height } = window;
    const margin = { left: 0, right: 0, bottom: 0 };
    if (this.view.panels) {
      const left = element("inspector").hidden ? 0 : element("inspector").offsetWidth;
      margin.left = left < 0.4 * width ? left : 0;
      margin.bottom = height - (this.view.plots ? element("plots") : element("bar")).getBoundingClientRect().top;
      const right = element("panel").classList.contains("closed") ? 0 : element("panel").offsetWidth;
      margin.right = right < 0.4 * width ? right : 0; // on a phone it lies over the scene, and can be closed
    }
    this.stage.resize(width, height, margin);
    this.plots.resize();
    this.curves?.resize();
  }
}

/** A length for people. */
function length(x) { return x >= 1000 ? `${x / 1000} km` : x >= 1 ? `${x} m` : x >= 0.01 ? `${Math.round(100 * x)} cm` : `${x * 1000} mm`; }

export function element(id) { return document.getElementById(id); }
