"""Readers that the last run had and this one has not: what they read is not withdrawn without a word.

An environment that is made anew without a package is a mistake more often than a wish, and takes back all that stands
in its files.
"""

import os
from pathlib import Path

from graphrag_lite import tables
from graphrag_lite.errors import GraphragLiteError, PluginError
from graphrag_lite.read.documents import suffix_of
from graphrag_lite.read.readers import Readers
from graphrag_lite.run import snapshots
from graphrag_lite.run.corpus_files import is_excluded
from graphrag_lite.settings import LoadDocuments


def refuse_without_readers(corpus: Path, output: Path, readers: Readers, settings: LoadDocuments) -> None:
    """Raise PluginError where files of the corpus are in the current snapshot, and only a reader that is gone reads
    them."""
    try:
        snapshot = snapshots.current(output)
        had = snapshots.read_manifest(snapshot).get("plugins", {}).get("readers", ())
        names = {origin.name for origin in readers.origins}
        gone = [one for one in had if one["name"] not in names]
        if not gone:
            return
        paths = set(tables.read(snapshot, "documents", only=["path"])["path"].to_pylist())
    except GraphragLiteError:  # there is none, or a damaged one, which is made anew
        return
    suffixes = {*readers.suffixes()}
    lost = sorted(
        path
        for path in paths
        if suffix_of(path) not in suffixes and not is_excluded(path, settings) and os.path.isfile(corpus / path)  # noqa: PTH113 - whatever its name is
    )
    if lost:
        whose = ", ".join(f"{one['name']} of {one['package'] or 'Python code'}" for one in gone)
        kinds = ", ".join(sorted({f'"*{suffix_of(path)}"' for path in lost}))
        raise PluginError(
            f"The index has {len(lost)} files that nothing here reads, such as {lost[0]}: it was made with the reader"
            f" {whose}. Nothing was changed. Install it again; or, if they are to go, add {kinds} to"
            " load_documents.exclude."
        )
