"use strict";
// The timeline: documents above the line, dated facts below; what is selected in colour. A period filters all pages.

const HEIGHT = 72,
  LINE = 40, // of the picture, and of the line in it
  MONTH = 70; // pixels that a month's name needs
let slots = []; // months, years or decades, whichever are not too many
let slotLength = 7;
let bars = null;
let marked = null; // {from, to}: slots that are being chosen

const tally = (days) => {
  const counts = new Map();
  for (const day of days) counts.set(day.slice(0, slotLength), (counts.get(day.slice(0, slotLength)) ?? 0) + 1);
  return counts;
};
function layTimeline() {
  const days = documents.day.filter(Boolean).sort(),
    dated = facts.from.filter(Boolean).sort();
  if (days.length + dated.length < 3) return;
  // A few facts of another age would leave no room for the rest.
  const ends = [
    days[0],
    days.at(-1),
    dated[Math.floor(dated.length * 0.05)],
    dated[Math.floor((dated.length - 1) * 0.98)],
  ]
    .filter(Boolean)
    .sort();
  const [first, last] = [ends[0], ends.at(-1)],
    years = Number(last.slice(0, 4)) - Number(first.slice(0, 4)) + 1;
  slotLength = years > 160 ? 3 : years > 14 ? 4 : 7;
  const of = {
    3: () => [""],
    4: () => [""],
    7: () => Array.from({ length: 12 }, (_, month) => `-${String(month + 1).padStart(2, "0")}`),
  }[slotLength];
  for (let year = Number(first.slice(0, 4)); year <= Number(last.slice(0, 4)); year++) {
    for (const month of of()) {
      const slot = (String(year).padStart(4, "0") + month).slice(0, slotLength);
      if (slot >= first.slice(0, slotLength) && slot <= last.slice(0, slotLength) && slot !== slots.at(-1))
        slots.push(slot);
    }
  }
  bars = { documents: tally(days), facts: tally(dated) };
  $("#timeline").hidden = false;
  wireTimeline();
}

function drawTimeline() {
  if (!bars) return;
  const { name, community } = view.chosen;
  const chosen = name !== undefined ? [name] : community !== undefined ? within(community) : [];
  const mentioned = new Set(chosen.flatMap((one) => names.documents[one].filter((_, at) => at % 2 === 0)));
  const own = new Set(chosen.flatMap((one) => factsOf.get(one) ?? []));
  const lit = {
    documents: tally([...mentioned].map((row) => documents.day[row]).filter(Boolean)),
    facts: tally([...own].map((row) => facts.from[row]).filter(Boolean)),
  };
  const width = $("#timeline").clientWidth - 24,
    each = width / slots.length;
  if (width <= 0) return; // hidden beside a text on narrow screens
  const tops = { documents: Math.max(1, ...bars.documents.values()), facts: Math.max(1, ...bars.facts.values()) };
  const picture = drawn("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    height: HEIGHT,
    tabindex: "0",
    role: "slider",
    "aria-label":
      "Timeline of documents and facts. Left and right choose a time, with shift more of it, escape all times.",
    "aria-valuetext": period ? told(period) : "all times",
    "aria-valuemin": 0,
    "aria-valuemax": slots.length - 1,
    "aria-valuenow": period ? Math.max(0, slotsOf(period).from) : 0,
  });
  slots.forEach((slot, at) => {
    const x = at * each + Math.min(1, each / 8),
      wide = Math.max(0.7, each - Math.min(2, each / 4));
    const bar = (kind, counts, style) => {
      const n = counts.get(slot) ?? 0,
        high = Math.max(2, (kind === "facts" ? 16 : 36) * Math.sqrt(n / tops[kind])); // a root: one year of many hides no other
      return n
        ? drawn("rect", {
            x,
            width: wide,
            y: kind === "facts" ? LINE + 2 : LINE - high,
            height: high,
            rx: Math.min(1.5, wide / 3),
            class: `${style} ${inside(slot) ? "" : "out"}`,
          })
        : null;
    };
    picture.append(
      ...[
        bar("documents", bars.documents, "bar"),
        bar("documents", lit.documents, "bar lit"),
        bar("facts", bars.facts, "bar fact"),
        bar("facts", lit.facts, "bar fact lit"),
      ].filter(Boolean),
    );
    if (isLabelled(slot, at, each))
      picture.append(
        drawn("text", { x: at * each, y: HEIGHT - 1 }, shownDay(slotLength === 7 && each < MONTH ? slot.slice(0, 4) : slot)),
      );
  });
  picture.append(drawn("line", { x1: 0, x2: width, y1: LINE + 0.5, y2: LINE + 0.5 }));
  const chosenSlots = marked ?? (period && slotsOf(period));
  if (chosenSlots)
    picture.append(
      drawn("rect", {
        class: "chosen",
        x: Math.min(chosenSlots.from, chosenSlots.to) * each,
        width: (Math.abs(chosenSlots.to - chosenSlots.from) + 1) * each,
        y: 0,
        height: LINE + 20,
        rx: 3,
      }),
    );
  const focused = document.activeElement?.closest?.("#timeline svg");
  $("#timeline").replaceChildren(
    picture,
    el(
      "p",
      {},
      bars.documents.size > 0 && el("span", { class: "key" }, el("i", { class: "bar" }), "documents"),
      bars.facts.size > 0 && el("span", { class: "key" }, el("i", { class: "bar fact" }), "facts"),
      chosen.length > 0 && el("span", { class: "key" }, el("i", { class: "bar lit" }), "of what is selected"),
      period
        ? el("a", { href: `#${here.place}` }, `Only ${told(period)} × show all times`)
        : el("span", { class: "hint" }, "drag over a time to see it alone"),
    ),
  );
  if (focused) picture.focus({ preventScroll: true });
}
const slotsOf = ({ from, to: last }) => ({
  from: slots.findIndex((slot) => slot >= from.slice(0, slotLength)),
  to: slots.findLastIndex((slot) => slot <= last.slice(0, slotLength) || slot.startsWith(last)),
});
const inside = (slot) =>
  !period || inPeriod(slot, { from: period.from.slice(0, slotLength), to: period.to.slice(0, slotLength) });
function isLabelled(slot, at, each) {
  if (slotLength === 7) return (each >= MONTH || slot.endsWith("-01")) && at * each < $("#timeline").clientWidth - 60;
  const step = Math.max(1, Math.ceil(44 / each));
  return (
    (slotLength === 3 ? at : Number(slot)) % (step > 5 ? Math.ceil(step / 10) * 10 : step > 2 ? 5 : step) === 0 &&
    at * each < $("#timeline").clientWidth - 60
  );
}

function choose(from, last) {
  const [a, b] = [from, last].sort((x, y) => x - y);
  location.hash = `#${["text", "overview"].includes(here.kind) ? "overview" : here.place}${toPeriod({ from: slots[a], to: slots[b] })}`;
}
function wireTimeline() {
  const box = $("#timeline");
  const at = (event) => {
    const frame = box.querySelector("svg").getBoundingClientRect();
    return Math.max(
      0,
      Math.min(slots.length - 1, Math.floor(((event.clientX - frame.left) / frame.width) * slots.length)),
    );
  };
  box.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("svg")) return;
    marked = { from: at(event), to: at(event) };
    box.setPointerCapture(event.pointerId);
    drawTimeline();
  });
  box.addEventListener("pointermove", (event) => {
    if (!marked) return;
    marked.to = at(event);
    drawTimeline();
  });
  box.addEventListener("pointerup", () => {
    if (!marked) return;
    const { from, to: last } = marked;
    marked = null;
    choose(from, last);
    drawTimeline();
  });
  box.addEventListener("pointercancel", () => {
    marked = null;
    drawTimeline();
  });
  box.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") location.hash = `#${here.place}`;
    if (!step) return;
    event.preventDefault();
    const bound = (slot) => Math.max(0, Math.min(slots.length - 1, slot));
    const edge = step > 0 ? -1 : slots.length;
    const { from, to: last } = period ? slotsOf(period) : { from: edge, to: edge };
    if (event.shiftKey && period) choose(from, bound(last + step));
    else choose(bound(from + step), bound(from + step));
  });
  addEventListener("resize", drawTimeline);
}
