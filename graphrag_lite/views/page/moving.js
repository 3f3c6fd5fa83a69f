"use strict";
// Moving on the map: by mouse, fingers and keys, and on its own to what is chosen.

function measure() {
  const box = $("#map").getBoundingClientRect(),
    ratio = devicePixelRatio || 1;
  view.width = box.width;
  view.height = box.height;
  canvas.width = box.width * ratio;
  canvas.height = box.height * ratio;
}
function fitted(found, share) {
  const height = view.height - TOP - $("#types").offsetHeight - 14;
  const k = (Math.min(view.width, height) * share) / (2 * found.r);
  return { k, x: view.width / 2 - found.x * k, y: TOP + height / 2 - found.y * k };
}
const whole = () => fitted(view.root, 1);
// What is chosen fills the map; a name is shown in the community that it is in.
function target() {
  const { name, community } = view.chosen;
  if (name !== undefined && view.ofName[name]) return fitted(view.ofName[name].parent, 0.62);
  if (community !== undefined && view.ofCommunity[community]) return fitted(view.ofCommunity[community], 0.9);
  return whole();
}

function fly(to, quick) {
  const from = { k: view.k, x: view.x, y: view.y },
    began = performance.now();
  const centre =
    (axis, side) =>
    ({ k, ...place }) =>
      (side / 2 - place[axis]) / k;
  const [across, down] = [centre("x", view.width), centre("y", view.height)];
  const step = (now) => {
    const share = quick ? 1 : Math.min(1, (now - began) / 420),
      eased = share * share * (3 - 2 * share);
    const k = from.k * (to.k / from.k) ** eased; // the scale goes on a curve, the centre on a line
    const x = view.width / 2 - (across(from) + (across(to) - across(from)) * eased) * k;
    const y = view.height / 2 - (down(from) + (down(to) - down(from)) * eased) * k;
    Object.assign(view, share < 1 ? { k, x, y } : to);
    view.flight = share < 1 ? requestAnimationFrame(step) : 0;
    redraw();
  };
  cancelAnimationFrame(view.flight);
  step(began);
}
function zoom(factor, x, y) {
  const k = Math.max(0.25, Math.min(400, view.k * factor));
  view.x = x - ((x - view.x) * k) / view.k;
  view.y = y - ((y - view.y) * k) / view.k;
  view.k = k;
  redraw();
}

// The deepest circle at a place.
function under(px, py) {
  const x = (px - view.x) / view.k,
    y = (py - view.y) / view.k;
  let found = null;
  for (let node = view.root; node; found = node ?? found) {
    node = (node.children ?? []).find(
      (child) => (child.x - x) ** 2 + (child.y - y) ** 2 < child.r ** 2 && child.r * view.k > 1.5,
    );
  }
  return found === view.root ? null : found;
}
const placeOf = (found) =>
  !found
    ? "overview"
    : found.data.name !== undefined
      ? `name-${found.data.name}`
      : `community-${communities.number[found.data.community]}`;
function tell(found, x, y) {
  const tip = $("#tip");
  tip.hidden = !found;
  if (!found) return;
  const { name, community } = found.data;
  const lines =
    name !== undefined
      ? [names.title[name], `${typeOf(name)}, in ${counted(names.units[name], "passage")}`]
      : [titleOf(community), counted(communities.size[community], "name")];
  tip.replaceChildren(corpus(lines[0]), el("small", {}, lines[1]));
  tip.style.left = `${Math.max(4, Math.min(x + 14, view.width - tip.offsetWidth - 8))}px`;
  tip.style.top = `${y + 16 + tip.offsetHeight > view.height ? y - tip.offsetHeight - 8 : y + 16}px`;
}

function wireMap() {
  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    if (!fingers.size) moved = 0;
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      const found = under(event.offsetX, event.offsetY);
      view.hover = found?.data.name ?? null;
      tell(found, event.offsetX, event.offsetY);
      return redraw();
    }
    const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
    moved += Math.hypot(dx, dy);
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (others.length) {
      const reach = (at) => Math.hypot(at[0] - others[0][0], at[1] - others[0][1]) || 1;
      zoom(
        reach([event.offsetX, event.offsetY]) / reach(before),
        (event.offsetX + others[0][0]) / 2,
        (event.offsetY + others[0][1]) / 2,
      );
    } else {
      view.x += dx;
      view.y += dy;
    }
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (fingers.delete(event.pointerId) && moved < 6) location.hash = to(placeOf(under(event.offsetX, event.offsetY)));
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => {
    view.hover = null;
    tell(null);
    redraw();
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (step) {
      view.x += step[0];
      view.y += step[1];
      redraw();
    } else if (event.key === "+" || event.key === "=") zoom(1.4, view.width / 2, view.height / 2);
    else if (event.key === "-") zoom(1 / 1.4, view.width / 2, view.height / 2);
    else if (event.key === "0") fly(whole());
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => {
    measure();
    fly(target(), true);
  }).observe($("#map"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    redraw();
  });
  $("#types").append(...data.types.map((type, row) => typeButton(type, row)));
}
function typeButton(type, row) {
  const press = () => {
    view.type = view.type === row ? null : row;
    for (const button of $("#types").children)
      button.setAttribute("aria-pressed", String(button === own && view.type === row));
    redraw();
  };
  const own = el("button", { "aria-pressed": "false", click: press }, dot(type), corpus(type));
  return own;
}
