"use strict";
// Search over names, reports and texts, as one types.

const NEAR = 250; // characters around the first word in which the others have to stand
let cache = null;

function prepareSearch() {
  cache = {
    names: names.title.map((title, row) => [title, ...names.aliases[row]].map(folded)),
    reports: reports.title.map(folded),
    summaries: reports.summary.map(folded),
    texts: null,
  };
}
// 3: begins with it, 2: a word begins with it, 1: holds it, 0: does not.
function fit(text, query) {
  const at = text.indexOf(query);
  if (at < 0) return 0;
  return at === 0 ? 3 : /[\p{L}\p{N}]/u.test(text[at - 1]) ? 1 : 2;
}
// The title counts a little more than the other names.
function fitAny(titles, query) {
  let most = 0;
  for (const title of titles) {
    const found = fit(title, query);
    if (found) most = Math.max(most, title === titles[0] ? found : found - 0.5);
  }
  return most;
}
function best(rows, most, worth) {
  return rows
    .filter(([value]) => value > 0)
    .sort((a, b) => b[0] - a[0] || worth(b[1]) - worth(a[1]))
    .slice(0, most)
    .map(([, row]) => row);
}
function search(typed) {
  cache ?? prepareSearch();
  const query = folded(typed.trim()),
    plainQuery = lower(typed.trim());
  if (!query || (query.length < 2 && query.codePointAt(0) < 0x2e80)) return { names: [], reports: [], texts: [] };
  return {
    names: best(
      cache.names.map((titles, row) => [fitAny(titles, query), row]),
      8,
      (row) => names.units[row],
    ),
    reports: best(
      cache.reports.map((title, row) => [fit(title, query) || (cache.summaries[row].includes(query) ? 0.5 : 0), row]),
      5,
      (row) => reports.rank[row],
    ),
    texts: passages(plainQuery),
  };
}
function passages(query) {
  if (!texts?.length) return [];
  cache.texts ??= texts.map(lower);
  const words = query.split(/\s+/),
    found = [];
  const isOpen = (row) => inPeriod(documents.day[row], period);
  for (let row = 0; row < texts.length && found.length < 10; row++) {
    if (!isOpen(row)) continue;
    for (
      let n = 0, at = cache.texts[row].indexOf(query);
      at >= 0 && n < 2;
      n++, at = cache.texts[row].indexOf(query, at + query.length)
    )
      found.push([row, at, at + query.length]);
  }
  for (let row = 0; row < texts.length && found.length < 6 && words.length > 1; row++) {
    if (!isOpen(row) || !words.every((word) => cache.texts[row].includes(word))) continue;
    for (
      let n = 0, at = cache.texts[row].indexOf(words[0]);
      at >= 0 && n < 200;
      n++, at = cache.texts[row].indexOf(words[0], at + 1)
    ) {
      const near = cache.texts[row].slice(Math.max(0, at - NEAR), at + NEAR);
      if (!words.every((word) => near.includes(word))) continue;
      found.push([row, at, at + words[0].length]);
      break;
    }
  }
  return found.slice(0, 10);
}

function hitRows(found) {
  const name = (row) => [
    `name-${row}`,
    [dot(typeOf(row)), corpus(names.title[row])],
    `${typeOf(row)}, in ${counted(names.units[row], "passage")}`,
  ];
  const report = (row) => [
    `community-${communities.number[reports.community[row]]}`,
    [corpus(reports.title[row])],
    `rank ${reports.rank[row]}`,
  ];
  const passage = ([row, start, end]) => [
    `text-${row}-${start}-${end}`,
    [
      corpus(
        `…${texts[row].slice(Math.max(0, start - 40), start)}`,
        el("b", {}, texts[row].slice(start, end)),
        `${texts[row].slice(end, end + 70)}…`,
      ),
    ],
    documentName(row),
  ];
  return [
    ["Names", found.names.map(name)],
    ["Reports", found.reports.map(report)],
    ["Texts", found.texts.map(passage)],
  ];
}
function wireSearch() {
  const box = $("input"),
    hits = $("#hits");
  const close = () => {
    hits.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const show = () => {
    let n = 0;
    const groups = hitRows(search(box.value)).filter(([, rows]) => rows.length);
    hits.replaceChildren(
      ...groups.map(([title, rows]) =>
        el(
          "div",
          { role: "group", "aria-label": title },
          el("h4", { "aria-hidden": "true" }, title),
          rows.map(([place, label, more]) =>
            link(
              place,
              { role: "option", id: `hit-${n++}`, tabindex: "-1", click: close },
              el("span", {}, label),
              el("small", {}, corpus(more)),
            ),
          ),
        ),
      ),
    );
    if (!groups.length)
      hits.replaceChildren(el("p", { class: "note" }, texts ? "Nothing found." : "Texts are still being unpacked."));
    hits.hidden = !box.value.trim();
    box.setAttribute("aria-expanded", String(!hits.hidden));
    box.removeAttribute("aria-activedescendant");
  };
  box.addEventListener("input", show);
  box.addEventListener("focus", () => box.value && show());
  box.addEventListener("keydown", (event) => {
    const rows = [...hits.querySelectorAll("a")],
      on = rows.findIndex((row) => row.classList.contains("on"));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && rows.length) {
      event.preventDefault();
      const next = rows[(on < 0 && step < 0 ? rows.length - 1 : on + step + rows.length) % rows.length];
      rows[on]?.classList.remove("on");
      rows[on]?.removeAttribute("aria-selected");
      next.classList.add("on");
      next.setAttribute("aria-selected", "true");
      next.scrollIntoView({ block: "nearest" });
      box.setAttribute("aria-activedescendant", next.id);
    } else if (event.key === "Enter") {
      (rows[on] ?? rows[0])?.click();
      close();
    } else if (event.key === "Escape") {
      close();
      box.blur();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || document.activeElement === box) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  addEventListener("pointerdown", (event) => {
    if (!$("#find").contains(event.target)) close();
  });
}
