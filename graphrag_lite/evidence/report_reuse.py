"""Which reports are kept although their community has changed a little, and what each one was written from.

A report stays as long as its community is near to what it held when the report was WRITTEN, not to what it held a run
ago: small steps add up. And as long as every word that it cites still stands in the corpus, and every entity that it
names is still there.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

from graphrag_lite import tables
from graphrag_lite.tables import groups

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]
Span = tuple[str, int, int]  # a text unit's id, and the characters of its document that are cited
FROM_COMMUNITY = ("community", "level", "parent", "children", "period", "size")  # columns that a report has of it
LEAST_SHARED = 0.9  # Jaccard index of members
MOST_CHANGED = 0.1  # of the weight inside
SHORTEST = 16  # characters that are found again in another text unit; fewer stand there by chance


@dataclass(frozen=True, slots=True)
class ReusedReport:
    """A report of the last snapshot that still holds, right about its community now, and what it was written from."""

    report: dict[str, Any]
    basis: Row


def keep(
    reports: "pa.Table",
    report_bases: "pa.Table",
    units_then: "pa.Table",
    units: "pa.Table",
    entities_then: "pa.Table",
    entities: "pa.Table",
    communities: Iterable[Row],
    weights: Mapping[str, float],
) -> dict[int, ReusedReport]:
    """Return the reports that are kept, by community number: the last snapshot's tables, then those of now.

    Text, title and `input_sha256` are as they were written; what a report says of its community is what holds now, and
    its citations point to the same words. `weights` are those of relationships, by id.
    """
    held = {row["id"]: row for row in communities}
    rows = {row["id"]: row for row in reports.to_pylist()}
    gone = dict(tables.rows(entities_then, "id", "title"))
    for identity in entities["id"].to_pylist():
        gone.pop(identity, None)
    near = [
        (rows[basis["report_id"]], held[basis["community_id"]], basis)
        for basis in report_bases.to_pylist()
        if basis["report_id"] in rows and basis["community_id"] in held
        if is_near(basis, held[basis["community_id"]], weights)
        and not any(gone[i] in rows[basis["report_id"]]["full_content"] for i in basis["entity_ids"] if i in gone)
    ]
    spans = current_spans({_span(cited) for report, _, _ in near for cited in report["citations"]}, units_then, units)
    reused = {}
    for report, community, basis in near:
        if all(_span(cited) in spans for cited in report["citations"]):
            of_now = {name: community[name] for name in FROM_COMMUNITY} | {
                "human_readable_id": community["community"],
                "citations": [{"n": cited["n"], **spans[_span(cited)]} for cited in report["citations"]],
            }
            reused[community["community"]] = ReusedReport(report | of_now, basis)
    return reused


def is_near(basis: Row, community: Row, weights: Mapping[str, float]) -> bool:
    """Say whether a community is near to what it held when its report was written.

    Members: their Jaccard index is `LEAST_SHARED` at least. Relationships: the sum of |weight now - weight then|, 0 for
    one that is not inside, is at most `MOST_CHANGED` of the sum of weights then.

    >>> basis = {"entity_ids": ["a", "b"], "relationship_ids": ["ab"], "weights": [10.0]}
    >>> community = {"entity_ids": ["b", "a"], "relationship_ids": ["ab"]}
    >>> is_near(basis, community, {"ab": 11.0}), is_near(basis, community, {"ab": 11.1})
    (True, False)
    """
    members, members_then = set(community["entity_ids"]), set(basis["entity_ids"])
    if len(members & members_then) < LEAST_SHARED * len(members | members_then):
        return False
    then = dict(zip(basis["relationship_ids"], basis["weights"], strict=True))
    now = {identity: weights[identity] for identity in community["relationship_ids"]}
    changed = fsum(abs(now.get(identity, 0.0) - then.get(identity, 0.0)) for identity in now | then)
    return changed <= MOST_CHANGED * fsum(then.values())


def current_spans(spans: Iterable[Span], units_then: "pa.Table", units: "pa.Table") -> dict[Span, dict[str, Any]]:
    """Return where cited words of the last snapshot stand now; a span whose words are gone is left out.

    A text unit's id is a hash of its text, so a unit that is still there has the same words, wherever its document has
    moved them. The words of one that is gone (it was edited in another place) are looked for in the units that are new:
    the first place in their order.
    """
    cited = {span[0] for span in spans}
    both = (units_then.select(["id", "char_start", "text"]), units.select(["id", "document_id", "char_start"]))
    then, now = ({row["id"]: row for row in groups.rows_of(table, "id", cited).to_pylist()} for table in both)
    found: dict[Span, dict[str, Any]] = {}
    gone: dict[str, list[tuple[Span, str]]] = {}  # by the first characters of the words
    for span in sorted(spans):
        if span[0] not in then:
            continue
        start, end = (offset - then[span[0]]["char_start"] for offset in span[1:])
        if unit := now.get(span[0]):
            found[span] = _span_at(unit, start, end - start)
        elif len(words := then[span[0]]["text"][start:end]) >= SHORTEST:
            gone.setdefault(words[:SHORTEST], []).append((span, words))
    if gone:
        _, new = groups.split_rows(units, "id", units_then["id"])
        for unit in (row for batch in new.to_batches(max_chunksize=20_000) for row in batch.to_pylist()):
            text = unit["text"]
            for start in range(len(text) - SHORTEST + 1):
                for span, words in gone.get(text[start : start + SHORTEST], ()):
                    if span not in found and text.startswith(words, start):
                        found[span] = _span_at(unit, start, len(words))
    return found


def bases(
    reports: Iterable[Row], communities: Iterable[Row], weights: Mapping[str, float], reused: Mapping[int, ReusedReport]
) -> Iterator[Row]:
    """Yield a row of `report_bases` for every report: what its community holds now, or then where it is stale.

    `weights` are those of relationships, by id; `reused` are by community number.
    """
    held = {row["community"]: row for row in communities}
    for report in reports:
        if report["stale"]:
            yield reused[report["community"]].basis
            continue
        community = held[report["community"]]
        inside = sorted(community["relationship_ids"])
        yield {
            "community_id": community["id"],
            "report_id": report["id"],
            "entity_ids": sorted(community["entity_ids"]),
            "relationship_ids": inside,
            "weights": [weights[identity] for identity in inside],
        }


def reuse_summary(reports: Iterable[Row], n_reused: int, n_communities: int) -> str:
    """Say how many of the communities' reports were kept; the others are written.

    >>> reuse_summary([{"stale": False}, {"stale": True}], 2, 3)
    'Reports: 2 of 3 kept, 1 of them stale.'
    """
    return f"Reports: {n_reused} of {n_communities} kept, {sum(report['stale'] for report in reports)} of them stale."


def _span(cited: Row) -> Span:
    return cited["text_unit_id"], cited["char_start"], cited["char_end"]


def _span_at(unit: Row, start: int, length: int) -> dict[str, Any]:
    start += unit["char_start"]
    where = {"text_unit_id": unit["id"], "document_id": unit["document_id"]}
    return where | {"char_start": start, "char_end": start + length}
