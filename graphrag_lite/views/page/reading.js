"use strict";
// The data of the page, and what is told of them. Rows are numbers; `names`, `communities` and so on hold columns.

let data, names, relationships, communities, reports, documents, facts;
let texts = null; // of the documents, by row, once they are unpacked
let adjacent, factsOf, children, members, reportOf; // by row of a name, a name, a community (three times)

async function unpacked(id) {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = packed.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function prepare(found) {
  data = found;
  ({ names, relationships, communities, reports, documents, facts } = data);
  children = communities.number.map(() => []);
  members = communities.number.map(() => []);
  communities.parent.forEach((parent, row) => parent >= 0 && children[parent].push(row));
  names.community.forEach((community, name) => community >= 0 && members[community].push(name));
  reportOf = new Map(reports.community.map((community, row) => [community, row]));
  adjacent = names.title.map(() => []);
  relationships.source.forEach((source, row) => {
    adjacent[source].push(row);
    adjacent[relationships.target[row]].push(row);
  });
  for (const rows of adjacent) rows.sort((a, b) => relationships.weight[b] - relationships.weight[a]);
  factsOf = new Map();
  facts.ends.forEach((ends, row) => {
    for (const end of new Set(ends))
      if (typeof end === "number") factsOf.has(end) ? factsOf.get(end).push(row) : factsOf.set(end, [row]);
  });
}

const sameAsIn = (spans) => {
  if (!texts) return "…";
  const found = [];
  for (let i = 0; i < spans.length; i += 3) found.push(texts[spans[i]].slice(spans[i + 1], spans[i + 2]));
  return found.join(" ").replace(/\s+/g, " ").trim();
};
const said = (text, spans) => text ?? sameAsIn(spans);
const other = (relationship, name) => relationships.source[relationship] + relationships.target[relationship] - name;
const typeOf = (name) => data.types[names.type[name]];
const titleOf = (community) =>
  reportOf.has(community) ? reports.title[reportOf.get(community)] : communities.title[community];
// Shorter than a report's title, unless it is but a number.
const labelOf = (community) =>
  communities.title[community] === `Community ${communities.number[community]}`
    ? titleOf(community)
    : communities.title[community];
const within = (community) => [...members[community], ...children[community].flatMap(within)];
const above = (community) => (community < 0 ? [] : [...above(communities.parent[community]), community]);
const folded = (text) => lower(text.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC"));
// Lower case of the same length, so that a place in it is one in the text.
function lower(text) {
  const all = text.toLowerCase();
  if (all.length === text.length) return all;
  return Array.from(text, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join("");
}

// A period is {from, to}: days, months, years or decades by the beginning of their ISO date ("2014-05", "201").
const inPeriod = (day, period) =>
  !period ||
  (day !== "" && day.slice(0, period.from.length) >= period.from && day.slice(0, period.to.length) <= period.to);
function mentions(name, period) {
  const found = [];
  const pairs = names.documents[name];
  for (let i = 0; i < pairs.length; i += 2)
    if (inPeriod(documents.day[pairs[i]], period)) found.push([pairs[i], pairs[i + 1]]);
  return found;
}
// Names that documents, or facts, of a period mention.
function namesOf(period) {
  const found = new Set([...names.title.keys()].filter((name) => mentions(name, period).length));
  for (const [name, rows] of factsOf) if (rows.some((row) => holds(row, period))) found.add(name);
  return found;
}
// A fact holds in a period where it begins before the period ends, and ends, on a day not of it, after it begins.
function holds(fact, period) {
  if (!period) return true;
  const from = facts.from[fact] || "0000",
    until = facts.until[fact] || (facts.from[fact] && facts.kind[fact] !== "state" ? facts.from[fact] + "~" : "9999");
  return from.slice(0, period.to.length) <= period.to && until > period.from;
}
