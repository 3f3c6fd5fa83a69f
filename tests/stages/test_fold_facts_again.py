"""Facts of groups that nothing touches are not folded again, and the tables are those of an index from nothing."""

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from last_snapshot import last

from graphrag_lite import prompts, tables
from graphrag_lite.run.services import Last
from graphrag_lite.settings import FoldFacts
from graphrag_lite.stages.fold_facts import fold_facts
from graphrag_lite.temporal import fact_rows, fold, touched

Row = dict[str, Any]
SAID = [
    *("lives in", "lived in", "LIVES_IN", "works at", "work at", "met", "founded", "was founded by", "left"),
    *("left", "left", "est à", "leads the"),
]
SETTINGS = FoldFacts(policies={"founded": "inverse", "lives in": "functional"}, max_ended_share=1)


class Corpus:
    """Documents that come, go and change, and what their names mean."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.documents: dict[str, list[Row]] = {}
        self.languages: dict[str, str] = {}
        self.meant: dict[tuple[str, str], str] = {}
        for _ in range(self.draw.randrange(3, 12)):
            self.change()

    def change(self) -> None:
        draw, name = self.draw, f"d{self.draw.randrange(12)}"
        what = draw.random()
        if what < 0.2:
            self.documents.pop(name, None)
        elif what < 0.85:
            coaches = draw.random() < 0.3  # in a row, so that how many there are at a time is learned
            made = self.coach if coaches else self.mention
            self.documents[name] = [made(name, n) for n in range(draw.randrange(1, 12))]
        elif what < 0.95:
            meant = draw.choice(("", name)), draw.choice(("Ana", "ANA", "Ben", "Acme", "Oslo"))
            self.meant.pop(meant, None)
            if draw.random() < 0.8:
                self.meant[meant] = draw.choice(("Ana Lee", "Acme", ""))
        else:
            self.languages[name] = draw.choice(("en", "fr"))

    def mention(self, document: str, n: int) -> Row:
        draw = self.draw
        year, lasts = draw.randrange(2000, 2012), draw.choice((None, None, 1, 2))
        subject, thing = (draw.choice(("Ana", "ANA", "Ben", "Acme", "Oslo", "oslo", "")) for _ in "so")
        relation = draw.choice(SAID)
        negative = relation == "left" or draw.random() < 0.2
        row = {
            "id": tables.content_id(document, str(n)),
            "document_id": document,
            "text_unit_id": f"unit of {document}",
        }
        row |= {
            "subject": subject,
            "relation": relation,
            "object": thing,
            "kind": draw.choice(["state"] * 4 + ["plan"]),
        }
        row |= {"valid_at": draw.choice(("", f"{year}")), "invalid_at": f"{year + lasts}" if lasts else ""}
        row |= {"polarity": "negative" if negative else "positive", "time_text": draw.choice(("", "then"))}
        row |= {"precision": "year", "reference_time": draw.choice(("", "2010", "2015")), "episode_id": ""}
        return row | {"char_start": n, "char_end": n + 3, "round": 0}

    def coach(self, document: str, n: int) -> Row:
        year = 2000 + 2 * n
        said = {"subject": f"Team {self.draw.choice(document)}", "relation": "is coached by", "object": f"Coach {n}"}
        ended = {"valid_at": f"{year}", "invalid_at": f"{year + 2}" if self.draw.random() < 0.75 else ""}
        return self.mention(document, n) | said | ended | {"kind": "state", "polarity": "positive"}

    def read(self) -> dict[str, pa.Table]:
        empty = dict.fromkeys(tables.schema("source_documents").names, "") | {"blocks": []}
        listed = [
            empty | {"id": name, "text": f"What {name} says", "language": self.languages.get(name, "en")}
            for name in sorted(self.documents)
        ]
        names = [
            {"document_id": document, "name": name, "entity_id": f"id of {title}" * bool(title), "title": title}
            | {"type": "", "rule": ""}
            for (document, name), title in sorted(self.meant.items())
        ]
        return {
            "source_documents": tables.make("source_documents", listed),
            "fact_mentions": tables.make(
                "fact_mentions", [row for name in sorted(self.documents) for row in self.documents[name]]
            ),
            "entity_resolutions": tables.make("entity_resolutions", names),
        }


def folded(read: dict[str, pa.Table], before: Last | None) -> dict[str, pa.Table]:
    facts, *others = asyncio.run(fold_facts(*read.values(), SETTINGS, before, None, prompts.load()))
    written = (facts.read_all(), *others)
    return dict(zip(("facts", "relation_policies", "relation_resolutions"), written, strict=True))


@pytest.mark.parametrize("seed", range(int(os.environ.get("N", 12))))
def test_the_tables_are_those_from_nothing(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_rows, "PART", 1 + seed % 3)  # of a corpus of any size facts are made part by part
    corpus, before = Corpus(seed), None
    for step in range(5):
        read = corpus.read()
        made, anew = folded(read, before), folded(read, None)
        for name, table in anew.items():
            assert tables.sha256(made[name]) == tables.sha256(table), (step, name)
        before = last(tmp_path / str(step), **read, **made)
        for _ in range(corpus.draw.choice((0, 1, 1, 3))):
            corpus.change()


def test_who_left_is_known_of_documents_that_stay(tmp_path: Path) -> None:
    corpus = Corpus(0)
    told = {"subject": "Ana", "object": "Acme", "kind": "state", "polarity": "positive", "invalid_at": ""}
    corpus.documents = {
        "d1": [corpus.mention("d1", 0) | told | {"relation": "works at", "valid_at": "2001"}],
        "d2": [corpus.mention("d2", 0) | told | {"relation": "left", "valid_at": "2005", "polarity": "negative"}],
    }
    before = last(tmp_path, **corpus.read(), **folded(corpus.read(), None))
    corpus.documents["d3"] = [corpus.mention("d3", 0) | told | {"relation": "works at", "valid_at": "2003"}]
    made = folded(corpus.read(), before)["facts"]
    assert "2005" in made["invalid_at"].to_pylist() and made.equals(folded(corpus.read(), None)["facts"])


def test_only_what_is_touched_is_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus(0)
    corpus.documents = {
        f"d{n}": [
            corpus.mention(f"d{n}", k) | {"subject": f"Person {n}", "relation": "lives in", "kind": "state"}
            for k in range(5)
        ]
        for n in range(9)
    }
    read = corpus.read()
    before = last(tmp_path, **read, **folded(read, None))
    corpus.documents["d3"][0] |= {"object": "Rome", "valid_at": "1999"}
    seen: list[int] = []
    distinct = fold.distinct

    def counted(mentions: fold.FactMentions, policies: fold.Ints) -> fold.Distinct:
        seen.append(len(mentions.subject))
        return distinct(mentions, policies)

    monkeypatch.setattr(fold, "distinct", counted)
    folded(corpus.read(), before)
    assert seen == [5]


def test_facts_are_put_in_words_only_as_they_are_written() -> None:
    parts = iter([pa.table({"n": [n]}) for n in range(3)])
    next(touched.merged((), parts))
    assert [part["n"].to_pylist() for part in parts] == [[1], [2]]
