// SPDX-License-Identifier: MIT
// A headless Chromium, driven by the DevTools protocol over a pipe, so that nothing needs to be installed besides node.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

export class Browser {
  /** profile: a folder it may fill; onFailure(reason) does not return. */
  constructor(profile, onFailure) {
    this.fail = onFailure;
    this.child = spawn("chromium", ["--headless=new", "--no-sandbox", "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader", "--window-size=640,400", `--user-data-dir=${profile}`, "--remote-debugging-pipe"],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.child.on("error", () => this.fail("chromium could not be started: apt-get install chromium"));
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
    if (message.error) this.fail(`the browser refused: ${message.error.message}`);
    waiter(message.result ?? message.params);
  }

  answer(key) { return new Promise((done) => this.waiting.set(key, done)); }

  call(method, params = {}) {
    const id = ++this.number;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
    return this.answer(id);
  }

  /** size: [width, height] of the picture, else that of the window. */
  async open(url, size = null) {
    this.session = undefined;
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    this.session = sessionId;
    await this.call("Page.enable");
    if (size)
      await this.call("Emulation.setDeviceMetricsOverride",
        { width: size[0], height: size[1], deviceScaleFactor: 1, mobile: false });
    const loaded = this.answer("Page.loadEventFired");
    await this.call("Page.navigate", { url });
    await loaded;
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) this.fail(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async keepPicture(file) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    writeFileSync(file, Buffer.from(data, "base64"));
  }

  /** Resolves when the process is gone, so that its profile can be removed. */
  async close() {
    const gone = new Promise((done) => this.child.once("exit", done));
    this.child.kill();
    await gone;
  }
}
