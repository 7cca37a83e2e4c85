// SPDX-License-Identifier: MIT
// The page: plays the recording that is in it, or shows the live run of the program that served it. `window.cairn` is
// the same for people's scripts and tests.
import plotStyle from "uplot/dist/uPlot.min.css";
import page from "./page.html";
import style from "./style.css";
import { fromBase64 } from "./bytes.js";
import { LiveRun } from "./live.js";
import { Player, element } from "./player.js";
import { Recording } from "./recording.js";

/** What scripts may read and do; bodies and contacts are those of the frame that is shown. */
function openDoor(player) {
  const { source } = player, { hands } = player;
  const contacts = () =>
    Array.from({ length: source.frame?.contacts.count ?? 0 }, (_, k) => source.frame.contacts.describe(k));
  const door = {
    get live() { return source.live; },
    get time() { return source.frame?.time ?? 0; },
    get step() { return source.frame?.step ?? -1; },
    get playing() { return source.playing; },
    get picked() { return player.picked; },
    get pickedContact() { return player.contact; },
    get colour() { return player.view.colour; },
    get view() { return { ...player.view }; },
    get camera() { return player.stage.camera.position.toArray(); },
    get shadowReach() { return player.stage.sun.shadow.camera.right; },
    get bodies() { return source.frame ? source.layout.bodies.map((body) => player.state(body.index)) : []; },
    get contacts() { return contacts(); },
    get scene() { return source.layout?.scene ?? ""; },
    get solver() { return source.solver; },
    get history() { return source.history; },
    get joints() { return source.layout?.joints ?? []; },
    get readings() { return Array.from(source.frame?.readings ?? []); },
    get targets() { return Array.from(source.frame?.targets ?? []); },
    get kept() { return player.media.last; }, // the last picture or film
    get filming() { return player.media.filming; },
    get target() { return player.stage.controls.target.toArray(); },
    get tracks() { return player.plots.tracks.map((track) => ({ title: track.title, data: track.data() })); },
    get clearWalls() { return player.stage.groups.filter(({ place, mesh }) => place[0] < 0 && mesh.material.transparent).length; },
    get calls() { return player.stage.renderer.info.render.calls; },
    lookAs: (name) => player.lookAs(name),
    get cost() { return player.cost; }, // ms for the last frame, without drawing
    seek: (position) => source.seek(position),
    pick: (index) => player.pick(index),
    pickContact: (number) => player.pickContact(number),
    play: () => source.play(),
    pause: () => source.pause(),
    look: (way, zoom) => player.look(way, zoom),
    show: (name, value) => player.setView(name, value),
    place: (index) => player.stage.project(...player.state(index).position),
    placeOf: (point) => player.stage.project(...point),
  };
  const recorded = {
    get frame() { return source.position; },
    get frames() { return source.frames.length; },
  };
  const live = {
    get held() { return player.hands.held?.body.index ?? -1; },
    get connected() { return source.connected; },
    get oldest() { return source.first; },
    get newest() { return source.last; },
    get rate() { return source.rate; },
    get hash() { return source.hash; },
    get solvers() { return source.solvers; },
    get pictures() { return source.shown; },
    ask: (name, values) => source.ask(name, values),
    stepOn: (count = 1) => source.ask("step", { count }),
    setSolver: (name) => source.ask("solver", { name }),
    setSpeed: (factor) => source.ask("speed", { factor }),
    restart: () => source.ask("restart"),
    curves: (values) => player.showCurves(values),
    drag: (body, point, target) => source.ask("drag", { body, point, target }),
    release: () => source.ask("release"),
    load: (scene, parameters = {}) => player.load(scene, parameters),
    save: () => player.saveRun(),
    drive: (joint, values) => source.ask("drive", { joint, ...values }),
    shoot: (x = 0, y = 0) => hands.shoot([x, y]),
    remove: (body) => source.ask("remove", { body }),
  };
  window.cairn = Object.defineProperties(door, Object.getOwnPropertyDescriptors(source.live ? live : recorded));
}

/** The address of the program's socket, with the token that the page was opened with. */
function address() {
  const token = new URLSearchParams(window.location.search).get("token") ?? "";
  return `ws://${window.location.host}/live?token=${encodeURIComponent(token)}`;
}

async function start() {
  const sheet = document.createElement("style"), holder = element("recording");
  sheet.textContent = plotStyle + style;
  document.head.append(sheet);
  document.body.insertAdjacentHTML("beforeend", page);
  let player = null;
  const say = (text, lasting) => player?.say(text, lasting);
  try {
    player = new Player(holder ? await Recording.open(fromBase64(holder.textContent)) : new LiveRun(address(), say));
    holder?.remove();
    openDoor(player);
    if (holder) player.source.play(); // a recording is there to be watched
    player.tick(performance.now());
  } catch (error) {
    element("facts").textContent = `This page cannot be shown: ${error.message}`;
    throw error;
  }
}

start();
