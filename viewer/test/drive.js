// SPDX-License-Identifier: MIT
// Acts on the page of tools/browser_test as a user does, and checks numbers through `window.cairn`, never pixels.
// Its value is a list of lines, one per check.
(async () => {
  const lines = [];
  const check = (name, holds, found) => lines.push(`${holds ? "ok" : "FAILED"}: ${name} (${JSON.stringify(found)})`);
  const picture = () => new Promise((done) => requestAnimationFrame(done)); // pictures are slow without a GPU
  const key = (name) => window.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  const element = (id) => document.getElementById(id);
  const near = (a, b) => Math.abs(a - b) < 1e-5;
  const run = async () => {
    for (let k = 0; k < 500 && !window.cairn; ++k) await picture(); // it is inflated first
    const { cairn } = window;
    for (let k = 0; k < 500 && cairn.frame < 1; ++k) await picture();
    check("it plays by itself", cairn.frame > 0, cairn.frame);
    check("without arrows", !cairn.view.contacts, cairn.view);
    const [x, y, far] = cairn.camera;
    check("from where the scene file looks", near(x, 3) && near(y, -5) && near(far, 2), cairn.camera);
    cairn.pause();
    cairn.seek(0);
    check("all frames are there", cairn.frames === 61 && cairn.frame === 0, [cairn.frames, cairn.frame]);
    check("bodies have their names", cairn.bodies.map((b) => b.name).join() === "ground,ball", cairn.bodies.length);
    check("the ball begins where it was put", near(cairn.bodies[1].position[2], 1.5), cairn.bodies[1].position);

    // Symplectic Euler from rest: after n steps v = -g n dt, z = z0 - g dt^2 n (n + 1) / 2.
    const scrub = element("scrub");
    scrub.value = 30;
    scrub.dispatchEvent(new Event("input"));
    const z = 1.5 - (9.81 * 1e-4 * 30 * 31) / 2;
    check("scrubbing shows that frame", cairn.frame === 30 && near(cairn.time, 0.3), [cairn.frame, cairn.time]);
    check("the ball has fallen as it must", near(cairn.bodies[1].position[2], z), [cairn.bodies[1].position[2], z]);
    check("and as fast", near(cairn.bodies[1].velocity[2], -9.81 * 0.3), cairn.bodies[1].velocity);

    key("ArrowRight");
    check("a step on", cairn.frame === 31, cairn.frame);
    key("ArrowLeft");
    key("ArrowLeft");
    check("two steps back", cairn.frame === 29, cairn.frame);
    key("End");
    check("to the end, where the ball lies on the ground", cairn.frame === 60 && cairn.contacts.length === 1, cairn.contacts);
    const view = element("view"), box = view.getBoundingClientRect();
    const click = ([x, y], shiftKey = false) => view.dispatchEvent(new MouseEvent("click", { shiftKey, bubbles: true,
      clientX: box.left + ((x + 1) / 2) * box.width, clientY: box.top + ((1 - y) / 2) * box.height }));
    click(cairn.placeOf(cairn.contacts[0].point), true);
    check("shift and click picks the contact", cairn.pickedContact === 0, cairn.pickedContact);
    const told = element("inspector").textContent;
    check("and tells what a recording has of it", /contact of/.test(told) && !/gap|graph|NaN/.test(told), told);
    key("Escape");
    key("Home");

    click(cairn.place(1));
    check("a click picks the ball", cairn.picked === 1, cairn.picked);
    check("the inspector tells of it", element("inspector").textContent.includes("ball"), element("inspector").textContent);
    key("Escape");
    check("escape picks nothing", cairn.picked === -1 && element("inspector").hidden, cairn.picked);

    key("?");
    check("help is shown", !element("help").hidden, element("help").hidden);
    key("Escape");
    key("c");
    check("colours by speed", cairn.colour === "speed", cairn.colour);
    const others = ["c", "c", "c"].map((name) => (key(name), cairn.colour));
    check("by island and sleep", others.join() === "island,sleep,body", others);

    element("play").click();
    check("it plays", cairn.playing, cairn.playing);
    for (let k = 0; k < 500 && cairn.playing; ++k) await picture();
    check("to the end, and stops", cairn.frame === 60 && !cairn.playing, [cairn.frame, cairn.playing]);
  };
  try {
    await run();
  } catch (error) {
    lines.push(`FAILED: ${error.stack}`);
  }
  return lines;
})();
