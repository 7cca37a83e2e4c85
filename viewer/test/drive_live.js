// SPDX-License-Identifier: MIT
// Acts on the live page of tools/browser_test as a user does, and checks numbers through `window.cairn`, never pixels.
// Its value is a list of lines, one per check.
(async () => {
  const lines = [];
  const check = (name, holds, found) =>
    lines.push(`${holds ? "ok" : "FAILED"}: live: ${name} (${JSON.stringify(found)})`);
  const key = (name) => window.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  const element = (id) => document.getElementById(id);
  const near = (a, b, by = 1e-5) => Math.abs(a - b) < by;
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  /** Waits until it holds; the checks after it say what did not. */
  const until = async (holds) => { for (let k = 0; k < 1500 && !holds(); ++k) await pause(10); };
  const body = (name) => window.cairn.bodies.find((b) => b.name === name);
  const DT = 0.01, G = 9.81;

  const begin = async () => {
    await until(() => window.cairn?.connected && window.cairn.bodies.length > 0);
    const { cairn } = window;
    check("it is connected", cairn.live && cairn.connected, cairn.connected);
    await cairn.ask("pause");
    await cairn.restart();
    await until(() => cairn.step === 0 && !cairn.playing && cairn.bodies.length > 0);
    check("bodies have their names", cairn.bodies.map((b) => b.name).join() === "ground,ball,box", cairn.bodies.length);
    check("the ball begins where it was put", near(body("ball").position[2], 1.5), body("ball").position);
    const { solver, solvers } = cairn; // NAME:setting=value,...
    check("there are solvers to choose from", solvers.length > 1 && solvers.includes(solver.split(":")[0]), solvers);
  };

  // Symplectic Euler from rest: after n steps v = -g n dt, z = z0 - g dt^2 n (n + 1) / 2.
  const time = async () => {
    const { cairn } = window;
    element("play").click();
    await until(() => cairn.step >= 40);
    check("it plays", cairn.playing && cairn.step >= 40, [cairn.playing, cairn.step]);
    key(" ");
    await until(() => !cairn.playing && cairn.step === cairn.newest);
    check("it pauses", !cairn.playing, [cairn.step, cairn.newest]);
    const there = cairn.step;
    key("ArrowRight");
    await until(() => cairn.step === there + 1);
    check("one step on", cairn.step === there + 1 && cairn.hash.length === 32, [there, cairn.step, cairn.hash]);
    const after = cairn.hash;
    const scrub = element("scrub");
    scrub.value = 20;
    scrub.dispatchEvent(new Event("input"));
    scrub.dispatchEvent(new Event("change"));
    await until(() => cairn.step === 20);
    const z = 1.5 - (G * DT * DT * 20 * 21) / 2;
    check("scrubbed back, the ball is where it was", cairn.step === 20 && near(body("ball").position[2], z),
      [cairn.step, body("ball").position[2], z]);
    check("and as fast", near(body("ball").velocity[2], -G * DT * 20), body("ball").velocity);
    key("ArrowLeft");
    await until(() => cairn.step === 19);
    check("one step back", cairn.step === 19, cairn.step);
    element("play").click();
    await until(() => cairn.step > there + 5);
    check("it resumes from there", cairn.step > there + 5, cairn.step);
    await cairn.pause();
    await cairn.seek(there + 1);
    await until(() => cairn.step === there + 1);
    check("the same state at the same step as before", cairn.step === there + 1 && cairn.hash === after,
      [cairn.step, cairn.hash, after]);
    const { times, columns } = cairn.history;
    check("statistics were kept", times.length > 2 && times.every((t, k) => k === 0 || t > times[k - 1]) &&
      columns.contacts.length === times.length, times.length);
  };

  const pick = async () => {
    const { cairn } = window, view = element("view"), box = view.getBoundingClientRect();
    const click = ([x, y], shiftKey = false) => view.dispatchEvent(new MouseEvent("click", { shiftKey, bubbles: true,
      clientX: box.left + ((x + 1) / 2) * box.width, clientY: box.top + ((1 - y) / 2) * box.height }));
    click(cairn.place(2));
    await until(() => cairn.picked === 2 && !element("inspector").hidden && cairn.contacts.length > 0);
    check("a click picks the box", cairn.picked === 2, cairn.picked);
    await until(() => element("inspector").querySelector("[data-contact]"));
    const row = element("inspector").querySelector("[data-contact]");
    row?.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true }));
    const contact = cairn.contacts[cairn.pickedContact];
    check("its list picks a contact", contact && (contact.a === 2 || contact.b === 2), contact);
    // Four corners carry the box: together m g dt, within what the solver leaves.
    const push = cairn.contacts.filter((c) => c.a === 2 || c.b === 2).reduce((sum, c) => sum + c.push, 0);
    const weight = body("box").mass * G * DT;
    check("contacts carry its weight", near(push, weight, 0.02 * weight), [push, weight]);
    key("Escape");
    check("escape picks nothing", cairn.picked === -1 && cairn.pickedContact === -1, cairn.picked);
    const corner = cairn.contacts.find((c) => c.a === 2 || c.b === 2).point;
    click(cairn.placeOf(corner), true);
    const found = cairn.contacts[cairn.pickedContact], [x, y] = cairn.placeOf(corner);
    const [fx, fy] = found ? cairn.placeOf(found.point) : [NaN, NaN];
    check("shift and click picks a contact", near(fx, x, 1e-3) && near(fy, y, 1e-3), [found?.point, corner]);
    await until(() => element("inspector").textContent.includes("contact of"));
    check("the inspector tells of it", element("inspector").textContent.includes("graph colour"),
      element("inspector").textContent);
    click([-0.98, 0.98], true);
    check("where there is none, none", cairn.pickedContact === -1, cairn.pickedContact);
    key("Escape");
  };

  const solve = async () => {
    const { cairn } = window, before = body("box").position, step = cairn.step;
    const other = cairn.solvers.find((name) => name !== cairn.solver.split(":")[0] && /nesterov|pgs/.test(name));
    await cairn.setSolver(other);
    await cairn.stepOn(10);
    await until(() => cairn.step === step + 10 && cairn.solver.startsWith(other));
    check("the solver is switched on the live run", cairn.solver.startsWith(other) && cairn.step === step + 10,
      [cairn.solver, other, cairn.step]);
    const { position } = body("box");
    check("and the box stays where it lies", position.every((p, k) => near(p, before[k], 1e-3)), position);
    const refused = await cairn.setSolver("no_such_solver").catch((error) => error.message);
    check("an unknown solver is refused", typeof refused === "string", refused);
    const { curves, contacts } = await cairn.curves({ sweeps: 20 });
    const good = curves.filter((c) => c.error === undefined);
    check("curves of several solvers", good.length > 1 && contacts > 0, [good.map((c) => c.solver), contacts]);
    check("whose residuals fall", good.some((c) => c.residual[c.residual.length - 1] < c.residual[0]),
      good.map((c) => [c.residual[0], c.residual[c.residual.length - 1]]));
    check("are drawn", element("curves").querySelectorAll("canvas").length === 2, element("curves").hidden);
    key("Escape");
  };

  const past = async () => {
    const { cairn } = window, { newest } = cairn;
    key("Backspace");
    await until(() => cairn.newest === 0);
    check("backspace begins a new run", cairn.newest === 0 && newest > 0, [cairn.newest, newest]);
    await until(() => element("message").textContent.includes("is kept"));
    check("and the page says that the old one is kept", element("message").textContent.includes("is kept"),
      element("message").textContent);
    await cairn.ask("previous");
    await until(() => cairn.newest === newest && cairn.step === newest);
    check("it comes back whole", cairn.newest === newest && cairn.step === newest, [cairn.newest, cairn.step]);
    await cairn.seek(0);
    await until(() => cairn.step === 0);
    check("plots have the past that was not seen", cairn.history.times.length > 10, cairn.history.times.length);
    await cairn.seek(newest);
    await until(() => cairn.step === newest);
    const reach = cairn.shadowReach;
    check("shadows reach around the bodies", reach > 0.3 && reach < 100, reach);
  };

  const hands = async () => {
    const { cairn } = window, count = cairn.bodies.length, start = body("box").position;
    await cairn.drag(2, start, [start[0], start[1], start[2] + 1]);
    await cairn.stepOn(40);
    await until(() => body("box")?.position[2] > start[2] + 0.1);
    check("a spring lifts the box", body("box").position[2] > start[2] + 0.1, [start, body("box").position]);
    await cairn.release();
    key("b");
    await until(() => cairn.bodies.length === count + 1);
    check("a ball is shot", cairn.bodies.length === count + 1, cairn.bodies.length);
    cairn.pick(2);
    key("Delete");
    await until(() => cairn.bodies.length === count);
    check("the picked body is removed", !body("box") && cairn.picked === -1, cairn.bodies.map((b) => b?.name));
    for (const name of ["speed", "island", "sleep", "graph", "sub-bodies"]) cairn.show("colour", name);
    await cairn.stepOn(1);
    await pause(300);
    check("all colours can be shown", cairn.colour === "sub-bodies", cairn.colour);
  };

  try {
    for (const part of [begin, time, pick, solve, past, hands]) await part();
  } catch (error) {
    lines.push(`FAILED: live: ${error.stack ?? error.message}`);
  }
  return lines;
})();
