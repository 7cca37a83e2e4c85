// SPDX-License-Identifier: MIT
// The live page while its program cannot be reached and after it can again: a relay stands between them, which is taken
// away and put back. Prints one line per check; exits with 1 if one begins with FAILED.
// Usage: node reconnect.mjs ADDRESS PROFILE_FOLDER
import { connect, createServer } from "node:net";
import { Browser } from "./chromium.mjs";

const LIMIT_MS = 60_000;
const [address, profile] = process.argv.slice(2), program = new URL(address);
let browser = null, lines = [];

function fail(reason) {
  console.error([...lines, `FAILED: reconnect: ${reason}`].join("\n"));
  browser?.child.kill();
  process.exit(1);
}

class Relay {
  /** port: 0 for any that is free. */
  async open(port) {
    this.sockets = new Set();
    this.server = createServer((near) => {
      const far = connect(Number(program.port), program.hostname);
      for (const [from, to] of [[near, far], [far, near]]) {
        this.sockets.add(from);
        from.on("data", (part) => to.write(part)).on("error", () => {}).on("close", () => to.destroy());
      }
    });
    await new Promise((done) => this.server.listen(port, program.hostname, done));
    return this.server.address().port;
  }

  close() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((done) => this.server.close(done));
  }
}

/** Waits in the page until it holds; what `found` is then belongs to the line. */
async function check(name, holds, found) {
  const value = await browser.run(`(async () => {
    for (let k = 0; k < 1500 && !(${holds}); ++k) await new Promise((done) => setTimeout(done, 10));
    return [Boolean(${holds}), ${found}];
  })()`);
  lines.push(`${value[0] ? "ok" : "FAILED"}: reconnect: ${name} (${JSON.stringify(value[1])})`);
}

setTimeout(() => fail("the page did not come to the end of the test in time"), LIMIT_MS).unref();
const relay = new Relay(), port = await relay.open(0), page = new URL(address);
page.port = port;
browser = new Browser(profile, fail);
await browser.open(page.href);
await check("it is connected", "window.cairn?.connected && cairn.bodies.length > 0", "cairn.step");
const { step: there } = await browser.run('cairn.ask("pause").then(() => cairn.stepOn(3))');
await check("it steps", `cairn.step === ${there} && cairn.hash.length === 32`, "[cairn.step, cairn.hash]");
const before = await browser.run("[cairn.step, cairn.hash]");

await relay.close();
const message = 'document.getElementById("message")';
await check("it says that the program is gone", `!cairn.connected && ${message}.textContent.includes("trying again")`,
  `${message}.textContent`);
const refusal = await browser.run('cairn.stepOn(1).then(() => "done", (error) => error.message)');
lines.push(`${refusal.includes("does not answer") ? "ok" : "FAILED"}: reconnect: commands are refused (${refusal})`);
await check("the last state is still shown", "cairn.bodies.length > 0", "cairn.step");

await relay.open(port);
await check("it connects again by itself", `cairn.connected && !${message}.textContent.includes("trying again")`,
  `${message}.textContent`);
await check("to the same state", `cairn.step === ${before[0]} && cairn.hash === "${before[1]}"`, "[cairn.step, cairn.hash]");
await browser.run("cairn.stepOn(2)");
await check("and goes on", `cairn.step === ${before[0] + 2}`, "cairn.step");

await browser.close();
console.log(lines.join("\n"));
process.exit(lines.some((line) => line.startsWith("FAILED")) ? 1 : 0);
