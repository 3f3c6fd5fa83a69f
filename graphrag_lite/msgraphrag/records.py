"""Entities, relationships, claims and communities: ids made unique, references checked, evidence found."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from graphrag_lite import tables
from graphrag_lite.evidence.quotations import Quotable
from graphrag_lite.evidence.source_sentences import SentenceIndex
from graphrag_lite.msgraphrag.read import Notes, Row
from graphrag_lite.msgraphrag.texts import Texts, unused_id
from graphrag_lite.text.dates import iso_period
from graphrag_lite.text.sentences import trimmed

MAX_SENTENCES = 2  # that the description of an entity is traced to
TYPES = {"geo": "location", "": "unknown"}
NO_CLAIM = {"type": "", "status": "", "subject_id": "NONE", "object_id": "NONE"}


class Graph:
    """Makes rows of our tables of theirs, in the order of our tables; its methods are called in the order they stand.

    `spans[table][n]` are the places that the record with the human_readable_id n rests on: what a mark points to.
    """

    def __init__(self, texts: Texts, notes: Notes) -> None:
        language = {row["id"]: row["language"] for row in texts.documents}
        self.notes = notes
        self.units = {row["id"]: row for row in texts.units}
        self.unit_ids = texts.unit_ids
        self.entity_ids: dict[str, list[str]] = {}
        self.relationship_ids: dict[str, list[str]] = {}
        self.spans: dict[str, dict[int, list[Row]]] = defaultdict(dict)
        for number, identity in texts.unit_numbers.items():
            self.spans["text_units"][number] = [self._whole(identity)]
        self._ids = list(self.units)
        self._number = {identity: number for number, identity in enumerate(self.units)}
        self._evidence = SentenceIndex((language[u["document_id"]], u["char_start"], u["text"]) for u in texts.units)

    def entities(self, rows: Sequence[Row], relationships: Sequence[Row]) -> list[Row]:
        """Return one entity a title, most frequent first. A title that only relationships name gets one, too."""
        by_title: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            by_title[row["title"]].append(row)
        self.notes["entities", "joined with another of the same title"] += len(rows) - len(by_title)
        degrees = Counter(title for row in relationships for title in {row["source"], row["target"]})
        added: dict[str, list[str]] = defaultdict(list)
        for row in relationships:
            for title in (row["source"], row["target"]):
                if title not in by_title:
                    added[title] += row["text_unit_ids"]
        self.notes["entities", "added: only relationships name them"] += len(added)
        free = max((row["human_readable_id"] or 0 for row in rows), default=-1) + 1
        empty = {"id": "", "type": "", "description": "", "frequency": None, "degree": None}
        for number, (title, unit_ids) in enumerate(added.items(), start=free):
            by_title[title] = [{"human_readable_id": number, "title": title, "text_unit_ids": unit_ids} | empty]
        used: set[str] = set()
        made = []
        for row_number, (title, own) in enumerate(by_title.items()):
            first = max(own, key=lambda row: row["frequency"] or 0)
            named_in = [identity for row in own for identity in row["text_unit_ids"]]
            unit_ids = self._known("entities", "text unit", self.unit_ids, named_in)
            description = "\n".join(dict.fromkeys(row["description"] for row in own if row["description"]))
            kind = first["type"].strip().lower()
            identity = unused_id(first["id"] or tables.content_id("entity", title), used)
            sources = self._sources(unit_ids, [title], description, MAX_SENTENCES)
            for row in own:
                self.entity_ids.setdefault(row["id"], [identity])
                self.spans["entities"].setdefault(_number(row, row_number), sources)
            made.append(
                first
                | {
                    "id": identity,
                    "human_readable_id": _number(first, row_number),
                    "type": TYPES.get(kind, kind),
                    "description": description,
                    "text_unit_ids": unit_ids,
                    "frequency": first["frequency"] or len(unit_ids),
                    "degree": degrees[title] if first["degree"] is None else first["degree"],
                    "n_mentions": len(unit_ids),
                    "n_documents": len({self.units[unit]["document_id"] for unit in unit_ids}),
                    "sources": sources,
                }
            )
        return sorted(made, key=lambda row: (-row["frequency"], -row["n_mentions"], row["title"], row["id"]))

    def relationships(self, rows: Sequence[Row], entities: Sequence[Row]) -> list[Row]:
        """Return all relationships, heaviest first."""
        entity = {row["title"]: row for row in entities}
        used: set[str] = set()
        made = []
        for number, row in enumerate(rows):
            source, target = entity[row["source"]], entity[row["target"]]
            unit_ids = self._known("relationships", "text unit", self.unit_ids, row["text_unit_ids"])
            identity = unused_id(row["id"] or tables.content_id("relationship", source["id"], target["id"]), used)
            if row["id"]:
                self.relationship_ids.setdefault(row["id"], [identity])
            sources = self._sources(unit_ids, [row["source"], row["target"]], row["description"], 1)
            self.spans["relationships"].setdefault(_number(row, number), sources)
            degree = row["combined_degree"]
            made.append(
                row
                | {
                    "id": identity,
                    "human_readable_id": _number(row, number),
                    "combined_degree": source["degree"] + target["degree"] if degree is None else degree,
                    "text_unit_ids": unit_ids,
                    "source_id": source["id"],
                    "target_id": target["id"],
                    "relation": "",
                    "n_mentions": len(unit_ids),
                    "sources": sources,
                }
            )
        return sorted(made, key=lambda row: (-row["weight"], row["source"], row["target"], row["id"]))

    def covariates(self, rows: Sequence[Row]) -> list[Row]:
        """Return the claims, in their order."""
        used: set[str] = set()
        made = []
        for number, row in enumerate(rows):
            unit_ids = self._known("covariates", "text unit", self.unit_ids, [row["text_unit_id"]])
            if not unit_ids:
                continue
            start, end = iso_period(row["start_date"], row["end_date"])
            claim = {key: value or NO_CLAIM.get(key, "") for key, value in row.items()}
            identity = unused_id(row["id"] or tables.content_id("claim", row["text_unit_id"], row["description"]), used)
            self.spans["covariates"].setdefault(_number(row, number), self._quoted(unit_ids[0], claim))
            made.append(
                claim
                | {
                    "id": identity,
                    "human_readable_id": _number(row, number),
                    "covariate_type": row["covariate_type"] or "claim",
                    "start_date": start,
                    "end_date": end,
                    "text_unit_id": unit_ids[0],
                }
            )
        return made

    def communities(self, rows: Sequence[Row]) -> list[Row]:
        """Return the communities by level and number. A parent that is not stated is the one that holds the members."""
        by_number: dict[int, Row] = {}
        used: set[str] = set()
        for row in sorted(rows, key=lambda row: (row["level"], row["community"])):
            number, level = row["community"], row["level"]
            entity_ids = self._known("communities", "entity", self.entity_ids, row["entity_ids"])
            if number in by_number or number < 0 or level < 0 or not entity_ids:
                self.notes["communities", "left out: no members, or the number of another"] += 1
                continue
            related = self._known("communities", "relationship", self.relationship_ids, row["relationship_ids"])
            identity = unused_id(row["id"] or tables.content_id("community", str(level), *entity_ids), used)
            by_number[number] = row | {
                "id": identity,
                "human_readable_id": number,
                "children": [],
                "title": row["title"] or f"Community {number}",
                "entity_ids": entity_ids,
                "relationship_ids": related,
                "text_unit_ids": self._known("communities", "text unit", self.unit_ids, row["text_unit_ids"]),
                "size": len(entity_ids),
            }
        holder = {
            (row["level"], identity): row["community"] for row in by_number.values() for identity in row["entity_ids"]
        }
        for number, row in by_number.items():
            parent = by_number.get(-1 if row["parent"] is None else row["parent"])
            if parent is None or parent["level"] >= row["level"]:
                above = Counter(holder.get((row["level"] - 1, identity), -1) for identity in row["entity_ids"])
                parent = by_number.get(above.most_common(1)[0][0])
            row["parent"] = parent["community"] if parent else -1
            if parent:
                parent["children"].append(number)
        return list(by_number.values())

    def _known(self, table: str, kind: str, ours: dict[str, list[str]], theirs: Iterable[str]) -> list[str]:
        """Return our ids for theirs, each once; those that stand for nothing are counted."""
        listed = list(theirs)
        self.notes[table, f"references to no {kind} left out"] += sum(identity not in ours for identity in listed)
        return list(dict.fromkeys(own for identity in listed for own in ours.get(identity, ())))

    def _sources(self, unit_ids: Sequence[str], names: Sequence[str], description: str, most: int) -> list[Row]:
        """Return where a description's statements stand: sentences, or where none shares a word, the first unit."""
        spans = self._evidence.best([self._number[unit] for unit in unit_ids], names, description, most)
        if not spans:
            return [self._whole(unit) for unit in unit_ids[:1]]
        return [self._span(self._ids[span.unit], span.start, span.end - span.start) for span in spans]

    def _quoted(self, unit_id: str, claim: Row) -> list[Row]:
        """Return where the words stand that a claim quotes, else the sentence that says most of it."""
        unit, quote = self.units[unit_id], claim["source_text"].strip()
        if spans := Quotable(unit["text"]).find(quote):
            return [self._span(unit_id, unit["char_start"] + start, end - start) for start, end in spans]
        return self._sources([unit_id], [claim["subject_id"]], f"{quote} {claim['description']}", 1)

    def _span(self, unit_id: str, start: int, length: int) -> Row:
        document = self.units[unit_id]["document_id"]
        return {"text_unit_id": unit_id, "document_id": document, "char_start": start, "char_end": start + length}

    def _whole(self, unit_id: str) -> Row:
        unit = self.units[unit_id]
        start, end = trimmed(unit["text"], 0, len(unit["text"]))
        return self._span(unit_id, unit["char_start"] + start, end - start)


def _number(row: Row, default: int) -> int:
    """Return a row's human_readable_id, else its place."""
    return default if row["human_readable_id"] is None else int(row["human_readable_id"])
