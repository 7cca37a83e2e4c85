// SPDX-License-Identifier: MIT
// The picked body and its contacts in numbers; a row of the list picks that contact.
import { MODES, QUARANTINED } from "./frame.js";

const MOST_ROWS = 8, MOST_JOINTS = 4, EVERY_MS = 100;

const list = (numbers) => numbers.map((x) => x.toFixed(4).padStart(10)).join("");
const short = (x) =>
  Number.isNaN(x) ? "-" : x === 0 ? "0" : Math.abs(x) < 1e-3 ? x.toExponential(1) : x.toPrecision(3);

/** Everything about a body in a frame, or null. */
export function bodyState(layout, frame, index) {
  const body = layout?.bodies[index];
  if (!body || !frame) return null;
  const pose = frame.poseOf(body), at = body.place, still = new Float32Array(6);
  const velocity = body.moves ? frame.velocity.subarray(6 * at, 6 * at + 6) : still;
  return {
    index, name: body.name, shape: body.shape, mass: body.mass, moves: body.moves, position: [...pose.slice(0, 3)],
    orientation: [...pose.slice(3)], velocity: [...velocity.slice(0, 3)], turning: [...velocity.slice(3)],
    awake: body.moves ? (frame.flags[at] & 1) === 1 : false,
    quarantined: body.moves && (frame.flags[at] & QUARANTINED) !== 0,
    island: frame.hasGroups && body.moves ? frame.island[at] : -1,
    subBodies: frame.hasGroups && body.moves ? frame.subBodies[at] : 0, contacts: frame.contacts.of(index).length,
  };
}

export class Inspector {
  /** onChoice(): a row was clicked. */
  constructor(box, onChoice) {
    Object.assign(this, { box, onChoice, drawn: 0, target: null, listed: [] });
    [this.text, this.rows, this.detail] = ["pre", "div", "pre"].map((tag) => document.createElement(tag));
    this.rows.className = "rows";
    box.append(this.text, this.rows, this.detail);
    this.rows.addEventListener("pointerdown", (event) => {
      const row = event.target.closest("[data-contact]");
      if (!row) return;
      this.target = this.listed[Number(row.dataset.contact)];
      this.onChoice();
    });
  }

  /** Remembers a contact by its bodies and place: it has another number in the next frame. */
  hold(contacts, k) { this.target = k < 0 ? null : contacts.describe(k); }

  /** The number of the contact that is held: of the same pair, nearest to where it was; -1: gone. */
  find(contacts) {
    if (!this.target) return -1;
    const { a, b, point } = this.target;
    let best = -1, least = Infinity;
    for (let k = 0; k < contacts.count; ++k) {
      if (contacts.a[k] !== a || contacts.b[k] !== b) continue;
      const p = contacts.point(k), distance = Math.hypot(p[0] - point[0], p[1] - point[1], p[2] - point[2]);
      if (distance < least) (least = distance), (best = k);
    }
    if (best >= 0) this.target.point = [...contacts.point(best)];
    return best;
  }

  /** dt turns impulses into forces. */
  update(layout, frame, picked, contact, at, force) {
    const state = bodyState(layout, frame, picked);
    this.box.hidden = state === null && contact < 0;
    if (this.box.hidden || (!force && at - this.drawn < EVERY_MS)) return;
    this.drawn = at;
    this.text.textContent = state === null ? "" : describe(state) + describeJoints(layout, frame, state.index);
    this.listContacts(layout, frame, state, contact);
    this.detail.textContent = contact < 0 ? "" : this.describeContact(layout, frame, contact);
  }

  /** The strongest first. */
  listContacts(layout, frame, state, chosen) {
    const found = state === null ? [] : frame.contacts.of(state.index).map((k) => [k, frame.contacts.describe(k)]);
    found.sort(([, x], [, y]) => y.push - x.push);
    this.listed = found.slice(0, MOST_ROWS).map(([, c]) => c);
    this.rows.replaceChildren(...found.slice(0, MOST_ROWS).map(([k, c], place) => {
      const row = document.createElement("div"), other = layout.bodies[c.a === state.index ? c.b : c.a];
      row.dataset.contact = place;
      row.className = k === chosen ? "chosen" : "";
      row.textContent = `${(other?.name ?? "?").slice(0, 14).padEnd(14)} ${MODES[c.mode].padEnd(5)} ` +
        `${short(c.push).padStart(8)} N s${Number.isNaN(c.gap) ? "" : `  gap ${short(c.gap)}`}`;
      return row;
    }));
    if (found.length <= MOST_ROWS) return;
    const rest = document.createElement("div");
    rest.textContent = `and ${found.length - MOST_ROWS} weaker ones`;
    this.rows.append(rest);
  }

  describeContact(layout, frame, k) {
    const c = frame.contacts.describe(k), name = (index) => layout.bodies[index]?.name ?? "?";
    return [
      `contact of ${name(c.a)} and ${name(c.b)}`,
      MODES[c.mode] + (Number.isNaN(c.gap) ? "" : `, gap ${short(c.gap)} m`) + // a recording has neither
      (c.colour >= 0 ? `, graph colour ${c.colour}` : ""),
      `point [m]        ${list(c.point)}`, `normal           ${list(c.normal)}`, `impulse [N s]    ${list(c.impulse)}`,
      `along normal ${short(c.push)} N s (${short(c.push / layout.dt)} N), across ${short(c.rub)} N s` +
      (c.push > 0 ? `, ratio ${(c.rub / c.push).toFixed(3)}` : ""),
    ].join("\n");
  }
}

function describe(state) {
  const rest = !state.moves ? "fixed" : state.quarantined ? "quarantined" : state.awake ? "awake" : "at rest";
  const groups = (state.island >= 0 ? `, island ${state.island}` : "") +
    (state.subBodies > 0 ? `, ${state.subBodies} sub-bodies` : "");
  return [
    `${state.name}  (${state.index})`, `${state.shape}, ${state.mass.toPrecision(4)} kg`,
    `position [m]     ${list(state.position)}`, `velocity [m/s]   ${list(state.velocity)}`,
    `turning [rad/s]  ${list(state.turning)}`, `${state.contacts} contacts, ${rest}${groups}`,
  ].join("\n");
}

/** Lines for the joints of a body, with what it is joined to. */
function describeJoints({ joints, bodies }, { readings }, index) {
  const found = joints.filter(({ a, b }) => a === index || b === index);
  const lines = found.slice(0, MOST_JOINTS).map(({ kind, a, b, name, coordinate, index: k }) => {
    const [position, velocity, effort, force, torque] = readings.subarray(5 * k, 5 * k + 5);
    const [length, unit] = coordinate === 1 ? ["rad", "N m"] : ["m", "N"];
    const head = `\n${kind} ${name} with ${bodies[a === index ? b : a]?.name ?? "the world"}`;
    if (position === undefined) return head;
    const free = coordinate > 0 ? `\n  at ${short(position)} ${length}, ${short(velocity)} ${length}/s, drive ${short(effort)} ${unit}` : "";
    return `${head}${free}\n  carries ${short(force)} N, ${short(torque)} N m`;
  });
  return lines.join("") + (found.length > MOST_JOINTS ? `\nand ${found.length - MOST_JOINTS} more joints` : "");
}
