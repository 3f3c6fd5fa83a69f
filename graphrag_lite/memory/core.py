"""Core memory: two blocks of a session that always stand in an agent's context (after MemGPT)."""

from graphrag_lite.errors import InputError
from graphrag_lite.memory.store import Memory

BLOCKS = ("task", "user")
LIMIT = 2000  # characters of a block


def append(memory: Memory, session: str, name: str, content: str) -> str:
    """Add a line to a block and return it. Raises InputError for another name, or past the limit."""
    before = _block(memory, session, name)
    return _written(memory, session, name, f"{before}\n{content}" if before else content)


def replace(memory: Memory, session: str, name: str, old: str, new: str) -> str:
    """Put `new` in the place of `old`, which must occur exactly once; an empty `new` deletes it. Raises InputError."""
    before = _block(memory, session, name)
    n = before.count(old) if old else 0
    if n != 1:
        reason = "is empty" if not old else "does not occur" if n == 0 else f"occurs {n} times"
        raise InputError(f"old_content {reason} in block {name!r}; it must be text that occurs in it exactly once.")
    return _written(memory, session, name, before.replace(old, new))


def _block(memory: Memory, session: str, name: str) -> str:
    if name not in BLOCKS:
        raise InputError(f"There is no block {name!r}; there are {', '.join(BLOCKS)}.")
    return memory.blocks(session).get(name, "")


def _written(memory: Memory, session: str, name: str, content: str) -> str:
    if len(content) > LIMIT:
        over = len(content) - LIMIT
        raise InputError(f"Block {name!r} would be {over} characters over its limit of {LIMIT}; replace some.")
    memory.add([], [(session, name, content)])
    return content
