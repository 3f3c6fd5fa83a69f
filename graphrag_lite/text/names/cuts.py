"""Cut a run of capitalised words down to names: openers, roles, honorifics, dates and headings go.

"However, IBM CEO Ginni Rometty" is "IBM" and the person "Ginni Rometty"; "Chapter One" is nothing.
"""

import re

from graphrag_lite.text.names import words as vocab
from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES
from graphrag_lite.text.names.lists import LISTED
from graphrag_lite.text.names.runs import WordRun
from graphrag_lite.text.names.slavic import SLAVIC, split_before_person, with_head
from graphrag_lite.text.names.tokens import ACRONYMS, INITIAL, JOIN, Tokens
from graphrag_lite.text.names.types import OF_HEADS, PAIR_HEADS, kind_of
from graphrag_lite.text.names.vietnamese import is_plain_word, is_second_syllable, without_offices

_ROMAN = re.compile(r"[IVXL]+(?:[-–][IVXL]+)?(?:e|è?me|er|th|º)?$")
_NUMBER = re.compile(r"[a-z]?\d+[a-z]?(?:-[a-z\d])?|[a-z]")  # of a part or a figure: S1, 3-b, E
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_BEFORE_MONTH = frozenset("in since until by during of from on last next early late mid".split())
_AFTER_DAY = frozenset("times night post mail mirror telegraph express herald morning football club school".split())
# Roles that stay before a single name: "President Trump" is no other name of anyone called Trump.
_NAMED_ROLES = frozenset("president senator governor professor chancellor".split())
_PRONOUNS = vocab.LISTS["pronouns"]
_POLITE = vocab.LISTS["polite"]
_CUT_BEFORE_FULL_NAMES = vocab.LISTS["cut_before_full_names"]
_RANKS, _JOBS = vocab.LISTS["ranks"], vocab.LISTS["jobs"] | vocab.ROLES
_DESCRIBES = re.compile(r"[^\W\d_]+(?:-[a-zß-öø-ÿ]+)+")  # "Out-of-form Mickelson"
# Verbs with a pronoun: "Assurez-vous", "Pareceu-me".
_ORDERS = ("-vous", "-moi", "-toi", "-me", "-te", "-se", "-lhe", "-lhes", "-nos", "-lo", "-la", "-los", "-las")
_IN_THE_CHAIR = frozenset("speaker chairman chairwoman chairperson chair moderator".split())
_NUMBERS = frozenset(("nº", "n.º", "n°", "núm"))
_MAX_ACRONYM = 4  # letters
_NAMELESS = vocab.NO_NAMES | vocab.NUMBER_WORDS | vocab.STRUCTURE | vocab.HONORIFICS | vocab.ROLES


def split_run(tokens: Tokens, run: WordRun, language: str) -> list[WordRun]:
    """Cut openers, roles, dates and headings off `run`; return what is left as runs, in order."""
    if language == "de":
        for i in range(run.first + 1, run.last):
            if tokens.lower[i] in _POLITE:  # "Behandeln Sie Velm"
                halves = run._replace(last=i), run._replace(first=i, initial=False)
                return [part for half in halves for part in split_run(tokens, half, language)]
    if language == "vi":
        run = run._replace(first=without_offices(tokens, run.first, run.last))
    first, initial = _without_openers(tokens, run)
    first = _without_shouted(tokens, first, run.last)
    last = _without_closers(tokens, first, run.last, language)
    if first >= last or (last - first == 1 and tokens.function[first]):
        return []
    if language == "vi" and is_plain_word(tokens, first, last):
        return []
    low = tokens.lower[first:last]
    if _is_job(low) or (len(low) > 1 and max(map(len, low)) == 1):  # "A B": placeholders
        return []
    if len(low) == 2 and len(low[0]) == 1 and (tokens.function[last - 1] or low[1] in vocab.ROLES):
        return []  # "in R&D. No one"
    if len(low) == 2 and low[0] in vocab.HONORIFICS and low[1] in _IN_THE_CHAIR:  # "Mr. Speaker"
        return []
    heads = low[0] in vocab.STRUCTURE and (len(low) > 1 or initial)
    if heads and all(w in vocab.NUMBER_WORDS or _NUMBER.fullmatch(w) or w in vocab.STRUCTURE for w in low[1:]):
        return []
    run = WordRun(first, last, initial)
    parts = split_before_person(tokens, run, language) if language in LISTED else [run]
    pieces = [_trimmed(tokens, piece) for part in parts for piece in _split_roles(tokens, part)]
    left = [piece for piece in pieces if piece]
    return [whole for piece in left if (whole := with_head(tokens, piece, language))] if language in SLAVIC else left


def _without_shouted(tokens: Tokens, first: int, last: int) -> int:
    """Return where [first, last) begins behind words in capitals, a heading: "LAW AND ORDER Vladimir Putin"."""
    if last - first < 3 or not tokens.words[first].isupper():
        return first
    end = next((i for i in range(first, last) if not tokens.words[i].isupper()), last)
    alone = end - first < 2 or end == last or max(map(len, tokens.words[first:end])) <= _MAX_ACRONYM
    return first if alone or not tokens.words[end][1:].islower() else end


def _is_job(low: list[str]) -> bool:
    """Tell whether words in capitals say what somebody does for a living: "Senior Cloud Advocate"."""
    return len(low) > 2 and low[0] in _RANKS and (low[-1] in _JOBS or low[-1].endswith(("er", "or", "ist")))


def _without_openers(tokens: Tokens, run: WordRun) -> tuple[int, bool]:
    """Return where `run` starts without function words, and whether a sentence begins there."""
    first, last, initial = run.first, run.last, run.initial
    while first < last and initial and tokens.function[first]:
        second = first + 1
        joined = second < last and not tokens.function[second] and tokens.gaps[second] == JOIN
        if joined and tokens.lower[first] in GIVEN_NAMES:
            break
        first, initial = second, False
    while first < last and tokens.function[first] and not _title_start(tokens, first, last):
        first += 1
    described = first + 1 < last and initial and _DESCRIBES.fullmatch(tokens.words[first])
    if described and tokens.gaps[first + 1] == JOIN and tokens.capital[first + 1]:
        first, initial = first + 1, False
    return first, initial


def _without_closers(tokens: Tokens, first: int, last: int, language: str) -> int:
    """Return where the run [first, last) ends without function words and other words in lower case."""
    words, low = tokens.words, tokens.lower
    closed = vocab.closed_class(language)
    while first < last and (low[last - 1] in closed or low[last - 1] in _NUMBERS) and words[last - 1] not in ACRONYMS:
        if last - first > 1 and words[last - 1] == "I":
            break
        last -= 1
    while last - 1 > first and not tokens.capital[last - 1] and not words[last - 1].isdigit():
        if low[last - 1] in vocab.CORPORATE or (language in vocab.ROMANCE and last - first == 2):
            break
        if language == "vi" and is_second_syllable(tokens, last - 1):
            break
        last -= 1
    return last


def _title_start(tokens: Tokens, first: int, last: int) -> bool:
    """Tell whether a capitalised function word within a sentence begins a name ("The Hague", "In Cold Blood")."""
    if last - first < 2 or tokens.gaps[first] == INITIAL or not tokens.capital[first] or not tokens.capital[first + 1]:
        return False
    if tokens.lower[first] in _POLITE:
        return False
    return tokens.lower[first] not in _PRONOUNS or (last - first > 2 and all(tokens.capital[first:last]))


def _split_roles(tokens: Tokens, run: WordRun) -> list[WordRun]:
    """Cut `run` at roles: "IBM CEO Ginni Rometty" is "IBM" and the person "Ginni Rometty"."""
    low, roles = tokens.lower, vocab.ROLES
    left = next((i for i in range(run.first, run.last) if low[i] in vocab.STRONG_ROLES), run.last)
    if left == run.last:
        return [run]
    if low[run.first] not in roles and not vocab.OF_WORDS.isdisjoint(low[run.first : run.last]):
        return [run]
    right = left
    while left > run.first and low[left - 1] in roles:
        left -= 1
    while right < run.last and (low[right] in roles or (right < run.last - 1 and low[right] in vocab.OF_WORDS)):
        right += 1
    before = [WordRun(run.first, left, run.initial)] if left > run.first else []
    if right == run.last:
        named = low[run.first] in vocab.HONORIFICS if before else any(w not in roles for w in low[left:right])
        return [run] if named else before
    person = low[right - 1] in roles and low[right] not in PAIR_HEADS and low[right] not in OF_HEADS
    if not before and right - left == 1 and not person:
        return [run]
    alone = run.last - right == 1 and not before and low[right - 1] in vocab.STRONG_ROLES
    first = right - 1 if alone and low[right - 1] in _NAMED_ROLES else right
    return [*before, WordRun(first, run.last, run.initial and first == run.first, kind="person" if person else "")]


def _trimmed(tokens: Tokens, run: WordRun) -> WordRun | None:
    """Cut dates, honorifics before full names and adjectives of nations; None if no name is left."""
    low = tokens.lower
    first, last = _without_dates(tokens, run)
    while first < last and tokens.function[first] and not tokens.capital[first]:
        if low[first] in vocab.ARTICLES or low[first] in GIVEN_NAMES:
            break
        first += 1
    kind, begin = run.kind, first
    if (
        last - first >= 3
        and low[first] in DEMONYMS
        and low[first + 1] in GIVEN_NAMES
        and tokens.gaps[first + 1] == JOIN
    ):
        first, kind = first + 1, "person"
    while last - first >= 3 and low[first] in _CUT_BEFORE_FULL_NAMES and low[first + 1] not in vocab.AND_WORDS:
        first, kind = first + 1, kind or "person"
    if last - first >= 3 and low[first] in vocab.CROWN_TITLES and _ROMAN.match(tokens.words[last - 1]):
        first, kind = first + 1, "person"
    if first >= last or (last - first == 1 and not _names_alone(tokens, first)):
        return None
    if last - first > 1 and all(w in DEMONYMS or w in vocab.ROLES or w in vocab.NUMBER_WORDS for w in low[first:last]):
        return None
    initial = run.initial and first == run.first and first == begin
    return WordRun(first, last, initial, run.anchored, kind)


def _without_dates(tokens: Tokens, run: WordRun) -> tuple[int, int]:
    """Return where `run` starts and ends without months and weekdays that are no part of a name."""
    low, words = tokens.lower, tokens.words
    first, last = run.first, run.last
    while first < last and low[first] in vocab.MONTHS_AND_DAYS:
        if last - first > 1:
            if low[first] in _DAYS and low[first + 1] in _AFTER_DAY:
                break
            date = first and (words[first - 1].isdigit() or low[first - 1] in _BEFORE_MONTH)
            year = words[first + 1].isdigit() or words[first + 1].isupper()
            if low[first] in GIVEN_NAMES and not date and not year:
                break
        first += 1
    while (
        last > first + 1 and low[last - 1] in vocab.MONTHS_AND_DAYS and (last - first > 2 or low[last - 1] not in _DAYS)
    ):
        before = low[last - 2]
        if before in vocab.OF_WORDS:
            break
        if low[last - 1] in GIVEN_NAMES and (before in GIVEN_NAMES or before in vocab.HONORIFICS):
            break
        last -= 1
    return first, last


def _names_alone(tokens: Tokens, at: int) -> bool:
    """Tell whether a single word may be a name."""
    word, folded = tokens.words[at], tokens.lower[at]
    if (len(word.strip(".")) < 2 and not word.isdigit()) or folded in _NAMELESS:
        return False
    if _ROMAN.match(word) or tokens.function[at] or folded.endswith(_ORDERS):
        return False
    if "(" in tokens.gap_texts[at] + tokens.gap_texts[max(0, at - 1)] and kind_of(folded):
        return False  # "The Rack (1915 Film)"
    adjectival = at + 1 < len(tokens.words) and tokens.gaps[at + 1] == JOIN
    return folded not in DEMONYMS or (folded.endswith("ns") and not adjectival)
