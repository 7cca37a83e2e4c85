// SPDX-License-Identifier: MIT
// Islands of a frame of a recording, which does not keep them: bodies that contacts with an impulse and joints connect.
// What does not move connects nothing.

export function findIslands({ bodies, joints }, frame) {
  const parent = Int32Array.from({ length: frame.moving }, (_, k) => k);
  const root = (k) => {
    while (parent[k] !== k) k = parent[k] = parent[parent[k]];
    return k;
  };
  const join = (a, b) => {
    const p = bodies[a]?.place ?? -1, q = bodies[b]?.place ?? -1;
    if (p >= 0 && q >= 0) parent[Math.max(root(p), root(q))] = Math.min(root(p), root(q));
  };
  const { contacts } = frame;
  for (let k = 0; k < contacts.count; ++k) if (contacts.mode[k] > 0) join(contacts.a[k], contacts.b[k]);
  for (const { a, b } of joints) join(a, b);
  for (let k = 0; k < frame.moving; ++k) frame.island[k] = frame.flags[k] & 1 ? root(k) : -1;
  frame.hasGroups = true;
}
