// SPDX-License-Identifier: MIT
// The pictures of the README: scenes are run, recorded and exported, and their pages photographed in headless Chromium;
// one page is that of a live run. Usage: node pictures.mjs CAIRN WORK_FOLDER OUT_FOLDER; tools/pictures calls it.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./test/chromium.mjs";

const [cairn, work, out] = process.argv.slice(2).map((path) => resolve(path));

// at: frame; look: direction to the camera, and zoom; script: what else is shown. Sizes are for small files.
const STILLS = [
  { name: "card_house", scene: ["card_house_58"], steps: 345, at: 322, look: [[0.45, -1, 0.25], 0.95] },
  { name: "fracture", scene: ["fracture_277"], steps: 90, at: 55, look: [[0.5, -1, 0.35], 0.95] },
  { name: "tracked_vehicle", scene: ["tracked_vehicle"], steps: 200, at: 200, look: [[0.9, -1, 0.5], 0.97] },
  { name: "forces", scene: ["arch"], steps: 120, at: 120, look: [[0.15, -1, 0.12], 0.97],
    script: "cairn.show('contacts', true); cairn.show('forces', true); cairn.show('xray', true);" },
  { name: "jelly_cubes", scene: ["jelly_cubes"], steps: 60, at: 45, look: [[0.6, -1, 0.4], 1.2],
    script: "cairn.show('colour', 'speed');" },
  { name: "elastic_bed", scene: ["elastic_bed"], steps: 60, at: 60, look: [[0.5, -1, 0.5], 1.2],
    script: "cairn.show('colour', 'speed');" },
];
const FILM = { name: "wall", scene: ["wall", "--param", "throw=20", "--param", "rows=12", "--param", "columns=16"],
  steps: 110, every: 2, look: [[0.9, -1, 0.4], 0.95] };
const LIVE = { name: "viewer", scene: ["card_house_58"], steps: 322, size: [1120, 700] };
const STILL_SIZE = [480, 320], FILM_SIZE = [400, 250];

const bare = "cairn.pause(); cairn.show('panels', false); cairn.show('contacts', false); cairn.show('shadows', true);";
const ready = "(async () => { while (!window.cairn) await new Promise((done) => setTimeout(done, 20)); })()";
const drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))";
const aimed = ([way, zoom]) => `cairn.look(${JSON.stringify(way)}, ${zoom});`;

/** A scene as a page. */
function page({ name, scene, steps }) {
  const recording = join(work, `${name}.h5`), file = join(work, `${name}.html`);
  execFileSync(cairn, ["run", ...scene, "--steps", steps, "--no-sleep", "--out", recording], { stdio: "ignore" });
  execFileSync(cairn, ["export", recording, file], { stdio: "ignore" });
  return pathToFileURL(file).href;
}

function ffmpeg(...args) { execFileSync("ffmpeg", ["-v", "error", "-y", ...args], { stdio: "inherit" }); }

async function still(browser, { name, at, look, script = "", ...scene }) {
  const picture = join(work, `${name}.png`);
  await browser.open(page({ name, ...scene }), STILL_SIZE);
  await browser.run(ready);
  await browser.run(`cairn.seek(${at}); ${bare} ${script} ${aimed(look)} ${drawn}`);
  await browser.keepPicture(picture);
  ffmpeg("-i", picture, "-q:v", "4", join(out, `${name}.jpg`));
}

async function film(browser, { name, steps, every, look, ...scene }) {
  await browser.open(page({ name, steps, ...scene }), FILM_SIZE);
  await browser.run(ready);
  await browser.run(`${bare} ${aimed(look)}`);
  for (let k = 0; k * every <= steps; ++k) {
    await browser.run(`cairn.seek(${k * every}); cairn.show('panels', false); ${drawn}`);
    await browser.keepPicture(join(work, `${name}_${String(k).padStart(3, "0")}.png`));
  }
  const rate = String(60 / every / 1.5); // somewhat slower than it was
  ffmpeg("-framerate", rate, "-i", join(work, `${name}_%03d.png`), "-c:v", "libwebp_anim", "-loop", "0",
    "-quality", "38", "-compression_level", "6", join(out, `${name}.webp`));
}

/** The page of a live run with a body picked. */
async function live(browser, { name, scene, steps, size }) {
  const server = spawn(cairn, ["view", ...scene, "--port", "0", "--paused"], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
  await browser.open(address, size);
  await browser.run(`(async () => {
    const wait = () => new Promise((done) => setTimeout(done, 100));
    while (!window.cairn?.connected || cairn.bodies.length === 0) await wait();
    await cairn.stepOn(${steps});
    while (cairn.step < ${steps}) await wait();
    cairn.pick(20);
    cairn.look([0.45, -1, 0.25], 0.9);
    for (let k = 0; k < 10; ++k) await wait();
  })()`);
  await browser.keepPicture(join(work, `${name}.png`));
  server.kill("SIGINT");
  ffmpeg("-i", join(work, `${name}.png`), "-vf", "scale=800:-2:flags=lanczos", "-q:v", "7", join(out, `${name}.jpg`));
}

mkdirSync(out, { recursive: true });
const browser = new Browser(join(work, "profile"), (reason) => { throw new Error(reason); });
try {
  for (const picture of STILLS) await still(browser, picture);
  await live(browser, LIVE);
  await film(browser, FILM);
} finally {
  await browser.close();
}
