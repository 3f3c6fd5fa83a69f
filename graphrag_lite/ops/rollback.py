"""Make an earlier snapshot current again."""

from pathlib import Path

from graphrag_lite.errors import TableError
from graphrag_lite.ops import check
from graphrag_lite.run import run_log, snapshots


def roll_back(output: Path, given: str) -> tuple[str, str]:
    """Make the snapshot that `given` names current, and return the ids of the one before and of this one.

    What an interrupted run had finished is dropped. Raises IndexNotFound where there is no such snapshot, TableError
    where it is damaged or of another schema version, LockedError while a run writes the index.
    """
    with snapshots.lock_output(output):
        before, folder = snapshots.current(output), snapshots.find(output, given)
        if damage := check.damage(folder):
            details = "".join(f"\n  {problem.table}: {problem.what}" for problem in damage)
            raise TableError(f"{folder} is damaged, and was not made current:{details}")
        if folder != before:
            with run_log.log_run(output) as log:
                snapshots.roll_back(output, folder)
                log.rolled_back(before.name, folder.name)
    return before.name, folder.name
