// SPDX-License-Identifier: MIT
// Opens a page in headless Chromium, runs a script in it and prints the lines it returns; exits with 1 if one begins
// with FAILED. Speaks the DevTools protocol over a pipe, so that nothing needs to be installed besides node.
// Usage: node browser.mjs FILE_OR_ADDRESS SCRIPT PROFILE_FOLDER [PICTURE.png WIDTH HEIGHT], the picture of what is then seen
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const LIMIT_MS = 120_000;
const [page, script, profile, picture, width, height] = process.argv.slice(2);

class Browser {
  constructor() {
    this.child = spawn("chromium", ["--headless=new", "--no-sandbox", "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader", "--window-size=640,400", `--user-data-dir=${profile}`, "--remote-debugging-pipe"],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.child.on("error", () => fail("chromium could not be started: apt-get install chromium"));
    this.number = 0;
    this.waiting = new Map(); // by number of the call, or name of the event
    let text = "";
    this.child.stdio[4].setEncoding("utf8").on("data", (part) => {
      const messages = (text + part).split("\0");
      text = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  receive(message) {
    const key = message.id ?? message.method, waiter = this.waiting.get(key);
    if (!waiter) return;
    this.waiting.delete(key);
    if (message.error) fail(`the browser refused: ${message.error.message}`);
    waiter(message.result ?? message.params);
  }

  answer(key) { return new Promise((done) => this.waiting.set(key, done)); }

  call(method, params = {}) {
    const id = ++this.number;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
    return this.answer(id);
  }

  async open(url) {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    this.session = sessionId;
    await this.call("Page.enable");
    if (picture) await this.resize(Number(width), Number(height));
    const loaded = this.answer("Page.loadEventFired");
    await this.call("Page.navigate", { url });
    await loaded;
  }

  resize(width, height) {
    return this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async keepPicture(file) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    writeFileSync(file, Buffer.from(data, "base64"));
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) fail(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Resolves when the process is gone, so that its profile can be removed. */
  async close() {
    const gone = new Promise((done) => this.child.once("exit", done));
    this.child.kill();
    await gone;
  }
}

function fail(reason) {
  console.error(`FAILED: ${reason}`);
  browser?.child.kill();
  process.exit(1);
}

let browser;
setTimeout(() => fail("the page did not come to the end of the test in time"), LIMIT_MS).unref();
browser = new Browser();
await browser.open(page.startsWith("http://") ? page : pathToFileURL(page).href);
const lines = await browser.run(readFileSync(script, "utf8"));
if (picture) await browser.keepPicture(picture);
await browser.close();
console.log(lines.join("\n"));
process.exit(lines.length > 0 && !lines.some((line) => line.startsWith("FAILED")) ? 0 : 1);
