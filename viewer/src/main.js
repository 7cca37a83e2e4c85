// SPDX-License-Identifier: MIT
// The page that plays a recording: time, hands and numbers. `window.cairn` is the same for people's scripts and tests.
import page from "./page.html";
import style from "./style.css";
import { Plot } from "./plot.js";
import { Recording, fromBase64 } from "./recording.js";
import { Stage } from "./stage.js";

class Player {
  constructor(recording) {
    this.recording = recording;
    this.number = 0;
    this.playing = false;
    this.speed = 1;
    this.picked = -1;
    this.stage = new Stage(element("view"), recording);
    const seek = (time) => this.seekTime(time), stats = recording.statistics;
    const total = stats.kinetic_energy?.map((value, k) => value + stats.potential_energy[k]);
    const lines = (list) => list.filter((line) => line.values);
    this.plots = [
      new Plot(element("energy"), "energy [J]", recording.times, lines([
        { name: "kinetic", colour: "#d9480f", values: stats.kinetic_energy },
        { name: "potential", colour: "#1971c2", values: stats.potential_energy },
        { name: "total", colour: "#2b8a3e", values: total }]), seek),
      new Plot(element("contacts"), "", recording.times,
        lines([{ name: "contacts", colour: "#862e9c", values: stats.contacts }]), seek),
    ];
    element("facts").textContent =
      `${recording.scene}\n${recording.solver}\n${recording.bodies.length} bodies, ${recording.frames.length} frames`;
    element("scrub").max = recording.frames.length - 1;
    this.bind();
    this.resize();
    this.seek(0);
  }

  seek(number) {
    this.number = Math.max(0, Math.min(this.recording.frames.length - 1, Math.round(number) || 0));
    this.clock = this.recording.frames[this.number].time;
    this.frame = this.recording.frame(this.number);
    this.refresh();
  }

  seekTime(time) { this.seek(this.numberAt(time)); }

  /** The last frame at or before a time. */
  numberAt(time) {
    let low = 0, high = this.recording.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.recording.frames[middle].time <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  refresh() {
    this.stage.picked = this.picked;
    this.stage.show(this.frame);
    element("scrub").value = this.number;
    element("clock").textContent = `${this.frame.time.toFixed(3)} s, step ${this.frame.step}`;
    element("play").textContent = this.playing ? "\u275a\u275a" : "\u25b6";
    for (const plot of this.plots) plot.draw(this.frame.time);
    this.inspect();
  }

  /** Everything about the picked body in this frame, or null. */
  state(index) {
    const body = this.recording.bodies[index];
    if (!body) return null;
    const at = body.place, pose = body.moves ? this.frame.pose.subarray(7 * at, 7 * at + 7) : body.start;
    const velocity = body.moves ? this.frame.velocity.subarray(6 * at, 6 * at + 6) : new Float32Array(6);
    return {
      index, name: body.name, shape: body.shape, mass: body.mass, position: [...pose.slice(0, 3)],
      orientation: [...pose.slice(3)], velocity: [...velocity.slice(0, 3)], turning: [...velocity.slice(3)],
      awake: body.moves ? this.frame.awake[at] === 1 : false,
      contacts: this.frame.contacts.filter((c) => c.a === index || c.b === index).length,
    };
  }

  inspect() {
    const state = this.state(this.picked), box = element("inspector");
    box.hidden = state === null;
    if (state === null) return;
    const list = (numbers) => numbers.map((x) => x.toFixed(4).padStart(10)).join("");
    box.textContent = [
      `body ${state.index}  ${state.name}`, `${state.shape}, ${state.mass.toPrecision(4)} kg`,
      `position [m]     ${list(state.position)}`, `velocity [m/s]   ${list(state.velocity)}`,
      `turning [rad/s]  ${list(state.turning)}`, `${state.contacts} contacts, ${state.awake ? "awake" : "at rest"}`,
    ].join("\n");
  }

  pick(index) {
    this.picked = index >= 0 && index < this.recording.bodies.length ? index : -1;
    this.refresh();
  }

  setPlaying(playing) {
    if (playing && this.number === this.recording.frames.length - 1) this.seek(0);
    this.playing = playing;
    this.refresh();
  }

  setSpeed(by) {
    const select = element("speed");
    select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
    this.speed = Number(select.value);
  }

  setColour(by) { element("colour").value = this.stage.colourBy = by; this.refresh(); }

  setContacts(shown) { element("show").checked = this.stage.showContacts = shown; this.refresh(); }

  bind() {
    element("play").onclick = () => this.setPlaying(!this.playing);
    element("back").onclick = () => this.nudge(-1);
    element("step").onclick = () => this.nudge(1);
    element("scrub").oninput = (event) => { this.playing = false; this.seek(Number(event.target.value)); };
    element("speed").onchange = () => this.setSpeed(0);
    element("colour").onchange = (event) => this.setColour(event.target.value);
    element("show").onchange = (event) => this.setContacts(event.target.checked);
    element("ask").onclick = () => this.toggleHelp();
    window.addEventListener("resize", () => this.resize());
    window.addEventListener("keydown", (event) => this.key(event));
    this.bindPicking(element("view"));
  }

  /** A click that did not turn the camera picks. */
  bindPicking(view) {
    let from = null;
    view.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
    view.addEventListener("click", (event) => {
      if (from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) return;
      const box = view.getBoundingClientRect();
      this.pick(this.stage.bodyAt((2 * (event.clientX - box.left)) / box.width - 1,
        1 - (2 * (event.clientY - box.top)) / box.height));
    });
  }

  nudge(by) { this.playing = false; this.seek(this.number + by); }

  toggleHelp() { element("help").hidden = !element("help").hidden; }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.tagName === "SELECT" || (event.target.tagName === "BUTTON" && event.key === " ")) return;
    const actions = {
      " ": () => this.setPlaying(!this.playing), ArrowLeft: () => this.nudge(-1), ArrowRight: () => this.nudge(1),
      Home: () => this.nudge(-Infinity), End: () => this.nudge(Infinity), "+": () => this.setSpeed(1),
      "-": () => this.setSpeed(-1), c: () => this.setColour(this.stage.colourBy === "body" ? "speed" : "body"),
      f: () => this.setContacts(!this.stage.showContacts), r: () => this.stage.look(), "?": () => this.toggleHelp(),
      Escape: () => { element("help").hidden = true; this.pick(-1); },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  resize() { this.stage.resize(window.innerWidth, window.innerHeight); }

  /** Called by the browser before every picture, ms. */
  tick(now) {
    const passed = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    if (this.playing) this.advance(passed * this.speed);
    this.stage.draw();
    requestAnimationFrame((time) => this.tick(time));
  }

  advance(seconds) {
    const clock = this.clock + seconds, number = this.numberAt(clock);
    if (number !== this.number) this.seek(number);
    this.clock = clock;
    if (this.number === this.recording.frames.length - 1) this.playing = false, this.refresh();
  }
}

function element(id) { return document.getElementById(id); }

/** What scripts may read and do; bodies are states in the frame that is shown. */
function openDoor(player) {
  window.cairn = {
    get frame() { return player.number; },
    get frames() { return player.recording.frames.length; },
    get time() { return player.frame.time; },
    get playing() { return player.playing; },
    get picked() { return player.picked; },
    get bodies() { return player.recording.bodies.map((body) => player.state(body.index)); },
    get contacts() { return player.frame.contacts; },
    get scene() { return player.recording.scene; },
    seek: (number) => player.seek(number),
    pick: (index) => player.pick(index),
    play: () => player.setPlaying(true),
    pause: () => player.setPlaying(false),
    place: (index) => player.stage.project(...player.state(index).position),
  };
}

function start() {
  const sheet = document.createElement("style"), holder = document.getElementById("recording");
  sheet.textContent = style;
  document.head.append(sheet);
  const data = holder.textContent;
  holder.remove();
  document.body.insertAdjacentHTML("beforeend", page);
  try {
    const player = new Player(new Recording(fromBase64(data)));
    document.title = `${player.recording.scene} - Cairn`;
    openDoor(player);
    player.tick(performance.now());
  } catch (error) {
    element("facts").textContent = `This page cannot be shown: ${error.message}`;
    throw error;
  }
}

start();
