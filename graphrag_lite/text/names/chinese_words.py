"""Word lists of Chinese, by the names that the rules use. What each is stands in `lists/chinese.txt`."""

import re

from graphrag_lite.text.names.lexicon import Lexicon, characters
from graphrag_lite.text.names.lists import word_lists

LISTS = word_lists("chinese")
BREAK, TITLE, SPEECH, PLACE = "break", "title", "speech", "place"
HEADS = ("organization", "location", "event", "work", "concept")
_NAMES = ("event_name", "concept_name", "organization_name")
LEXICON = Lexicon((kind, LISTS[kind]) for kind in ("surname", "kept", BREAK, *HEADS, TITLE, SPEECH, PLACE, *_NAMES))
CLOSED = (BREAK, TITLE, SPEECH)
SURNAMES = characters(LISTS["surnames"])
NUMERALS = characters(LISTS["numerals"])
LOCATION_ENDS = characters(LISTS["location_ends"])
NEVER_INSIDE = characters(LISTS["never_inside"])
NEVER_FIRST = characters(LISTS["never_first"])
NEVER_LAST = characters(LISTS["never_last"])
COUNTED = characters(LISTS["counted_by_many"])
GENERIC = LISTS["generic"]
STRONG = characters(LISTS["sounds_strong"])
STURDY = STRONG | frozenset("里比达德特")
SOUNDS = {
    **dict.fromkeys(characters(LISTS["sounds_weak"]), -0.4),
    **dict.fromkeys(characters(LISTS["sounds_middle"]), 0.4),
    **dict.fromkeys(STRONG, 1.0),
}
DOTTED_SOUNDS = SOUNDS.keys() | characters(LISTS["sounds_dotted"])
_SIMPLIFIED = {ord(pair[0]): pair[1] for pair in LISTS["traditional"]}


HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
DOTS = "·•‧・．∙"
HYPHENS = "-－"  # where both sides write sounds: 普拉斯科-弗莱克斯曼
RUN = re.compile(f"[{HAN}]+")


def simplified(text: str) -> str:
    """Fold traditional characters that the lists need; the length stays the same.

    >>> simplified("臺灣大學")
    '台湾大学'
    """
    return text.translate(_SIMPLIFIED)


def is_inner(char: str) -> bool:
    return char in DOTS or ("\u3400" <= char <= "\u9fff" and char not in NEVER_INSIDE)
