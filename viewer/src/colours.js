// SPDX-License-Identifier: MIT
// Colours that people with any kind of colour vision tell apart: Okabe and Ito's palette for kinds, viridis for
// amounts; and the two themes, light and dark, which follow the system's.
import * as THREE from "three";

export const KINDS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8c6bb1", "#a6761d"];
const VIRIDIS = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"];
const RAMP_SIZE = 64;

/** The colour of a line of a plot: lighter on a dark ground. */
export function lineColour(number) {
  const colour = new THREE.Color(KINDS[number % KINDS.length]);
  return `#${(DARK.matches ? colour.lerp(new THREE.Color("#ffffff"), 0.2) : colour).getHexString()}`;
}

export const MODE_COLOURS = ["#8a9097", "#009e73", "#e69f00"]; // open, stick, slide
export const NORMAL_COLOUR = "#0072b2", FORCE_COLOUR = "#d55e00", SPRING_COLOUR = "#cc79a7";
export const AXIS_COLOURS = ["#d55e00", "#009e73", "#0072b2"]; // x, y, z

const THEMES = {
  light: { horizon: "#eef2f5", zenith: "#b9cfe4", ground: "#c3c8cc", line: "#7d8790", shade: "#b9b2a6", fixed: "#a7adb3",
    still: "#b4bcc6", picked: "#ffe14d", text: "#222", grid: "#0001" },
  dark: { horizon: "#2a3038", zenith: "#10141a", ground: "#3b4148", line: "#6b747e", shade: "#3a3733", fixed: "#5d646c",
    still: "#6d7680", picked: "#fff07a", text: "#d8dde3", grid: "#fff1" },
};
const DARK = window.matchMedia("(prefers-color-scheme: dark)");

export function theme() { return THEMES[DARK.matches ? "dark" : "light"]; }
export function onTheme(call) { DARK.addEventListener("change", call); }

/** Three numbers per colour, as three.js computes with them. */
function table(colours) {
  const numbers = new Float32Array(3 * colours.length);
  colours.forEach((colour, k) => new THREE.Color(colour).toArray(numbers, 3 * k));
  return numbers;
}

/** Every kind, a little softer than the lines of plots, then lighter, then darker: 24 before one comes again. */
function kinds() {
  const out = [];
  for (const [towards, share] of [["#ffffff", 0.16], ["#ffffff", 0.5], ["#000000", 0.15]])
    for (const kind of KINDS) out.push(new THREE.Color(kind).lerp(new THREE.Color(towards), share));
  return out;
}

/** x from 0 to 1 along viridis without its darkest end, on which no shading is seen. */
function ramp(x) {
  const at = (0.18 + 0.82 * x) * (VIRIDIS.length - 1), k = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return new THREE.Color(VIRIDIS[k]).lerp(new THREE.Color(VIRIDIS[k + 1]), at - k);
}

const KIND_TABLE = table(kinds());
const RAMP_TABLE = table(Array.from({ length: RAMP_SIZE }, (_, k) => ramp(k / (RAMP_SIZE - 1))));

function copy(from, number, out, at) {
  out[at] = from[3 * number];
  out[at + 1] = from[3 * number + 1];
  out[at + 2] = from[3 * number + 2];
}

/** Viridis as the background of a bar. */
export function rampGradient() {
  const stops = Array.from({ length: 9 }, (_, k) => `#${ramp(k / 8).getHexString()}`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

/** Writes the colour of a kind, or of an amount from 0 to 1, into an array of colours. */
export function putKind(number, out, at) { copy(KIND_TABLE, number % (KIND_TABLE.length / 3), out, at); }
export function putAmount(x, out, at) {
  copy(RAMP_TABLE, Math.max(0, Math.min(RAMP_SIZE - 1, Math.round(x * (RAMP_SIZE - 1)) || 0)), out, at);
}

/** A fixed colour as three numbers, for `putOne`. */
export function one(colour) { return table([colour]); }
export function putOne(colour, out, at) { copy(colour, 0, out, at); }
