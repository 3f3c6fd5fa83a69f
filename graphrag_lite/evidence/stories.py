"""Stories: a page on what is narrated with dialogue tells it from its beginning to its end, chapter by chapter."""

import re
from collections.abc import Iterable, Iterator

from graphrag_lite.text.transcripts import QUOTED, WHOLE
from graphrag_lite.text.word_lists import sections

PASSING = 0.3  # what a sentence counts that is short, or long, or tells a gesture or a thought, or points to another
MEET = 2.0  # what a sentence counts that names two people
EVENT = 3.0  # what a sentence counts by whose verb a story goes on: who arrives, dies, marries, finds, promises
FEWEST = 3  # paragraphs of a story
# Lines in capitals, as chapters are headed: "CHAPTER II.", "THE STATEMENT OF THE CASE."
_HEADINGS = re.compile(r"(?m)(?:^(?=.*[A-Z]{3})[A-Z][^]a-z\n]{3,300}$\s*)+")
_NUMBERED = re.compile(r"(?:CHAPTER|PART|BOOK|STAVE|ACT|SCENE|LETTER)\s+[\w-]+\W*", re.I)
_GESTURES = re.compile(
    r"\b(?:brows?|cheeks?|eye(?:s|brows?)?|faces?|fingers?|hands?|heads?|knees?|lips|shoulders?|smil\w+|nod(?:s|ded)"
    r"|sigh\w*|blush\w*|trembl\w+|glanc\w+|gaz\w+|laugh\w*|frown\w*|bow(?:s|ed)|voice|turned|looked)\b"
)
_UNREAL = re.compile(
    r"(?i)\b(?:as (?:if|though)|could|felt|if|knew|may|might|perhaps|seem\w+|should|suppos\w+|thought|wish\w+|would)\b"
)
_EVENTS = re.compile(rf"\b(?:{'|'.join(sorted(sections(__package__, 'stories.txt')['events']))})\b")
_POINTS = re.compile(r"\b(?:it|them|these|they|this|those)\b", re.I)
_ROMAN = re.compile("[IVXLC]+")
_SMALL = re.compile(r"(?<=\S )(?:A|An|And|At|By|For|From|In|Into|Of|On|Or|The|To|With)\b")
_BREAK = re.compile(r"\s[—–-]+\s*|;\s|(?<!MR)(?<!MRS)(?<!DR)\.\s")


def dialogue(text: str) -> float:
    """Return the share of a text's paragraphs that begin with what somebody says; 0 where these are too few to tell.

    >>> dialogue("He came.\\n\\n'Why?' she said.\\n\\nShe left.\\n\\n'Why not?'"), dialogue("'Why?'\\n\\nHe left.")
    (0.5, 0.0)
    """
    paragraphs = text.split("\n\n")
    if len(paragraphs) < FEWEST:
        return 0.0
    return sum(one.startswith(QUOTED) for one in paragraphs) / len(paragraphs)


def is_spoken(text: str, start: int) -> bool:
    """Say whether the paragraph of a story that a sentence starts in begins with what somebody says."""
    top = text.rfind("\n\n", 0, start)
    return text.startswith(QUOTED, top + 2 if top >= 0 else 0)


def worth(sentence: str, people: Iterable[str]) -> float:
    """Return what a sentence counts: more where two of some people meet, or something happens that others tell of,
    nothing where none is named."""
    n_named = len({name.split()[-1] for name in people if name.split()[-1] in sentence})
    return (0.0, 1.0, MEET)[min(n_named, 2)] * (EVENT if _EVENTS.search(sentence) else 1.0) * plainness(sentence)


def plainness(sentence: str) -> float:
    """Return what a sentence counts by its form: less for a gesture, a thought, and what points to another."""
    less = (len(sentence) not in WHOLE, _GESTURES.search(sentence), _UNREAL.search(sentence), _POINTS.search(sentence))
    return PASSING ** sum(map(bool, less))


def chapters(text: str) -> list[tuple[int, str]]:
    """Return where each chapter of a story begins, and its heading, which ends there.

    >>> chapters("CHAPTER II. THE STATEMENT OF THE CASE.\\n\\nShe came.")
    [(40, 'The Statement of the Case')]
    """
    return [(found.end(), _heading(found[0])) for found in _HEADINGS.finditer(text)]


def spread(ranked: Iterable[int], n: int, most: int) -> Iterator[int]:
    """Yield up to `most` of the numbers below `n`, the first ranked of each stretch: a story is told to its end.

    >>> list(spread([5, 4, 0, 1], 6, 2))
    [5, 0]
    """
    taken: set[int] = set()
    for number in ranked:
        stretch = number * most // n
        if stretch not in taken:
            taken.add(stretch)
            yield number


def _heading(lines: str) -> str:
    said = " ".join(lines.split())
    named = _BREAK.split(_NUMBERED.sub("", said, count=1))[0].strip(" .") or said.strip(" .")
    told = re.sub(r"[^\W\d_][\w’']*", lambda w: w[0] if _ROMAN.fullmatch(w[0]) else w[0].capitalize(), named)
    return _SMALL.sub(lambda found: found[0].lower(), told)
