"""Files of an export, brought up to date in their folder: only what changed is written, and what is not ours is left.

What was written is listed in `.graphrag-lite.json`, with its sha256, so that a file which somebody has changed since is
told from one of ours.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from graphrag_lite import tables
from graphrag_lite.errors import OutputError
from graphrag_lite.run import snapshots

LIST = ".graphrag-lite.json"


@dataclass
class ExportOutcome:
    """What has come of an export: how many files it has, were written, were removed; which were kept as changed."""

    n_files: int = 0
    n_written: int = 0
    n_removed: int = 0
    kept: list[str] = field(default_factory=list)


def bring_up_to_date(folder: Path, files: Iterable[tuple[str, bytes]]) -> ExportOutcome:
    """Write files into a folder, and remove those of an earlier export that are no more.

    What somebody has changed since is kept as it is, and told. Raises OutputError, and writes nothing, where a file of
    another's would be overwritten, or nothing can be written.
    """
    wanted = dict(files)
    ours = _listed(folder)
    sha256 = {path: hashlib.sha256(content).hexdigest() for path, content in wanted.items()}
    there = [path for path in wanted if path not in ours and (folder / path).exists()]
    foreign = [path for path in there if snapshots.file_digest(folder / path) != sha256[path]]
    if foreign:
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        raise OutputError(f"{folder}: {', '.join(foreign[:3])}{more} would be overwritten. Choose another --output.")
    done = ExportOutcome(len(wanted))
    digests = {}
    for path in sorted(ours.keys() | wanted.keys()):
        target = folder / path
        found = snapshots.file_digest(target)
        if found and path in ours and found != ours[path]:
            done.kept.append(path)
            digests[path] = ours[path]
        elif path not in wanted:
            if found:
                target.unlink()
            done.n_removed += bool(found)
        else:
            digests[path] = sha256[path]
            if found != digests[path]:
                write_output(target, wanted[path])
                done.n_written += 1
    write_output(folder / LIST, json.dumps(digests, indent=0, ensure_ascii=False).encode())
    return done


def write_output(target: Path, content: bytes) -> None:
    """Replace a file, or the one that a link leads to, in one step; a device or a pipe is written to.

    Raises OutputError where it cannot be written.
    """
    real = Path(os.path.realpath(target))
    if real.is_dir():
        raise OutputError(f"{target} is a folder, where a file is to be written.")
    try:
        if real.exists() and not real.is_file():
            real.write_bytes(content)
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        tables.replace_file(real, content, durable=False)
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.") from None


def _listed(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / LIST).read_text(encoding="utf-8"))
        return {path: digest for path, digest in found.items() if _is_inside(path)}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        raise OutputError(f"{folder / LIST} is damaged. Delete it, or choose another --output.") from None


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts and "\0" not in path
