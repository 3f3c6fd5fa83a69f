"use strict";
// The map: communities as nested circles, names in them by type, relationships of what is selected.

const view = {
  k: 1,
  x: 0,
  y: 0,
  width: 0,
  height: 0,
  ofName: [],
  ofCommunity: [],
  chosen: {},
  lines: [],
  hover: null,
  type: null,
};
const canvas = $("canvas");
const pen = canvas.getContext("2d");
const MAX_LABELS = 140;
const MAX_LINES = 400;
const MIN_LABELLED = 11; // pixels of the radius of a name that is labelled
const TOP = 46; // pixels of the map that are left to the path
let colours = {};
let awaited = 0;

function layOut() {
  const node = (community) => ({
    community,
    children: [
      ...children[community].map(node),
      ...members[community].map((name) => ({ name, size: 1 + Math.sqrt(names.units[name]) })),
    ],
  });
  const tops = communities.number
    .map((_, row) => row)
    .filter((row) => communities.parent[row] < 0 && communities.size[row] > 1);
  const root = d3
    .hierarchy({ children: tops.map(node) })
    .sum((found) => found.size || 0)
    .sort((a, b) => b.value - a.value);
  d3
    .pack()
    .size([1000, 1000])
    .padding((found) => (found.height > 1 ? 4 : 1))(root);
  for (const found of root.descendants()) {
    if (found.data.name !== undefined) view.ofName[found.data.name] = found;
    else if (found.data.community !== undefined) view.ofCommunity[found.data.community] = found;
  }
  view.root = root;
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  colours = {
    ink: of("--ink"),
    map: of("--map"),
    ring: of("--ring"),
    disc: of("--disc"),
    accent: of("--accent"),
    types: data.types.map((type) => of(colourOf(type))),
  };
}

const redraw = () => {
  if (!awaited) awaited = requestAnimationFrame(draw);
};
const placed = (found) => ({ x: found.x * view.k + view.x, y: found.y * view.k + view.y, r: found.r * view.k });
const isSeen = ({ x, y, r }) => r > 0.5 && x + r > 0 && x - r < view.width && y + r > 0 && y - r < view.height;
const isFaint = (name) => (view.type !== null && names.type[name] !== view.type) || (view.lit && !view.lit.has(name));

function draw() {
  awaited = 0;
  const ratio = devicePixelRatio || 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  const labels = [];
  drawCircles(view.root, labels);
  const star = view.hover ?? view.chosen.name;
  if (star !== undefined && view.ofName[star]) drawStar(star, labels);
  else drawLines(view.lines, 0.22);
  drawLabels(labels);
}

// A circle that is not seen, or smaller than a pixel, hides what is in it.
function drawCircles(node, labels) {
  for (const found of node.children ?? []) {
    const at = placed(found);
    if (!isSeen(at)) continue;
    if (found.data.name !== undefined) drawName(found.data.name, at, labels);
    else {
      drawCommunity(found, at, labels);
      drawCircles(found, labels);
    }
  }
}

function drawCommunity(found, { x, y, r }, labels) {
  const isChosen = found.data.community === view.chosen.community;
  pen.beginPath();
  pen.arc(x, y, r, 0, 7);
  pen.globalAlpha = 1;
  pen.fillStyle = colours.disc;
  pen.fill();
  pen.strokeStyle = isChosen ? colours.accent : colours.ring;
  pen.lineWidth = isChosen ? 2.5 : Math.min(0.8, r / 8); // small ones would be all ring
  pen.stroke();
  if (r < 22 || r > 0.8 * Math.max(view.width, view.height)) return;
  if (found.children[0].data.name !== undefined && found.children[0].r * view.k > MIN_LABELLED) return; // its names tell more
  const isOpen = found.height > 1 && r > 60; // then what is in it has labels, too, and its own stands at its top
  labels.push({
    text: labelOf(found.data.community),
    x,
    y: isOpen ? y - r + 3 : y,
    size: Math.min(16, 10 + r / 30),
    room: r * 1.8,
    worth: 1000 * r,
    bold: true,
  });
}

function drawName(name, { x, y, r }, labels) {
  const faint = isFaint(name);
  pen.beginPath();
  pen.arc(x, y, r, 0, 7);
  pen.globalAlpha = faint ? 0.13 : 0.92;
  pen.fillStyle = colours.types[names.type[name]];
  pen.fill();
  if (r > MIN_LABELLED && !faint)
    labels.push({
      text: names.title[name],
      x,
      y: y + (r > 26 ? 0 : r + 8),
      size: Math.min(14, 10 + r / 14),
      room: Math.max(96, r * 2.4),
      worth: 60 * r,
    });
}

function drawLines(rows, alpha) {
  pen.strokeStyle = colours.ink;
  for (const row of rows) {
    const ends = [view.ofName[relationships.source[row]], view.ofName[relationships.target[row]]];
    if (!ends[0] || !ends[1]) continue;
    const [a, b] = ends.map(placed);
    pen.globalAlpha = alpha;
    pen.lineWidth = Math.min(4, 0.6 + relationships.weight[row] / 5);
    pen.beginPath();
    pen.moveTo(a.x, a.y);
    pen.quadraticCurveTo((a.x + b.x) / 2 + (b.y - a.y) * 0.14, (a.y + b.y) / 2 - (b.x - a.x) * 0.14, b.x, b.y);
    pen.stroke();
  }
}

function drawStar(star, labels) {
  const rows = adjacent[star].slice(0, 60);
  drawLines(rows, 0.5);
  for (const name of [star, ...rows.slice(0, 14).map((row) => other(row, star))]) {
    if (!view.ofName[name]) continue;
    const { x, y, r } = placed(view.ofName[name]);
    pen.globalAlpha = 1;
    pen.strokeStyle = name === star ? colours.accent : colours.ink;
    pen.lineWidth = name === star ? 3 : 1.2;
    pen.beginPath();
    pen.arc(x, y, Math.max(3.5, r) + 1, 0, 7);
    pen.stroke();
    labels.push({
      text: names.title[name],
      x,
      y: y + (r > 26 ? 0 : Math.max(3.5, r) + 9),
      size: name === star ? 15 : 12,
      room: 240,
      worth: name === star ? 1e9 : 1e7,
      bold: name === star,
    });
  }
}

// The most important labels first; one that would cover another is left out.
function drawLabels(labels) {
  const taken = [];
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.globalAlpha = 1;
  for (const { text, x, y, size, room, bold } of labels.sort((a, b) => b.worth - a.worth)) {
    if (taken.length >= MAX_LABELS) break;
    pen.font = `${bold ? 600 : 400} ${size}px system-ui, sans-serif`;
    const shown = shortened(text, room);
    if (!shown) continue;
    const half = pen.measureText(shown).width / 2 + 3;
    const box = [x - half, y - size * 0.7, x + half, y + size * 0.7];
    if (
      box[2] < 0 ||
      box[0] > view.width ||
      taken.some((one) => one[0] < box[2] && one[2] > box[0] && one[1] < box[3] && one[3] > box[1])
    )
      continue;
    taken.push(box);
    pen.strokeStyle = colours.map;
    pen.lineWidth = 4;
    pen.strokeText(shown, x, y);
    pen.fillStyle = colours.ink;
    pen.fillText(shown, x, y);
  }
}
// A title of several names is cut between them, if it can be.
function shortened(text, room) {
  for (let shown = text; ;) {
    if (pen.measureText(shown).width <= room) return shown;
    const comma = shown.lastIndexOf(", ");
    if (comma > 0) shown = shown.slice(0, comma);
    else {
      const chars = [...shown];
      const fits = Math.floor((chars.length * room) / pen.measureText(shown).width) - 1;
      return fits < 4 ? "" : chars.slice(0, fits).join("").trimEnd() + "…";
    }
  }
}
