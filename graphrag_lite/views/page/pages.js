"use strict";
// The pages on the right: each function returns what is in it.

const MOST_LINKS = 60;

function pathTo(community) {
  const shown = new Set(); // a part is often called by the first name of what it is a part of
  return above(community).flatMap((row) => {
    const all = labelOf(row).split(", ");
    const name = all.find((one) => !shown.has(one)) ?? all[0];
    shown.add(name);
    return [" › ", link(`community-${communities.number[row]}`, { title: titleOf(row) }, corpus(name))];
  });
}
const heading = (text) => block("h2", { tabindex: "-1" }, text);
const section = (title, ...children) => [el("h3", {}, title), ...children];
const note = (...children) => el("p", { class: "note" }, ...children);
const byUnits = (a, b) => names.units[b] - names.units[a];

function overviewPage() {
  const rows = reports.community
    .map((_, row) => row)
    .filter((row) => communities.parent[reports.community[row]] < 0)
    .sort((a, b) => reports.rank[b] - reports.rank[a]);
  const all = names.title.map((_, row) => row).sort(byUnits);
  const kinds = data.types.map((type, row) => [type, all.filter((name) => names.type[name] === row)]);
  const dated = documents.day.filter(Boolean).sort();
  const held = [
    [names.title.length, "name"],
    [relationships.source.length, "relationship"],
    [facts.from.length, "dated fact"],
    [reports.title.length, "report"],
  ].filter(([n]) => n);
  return [
    heading("What is in it"),
    note(
      `${counted(documents.title.length, "document")}${dated.length ? `, dated ${fromTo(dated)}` : ""}; `,
      `${held.map(([n, what]) => counted(n, what)).join(", ")}. `,
      `Method ${data.method}, snapshot ${data.snapshot}.`,
    ),
    data.with_texts
      ? null
      : note(
          "The texts of the documents would make this page too large and are left out; sources are told by their documents and characters.",
        ),
    rows.length > 0 && section("The main communities", firstOf(rows, 12, reportCard)),
    section(
      "Names",
      kinds
        .filter(([type, found]) => type !== "unknown" && found.length)
        .map(([type, found]) => [
          el("h4", {}, dot(type), corpus(type), ` ${number(found.length)}`),
          el(
            "p",
            { class: "chips" },
            firstOf(found, 12, (name) => nameChip(name)),
          ),
        ]),
    ),
    section(
      "Documents",
      firstOf(
        documents.title.map((_, row) => row),
        MOST_LINKS,
        (row) => documentLine(row),
        listed,
      ),
    ),
  ];
}
const fromTo = (sorted) => (sorted[0] === sorted.at(-1) ? sorted[0] : `${sorted[0]} to ${sorted.at(-1)}`);
const listed = (children) => el("ul", { class: "plain" }, children);
function reportCard(row) {
  const place = `community-${communities.number[reports.community[row]]}`;
  return el(
    "article",
    {},
    block("h4", {}, link(place, {}, reports.title[row]), el("small", {}, `rank ${reports.rank[row]}`)),
    block("p", {}, cited(reports.summary[row], reports.citations[row])),
  );
}
const documentLine = (row, more) =>
  el(
    "li",
    {},
    el("time", {}, documents.day[row]),
    link(`text-${row}`, {}, corpus(documentName(row))),
    more && el("small", {}, more),
  );

function communityPage(row) {
  const found = within(row).sort((a, b) => adjacent[b].length - adjacent[a].length);
  const shown = found.filter((name) => !period || mentions(name, period).length);
  return [
    heading(titleOf(row)),
    reportOf.has(row)
      ? reportBody(reportOf.get(row))
      : note("Too small, or told of too little, for a report of its own."),
    children[row].length > 0 &&
      section(
        "Parts",
        el(
          "ul",
          { class: "plain" },
          children[row]
            .toSorted((a, b) => communities.size[b] - communities.size[a])
            .map((child) =>
              el(
                "li",
                {},
                link(`community-${communities.number[child]}`, {}, corpus(titleOf(child))),
                el("small", {}, counted(communities.size[child], "name")),
              ),
            ),
        ),
      ),
    section(
      counted(shown.length, "name") + (period ? ` mentioned ${told(period)}` : ""),
      el(
        "p",
        { class: "chips" },
        firstOf(shown, MOST_LINKS, (name) => nameChip(name)),
      ),
    ),
  ];
}
function reportBody(report) {
  const citations = reports.citations[report],
    stale = reports.stale_runs[report];
  return [
    block("p", { class: "lead" }, cited(reports.summary[report], citations)),
    reports.findings[report].map(([title, text]) => [
      block("h4", {}, title),
      block("p", {}, cited(text, citations)),
    ]),
    note(
      `Rank ${reports.rank[report]}. `,
      corpus(reports.why[report]),
      stale ? ` Written ${counted(stale, "run")} ago; its community has changed a little since.` : "",
    ),
  ];
}

function namePage(name) {
  const found = mentions(name, period).sort((a, b) => b[1] - a[1]);
  const own = (factsOf.get(name) ?? [])
    .filter((fact) => holds(fact, period))
    .sort((a, b) => (facts.from[a] || facts.until[a]).localeCompare(facts.from[b] || facts.until[b]));
  const first = (document) => {
    const at = placeIn(document, name);
    return at ? `-${at[0]}-${at[1]}` : "";
  };
  return [
    heading(names.title[name]),
    el(
      "p",
      { class: "kind" },
      dot(typeOf(name)),
      corpus(typeOf(name)),
      ` · in ${counted(names.units[name], "passage")} of ${counted(names.documents[name].length / 2, "document")}`,
    ),
    names.aliases[name].length > 0 &&
      note(
        "Also ",
        names.aliases[name].flatMap((alias, at) => [at ? ", " : "", corpus(alias)]),
      ),
    block(
      "p",
      { class: "lead" },
      said(names.description[name], names.sources[name]),
      sourceLinks(names.sources[name]),
    ),
    adjacent[name].length > 0 &&
      section(
        counted(adjacent[name].length, "relationship"),
        firstOf(
          adjacent[name],
          40,
          (row) => relationshipLine(row, name),
          (lines) => el("ul", { class: "relations" }, lines),
        ),
      ),
    own.length > 0 &&
      section(
        `When${period ? `, ${told(period)}` : ""}`,
        firstOf(own, 40, factLine, (lines) => el("ul", { class: "facts" }, lines)),
      ),
    section(
      `Documents${period ? ` ${told(period)}` : ""}`,
      firstOf(
        found,
        MOST_LINKS,
        ([row, count]) =>
          el(
            "li",
            {},
            el("time", {}, documents.day[row]),
            link(`text-${row}${first(row)}`, {}, corpus(documentName(row))),
            el("small", {}, counted(count, "passage")),
          ),
        listed,
      ),
    ),
  ];
}
function relationshipLine(row, name) {
  const acts = relationships.source[row] === name,
    relation = relationships.relation[row];
  const label = relation && el("i", {}, corpus(acts ? `${relation} ` : ` ${relation} …`));
  const far = other(row, name);
  return el(
    "li",
    {},
    el("b", {}, acts ? label : null, dot(typeOf(far)), nameLink(far), acts ? null : label),
    block(
      "p",
      {},
      said(relationships.description[row], relationships.sources[row]),
      sourceLinks(relationships.sources[row]),
    ),
  );
}
function factLine(row) {
  const end = (value) => (typeof value === "number" ? nameLink(value) : corpus(value));
  const [subject, object] = facts.ends[row];
  const marks = [facts.kind[row] === "plan" && "planned", facts.conflict[row] && "another fact contradicts it"]
    .filter(Boolean)
    .join(", ");
  return el(
    "li",
    {},
    el("time", {}, facts.when[row]),
    el("b", {}, end(subject), " ", corpus(facts.relation[row]), " ", end(object), marks && el("small", {}, marks)),
    block("p", {}, said(facts.sentence[row], facts.sources[row]), sourceLinks(facts.sources[row])),
  );
}
// Where a name, or another word for it, first stands in a document.
function placeIn(document, name) {
  if (!texts?.length) return null;
  for (const title of [names.title[name], ...names.aliases[name]]) {
    const at = texts[document].indexOf(title);
    if (at >= 0) return [at, at + title.length];
  }
  return null;
}

function textPage(row, start, end) {
  const about = [
    heading(documentName(row)),
    note(
      corpus(start >= 0 ? placeOfSpan(row, start) : documents.place[row]),
      documents.day[row] && ` · ${documents.day[row]}`,
      start >= 0 && ` · characters ${start}–${end}`,
    ),
  ];
  if (!data.with_texts)
    return [...about, note("The texts of the documents are left out of this page, which they would make too large.")];
  if (!texts) return [...about, note("Unpacking …")];
  const text = texts[row],
    isMarked = start >= 0 && end > start && end <= text.length;
  return [
    ...about,
    block(
      "div",
      { class: "text" },
      isMarked ? [text.slice(0, start), el("mark", { tabindex: "-1" }, text.slice(start, end)), text.slice(end)] : text,
    ),
  ];
}

const told = ({ from, to: last }) =>
  from === last ? `in ${shownDay(from)}` : `from ${shownDay(from)} to ${shownDay(last)}`;
const shownDay = (day) => (day.length === 3 ? `${day}0s` : day);
function periodPage() {
  const inside = documents.day
    .map((_, row) => row)
    .filter((row) => inPeriod(documents.day[row], period))
    .sort((a, b) => documents.day[a].localeCompare(documents.day[b]));
  const dated = documents.day.filter(Boolean).length || 1;
  // Names that are more in these documents than their share of all documents lets expect.
  const telling = [...view.lit]
    .map((name) => [name, mentions(name, period).reduce((sum, [, count]) => sum + count, 0)])
    .filter(([, count]) => count)
    .map(([name, count]) => [name, count, count * Math.log(count / ((names.units[name] * inside.length) / dated + 1))])
    .filter(([, , worth]) => worth > 0)
    .sort((a, b) => b[2] - a[2]);
  const held = facts.from
    .map((_, row) => row)
    .filter((row) => holds(row, period))
    .sort((a, b) => facts.from[b].localeCompare(facts.from[a]));
  return [
    heading(`What is told ${told(period)}`),
    note(
      "The map shows the names that documents and facts of this time mention. ",
      el("a", { href: "#overview" }, "All times"),
    ),
    telling.length > 0 &&
      section(
        "More in this time than in others",
        el(
          "p",
          { class: "chips" },
          firstOf(telling, 30, ([name, count]) => nameChip(name, number(count))),
        ),
      ),
    inside.length > 0 &&
      section(
        counted(inside.length, "document"),
        firstOf(inside, MOST_LINKS, (row) => documentLine(row), listed),
      ),
    held.length > 0 &&
      section(
        counted(held.length, "fact"),
        firstOf(held, 40, factLine, (lines) => el("ul", { class: "facts" }, lines)),
      ),
  ];
}
