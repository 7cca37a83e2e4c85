// SPDX-License-Identifier: MIT
// Bundles the viewer and writes it as a C++ file. Usage: node build.mjs FOLDER, where FOLDER has the node_modules.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = resolve(process.argv[2]);
const source = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(folder, "package.json"))("esbuild");
const result = await esbuild.build({
  entryPoints: [join(source, "src/main.js")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2020",
  legalComments: "inline",
  loader: { ".css": "text", ".html": "text" },
  nodePaths: [join(folder, "node_modules")],
});
const script = result.outputFiles[0].text;

// Raw strings of limited length, which compilers join.
const pieces = script.match(/[^]{1,8000}/g);
if (script.includes(')viewer"') || /<\/script/i.test(script)) throw new Error("the bundle has text that would end it");
const text = pieces.map((piece) => `R"viewer(${piece})viewer"`).join("\n");
writeFileSync(
  join(folder, "viewer_script.cpp"),
  `#include "apps/commands/viewer_script.h"\n\nnamespace cairn::cli {\n\n` +
    `std::string_view viewer_script() {\n  static const char kText[] =\n${text};\n  return {kText, sizeof(kText) - 1};\n}\n\n}\n`,
);
