"""JSON of any length: a list too long to be held is parsed value by value, each time that it is gone through."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from graphrag_lite.read.encoding import decoded_pieces

AT_ONCE = 1 << 20  # characters; what is longer is read by its parts
DEEP = 8  # lists and objects in each other, of which each would be tried as a whole: what is deeper is read at once
ESCAPED = re.compile(rb"(?<!\\)((?:\\\\)*)\\x([0-9A-Fa-f]{2})")  # control characters, as Telegram Desktop writes them
DECODER = json.JSONDecoder(parse_constant=lambda _: None)
"""JSON, whose NaN and Infinity, which it does not have but many programs write, are null."""


def objects(text: str) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the number of each line that is not blank, from 1, and its object; None where it holds none.

    >>> list(objects('{"id": 1}\\n\\n[2]'))
    [(1, {'id': 1}), (3, None)]
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        yield number, row if isinstance(row, dict) else None


@dataclass(frozen=True)
class Listed:
    """Values that are read again each time that they are gone through."""

    values: Callable[[], Iterator[Any]]

    def __iter__(self) -> Iterator[Any]:
        return self.values()


def is_list(value: Any) -> bool:
    return isinstance(value, list | Listed)


def fits(value: Any, shape: str) -> bool:
    """Say whether a value is an object with all fields of a shape: with [] a list, with {} an object, `a.b` is b of a.

    >>> [fits({"a": {"b": []}, "c": 1}, shape) for shape in ("a{} c", "a.b[]", "c=1", "a[]", "b")]
    [True, True, True, False, False]
    """
    return isinstance(value, dict) and all(_has(value, *field.partition("=")) for field in shape.split())


def _has(value: Any, field: str, equals: str, stated: str) -> bool:
    *outer, name = field.rstrip("[]{}").split(".")
    for each in outer:
        value = value.get(each) if isinstance(value, dict) else None
    held = value.get(name) if isinstance(value, dict) else None
    if field.endswith(("[]", "{}")):
        return is_list(held) if field.endswith("[]") else isinstance(held, dict)
    return isinstance(value, dict) and name in value and (not equals or str(held) == stated)


def long_value(data: bytes) -> Any:
    """Return what a JSON text says, its lists of over AT_ONCE characters as `Listed`. Raises ValueError for no JSON.

    >>> long_value(b'{"a": [1, NaN]}')
    {'a': [1, None]}
    """
    text = _Text(ESCAPED.sub(rb"\1\\u00\2", data) if b"\\x" in data else data)
    value = text.value()
    if text.next():
        raise ValueError(f"Extra data: char {text.position}")
    return value


class _Text:
    """A JSON text from character `start` on: what has been read is let go, so that little is held at a time."""

    def __init__(self, data: bytes, start: int = 0, depth: int = 0) -> None:
        self._depth = depth
        self._data, self._pieces, self._window, self._at, self._before = data, decoded_pieces(data), "", 0, 0
        while self._before + len(self._window) < start and self._more():
            self._at = min(start - self._before, len(self._window))
        self._at = start - self._before

    @property
    def position(self) -> int:
        return self._before + self._at

    def _more(self) -> bool:
        piece = next(self._pieces, "")
        if piece:
            self._before += self._at
            self._window, self._at = self._window[self._at :] + piece, 0
        return bool(piece)

    def next(self) -> str:
        """Return the next character that is not blank, empty at the end."""
        while True:
            for index in range(self._at, len(self._window)):
                if self._window[index] not in " \t\n\r":
                    self._at = index
                    return self._window[index]
            self._at = len(self._window)
            if not self._more():
                return ""

    def take(self, characters: str) -> str:
        """Return the next character, which is one of some, and go beyond it."""
        if not (found := self.next()) or found not in characters:
            raise ValueError(f"Expecting {' or '.join(characters)}: char {self.position}")
        self._at += 1
        return found

    def value(self) -> Any:
        """Return the next value, and go beyond it."""
        first = self.next()
        while (self._depth > DEEP or len(self._window) - self._at < AT_ONCE) and self._more():
            pass
        try:
            value, end = DECODER.raw_decode(self._window, self._at)
        except json.JSONDecodeError as error:
            if self._depth > DEEP or len(self._window) - self._at < AT_ONCE or first not in '[{"':
                raise ValueError(f"{error.msg}: char {self._before + error.pos}") from None
        else:
            self._at = end
            return value
        self._depth += 1
        value = {"[": self._list, "{": self._object, '"': self._string}[first]()
        self._depth -= 1
        return value

    def _list(self) -> Listed:
        start, depth = self.position, self._depth
        for _ in self.items():
            pass
        return Listed(lambda: _Text(self._data, start, depth).items())

    def items(self) -> Iterator[Any]:
        """Yield the values of a list, and go beyond it."""
        self.take("[")
        if self.next() == "]":
            self.take("]")
            return
        while True:
            yield self.value()
            if self.take(",]") == "]":
                return

    def _object(self) -> dict[str, Any]:
        self.take("{")
        found: dict[str, Any] = {}
        if self.next() == "}":
            self.take("}")
            return found
        while True:
            if self.next() != '"':
                raise ValueError(f"Expecting a name: char {self.position}")
            name = self.value()
            self.take(":")
            found[name] = self.value()
            if self.take(",}") == "}":
                return found

    def _string(self) -> str:
        while True:
            try:
                value, end = DECODER.raw_decode(self._window, self._at)
            except json.JSONDecodeError as error:
                if not self._more():
                    raise ValueError(f"{error.msg}: char {self.position}") from None
            else:
                self._at = end
                return str(value)
