// SPDX-License-Identifier: MIT
// The live page on a phone held upright, with real touches: everything is on the screen, and a finger that stays on a
// body pulls it. Prints one line per check; exits with 1 if one begins with FAILED.
// Usage: node phone.mjs ADDRESS PROFILE_FOLDER
import { Browser } from "./chromium.mjs";

const LIMIT_MS = 60_000, SIZE = [390, 844];
const [address, profile] = process.argv.slice(2);
const lines = [];
let browser = null;

function fail(reason) {
  console.error([...lines, `FAILED: phone: ${reason}`].join("\n"));
  browser?.child.kill();
  process.exit(1);
}
const check = (name, holds, found) =>
  lines.push(`${holds ? "ok" : "FAILED"}: phone: ${name} (${JSON.stringify(found)})`);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const touch = (type, points) =>
  browser.call("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });

setTimeout(() => fail("the page did not come to the end of the test in time"), LIMIT_MS).unref();
browser = new Browser(profile, fail);
await browser.open(address, SIZE);
await browser.call("Emulation.setTouchEmulationEnabled", { enabled: true });
await browser.run(`(async () => {
  for (let k = 0; k < 1000 && !(window.cairn?.bodies.length > 0); ++k) await new Promise((done) => setTimeout(done, 10));
  await cairn.play(); // the hand pulls in time only
})()`);
const edges = await browser.run(`["play", "scrub", "speed", "ask"].map((id) => {
  const { left, right, bottom } = document.getElementById(id).getBoundingClientRect();
  return left >= 0 && right <= ${SIZE[0]} && bottom <= ${SIZE[1]};
})`);
check("play, slider, speed and help are on the screen", edges.every(Boolean), edges);
const covered = await browser.run('document.querySelector("#panel .lil-gui").offsetHeight');
check("the panel is closed", covered < 60, covered);

const moving = await browser.run("cairn.bodies.findIndex((body) => body.moves)");
const before = await browser.run(`cairn.bodies[${moving}].position`);
const [x, y] = await browser.run(`cairn.place(${moving})`);
const at = [((x + 1) / 2) * SIZE[0], ((1 - y) / 2) * SIZE[1]];
await touch("touchStart", [at]);
for (let k = 0; k < 150 && (await browser.run("cairn.held")) < 0; ++k) await pause(100); // the page may be slow
await touch("touchMove", [[at[0], at[1] - 150]]);
let highest = before[2];
for (let k = 0; k < 60 && highest < before[2] + 0.1; ++k) {
  await pause(100);
  highest = Math.max(highest, await browser.run(`cairn.bodies[${moving}].position[2]`));
}
await touch("touchEnd", []);
check("a finger that stays on a body pulls it", highest > before[2] + 0.1, [before[2], highest]);
await browser.run("cairn.pause()");
await browser.close();
console.log(lines.join("\n"));
process.exit(lines.some((line) => line.startsWith("FAILED")) ? 1 : 0);
