"""What is done to one document, text unit or community: an exception is a failure of that one, and the run goes on.

The services `each` and `attempt` of a stage, and `StageModel.map`, call through `outcome`; nothing else has to catch.
"""

import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

from graphrag_lite.errors import GraphragLiteError

R = TypeVar("R")
ENDS_RUN = (GraphragLiteError, MemoryError)  # beside interrupts: nothing that is done next would go better
LONGEST = 200  # characters of an exception's message
HERE = Path(__file__).parent

Fail = Callable[[str, str, int], None]
"""The service `fail`: record what could not be done: (document, text unit or community; error; attempts)."""


def ignore(what: str, error: str, attempts: int) -> None:
    """Stand for `fail` where nothing is published that it could be said of."""


def in_turn(function: Callable[[Any], R], items: Iterable[Any]) -> Iterator[R | None]:
    """Stand for `each` there: map a function over items in this process, None where it raises."""
    return (outcome(function, item)[0] for item in items)


class Attempt(Protocol):
    """The service `attempt`: return what `work` returns for the thing named `what`, None where it raises.

    Then there is a failure, which the next run tries again.
    """

    def __call__(self, what: str, work: Callable[..., R], /, *args: Any, **named: Any) -> R | None: ...


def attempting(fail: Fail) -> Attempt:
    """Return an attempt that records with `fail`."""

    def attempt(what: str, work: Callable[..., R], /, *args: Any, **named: Any) -> R | None:
        result, error = outcome(work, *args, **named)
        if error:
            fail(what, error, 1)
        return result

    return attempt


def unguarded(what: str, work: Callable[..., R], /, *args: Any, **named: Any) -> R | None:  # noqa: ARG001
    """Stand for `attempt` where a stage is called by itself: what is raised goes to the caller."""
    return work(*args, **named)


def outcome(work: Callable[..., R], /, *args: Any, **named: Any) -> tuple[R | None, str]:
    """Return what `work` returns and no error, or None and what it raised, in words."""
    try:
        return work(*args, **named), ""
    except ENDS_RUN:
        raise
    except Exception as error:
        return None, describe_error(error)


def describe_error(error: BaseException) -> str:
    """Say what was raised, and in which line of this package: the last that it has gone through.

    >>> describe_error(KeyError("whale"))
    "KeyError: 'whale'"
    """
    locations = [
        f"{Path(frame.filename).relative_to(HERE).as_posix()}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(HERE)
    ]
    message = " ".join(str(error)[: 4 * LONGEST].split())
    text = f"{type(error).__name__}: {message[:LONGEST]}" if message else type(error).__name__
    return f"{text} ({locations[-1]})" if locations else text
