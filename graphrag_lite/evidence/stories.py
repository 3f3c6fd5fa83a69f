"""Stories: a page on what is narrated with dialogue tells it from its beginning to its end, chapter by chapter."""

import re
from collections.abc import Collection, Sequence

from graphrag_lite.text.names.gazetteer import FEMALE_NAMES, MALE_NAMES
from graphrag_lite.text.names.types import kind_of
from graphrag_lite.text.names.words import FEMALE_HONORIFICS, HONORIFICS, LISTS, NEUTRAL_HONORIFICS
from graphrag_lite.text.numbered_titles import without_part
from graphrag_lite.text.transcripts import QUOTED

PASSAGES, SENTENCES = 4, 3  # of a page, and of each of them, at most
TRIED = 4  # sentences of each stretch that a passage may begin with
LEAST, LEAST_OF = 5, 2  # sentences of a page, and of a passage where one of its stretch has as many
REST = 2000  # characters of a paragraph in which what follows a sentence is looked for
READ = range(30, 320)  # characters of a sentence that is read at a glance
NARRATED = 250  # characters that are narrated behind a sentence before somebody speaks, in what is no stage direction
ENDS = 0.25  # what a sentence counts behind which nothing is
INTRODUCED = 60  # characters before the name of somebody who is introduced that say so
SUBJECT = 12  # characters before a name that is what its sentence is about: "In 1993, Acme"
LEAST_INTRODUCING = 0.3  # what a sentence is worth at least that introduces somebody: "His name was George"
SCENE = 2.0  # what one counts that says first when it was
FEWEST = 3  # paragraphs of a story
# Lines in capitals, as chapters are headed: "CHAPTER II.", "THE STATEMENT OF THE CASE."
_HEADINGS = re.compile(
    r"(?m)^(?:Chapter|Part|Book|Letter|Scene) (?:\d{1,3}|[IVXLC]+)\b[^\n.]{0,80}\.?\n[^\S\n]*\n\s*"
    r"|(?:^(?=[A-Z][^]a-z\n]{3})(?=.*[A-Z]{3})[A-Z][^]a-z\n]{3,300}$\s*)+"
)
_NUMBERED = re.compile(r"(?:CHAP(?:TER)?\.?|PART|BOOK|STAVE|ACT|SCENE|LETTER)\s+[\w-]+\W*", re.I)
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
SPEECH = re.compile(r"[\"“”«»„「『]|(?<!\w)['‘]")
_WHEN = re.compile(
    r"(?:[\w’'-]+ ){0,8}(?:morning|evening|afternoon|night|day|week|month|year|hour|o[’']clock|spring|summer|autumn"
    r"|winter|midnight|noon|dawn|daybreak|sunset|twilight|Christmas|Easter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b"
)
_PERSON = re.compile(r"\b(?:s?he|him|his|hers?|they|them|their|ils?|elles?|lui|leurs?|ella|él|er|ihr|ihm)\b", re.I)
# What stands before and behind the name of somebody whom a reader is told of: "a girl called", "the boy,", "was a man".
_CALLED = re.compile(r"\b(?:called|named|by name|names? (?:was|were|is|are)|known as),?(?: [A-Z][\w.]*)*,? $")
_APPOSED = re.compile(r"\b(?i:an?|the|his|her|their|only|one) (?:[a-z-]+ ){0,4}?([a-z-]+),(?: [A-Z][\w.]*)* $")
_DESCRIBED = re.compile(
    r",? (?:who )?(?:(?:was|is|had been|has been)(?:,[^,]{3,30},)? (?:\w+ly |always |indeed |now |still )*"
    r"(?:one of|born|[\w-]+ years|supposed to be an?|an? (?!bit|couple|few|good deal|little|moment|trifle|week)"
    r"|the (?!better|first|last|more|next|one|same))|had (?:grown|inherited|lived|married|served))"
    r"|, (?:an?|the|one of) [a-z]"
)
_KIN_OF = re.compile(
    r", (?:only |eldest |youngest )?(?:brother|daughter|sister|son|widow|wife|niece|nephew|cousin) of "
)
_SEX = re.compile(r"\b(?:he|him|his|himself|she|hers?|herself)\b", re.I)
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


def begins(text: str, start: int, last: int) -> float:
    """Return what a sentence of a story counts as the beginning of a scene: more where it tells when that was, less
    where little is narrated behind it, to the end of its paragraph or to what somebody says.

    >>> begins("That evening Ann rose. " * 20, 0, 22), begins("She slept.\\n\\n" + "Ann rose. " * 20, 12, 21)
    (2.0, 0.764)
    """
    end = paragraph_end(text, start)
    spoken = SPEECH.search(text, start, end)
    narrated = min(1.0, max(ENDS, ((spoken.start() if spoken else end) - last) / NARRATED))
    return narrated * (SCENE if _WHEN.match(text, start, end) else 1.0)


def introduces(sentence: str, names: Collection[str]) -> bool:
    """Say whether a sentence tells who bears one of some names is.

    >>> [introduces(one, ["Ann", "Ann Bell"]) for one in ("Ann was a pilot.", "He met the pilot, Ann Bell, in Rome.")]
    [True, True]
    >>> [introduces(one, ["Ann"]) for one in ("A girl called Ann.", "Ann was a little cold.", "Her son, nor Ann.")]
    [True, False, False]
    """
    for name in names:
        for at in re.finditer(rf"\b{re.escape(name)}\b", sentence):
            before = sentence[max(0, at.start() - INTRODUCED) : at.start()]
            apposed = _APPOSED.search(before)
            noun = apposed[1].casefold() if apposed else ""
            if kind_of(noun) == "person" or noun in LISTS["kin"] or _CALLED.search(before):
                return True
            if _KIN_OF.match(sentence, at.end()) or (at.start() <= SUBJECT and _DESCRIBED.match(sentence, at.end())):
                return True
    return False


def dangles(sentence: str, names: Collection[str]) -> bool:
    """Say whether a sentence has "she" or "his" before any of some names: who that is, the one before says.

    >>> dangles("When she came, Ann wept.", ["Ann"]), dangles("Ann wept when he came.", ["Ann"])
    (True, False)
    """
    first = min((at for name in names if (at := sentence.find(name)) >= 0), default=len(sentence))
    return bool(_PERSON.search(sentence, 0, first))


def gender_of(name: str) -> str:
    """Return m or f as a person's title or given name tells, "" where they do not.

    >>> gender_of("Mrs. Bell"), gender_of("Robert Bell"), gender_of("Bell")
    ('f', 'm', '')
    """
    first = name.split()[0].casefold().rstrip(".")
    if first in HONORIFICS:
        return "f" if first in FEMALE_HONORIFICS else "" if first in NEUTRAL_HONORIFICS else "m"
    male, female = first in MALE_NAMES, first in FEMALE_NAMES
    return "" if male == female else "f" if female else "m"


def is_astray(text: str, n_named: int, gender: str) -> bool:
    """Say whether what is said of somebody, of `gender` (m, f, "" for unknown), has "she" or "he" of another who is not
    among the `n_named` people that it names.

    >>> is_astray("Bob told her so.", 1, "m"), is_astray("Bob told Ann of her son.", 2, "m"), is_astray("He is", 1, "")
    (True, False, False)
    """
    genders = {"f" if word[:3].casefold() in ("she", "her") else "m" for word in _SEX.findall(text)}
    return len(genders | {gender} - {""}) > max(n_named, 1)


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
    line = " ".join(lines.split())
    named = _BREAK.split(_NUMBERED.sub("", line, count=1))[0].strip(" .") or line.strip(" .")
    return without_capitals(named)


def without_capitals(line: str) -> str:
    """Return a heading in capitals as titles are written: "The Statement of the Case"."""
    capitalized = re.sub(r"[^\W\d_][\w’']*", lambda w: w[0] if _ROMAN.fullmatch(w[0]) else w[0].capitalize(), line)
    return _SMALL.sub(lambda found: found[0].lower(), capitalized)
