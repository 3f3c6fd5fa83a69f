"use strict";
// Elements of the page. Texts of the corpus reach it as text nodes only.

const $ = (query) => document.querySelector(query);
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const drawn = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const number = (count) => count.toLocaleString("en");
const counted = (count, one, many = one + "s") => `${number(count)} ${count === 1 ? one : many}`;
// Words of the corpus stand in their own direction: within a line, or as a block of nothing else.
const corpus = (...children) => el("bdi", {}, ...children);
const block = (tag, attributes, ...children) => el(tag, { dir: "auto", ...attributes }, ...children);

// By place: the colours in style.css. Who cannot tell red from green tells them apart (tests/views/test_colours.py).
const KNOWN = ["person", "organization", "location", "event", "work", "concept", "product", "law", "language", "date"];
function colourOf(type) {
  if (type === "unknown") return "--type-unknown";
  let place = KNOWN.indexOf(type);
  if (place < 0) place = [...type].reduce((sum, char) => (sum * 31 + char.codePointAt(0)) % KNOWN.length, 7);
  return `--type-${place}`;
}
function dot(type) {
  const node = el("i", { class: "dot", "aria-hidden": "true" });
  node.style.background = `var(${colourOf(type)})`;
  return node;
}

// Where the page is: "#name-12", and behind "@" the period that everything is seen in.
let period = null;
const toPeriod = (chosen) => (chosen ? `@${chosen.from}..${chosen.to}` : "");
const to = (place) => `#${place}${toPeriod(period)}`;
const link = (place, attributes, ...children) => el("a", { href: to(place), ...attributes }, ...children);
const nameLink = (name) => link(`name-${name}`, {}, corpus(names.title[name]));
const nameChip = (name, note) =>
  link(
    `name-${name}`,
    { class: "chip", title: typeOf(name) },
    dot(typeOf(name)),
    corpus(names.title[name]),
    note && el("small", {}, note),
  );
const documentName = (row) => documents.title[row] || documents.place[row];
const pageAt = (row, start) => documents.pages[row].findLast(([from]) => from <= start)?.[1];
const placeOfSpan = (row, start) => [documents.place[row], pageAt(row, start)].filter(Boolean).join(", ");
const spanLink = (row, start, end, label) =>
  link(
    `text-${row}-${start}-${end}`,
    { class: "mark", title: placeOfSpan(row, start), "aria-label": `${label}: ${documentName(row)}` },
    label,
  );

// [1] of a report leads to the words that it cites.
function cited(text, citations) {
  return text.split(/(\[\d+\])/).map((part) => {
    const mark = /^\[(\d+)\]$/.exec(part);
    const found = mark ? citations.filter((citation) => citation[0] === Number(mark[1])) : [];
    return found.length ? found.map(([n, row, start, end]) => spanLink(row, start, end, String(n))) : part;
  });
}
function sourceLinks(spans) {
  const found = [];
  for (let i = 0; i < spans.length; i += 3)
    found.push(spanLink(spans[i], spans[i + 1], spans[i + 2], spans.length > 3 ? String(i / 3 + 1) : "source"));
  return found;
}
// The first `most` of some rows, and a button that shows the rest.
function firstOf(rows, most, shape, wrap = (children) => children) {
  const shown = wrap(rows.slice(0, most).map(shape));
  if (rows.length <= most) return shown;
  const more = el(
    "button",
    { class: "more", click: () => more.replaceWith(...[wrap(rows.slice(most).map(shape))].flat()) },
    `${number(rows.length - most)} more`,
  );
  return [shown, more];
}
