"""Stories: a page on what is narrated with dialogue tells it from its beginning to its end, chapter by chapter."""

import re
from collections.abc import Collection, Sequence

from graphrag_lite.text.numbered_titles import without_part
from graphrag_lite.text.transcripts import QUOTED

PASSAGES, SENTENCES = 4, 3  # of a page, and of each of them, at most
LEAST = 5  # sentences of a page
REST = 2000  # characters of a paragraph in which what follows a sentence is looked for
READ = range(30, 320)  # characters of a sentence that is read at a glance
NARRATED = 400  # characters that are narrated before somebody speaks, in what is no stage direction
SCENE = 2.0  # what one counts that says first when it was
FEWEST = 3  # paragraphs of a story
# Lines in capitals, as chapters are headed: "CHAPTER II.", "THE STATEMENT OF THE CASE."
_HEADINGS = re.compile(
    r"(?m)^(?:Chapter|Part|Book|Letter|Scene) (?:\d{1,3}|[IVXLC]+)\b[^\n.]{0,80}\.?\n[^\S\n]*\n\s*"
    r"|(?:^(?=[A-Z][^]a-z\n]{3})(?=.*[A-Z]{3})[A-Z][^]a-z\n]{3,300}$\s*)+"
)
_NUMBERED = re.compile(r"(?:CHAPTER|PART|BOOK|STAVE|ACT|SCENE|LETTER)\s+[\w-]+\W*", re.I)
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
SPEECH = re.compile(r"[\"“”«»„「『]|(?<!\w)['‘]")
_WHEN = re.compile(
    r"(?:[\w’'-]+ ){0,8}(?:morning|evening|afternoon|night|day|week|month|year|hour|o[’']clock|spring|summer|autumn"
    r"|winter|midnight|noon|dawn|daybreak|sunset|twilight|Christmas|Easter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b"
)
_PERSON = re.compile(r"\b(?:s?he|him|his|hers?|they|them|their|ils?|elles?|lui|leurs?|ella|él|er|ihr|ihm)\b", re.I)
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


def begins(text: str, start: int) -> float:
    """Return what a place in a story counts as the beginning of a scene: more where it is told when that was, less
    where little is narrated from there to the end of its paragraph, or to what somebody says.

    >>> begins("That evening Ann rose. " * 20, 0), begins("She slept.\\n\\n" + "Ann rose. " * 20, 12)
    (2.0, 0.5)
    """
    end = paragraph_end(text, start)
    spoken = SPEECH.search(text, start, end)
    told = min(1.0, ((spoken.start() if spoken else end) - start) / NARRATED)
    return told * (SCENE if _WHEN.match(text, start, end) else 1.0)


def dangles(sentence: str, names: Collection[str]) -> bool:
    """Say whether a sentence has "she" or "his" before any of some names: who that is, the one before says.

    >>> dangles("When she came, Ann wept.", ["Ann"]), dangles("Ann wept when he came.", ["Ann"])
    (True, False)
    """
    first = min((at for name in names if (at := sentence.find(name)) >= 0), default=len(sentence))
    return bool(_PERSON.search(sentence, 0, first))


def paragraph_end(text: str, start: int) -> int:
    found = _PARAGRAPH.search(text, start)
    return found.start() if found else len(text)


def rest_of_paragraph(text: str, start: int) -> str:
    """Return what stands behind a place in its paragraph, up to `REST` characters of it."""
    return text[start : min(paragraph_end(text, start), start + REST)]


def chapters(text: str) -> list[tuple[int, str]]:
    """Return where each chapter of a story begins, and its heading, which ends there.

    >>> chapters("CHAPTER II. THE STATEMENT OF THE CASE.\\n\\nShe came.")
    [(40, 'The Statement of the Case')]
    """
    return [(found.end(), _heading(found[0])) for found in _HEADINGS.finditer(text)]


def chapter_at(headings: Sequence[tuple[int, str]], start: int) -> str:
    """Return the heading of the chapter, of `chapters`, that a place stands in; empty before the first."""
    return next((heading for first, heading in reversed(headings) if first <= start), "")


def part_title(title: str) -> str:
    """Return which part of a work a document is, by its title; empty where it is none.

    >>> part_title("The Sign of Four / part 2"), part_title("The Sign of Four")
    ('Part 2', '')
    """
    return title.removeprefix(without_part(title)).strip(" \t/|,:(–-)").capitalize()


def _heading(lines: str) -> str:
    said = " ".join(lines.split())
    named = _BREAK.split(_NUMBERED.sub("", said, count=1))[0].strip(" .") or said.strip(" .")
    return without_capitals(named)


def without_capitals(line: str) -> str:
    """Return a heading in capitals as titles are written: "The Statement of the Case"."""
    told = re.sub(r"[^\W\d_][\w’']*", lambda w: w[0] if _ROMAN.fullmatch(w[0]) else w[0].capitalize(), line)
    return _SMALL.sub(lambda found: found[0].lower(), told)
