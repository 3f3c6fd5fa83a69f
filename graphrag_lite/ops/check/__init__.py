"""Is a snapshot whole? Its files, its ids, its counts, its partition, its citations.

    files        each table is there, intact, of this schema               files.py
    rules        ids, spans, counts, communities, facts, search            rules.toml, rules.py
    texts        texts of units, pages and marks of reports, days          texts.py

A table that is damaged is named once; what would have been compared with it is left out.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphrag_lite.ops.check.files import check_columns, check_files
from graphrag_lite.ops.check.problems import MAX_NAMED, Problem, Problems
from graphrag_lite.run import snapshots

JSON = "snapshot ok method problems relationships_within_entities within_named rows bytes seconds".split()
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
        values = asdict(self)
        values |= {"ok": not self.problems, "bytes": self.n_bytes}
        return {key: values[key] for key in JSON}


def damage(folder: Path) -> tuple[Problem, ...]:
    """Return what is wrong with a snapshot's files. Raises TableError for a manifest that is of no use."""
    found = Problems()
    check_files(folder, snapshots.usable_manifest(folder), found)
    return tuple(found.found)


def check(folder: Path) -> Checked:
    """Check everything about a snapshot. Raises TableError for a manifest that is of no use, or of another schema."""
    from graphrag_lite.ops.check.rules import check_rules, mentions_within
    from graphrag_lite.ops.check.texts import check_texts
    from graphrag_lite.tables.database import open_database

    started = time.perf_counter()
    manifest = snapshots.usable_manifest(folder)
    listed, made = manifest["tables"], manifest["made"]
    complete = made["from"] == "corpus"
    found = Problems()
    intact = check_columns(folder, check_files(folder, manifest, found), found)
    with open_database(sum(int(entry["rows"]) for entry in listed.values())) as database:
        true = {
            "complete" if complete else "taken over",
            *(["written"] if complete and made["reports"] == "written" else []),
        }
        check_rules(database, folder, intact, true, found)
        check_texts(database, folder, manifest, found)
        within, within_named = mentions_within(database) if complete else (None, ())
    counted = snapshots.counted(manifest).get("relationships_within_entities")
    if None not in (counted, within) and counted != within:
        found.add("relationship_mentions", "more or fewer are left out, both names one entity, than the manifest says")
    return Checked(
        folder.name,
        str(manifest["settings"].get("method")),
        complete,
        {name: int(listed[name]["rows"]) for name in listed if name in intact},
        sum(int(listed[name]["bytes"]) for name in intact),
        round(time.perf_counter() - started, 3),
        found.by_table(),
        within,
        within_named,
    )
