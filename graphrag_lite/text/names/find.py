"""Find names in one text unit: people, places, organisations, works, events and terms.

Everything is decided from the text unit alone, so the result can be memoised by content. What needs the corpus (does
a word that is capitalised here mostly occur in lower case?) is left to `resolution.ladder`: the flag `anchored` carries
the evidence. Names are runs of capitalised words with the words that join them; a run at the start of a sentence
loses its opener. Plain dates and years are no names: as entities they would join everything that happened in a year.
"""

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import replace

from graphrag_lite.text.names import types
from graphrag_lite.text.names.buttons import is_button
from graphrag_lite.text.names.cuts import split_run
from graphrag_lite.text.names.gazetteer import GIVEN_NAMES
from graphrag_lite.text.names.german import plain_nouns, without_nouns
from graphrag_lite.text.names.lists import LISTED, list_mark
from graphrag_lite.text.names.name import Name, merged
from graphrag_lite.text.names.runs import WordRun, find_runs
from graphrag_lite.text.names.terms import find_terms
from graphrag_lite.text.names.titles import defined_subject, expansions, quoted_titles
from graphrag_lite.text.names.tokens import AMPERSAND, JOIN, Tokens, tokenize
from graphrag_lite.text.names.turkish import inflected_words
from graphrag_lite.text.names.words import DETERMINERS, HONORIFICS, LISTS, ROLES, STRUCTURE, UNITS
from graphrag_lite.text.plain_text import CONTROL, one_line

__all__ = ["Name", "find_names", "is_acronym"]

# Scripts without case: the other extractor's ground.
_CASELESS = re.compile(
    "[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3105-\u31bf"
    "\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U000323af]"
)
_HEADING_END = re.compile(r"[.!?,;:…\"”»)\]]$")
_LABEL = re.compile(r"\s*[*_]*\s*:(?:[\s*]|$)")
# What follows who says it, and not a value: "Type: Boolean" is told by its item, "Stability: 2" by its number.
_SPOKEN = re.compile(r"[\s*_]*:[^\S\n]*(?:[*_\"“”„«»‘'(¿¡]|…|\.\.\.)*[^\W\d_a-zß-öø-ÿ]|[\s*_]*:[^\S\n]*[^\x00-\u2000]")
_ARROW = re.compile(r"[→⇒➔➜▸►▶]|[-=]>|\s>\s")
_IS = frozenset("is was are were est était ist war es fue è".split())
_MAX_HEADING = 100
_MAX_INDENT = 40
_SURE = 3.0  # evidence of a name's own words
_NOUNS = {"de": plain_nouns, "tr": inflected_words}
# Labels of speakers that name no one.
_SPEAKERS = LISTS["speakers"]


def find_names(text: str, language: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    `language` is an ISO 639-1 code, "" when unknown.

    >>> [(n.name, n.type) for n in find_names("However, Mr. Scrooge of London met the Bank of England.", "en")]
    [('Mr. Scrooge', 'person'), ('London', 'location'), ('Bank of England', 'organization')]
    """
    names = _cased(text, language)
    if not text.isascii() and _CASELESS.search(text):
        from graphrag_lite.text.names.caseless import find_names_caseless

        names = merged(names, find_names_caseless(text, language))
    if CONTROL.search(text):
        names = [name._replace(name=one_line(name.name)) for name in names if one_line(name.name)]
    return names


def is_acronym(short: str, long: str) -> bool:
    """Say whether the capitals of `short` are the initials of `long`, of all its words or of its capitalised ones.

    >>> is_acronym("STScI", "Space Telescope Science Institute"), is_acronym("ESA", "Space Telescope")
    (True, False)
    """
    letters = [c.casefold() for c in short if c.isupper()]
    words = long.replace("-", " ").split()
    capitals = [word[0].casefold() for word in words if word[0].isupper()]
    return " " not in short and len(letters) > 1 and letters in (capitals, [word[0].casefold() for word in words])


def _cased(text: str, language: str) -> list[Name]:
    tokens = tokenize(text, language)
    if not any(tokens.capital):
        return find_terms(tokens, text) if language != "vi" else []
    muted, headings = _lines(text)
    titles = _free([*defined_subject(tokens), *expansions(tokens), *quoted_titles(text, tokens)])
    found = (_without_field(text, tokens, run) for run in find_runs(tokens, language, titles))
    runs = [part for run in found for part in split_run(tokens, run, language)]
    if language == "de":
        runs = [part for run in runs if (part := without_nouns(tokens, run))]
    written = frozenset(tokens.words)
    selected: list[WordRun] = []
    for run in sorted([*titles, *runs], key=lambda run: run.first):
        start = tokens.starts[run.first]
        if _labels(text, tokens, run, written, language):
            selected.append(run._replace(anchored=run.last - run.first > 1, kind="person", initial=False))
        elif not _within(muted, start) and not _is_shouted(tokens, run) and not is_button(tokens, run, language):
            proves = not (_within(headings, start) or _measures(tokens, run) or _is_step(tokens, run))
            proves = proves and not _is_field(text, tokens, run)
            selected.append(run if proves else run._replace(anchored=False))
    nouns = _NOUNS[language](tokens, selected) if language in _NOUNS else frozenset[str]()
    names = _typed(text, tokens, selected, nouns, language)
    terms = find_terms(tokens, text) if language != "vi" else []  # two syllables are one word
    return merged(names, terms) if terms else names


def _free(runs: list[WordRun]) -> list[WordRun]:
    """Return `runs` in order without those that overlap one given before them."""
    words: set[int] = set()
    taken: list[WordRun] = []
    for run in runs:
        own = range(run.first, run.last)
        if words.isdisjoint(own):
            words.update(own)
            taken.append(run)
    return sorted(taken, key=lambda run: run.first)


def _lines(text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the character spans of lines in capitals, and of headings in title case, each in order."""
    muted: list[tuple[int, int]] = []
    headings: list[tuple[int, int]] = []
    lines = text.split("\n")
    start = 0
    for i, line in enumerate(lines):
        end = start + len(line)
        bare = line.strip().removesuffix(" etc.")
        if bare:
            if bare.isupper() and len(bare) > 3 and not _CASELESS.search(bare):
                muted.append((start, end))
            elif len(bare) <= _MAX_HEADING and (bare[0] == "#" or not _HEADING_END.search(bare)):
                alone = not (i and lines[i - 1].strip()) or not (i + 1 < len(lines) and lines[i + 1].strip())
                if bare[0] == "#" or (alone and _is_title_case(bare)):
                    headings.append((start, end))
        start = end + 1
    return muted, headings


def _is_title_case(line: str) -> bool:
    words = [word for word in line.split() if len(word) > 3 and word[0].isalpha()]
    return len(words) > 0 and all(word[0].isupper() for word in words)


def _within(spans: list[tuple[int, int]], position: int) -> bool:
    at = bisect_right(spans, (position, len(spans) and spans[-1][1] + 1)) - 1
    return at >= 0 and position < spans[at][1]


def _labels(text: str, tokens: Tokens, run: WordRun, written: frozenset[str], language: str) -> bool:
    """Tell whether a run labels what someone says: "KEVIN SCOTT: Hi", or "Alex:" at the start of a line.

    `written` are the words of the text. A space before the colon is French, or divides a title: "Emma : a novel".
    """
    end = tokens.ends[run.last - 1]
    if text.startswith(" :", end) and language != "fr":
        return False
    if text[end : end + 1] not in (":", " ", "*") or not _LABEL.match(text, end) or run.last - run.first > 4:
        return False
    words, low = tokens.words[run.first : run.last], tokens.lower[run.first : run.last]
    if any(word in _SPEAKERS or word in ROLES or word in STRUCTURE for word in low) or any(
        tokens.function[run.first : run.last]
    ):
        return False
    if not all(word[0].isupper() for word in words):
        return False
    acronym, hyphen, _ = words[0].partition("-")
    plain = low[0] in written and low[0] not in GIVEN_NAMES
    if len(words) == 1 and ((hyphen and len(acronym) > 1 and acronym.isupper()) or plain):
        return False  # "MMLU-Pro: ..."; what the text has in small letters, too, "Post-Training: ..."
    if len(words) > 1 and all(word.isupper() for word in words):
        return not any(types.kind_of(word) or _tells_other([word], [word]) for word in low)
    start = tokens.starts[run.first]
    indent = text[max(0, start - _MAX_INDENT) : start].rpartition("\n")
    at_start = (indent[1] or start < _MAX_INDENT) and not indent[2].strip(" \t*_-•>")
    if not at_start or _tells_other(low, words):
        return False
    item = any(mark in indent[2].replace("**", "") for mark in "-*•")
    return low[0] in GIVEN_NAMES or (not item and bool(_SPOKEN.match(text, end)))


def _without_field(text: str, tokens: Tokens, run: WordRun) -> WordRun:
    """Return a run without the name of a field on the next line: "Peter Dimov\\nLicense: MIT"."""
    last = run.last - 1
    below = last > run.first and "\n" in tokens.gap_texts[last] and text.startswith(":", tokens.ends[last])
    return run._replace(last=last) if below else run


def _is_field(text: str, tokens: Tokens, run: WordRun) -> bool:
    """Tell whether a single word is the name of a field: "(Closes: #99)", "License: MIT"."""
    end = tokens.ends[run.first]
    apart = tokens.gaps[run.first] != JOIN or "\n" in tokens.gap_texts[run.first]
    return run.last - run.first == 1 and apart and text[end : end + 1] == ":" and text[end + 1 : end + 2].isspace()


def _tells_other(words: list[str], written: list[str]) -> bool:
    """Tell whether the words of a name say that it is none of a person."""
    return bool(types.evidence_of_words(words, written).keys() - {"person"})


def _is_shouted(tokens: Tokens, run: WordRun) -> bool:
    """Tell whether a run is a sentence in capitals rather than a name."""
    words = tokens.words[run.first : run.last]
    if len(words) < 2 or not all(word.isupper() for word in words) or max(map(len, words)) < 4:
        return False
    return len(words) > 3 or any(tokens.function[run.first : run.last])


def _measures(tokens: Tokens, run: WordRun) -> bool:
    """Tell whether a unit, or a word in capitals, stands behind a number that is no year: "25 kWh", "310 Mark"."""
    word, before = tokens.words[run.first], tokens.words[run.first - 1]
    small = word[1:].islower() and tokens.lower[run.first] not in UNITS
    if run.last - run.first > 1 or small or not run.first or tokens.gaps[run.first] != JOIN:
        return False
    return before in ("am", "pm") or (before.isdigit() and not (len(before) == 4 and before[0] in "12"))


def _is_step(tokens: Tokens, run: WordRun) -> bool:
    """Tell whether an arrow stands beside a run: a step of the way through menus, "File > Save"."""
    return any(_ARROW.search(gap) for gap in (tokens.gap_texts[run.first], *tokens.gap_texts[run.last : run.last + 1]))


def _typed(text: str, tokens: Tokens, runs: list[WordRun], nouns: frozenset[str], language: str) -> list[Name]:
    """Add up the evidence for each name over the unit, and decide types and anchors.

    A single word of `nouns` is a name only where its shape or a type says so.
    """
    marked = tokens
    if language in LISTED:
        words = zip(tokens.lower, tokens.function, strict=True)  # "man" is no man in German
        marked = replace(tokens, lower=["" if f and types.kind_of(w) else list_mark(w, language) for w, f in words])
    evidence: dict[str, types.Evidence] = {}
    things: set[str] = set()  # names whose words say what they are: a country says something, too
    confirmed: set[str] = set()  # words that have a telling capital somewhere
    labels: Counter[str] = Counter()
    keys = [" ".join(tokens.lower[run.first : run.last]) for run in runs]
    for key, run in zip(keys, runs, strict=True):
        if key not in evidence:
            evidence[key] = types.evidence_of_words(
                marked.lower[run.first : run.last], tokens.words[run.first : run.last]
            )
            if "person" not in evidence[key] and max(evidence[key].values(), default=0.0) >= _SURE:
                things.add(key)
        found = _beside(marked, run)
        if key in things:
            found.pop("person", None)
        if AMPERSAND in tokens.gaps[run.first + 1 : run.last]:
            found["organization"] = found.get("organization", 0.0) + 3.0
        if run.kind:
            found[run.kind] = found.get(run.kind, 0.0) + (3.0 if run.kind != "person" else 2.0)
        for kind, weight in found.items():
            evidence[key][kind] = evidence[key].get(kind, 0.0) + weight
        if run.anchored:  # the first word of a sentence proves nothing
            confirmed.update(tokens.lower[i] for i in range(run.first + run.initial, run.last) if tokens.capital[i])
        elif run.kind == "person":
            labels[key] += 1
    plain = set(tokens.words)
    known: dict[str, str] = {}
    names = []
    for key, run in zip(keys, runs, strict=True):
        if key not in known:
            if _is_code(tokens.words[run.last - 1], run.last - run.first == 1):
                evidence[key].pop("person", None)
            known[key] = types.best_type(evidence[key])
        kind = known[key]
        if run.last - run.first == 1:
            anchored = _anchors_alone(tokens.words[run.first], run, key in confirmed, plain) or (
                not run.initial and labels[key] > 1
            )
            if key in nouns and kind == "unknown" and ("-" in key or tokens.words[run.first][1:].islower()):
                anchored = False
        else:
            anchored = run.anchored
            if run.initial and run.last - run.first == 2 and kind in ("person", "unknown"):
                first = tokens.lower[run.first]
                anchored = anchored and (first in confirmed or first in GIVEN_NAMES or first in HONORIFICS)
        start, end = tokens.starts[run.first], _end(text, tokens, run)
        names.append(Name(start, end, _clean(text[start:end]), kind, anchored))
    return names


def _anchors_alone(word: str, run: WordRun, confirmed: bool, plain: set[str]) -> bool:
    """Tell whether a single word is a name for sure; `plain` are all words of the unit, as written."""
    common = word.lower() in plain
    shaped = len(word) > 1 and not word[1:].islower() and not (word.isupper() and common)
    if run.initial:
        return run.anchored and (shaped or (confirmed and not common))
    return run.anchored or (shaped and not word.isupper()) or (confirmed and not common)


def _end(text: str, tokens: Tokens, run: WordRun) -> int:
    """Return where a name ends, with the full stop or the closing bracket that belongs to it."""
    end = tokens.ends[run.last - 1]
    if text[end : end + 1] == "." and tokens.lower[run.last - 1] in ("jr", "sr", "inc", "ltd", "co", "corp"):
        end += 1
    surface = text[tokens.starts[run.first] : end]
    return end + (text[end : end + 1] == ")" and surface.count("(") > surface.count(")"))


def _is_code(word: str, alone: bool) -> bool:
    """Tell whether a word looks like an acronym or a model number: no person is called so."""
    return any(c.isdigit() for c in word) or (alone and word.isupper() and 1 < len(word) <= 3)


def _clean(surface: str) -> str:
    return surface if surface.isalnum() else " ".join(surface.split())


def _beside(tokens: Tokens, run: WordRun) -> types.Evidence:
    """Return what the words around a mention say."""
    first, last, n = run.first, run.last, len(tokens.words)
    start = first
    while start > 0 and first - start < 3 and tokens.gaps[start] == JOIN:
        start -= 1
    after = _joined(tokens, last, 3) if last < n and tokens.gaps[last] == JOIN else []
    found = types.evidence_beside(tokens.lower[start:first], after, tokens.possessive[last - 1])
    kind = ""
    if len(after) > 1 and after[0] in _IS:
        kind = types.kind_after(tokens.lower[last + 2 : last + 10]) if after[1] in DETERMINERS else ""
    elif last < n and tokens.gap_texts[last] == ", ":
        skip = tokens.lower[last] in DETERMINERS
        kind = types.kind_beside(_joined(tokens, last + skip, 6)) if skip or not tokens.capital[last] else ""
    elif last < n and "(" in tokens.gap_texts[last]:
        inside = tokens.lower[last : last + 2]
        years = inside[0].isdigit() and len(inside[0]) == 4 and inside[-1].isdigit() and len(inside) == 2
        if years or inside[0] in ("born", "né", "née", "died", "b"):
            found["person"] = found.get("person", 0.0) + 2.0
        else:
            kind = types.kind_beside([word for word in _joined(tokens, last, 4) if not word.isdigit()])
    if kind:
        found[kind] = found.get(kind, 0.0) + 3.0
    return found


def _joined(tokens: Tokens, first: int, limit: int) -> list[str]:
    """Return the casefolded words from `first` to the next punctuation mark, at most `limit`."""
    last = min(first + 1, len(tokens.words))
    while last < min(first + limit, len(tokens.words)) and tokens.gaps[last] == JOIN:
        last += 1
    return tokens.lower[first:last]
