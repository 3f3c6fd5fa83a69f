"""What a sentence says apart from who says it and when, and how well its form lets it stand as a statement.

Transcripts open their lines with a name and a colon, a time, a stage direction; converted files repeat a head on every
page. All of these are recognised by form and by coming again at the beginning of other lines, never by a list of words.
"""

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache

from graphrag_lite.text.function_words import FUNCTION_WORDS
from graphrag_lite.text.sentences import is_statement, stands_alone, trimmed
from graphrag_lite.text.word_lists import expressions
from graphrag_lite.text.words import UNSPACED, terms

LONGEST_OPENING, MAX_OPENINGS = 80, 4  # characters of a line's opening, and brackets, times and labels in it
ASIDE = re.compile(
    r"(?:[\[(<]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?[\])>]?|\[[^\[\]\n]{1,40}\]|\([^()\n]{1,40}\))[^\S\n]*(?:[-–—][^\S\n]+)?"
)
LABEL = re.compile(r"([^\W\d_a-z][^\n:：.!?]{0,38}(?:\.[^\n:：.!?]{1,20}){0,2})[:：](?!:)\s*")  # not "A::B"
LABELLED_LINE = re.compile(rf"\n[^\S\n]*(?:{ASIDE.pattern})*{LABEL.pattern}(?=\S)")  # "^" would be tried everywhere
MAX_LABEL_WORDS = 6
NEAR = 50_000  # characters before and after in which a page's head comes again
HEAD = 30  # characters with which a page's head begins again and again
_SUFFIX = r"\.(?:txt|md|html?|pdf|docx?|pptx?|csv|jsonl?)"
FILE_HEAD = re.compile(rf"[^\n.:]{{0,120}}_[^\n.:]{{0,120}}{_SUFFIX}(?=\s)[\s./]*(?=\S)")
FILE_NAME = re.compile(rf"[^\W_]_+[^\W_]\S*|\w{_SUFFIX}\b")
# "Yeah, ..." and "So ..." go on from what was said before, as "It" and "But" do.
LEANING = re.compile(r"[-–—…]|[^\s,]{1,12},|(?i:so|or|then|because|which|alors|donc)\b")
_FORMS = expressions(__package__, "transcripts.txt")
PERSONS = {
    name[:2]: re.compile(rf"(?<!\w)(?i:{words})(?!\w)") for name, words in _FORMS.items() if name.endswith("persons")
}
_FIELD = re.compile(_FORMS["fields"], re.I)
_TALK = re.compile(rf"\b(?:{_FORMS['talk']})\b", re.I)
QUOTED = tuple("\"'“”‘’«»„「『")
WHOLE = range(50, 300)  # characters of a sentence that says something and is read at a glance
LEAST_TERMS = 5  # distinct content words


def spoken_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of what is said in the sentence [start, end) of a document: without label, time and brackets.

    >>> talk = "[01:07] ANN B: Whales sing.\\nCY: Why?\\nANN B: They do."
    >>> [talk[slice(*spoken_span(talk, *span))] for span in ((0, 27), (28, 36), (37, 52))]
    ['Whales sing.', 'Why?', 'They do.']
    """
    line = text.rfind("\n", max(0, start - LONGEST_OPENING), start) + 1
    opens_line = line > 0 or start < LONGEST_OPENING
    first = _opening(text, line if opens_line else start, end, anyone=opens_line)
    if not start <= first < end:  # what opens the line is not of this sentence
        first = _opening(text, start, end, anyone=False)
    return trimmed(text, first, end)


def speaker_of(text: str, start: int) -> str:
    """Return who says the sentence at `start`: the label of its line, where that opens several lines; else "".

    >>> speaker_of("Ann: Hm.\\nCy: Why? I left.\\nCy: So.\\nAnn: Oh.", 18)
    'Cy'
    """
    label = LABEL.match(text, text.rfind("\n", 0, start) + 1)
    return label[1].strip() if label and _is_name(label) and label_name(label[1]).casefold() in speakers(text) else ""


def _opening(text: str, start: int, end: int, anyone: bool) -> int:
    """Return where what is said begins after brackets, times and the label of a known speaker, or of `anyone`."""
    first = start + len(text[start:end]) - len(text[start:end].lstrip(" \t./"))
    labelled = False
    for _ in range(MAX_OPENINGS):
        aside = ASIDE.match(text, first, end) or (anyone and FILE_HEAD.match(text, first, end))
        if aside and aside.end() < end and not (labelled and aside[0][0].isdigit()):  # "ANN: 5:30 suits me."
            first = aside.end()
        elif (label := LABEL.match(text, first, end)) and label.end() < end and _is_name(label):
            known = speakers(text)
            if labelled or not (known if anyone else label_name(label[1]).casefold() in known):
                break
            first, labelled = label.end(), True
        else:
            break
    return first


@lru_cache(maxsize=64)
def speakers(text: str) -> frozenset[str]:
    """Return the names that open several lines of a document, in lower case. One that has any is a transcript.

    Nobody is called as manuals call what they say of a setting: "Default: 60".

    >>> sorted(speakers("ANN B: Whales sing.\\nCY: Why?\\nANN B, Oslo: They do."))
    ['ann b']
    """
    labels = [label for label in _turns(text)[1] if not _FIELD.fullmatch(label.strip())]
    if len(labels) < 2:
        return frozenset()
    n_lines = Counter(label_name(label).casefold() for label in labels)
    return frozenset(name for name, n in n_lines.items() if n > 1)


@lru_cache(maxsize=64)
def _turns(text: str) -> tuple[list[int], list[str]]:
    """Return where the labels of a document's lines end, and the labels."""
    labels = [label for label in LABELLED_LINE.finditer(f"\n{text}") if _is_name(label)]
    return [label.end() - 1 for label in labels], [label[1] for label in labels]


def speaker_at(text: str, offset: int) -> str:
    """Return who speaks at a place of a transcript, as the label before it is written; "" where none is known.

    One who speaks once is told by two words: a single one is as often a note's.

    >>> talk = "ANN B: Whales sing.\\nCY DOE: Why?\\nANN B, Oslo: They do.\\nNote: They did."
    >>> [speaker_at(talk, talk.index(word)) for word in ("sing", "Why", "do.", "did")]
    ['ANN B', 'CY DOE', 'ANN B', '']
    """
    known, (ends, labels) = speakers(text), _turns(text)
    at = bisect_right(ends, offset) - 1
    if not known or at < 0:
        return ""
    name = label_name(labels[at])
    return name if name.casefold() in known or len(name.split()) > 1 else ""


def label_name(label: str) -> str:
    """Return the name in a label: "ANN B" of "ANN B, University of Oslo"."""
    return label.partition(",")[0].strip()


def _is_name(label: re.Match[str]) -> bool:
    name = label_name(label[1]).split()
    return len(label[1].split()) <= MAX_LABEL_WORDS and not any(word[0].islower() for word in name)


def is_head(text: str, start: int, end: int) -> bool:
    """Say whether a sentence is a page's head, or holds one: it, or its line with a file's name, begins as other lines.

    >>> pages = "".join(f"whales_05.txt  {n}\\nThe whale number {n} sings.\\n" for n in range(3))
    >>> is_head(pages, 0, 16), is_head("See whales_05.txt for more.", 0, 27)
    (True, False)
    """
    if end - start > HEAD and _comes_again(text, start, start + HEAD):
        return True
    name = FILE_NAME.search(text, start, end)
    line = text.rfind("\n", 0, name.start()) + 1 if name else 0
    return name is not None and _comes_again(text, line, min(line + HEAD, name.end()))


def _comes_again(text: str, start: int, end: int) -> bool:
    """Say whether three lines near a place of a document begin alike."""
    return text.count("\n" + text[start:end], max(0, start - NEAR), start + NEAR) + (start == 0) > 2


def is_talk(sentence: str) -> bool:
    """Say whether a sentence of a transcript only moves the talk on.

    >>> is_talk("Our next question comes from Ann Lee."), is_talk("Whales sing.")
    (True, False)
    """
    return bool(_TALK.search(sentence))


def statement_form(text: str, start: int, end: int, language: str) -> float:
    """Return how well [start, end) of a document stands as a statement, from its form: 1 well, 0 not at all.

    No statement are headings, table rows, questions, greetings and thanks (fewer than `LEAST_TERMS` content words) and
    what a page's head is put together with. Less worth are sentences that lean on the one before, the words of a
    dialogue, and what is very short or long. In scripts without spaces a character says about twice as much, and an
    n-gram half as much.

    >>> [statement_form(s, 0, len(s), "en") for s in ("Thanks, Amy, and good evening.",
    ...     "Yeah, the old mirror of the telescope was ground to the wrong shape.",
    ...     "The mirror of the telescope was ground to the wrong shape.")]
    [0.0, 0.3, 1.0]
    """
    sentence = text[start:end]
    dense = 2 if UNSPACED.search(sentence) else 1
    if not is_statement(sentence) or is_head(text, start, end):
        return 0.0
    if len(set(terms(sentence, language))) < LEAST_TERMS * dense:
        return 0.0
    worth = 1.0 if stands_alone(sentence) and not LEANING.match(sentence) else 0.3
    if joining := FUNCTION_WORDS.get(language):
        worth *= 1.0 if sum(word in joining for word in sentence.casefold().split()) > 1 else 0.4
    worth *= 0.6 if sentence.startswith(QUOTED) else 1.0
    worth *= 0.6 if language in PERSONS and PERSONS[language].search(sentence) else 1.0
    return worth * (1.0 if len(sentence) * dense in WHOLE else 0.5)
