"""Is a snapshot whole? Its files, its ids, its counts, its partition, its citations.

    files        each table is there, intact, of this schema               files.py
    references   ids name rows that are there, both directions agree       references.py
    spans        texts and citations are characters of their documents     spans.py
    counts       counts, and entities as the mentions say                  counts.py
    hierarchy    communities partition the entities, level by level        hierarchy.py
    facts        intervals, spells, one value at a time                    facts.py
    reports      marks and citations, one report a community               reports.py
    search       postings and links                                        search.py

A table that is damaged is named once; what would have been compared with it is left out.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphrag_lite.ops.check.files import check_columns, check_files
from graphrag_lite.ops.check.problems import MAX_NAMED, Problem, Problems
from graphrag_lite.run import snapshots

__all__ = ["MAX_NAMED", "Checked", "Problem", "check", "damage"]


@dataclass(frozen=True)
class Checked:
    """What was looked at, and what is wrong. `rows` of every intact table.

    `relationships_within_entities` are mentions that are left out since both names are one entity;
    `within_named` are the first few pairs of names.
    """

    snapshot: str
    method: str
    complete: bool  # made here, not taken over
    rows: Mapping[str, int]
    n_bytes: int
    seconds: float
    problems: tuple[Problem, ...]
    relationships_within_entities: int | None = None
    within_named: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what `check --json` prints."""
        return {
            "snapshot": self.snapshot,
            "ok": not self.problems,
            "method": self.method,
            "problems": [asdict(problem) for problem in self.problems],
            "relationships_within_entities": self.relationships_within_entities,
            "within_named": list(self.within_named),
            "rows": dict(self.rows),
            "bytes": self.n_bytes,
            "seconds": self.seconds,
        }


def damage(folder: Path) -> tuple[Problem, ...]:
    """Return what is wrong with a snapshot's files. Raises TableError for a manifest that is of no use."""
    found = Problems()
    check_files(folder, snapshots.usable_manifest(folder), found)
    return tuple(found.found)


def check(folder: Path) -> Checked:
    """Check everything about a snapshot. Raises TableError for a manifest that is of no use, or of another schema."""
    from graphrag_lite.ops.check import counts, facts, hierarchy, references, reports, search, spans
    from graphrag_lite.ops.check.reading import Missing, Reading

    started = time.perf_counter()
    manifest = snapshots.usable_manifest(folder)
    how = manifest["made"]
    complete = how["from"] == "corpus"
    found = Problems()
    intact = check_columns(folder, check_files(folder, manifest, found), found)
    read = Reading(folder, intact, complete=complete, written=how["reports"] == "written")
    found.name = read.name
    parts = (references, spans, counts, hierarchy, facts, reports, search)
    for one in (one for part in parts for one in part.CHECKS):
        with suppress(Missing):
            one(read, found)
    with suppress(Missing):
        search.failures(read, found, manifest)
    counted = (
        manifest["stages"].get("summarize_descriptions", {}).get("counts", {}).get("relationships_within_entities")
    )
    if None not in (counted, found.within) and counted != found.within:
        found.add("relationship_mentions", "more or fewer are left out, both names one entity, than the manifest says")
    listed = manifest["tables"]
    return Checked(
        folder.name,
        str(manifest["settings"].get("method")),
        complete,
        {name: int(listed[name]["rows"]) for name in listed if name in intact},
        sum(int(listed[name]["bytes"]) for name in intact),
        round(time.perf_counter() - started, 3),
        found.by_table(),
        found.within,
        found.within_named,
    )
