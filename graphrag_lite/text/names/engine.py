"""Find names in a script without capitals: what is the same in all of them.

A `Script` says how: what `evidence` marks a name beforehand (title marks, a gloss in brackets), how the text is cut
into runs of tokens, which `joins` make names of the tokens of a run, and what else is `recurring`. Each proposes spans;
one that overlaps a name found before is dropped. Mentions of one name in a text unit then share type and anchor.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from graphrag_lite.text.names.lexicon import Lexicon, occurrences
from graphrag_lite.text.names.name import Name

Span = tuple[int, int, str, bool]  # start, end, type, anchored
Token = tuple[int, int, str]  # start, end, kind
T = TypeVar("T")
MAX_NAME = 16  # characters


class FoundSpans:
    """Names found so far; none overlaps another."""

    def __init__(self, size: int) -> None:
        self.spans: list[Span] = []
        self._used = bytearray(size)

    def free(self, start: int, end: int) -> bool:
        return end > start and not any(self._used[start:end])

    def used(self, position: int) -> bool:
        return self._used[position] != 0

    def take(self, proposed: Iterable[Span]) -> None:
        """Add what overlaps no name; `proposed` may look at what is taken while it goes on."""
        for span in proposed:
            start, end = span[:2]
            if self.free(start, end):
                self._used[start:end] = b"\x01" * (end - start)
                self.spans.append(span)


@dataclass(frozen=True, slots=True)
class Script(Generic[T]):
    """The rules of one script. `T` is what its runs consist of."""

    segment: Callable[[str, FoundSpans], list[list[T]]]
    joins: tuple[Callable[[str, list[T], FoundSpans], Iterable[Span]], ...]
    evidence: tuple[Callable[[str, FoundSpans], Iterable[Span]], ...] = ()
    recurring: Callable[[str, list[list[T]], FoundSpans], Iterable[Span]] | None = None
    # Where a name may stand again: None if only the joins find names, else whether a span is a word of its own.
    again: Callable[[str, int, int], bool] | None = None


def find_names_of(script: Script[T], text: str, folded: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping. `folded` is what the rules read, as long as it."""
    found = FoundSpans(len(text))
    for evidence in script.evidence:
        # Code within a sentence is blank: 重命名为“   ” names nothing.
        found.take(span for span in evidence(folded, found) if not folded[span[0] : span[1]].isspace())
    runs = script.segment(folded, found)
    for join in script.joins:
        for run in runs:
            found.take(join(folded, run, found))
    _agree(script, folded, found)
    if script.recurring:
        found.take(script.recurring(folded, runs, found))
    return [
        Name(start, end, " ".join(text[start:end].split()), kind, anchored)
        for start, end, kind, anchored in sorted(found.spans)
    ]


def _agree(script: Script[T], text: str, found: FoundSpans) -> None:
    """Find the other mentions of the anchored names, and give the type that most mentions tell to all."""
    kinds: dict[str, Counter[str]] = {}  # by name
    anchored = set()
    for start, end, kind, is_anchored in found.spans:
        kinds.setdefault(text[start:end], Counter())[kind] += kind != "unknown"
        if is_anchored:
            anchored.add(text[start:end])
    again = script.again
    if again:
        mentions = occurrences(text, [word for word in anchored if len(word) > 2])
        found.take((start, end, "unknown", True) for start, end, _ in mentions if again(text, start, end))
    best = {name: min(+of, key=lambda kind: (-of[kind], kind), default="unknown") for name, of in kinds.items()}
    found.spans = [
        (start, end, best.get(text[start:end], kind), is_anchored or text[start:end] in anchored)
        for start, end, kind, is_anchored in found.spans
    ]


def title_marks(text: str, marks: re.Pattern[str]) -> Iterator[Span]:
    """Yield the titles of works in title marks; each alternative of `marks` has one group."""
    for match in marks.finditer(text):
        start, end = match.span(match.lastindex or 0)
        if text[start:end].strip():
            yield start, end, "work", True


def name_before(text: str, end: int, is_inner: Callable[[str], bool]) -> int:
    """Return where the characters of a name that ends at `end` start, at most `MAX_NAME` before it."""
    start = end
    while start > 0 and end - start < MAX_NAME and is_inner(text[start - 1]):
        start -= 1
    return start


def head_of(lexicon: Lexicon, heads: Sequence[str], name: str, sizes: Iterable[int]) -> str:
    """Return the longest head, of these `sizes`, that `name` ends with and does not consist of, "" if none."""
    for size in sizes:
        if size < len(name) and lexicon.kind(name[-size:]) in heads:
            return name[-size:]
    return ""


class Joined:
    """The names that the tokens of one run make: a longer one takes the place of those inside it.

    Names are built from a `body`, where the name under construction starts, -1 for nowhere. A rule per kind of token
    says what comes of it.
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text, self.tokens = text, tokens
        self.names: list[Span] = []
        self.body = -1

    def add(self, start: int, end: int, kind: str, anchored: bool) -> None:
        while self.names and self.names[-1][0] >= start:
            self.names.pop()
        self.names.append((start, end, kind, anchored))

    def kind(self, at: int) -> str:
        """Return the kind of a token, "" beyond the ends of the run."""
        return self.tokens[at][2] if 0 <= at < len(self.tokens) else ""

    def follow(self, rules: Mapping[str, Callable[[Any, int], None]]) -> list[Span]:
        for at, token in enumerate(self.tokens):
            if token[2] in rules:
                rules[token[2]](self, at)
        return self.names
