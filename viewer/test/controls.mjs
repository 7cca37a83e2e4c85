// SPDX-License-Identifier: MIT
// Every control of the live page, with real events of mouse and keyboard: scenes and their sliders, solver settings,
// friction, cameras, pulling by a plain drag, dropping shapes, pictures and films, drives of joints, plots, a saved run
// and the run before a restart. Prints one line per check; exits with 1 if one begins with FAILED.
// Usage: node controls.mjs ADDRESS PROFILE_FOLDER
import { Browser } from "./chromium.mjs";

const LIMIT_MS = 240_000, SIZE = [900, 700];
const [address, profile] = process.argv.slice(2);
const lines = [];
let browser = null;

function fail(reason) {
  console.error([...lines, `FAILED: controls: ${reason}`].join("\n"));
  browser?.child.kill();
  process.exit(1);
}
const mouse = (type, [x, y], more = {}) =>
  browser.call("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1, ...more });
async function click(at, clicks = 1) {
  for (let k = 1; k <= clicks; ++k)
    for (const type of ["mousePressed", "mouseReleased"]) await mouse(type, at, { clickCount: k });
}
async function press(key) {
  const text = key.length === 1 ? { text: key } : {};
  await browser.call("Input.dispatchKeyEvent", { type: "keyDown", key, ...text });
  await browser.call("Input.dispatchKeyEvent", { type: "keyUp", key });
}
/** Waits in the page until it holds; what `found` is then belongs to the line. */
async function check(name, holds, found) {
  const value = await browser.run(`(async () => {
    for (let k = 0; k < 1500 && !(${holds}); ++k) await new Promise((done) => setTimeout(done, 10));
    return [Boolean(${holds}), ${found}];
  })()`);
  lines.push(`${value[0] ? "ok" : "FAILED"}: controls: ${name} (${JSON.stringify(value[1])})`);
}
/** The middle of the control of that label, scrolled into view. */
const place = (label) => browser.run(`(async () => {
  const found = [...document.querySelectorAll("#panel .lil-controller, #panel .lil-title")]
    .find((e) => (e.querySelector(".lil-name")?.textContent || e.textContent).startsWith(${JSON.stringify(label)}));
  if (!found) return null;
  const target = found.querySelector("button, input, select") ?? found;
  for (let k = 0; k < 100; ++k) { // folders open slowly
    target.scrollIntoView({ block: "center" });
    await new Promise((done) => setTimeout(done, 50));
    const { left, top, width, height } = target.getBoundingClientRect(), at = [left + width / 2, top + height / 2];
    const there = document.elementFromPoint(...at);
    if (there && (target.contains(there) || there.contains(target))) return at;
  }
  return null;
})()`);
async function push(label) {
  const at = await place(label);
  if (!at) fail(`there is no control "${label}"`);
  await click(at);
}
/** A number typed into a control, as people do. */
async function type(label, text) {
  const at = await place(label);
  if (!at) fail(`there is no control "${label}"`);
  await click(at, 3);
  for (const letter of text) await press(letter);
  await press("Enter");
}
const choose = (label, value) => browser.run(`(() => {
  const found = [...document.querySelectorAll("#panel .lil-controller")]
    .find((e) => e.querySelector(".lil-name")?.textContent.startsWith(${JSON.stringify(label)}));
  const select = found.querySelector("select");
  select.selectedIndex = [...select.options].findIndex((o) => o.textContent === ${JSON.stringify(value)});
  select.dispatchEvent(new Event("change", { bubbles: true }));
})()`);
const pixels = ([x, y]) => [((x + 1) / 2) * SIZE[0], ((1 - y) / 2) * SIZE[1]];

async function scenes() {
  await check("the scenes are listed", `[...document.querySelectorAll("#panel option")].some((o) => o.textContent === "wall")`,
    `document.querySelectorAll("#panel option").length`);
  await choose("scene", "incline");
  await check("another scene is there", `cairn.scene === "incline" && cairn.step === 0`, "[cairn.scene, cairn.step]");
  await browser.run("cairn.pause()");
  await choose("scene", "wall");
  await check("and another", `cairn.scene === "wall"`, "cairn.scene");
  await type("rows", "3");
  await check("its slider makes another wall", `cairn.scene === "wall" && cairn.bodies.length > 1 && cairn.bodies.length < 100`, "cairn.bodies.length");
  await check("no picture is under the panels", `(() => { const x = cairn.place(1)[0]; return x > -1 && x < 1; })()`, "cairn.place(1)");
}

async function settings() {
  await choose("solver", "gauss_seidel");
  await check("the solver is another", `cairn.solver.startsWith("gauss_seidel")`, "cairn.solver");
  await type("sweeps", "20");
  await check("sweeps", `(await cairn.ask("settings")).iterations === 20`, `(await cairn.ask("settings")).iterations`);
  await type("friction of all", "0.25");
  await check("friction", `(await cairn.ask("settings", { details: true })).friction === 0.25`, `(await cairn.ask("settings", { details: true })).friction`);
  await type("gravity z", "-5");
  await check("gravity", `(await cairn.ask("settings")).gravity[2] === -5`, `(await cairn.ask("settings")).gravity`);
  await push("settings of the solver");
  await check("the solver's own settings are listed",
    `(await cairn.ask("settings", { details: true })).solver_settings.some((s) => s.name === "local")`,
    `(await cairn.ask("settings", { details: true })).solver_settings.map((s) => s.name)`);
}

async function camera() {
  await browser.run("document.activeElement?.blur?.()");
  const before = await browser.run("cairn.camera");
  await press("3");
  await check("3 looks from the top", `cairn.camera[2] - cairn.target[2] > 10 * Math.abs(cairn.camera[0] - cairn.target[0])`, "cairn.camera");
  await press("r");
  await check("r comes back", `Math.hypot(...cairn.camera.map((x, k) => x - ${JSON.stringify(before)}[k])) < 0.2 * Math.hypot(...cairn.camera)`, "cairn.camera");
  const at = pixels(await browser.run("cairn.place(1)"));
  await click(at, 2);
  await check("a double click looks there",
    `Math.hypot(...cairn.target.map((x, k) => x - cairn.bodies[1].position[k])) < 1`, "cairn.target");
  await press("r");
  await press("g");
  await check("g follows the picked body", `cairn.view.follow === "picked"`, "cairn.view.follow");
  await press("g");
  await press("o");
  await check("o leaves walls as they are", "cairn.view.walls === false", "cairn.view.walls");
  await press("o");
}

async function media() {
  await press("s");
  await check("s keeps a picture", `cairn.kept?.type === "image/png" && cairn.kept.size > 1000`, "cairn.kept");
  await press("m");
  await check("m begins a film", "cairn.filming", "cairn.filming");
  await browser.run("cairn.play()");
  const seen = await browser.run("cairn.pictures");
  await check("pictures are shown meanwhile", `cairn.pictures > ${seen} + 15`, "cairn.pictures"); // they may be slow
  await new Promise((done) => setTimeout(done, 2500));
  await press("m");
  await check("m ends it, and the film is kept", `cairn.kept?.type === "video/webm" && cairn.kept.size > 0`, "cairn.kept");
}

async function hands() {
  await browser.run(`cairn.load("wall", { rows: 2, columns: 3 }).then(() => cairn.play())`);
  await check("it plays", "cairn.playing && cairn.bodies.length < 12 && cairn.step > 2", "[cairn.playing, cairn.step]");
  const names = await browser.run("cairn.bodies.map((b) => b.position[2])"), top = names.lastIndexOf(Math.max(...names));
  const at = pixels(await browser.run(`cairn.place(${top})`));
  await mouse("mousePressed", at);
  for (let k = 1; k <= 6; ++k) await mouse("mouseMoved", [at[0], at[1] - 25 * k], { buttons: 1 });
  await check("a plain drag pulls a body", `cairn.bodies[${top}].position[2] > ${names[top]} + 0.1`, `cairn.bodies[${top}].position`);
  await mouse("mouseReleased", [at[0], at[1] - 150]);
  const turned = await browser.run("cairn.camera");
  await mouse("mousePressed", [60, 300]);
  for (let k = 1; k <= 4; ++k) await mouse("mouseMoved", [60 + 20 * k, 300], { buttons: 1 });
  await mouse("mouseReleased", [140, 300]);
  await check("beside the bodies it turns the camera", `Math.hypot(...cairn.camera.map((x, k) => x - ${JSON.stringify(turned)}[k])) > 0.1`, "cairn.camera");
  const count = await browser.run("cairn.bodies.length");
  await push("hands");
  await choose("shape", "cone");
  await push("drop");
  await check("a cone is dropped", `cairn.bodies.length === ${count + 1} && cairn.bodies.some((b) => b.shape === "cone")`,
    "cairn.bodies.map((b) => b.shape)");
  await browser.run(`cairn.pick(${top})`);
  await check("the picked body is plotted", `cairn.tracks.length === 1 && cairn.tracks[0].data[0].length > 1`, "cairn.tracks.map((t) => t.title)");
  await browser.run("cairn.pick(-1)");
}

async function runs() {
  await browser.run("cairn.pause()");
  const done = await browser.run("cairn.save()");
  lines.push(`${done?.different === 0 && done.steps > 10 ? "ok" : "FAILED"}: controls: the run is saved (${JSON.stringify(done)})`);
  const newest = done.steps, { hash } = await browser.run(`cairn.ask("seek", { step: ${newest} })`);
  await browser.run("document.activeElement?.blur?.()");
  await press("Backspace");
  await check("backspace begins anew", "cairn.newest === 0 && cairn.step === 0", "[cairn.newest, cairn.step]");
  await push("run before the restart");
  await check("the run before comes back", `cairn.newest === ${newest} && cairn.step === ${newest}`, "[cairn.newest, cairn.step]");
  await check("to the same state", `cairn.hash === ${JSON.stringify(hash)}`, "cairn.hash");
  return done?.file;
}

async function joints() {
  await browser.run(`cairn.load("crane").then(() => cairn.play())`);
  await check("a scene with joints", "cairn.joints.length > 0 && cairn.readings.length === 5 * cairn.joints.length", "cairn.joints.length");
  await browser.run("cairn.pause()");
  await browser.run(`cairn.ask("load", { scene: ${JSON.stringify(process.env.ROBOT ?? "")} })`);
  await check("the scene of the command line", `cairn.joints.some((j) => j.name === "door")`, "cairn.joints.map((j) => j.name)");
  await browser.run("cairn.play()");
  await check("its joints are in the panel", `document.querySelector('#panel .joint[data-joint="door"]') !== null`, "cairn.step");
  const row = '[...document.querySelectorAll("#panel .joint")].find((e) => e.dataset.joint === "door")';
  const at = await browser.run(`(async () => { const s = ${row}.querySelector(".lil-slider"); s.scrollIntoView({ block: "center" });
    await new Promise((done) => requestAnimationFrame(done));
    const { left, top, width, height } = s.getBoundingClientRect(); return [left + 0.75 * width, top + height / 2]; })()`);
  await mouse("mousePressed", at);
  await mouse("mouseReleased", at);
  await check("its slider drives a joint", `Math.abs(cairn.targets[0] - 0.5) < 0.1 && Math.abs(cairn.readings[0] - cairn.targets[0]) < 0.05`,
    "[cairn.targets[0], cairn.readings[0]]");
  await check("and tells where it is", `/door: 0\\.[45]/.test(${row}.textContent)`, `${row}.textContent`);
  await choose("plot", "door");
  await check("it is plotted", `cairn.tracks.some((t) => t.title === "door" && t.data.length === 4)`, "cairn.tracks.map((t) => t.title)");
  await browser.run(`cairn.show("colour", "speed")`);
  await check("the colour bar has its unit", `/m\\/s/.test(document.getElementById("legend").textContent)`,
    `document.getElementById("legend").textContent`);
}

setTimeout(() => fail("the page did not come to the end of the test in time"), LIMIT_MS).unref();
browser = new Browser(profile, fail);
await browser.open(address, SIZE);
await check("it is connected", "window.cairn?.connected && cairn.bodies.length > 0", "cairn.scene");
for (const part of [scenes, settings, camera, media, hands]) await part();
const file = await runs();
await joints();
await browser.close();
console.log(lines.join("\n"));
if (file) console.error(`saved ${file}`);
process.exit(lines.some((line) => line.startsWith("FAILED")) ? 1 : 0);
