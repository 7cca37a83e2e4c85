// SPDX-License-Identifier: MIT
// Opens a page in headless Chromium, runs a script in it and prints the lines it returns; exits with 1 if one begins
// with FAILED. Usage: node browser.mjs FILE_OR_ADDRESS SCRIPT PROFILE_FOLDER
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Browser } from "./chromium.mjs";

const LIMIT_MS = 120_000;
const [page, script, profile] = process.argv.slice(2);

function fail(reason) {
  console.error(`FAILED: ${reason}`);
  browser?.child.kill();
  process.exit(1);
}

let browser;
setTimeout(() => fail("the page did not come to the end of the test in time"), LIMIT_MS).unref();
browser = new Browser(profile, fail);
await browser.open(page.startsWith("http://") ? page : pathToFileURL(page).href);
const lines = await browser.run(readFileSync(script, "utf8"));
await browser.close();
console.log(lines.join("\n"));
process.exit(lines.length > 0 && !lines.some((line) => line.startsWith("FAILED")) ? 0 : 1);
