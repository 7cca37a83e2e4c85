// SPDX-License-Identifier: MIT
// A live run as a source of frames: the WebSocket to `cairn view`. Frames are granted two at a time and only the newest
// is decoded, just before it is shown, so a slow browser sees fewer frames and never late ones.
import { Reader } from "./bytes.js";
import { Frame } from "./frame.js";
import { History } from "./history.js";
import { readCameras, readJoints, readLayout } from "./layout.js";

const CREDIT = 2; // frames on their way
const RETRY_MS = [300, 600, 1200, 2500, 5000];
const COMPLETE_MS = 1000;
const HASHES = 5000; // steps whose hash is remembered

export class LiveRun {
  /** notify(text, lasting): a message for people; "" when a lasting one is over. */
  constructor(url, notify) {
    Object.assign(this, { url, notify, live: true, layout: null, frame: null, history: null });
    Object.assign(this, { playing: false, speed: 1, rate: 0, hash: "", solver: "", solvers: [], settings: {} });
    Object.assign(this, { first: 0, last: 0, connected: false, tries: 0, number: 0, fresh: false });
    Object.assign(this, { received: 0, shown: 0 }); // frames
    this.waiting = new Map(); // answers, by number of the command
    this.hashes = new Map(); // by step
    this.subscription = { contacts: false, groups: false };
    this.connect();
  }

  connect() {
    const socket = (this.socket = new WebSocket(this.url));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.greet();
    socket.onmessage = ({ data }) => (typeof data === "string" ? this.answered(JSON.parse(data)) : this.receive(data));
    socket.onclose = () => this.lost();
  }

  greet() {
    this.connected = true;
    this.tries = this.received = 0;
    this.notify("", true);
    this.ask("subscribe", this.subscription).catch(() => {});
    this.ask("settings", { details: true }).then((values) => this.take(values)).catch(() => {});
    this.grant(CREDIT);
  }

  /** Frames that may be sent; without a number there is no answer. */
  grant(frames) { this.socket.send(JSON.stringify({ do: "credit", frames })); }

  lost() {
    this.connected = false;
    this.playing = false;
    for (const { refuse } of this.waiting.values()) refuse(new Error("the program is gone"));
    this.waiting.clear();
    this.notify("The program does not answer; trying again. If it was started anew, open the address it prints.", true);
    setTimeout(() => this.connect(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
    this.fresh = true;
  }

  /** A command; its answer comes as a promise. */
  ask(name, values = {}) {
    if (!this.connected) return Promise.reject(new Error("the program does not answer"));
    const id = ++this.number;
    this.socket.send(JSON.stringify({ id, do: name, ...values }));
    return new Promise((done, refuse) => this.waiting.set(id, { done, refuse }));
  }

  /** A command whose refusal people should read, unless a later one took its place; null then. */
  tell(name, values) {
    return this.ask(name, values).catch((error) => {
      if (!error.message.includes("superseded")) this.notify(`${name}: ${error.message}`, false);
      return null;
    });
  }

  /** Answers have the number of their command; without one it is a note for people. */
  answered(message) {
    if (message.note !== undefined) return this.notify(message.note, false);
    const waiter = this.waiting.get(message.id);
    if (!waiter) return;
    this.waiting.delete(message.id);
    if (message.error !== undefined) waiter.refuse(new Error(message.error));
    else waiter.done(message);
  }

  take({ dt, gravity, threads, sleep, iterations, friction }) {
    Object.assign(this.settings, { dt, gravity, threads, sleep, iterations, friction: friction ?? this.settings.friction });
  }

  receive(buffer) {
    const reader = new Reader(buffer), tag = reader.tag(4);
    if (tag === "SCEN") return this.rebuild(reader);
    if (tag !== "FRAM") return;
    this.received += 1;
    this.pending = reader; // one that was not shown is out of date
  }

  rebuild(reader) {
    this.generation = reader.count();
    this.layout = readLayout(reader);
    this.names = reader.texts();
    this.solvers = reader.texts();
    this.layout.joints = readJoints(reader);
    this.layout.cameras = readCameras(reader);
    this.solver = this.layout.solver;
    this.frame = null;
    if (this.history?.names.join() === this.names.join()) return;
    this.history = new History(this.names);
    this.complete(0);
  }

  /** A frame may be of another list of bodies than the one that is here: it is left out. */
  decode(reader) {
    if (!this.layout || reader.count() !== this.generation) return false;
    const frame = this.frame ?? new Frame(this.layout.moving.length), before = this.frame?.step;
    frame.time = reader.f64();
    frame.step = reader.count();
    this.first = reader.count();
    this.last = reader.count();
    this.playing = reader.u8() === 1;
    this.speed = reader.f32();
    this.rate = reader.f32();
    this.solver = reader.text();
    this.hash = reader.text();
    frame.readBodies(reader);
    frame.readGroups(reader);
    frame.contacts.read(reader);
    this.statistics = reader.floats(reader.count());
    frame.readReadings(reader);
    this.frame = frame;
    this.history.cut(this.last);
    if (frame.step > this.history.last + 1)
      this.missing = Math.min(this.missing ?? Infinity, Math.max(1, this.history.last));
    if (this.missing !== undefined) this.complete(this.missing);
    this.history.add(frame.step, frame.time, this.statistics);
    if (frame.step !== before) this.remember(frame.step);
    this.shown += 1;
    return true;
  }

  /** Steps whose frames were left out are asked for, once a second at most; the plots are drawn anew with them. */
  complete(since) {
    const now = performance.now(), { history } = this;
    if (now - (this.completed ?? -Infinity) < COMPLETE_MS && since > 0) return;
    this.completed = now;
    this.missing = undefined;
    this.ask("history", { since }).then((past) => { history.merge(past); this.fresh = true; }).catch(() => {});
  }

  /** Whether this step has the hash it had when it was shown before: "same", "other" or "" for the first time. */
  remember(step) {
    const before = this.hashes.get(step);
    this.repeat = before === undefined ? "" : before === this.hash ? "same" : "other";
    this.hashes.set(step, this.hash);
    if (this.hashes.size > HASHES) this.hashes.delete(this.hashes.keys().next().value);
  }

  get position() { return this.frame?.step ?? 0; }

  /** Called before every picture; true when there is something new to show. */
  advance() {
    if (this.pending && this.decode(this.pending)) this.fresh = true;
    this.pending = null;
    if (this.received > 0 && this.connected) {
      this.grant(this.received);
      this.received = 0;
    }
    const fresh = this.fresh && this.frame !== null;
    if (fresh) this.fresh = false;
    return fresh;
  }

  play() { return this.tell("play"); }
  pause() { return this.tell("pause"); }
  restart() { return this.tell("restart"); }
  setSpeed(factor) { return this.tell("speed", { factor }); }
  setSolver(name) { return this.tell("solver", { name }); }
  async change(values) { const now = await this.tell("settings", values); if (now) this.take(now); }

  /** Steps forward are computed, steps back are sought. */
  nudge(by) {
    if (!Number.isFinite(by)) return this.seek(by < 0 ? this.first : this.last);
    if (by < 0 || (!this.playing && this.position < this.last)) return this.seek(this.position + by);
    this.pause();
    return this.tell("step", { count: by });
  }

  /** One seek at a time: what is asked meanwhile replaces what was asked before. */
  async seek(step) {
    this.wanted = Math.max(this.first, Math.min(this.last, Math.round(step)));
    if (this.seeking) return;
    this.seeking = true;
    while (this.wanted !== null) {
      const next = this.wanted;
      this.wanted = null;
      await this.tell("seek", { step: next });
    }
    this.seeking = false;
  }

  seekTime(time) {
    const { times, steps } = this.history;
    let best = 0;
    times.forEach((t, k) => { if (Math.abs(t - time) < Math.abs(times[best] - time)) best = k; });
    if (steps.length > 0) this.seek(steps[best]);
  }

  /** Says what must come with every frame. */
  watch(contacts, groups) {
    if (contacts === this.subscription.contacts && groups === this.subscription.groups) return;
    this.subscription = { contacts, groups };
    if (this.connected) this.ask("subscribe", this.subscription).catch(() => {});
  }

  scales() { return { fastest: 0, strongest: 0 }; } // they grow as the run goes on
}
