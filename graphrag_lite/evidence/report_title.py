"""What a community's report is called: who it is about most, the theme that its sentences share, and when that was.

A theme is a noun phrase that several of the sentences use and few others do: what follows an article or a preposition,
up to the next function word, so no verb and no name. Languages without articles and spaces have none.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from graphrag_lite.evidence.citation_marks import escape_marks
from graphrag_lite.evidence.key_sentences import Sentence
from graphrag_lite.text.names.words import ARTICLES, DETERMINERS, OF_WORDS, closed_class
from graphrag_lite.text.numbered_titles import without_part
from graphrag_lite.text.period import Period
from graphrag_lite.text.relations import is_verb_form
from graphrag_lite.text.transcripts import FILE_NAME
from graphrag_lite.text.word_lists import sections
from graphrag_lite.text.words import terms

LEAST_SENTENCES = 2  # that share a theme of several words
LEAST_OF_ONE, LEAST_BITS = 3, 1.7  # sentences that share one of one word; its idf times their share
LONGEST = 3  # words of one
MOST_FACTS = 1.5  # times the facts of a document: a report of no more has the document's title for a theme
LONGEST_TITLE = 150  # characters
RARE = 2.0  # bits: the mean idf of a theme's words
MAX_NAMES = 2
_LISTS = {kind: frozenset(words) for kind, words in sections(__package__, "report_title.txt").items()}
_EMPTY, _QUALIFIERS, _OPENING, _BEFORE = (_LISTS[kind] for kind in ("empty", "qualifiers", "opening", "before"))
_NO_TITLE = re.compile(rf"{FILE_NAME.pattern}|[<>]")  # names of files and ways through a site say nothing
# Two words, or some characters of a script without spaces.
_SAYS = re.compile(r"[^\W\d_]{2}\S*\s.*[^\W\d_]{3}|[^\W\da-zA-Z]{4}")
_SECTION = re.compile(r"^\d+(?:\.\d+)+\.?\s+")
_ENDED = re.compile(r"[.:;,。：；、]\W*$")
_NO_NOUN = re.compile(r"(?:ing|ial|ical|tal|ful|ous|able|ive)$|['’]")
_TOKEN = re.compile(r"[^\W\d_][\w’'-]*|\d+|[^\w\s]")


def title(names: Sequence[str], theme_words: str, period: str) -> str:
    """Return a report's title.

    >>> title(["Perkin-Elmer", "Lockheed", "Danbury"], "primary mirror", "1975–1990")
    'Perkin-Elmer, Lockheed – primary mirror, 1975–1990'
    >>> title(["Ann", "Bob"], "", "")
    'Ann, Bob'
    """
    about = ", ".join(escape_marks(name) for name in names[:MAX_NAMES])
    named = " – ".join(part for part in (about, escape_marks(theme_words)) if part)
    return f"{named}, {period}" if period else named


def common_subject(titles: Sequence[str]) -> str:
    """Return what most of some facts' documents are called, without the number of a part or section; empty if no title.

    >>> common_subject(["Mirrors of the Hubble: a history / part 2", "Mirrors of the Hubble: a history / part 3",
    ...  "Notes"])
    'Mirrors of the Hubble: a history'
    >>> common_subject(["11.7. LDAP Directory"])
    'LDAP Directory'
    >>> common_subject(["report_final.pdf", "report_final.pdf"])
    ''
    """
    counted = Counter(_SECTION.sub("", without_part(one)) for one in titles)
    name, n = max(sorted(counted.items()), key=lambda item: item[1], default=("", 0))
    if len(name) > LONGEST_TITLE:
        name = re.split(r"[:?.–|]\s", name)[0]
    if MOST_FACTS * n < len(titles) or len(name) > LONGEST_TITLE or not is_informative(name):
        return ""
    return name[0].upper() + name[1:].rstrip(" ,;:")


def is_informative(name: str) -> bool:
    """Say whether a document's title tells a reader something, as no file's name and no id does."""
    return bool(_SAYS.search(name)) and not _NO_TITLE.search(name)


def headline(text: str) -> str:
    """Return the heading in the first line of a text, empty where it is a sentence, or long.

    >>> [headline(f"{line}\\nSainsbury's is taking on Boots.") for line in ("Push into beauty", "Whales sing.")]
    ['Push into beauty', '']
    """
    line = text[: 2 * LONGEST_TITLE].partition("\n")[0].strip(" #*")
    return line if "\n" in text[: 2 * LONGEST_TITLE] and not _ENDED.search(line) and is_informative(line) else ""


def year_range(periods: Iterable[Period]) -> str:
    """Return from which year to which some periods are, empty for none.

    >>> from datetime import date
    >>> year_range([Period(date(2009, 5, 1), date(2009, 5, 2)), Period(date(1993, 1, 1), date(1993, 12, 31))])
    '1993–2009'
    """
    known = sorted(year for period in periods for year in (period.first.year, period.last.year))
    if not known:
        return ""
    return str(known[0]) if known[0] == known[-1] else f"{known[0]}–{known[-1]}"


def common_theme(
    found: Sequence[Sentence], told: Sequence[Sentence], names: Iterable[str], language: str, idf: Mapping[str, float]
) -> str:
    """Return the noun phrase that says most of what the sentences told have in common, empty where there is none.

    What several of them say counts, by the idf of its words (`key_sentences.rounded_idf`); more words go first. It is
    looked for in all that was `found`. Words of `names` are no theme.

    >>> said = ["Perkin-Elmer ground the primary mirror.", "Dust lay on the primary mirror.", "A test failed."]
    >>> made = [Sentence(text, frozenset(terms(text, "en")), 5, 1.0) for text in said]
    >>> common_theme(made, made, ["Perkin-Elmer"], "en", {})
    'primary mirror'
    """
    named = {term for name in names for term in terms(name, language)}
    written: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for sentence in found:
        for key, phrase in _noun_phrases(sentence.text, language).items():
            if named.isdisjoint(key):
                written[key][phrase] += 1
    n_told = {key: sum(frozenset(sentence.terms).issuperset(key) for sentence in told) for key in written}

    def worth(key: tuple[str, ...]) -> float:
        rare = sum(idf.get(term, RARE) for term in key) / len(key)
        return math.sqrt(n_told[key]) ** 3 * (rare - RARE + 1) * (1 + 0.5 * (len(key) > 1))

    def is_shared(key: tuple[str, ...]) -> bool:
        if len(key) > 1:
            return n_told[key] >= LEAST_SENTENCES <= sum(written[key].values())
        return n_told[key] >= LEAST_OF_ONE and idf.get(key[0], RARE) * n_told[key] >= LEAST_BITS * len(told)

    shared = [key for key in written if is_shared(key) and worth(key) > 0]
    if not shared:
        return ""
    best = max(sorted(shared), key=worth)
    return min(written[best], key=lambda phrase: (-written[best][phrase], len(phrase), phrase))


@lru_cache(maxsize=10_000)
def _noun_phrases(sentence: str, language: str) -> dict[tuple[str, ...], str]:
    """Return the noun phrases of a sentence by their terms (`words.terms`)."""
    found: dict[tuple[str, ...], str] = {}
    for phrase in _phrases(sentence, language):
        if key := tuple(terms(phrase, language)):
            found.setdefault(key, phrase)
    return found


def _phrases(sentence: str, language: str) -> Iterator[str]:
    """Yield what stands between an article or preposition and the next function word or mark, in small letters.

    In German nouns have capitals.
    """
    joining = closed_class(language)
    opened: list[str] | None = None
    for token in [*_TOKEN.findall(sentence), "."]:
        low = token.casefold()
        if low in _BEFORE or (low in _OPENING if language == "en" else low in ARTICLES | DETERMINERS | OF_WORDS):
            yield from _phrase(opened, language)
            opened = []
        elif opened is not None:
            if low in joining or not token[0].isalpha() or (token[0].isupper() and language != "de"):
                if not token[0].isupper():
                    yield from _phrase(opened, language)
                opened = None
            else:
                opened.append(token)


def _phrase(words: list[str] | None, language: str) -> Iterator[str]:
    """Yield the phrase of some words, unless it ends in what is no noun; verbs at its end go."""
    words = list(words or ())
    while words and words[0].casefold() in _QUALIFIERS:
        words.pop(0)
    while words and (is_verb_form(words[-1].casefold(), language) or words[-1].endswith("ly")):
        words.pop()
    if not 0 < len(words) <= LONGEST or _EMPTY.issuperset(word.casefold() for word in words):
        return
    if language == "de" and not words[-1][0].isupper():
        return
    if words[-1].casefold() not in _EMPTY and len(words[-1]) > 3 and not _NO_NOUN.search(words[-1]):
        yield " ".join(words)
        if len(words) > 1:
            yield words[-1]
