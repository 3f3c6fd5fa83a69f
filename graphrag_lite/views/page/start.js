"use strict";
// Which page is shown is told by the address alone: "#name-12@2014-05..2016-12".

let here = { kind: "overview", place: "overview" };
const NO_MOTION = matchMedia("(prefers-reduced-motion: reduce)");

function readAddress() {
  const [place, time] = location.hash.slice(1).split("@");
  const between = /^(\d{3,4}(?:-\d\d){0,2})\.\.(\d{3,4}(?:-\d\d){0,2})$/.exec(time ?? "");
  const [, kind, ...numbers] = /^(name|community|text)-(\d+)(?:-(\d+)-(\d+))?$/.exec(place) ?? [];
  const [row, start, end] = numbers.map((value) => (value === undefined ? -1 : Number(value)));
  const community = kind === "community" ? communities.number.indexOf(row) : -1;
  const isThere = { name: row < names.title.length, community: community >= 0, text: row < documents.title.length }[
    kind
  ];
  return {
    ...(isThere
      ? { kind, place, row: kind === "community" ? community : row, start, end }
      : { kind: "overview", place: "overview" }),
    period: between ? { from: between[1], to: between[2] } : null,
  };
}

function route(isFirst) {
  const before = here;
  here = readAddress();
  period = here.period;
  const { kind, row } = here;
  view.chosen = kind === "name" ? { name: row } : kind === "community" ? { community: row } : {};
  view.hover = null;
  view.lit = period && namesOf(period);
  view.lines = kind === "community" ? linesWithin(row) : [];
  const content = {
    name: () => namePage(row),
    community: () => communityPage(row),
    text: () => textPage(row, here.start, here.end),
    overview: () => (period ? periodPage() : overviewPage()),
  }[kind]();
  $("main").replaceChildren(...content.flat(9).filter(Boolean));
  const community = kind === "name" ? names.community[row] : kind === "community" ? communities.parent[row] : -1;
  $("#path").replaceChildren(link("overview", {}, "All"), ...pathTo(community));
  document.body.dataset.page = kind;
  const title = kind === "overview" && !period ? data.title : `${$("h2").textContent} · ${data.title}`;
  document.title = title;
  if (kind !== "text" && !(before.kind === kind && before.place === here.place && !isFirst))
    fly(target(), isFirst || NO_MOTION.matches);
  redraw();
  drawTimeline();
  const mark = $("main mark");
  if (mark) mark.scrollIntoView({ block: "center" });
  else if (matchMedia("(max-width: 800px)").matches && kind !== "overview") $("main").scrollIntoView();
  else {
    $("main").scrollTo(0, 0);
    scrollTo(0, 0);
  }
  if (!isFirst) (mark ?? $("h2")).focus({ preventScroll: true });
}
function linesWithin(community) {
  const inside = new Set(within(community));
  const rows = [...inside].flatMap((name) =>
    adjacent[name].filter((row) => relationships.source[row] === name && inside.has(relationships.target[row])),
  );
  return rows.sort((a, b) => relationships.weight[b] - relationships.weight[a]).slice(0, MAX_LINES);
}

async function start() {
  prepare(await unpacked("data"));
  readColours();
  layOut();
  $("#counts").textContent =
    `${counted(names.title.length, "name")} · ${counted(relationships.source.length, "relationship")} · ${counted(reports.title.length, "report")} · ${counted(documents.title.length, "document")}`;
  $(".skip").addEventListener("click", () => $("h2").focus());
  wireMap();
  const apart = names.title.length - view.ofName.filter(Boolean).length;
  if (apart) $("#types").append(el("span", {}, `${counted(apart, "name")} in no community not drawn`));
  wireSearch();
  layTimeline();
  measure();
  addEventListener("hashchange", () => route(false));
  route(true);
  document.body.dataset.drawn = Math.round(performance.now()); // milliseconds since the page was opened
  await new Promise((done) => setTimeout(done));
  texts = await unpacked("texts");
  if (here.kind !== "overview" || period) route(true);
  document.body.dataset.ready = Math.round(performance.now());
}
start().catch((error) => {
  $("#counts").textContent = `This page could not be drawn: ${error.message}`;
  throw error;
});
