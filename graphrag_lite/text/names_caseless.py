"""Find names in scripts without capitals: Chinese, Japanese, Korean, Thai, and what capitals don't tell elsewhere."""

import re

from graphrag_lite.text.name import Name
from graphrag_lite.text.names_chinese import find_names_chinese
from graphrag_lite.text.names_japanese import find_names_japanese
from graphrag_lite.text.names_korean import find_names_korean

__all__ = ["Name", "confirmed", "find_names_caseless"]


def find_names_caseless(text: str, language: str) -> list[Name]:
    if language == "ko" :
        return find_names_korean(text)
    if language == "ja":
        return find_names_japanese(text)
    return find_names_chinese(text)


def confirmed(name: str, n_units: int, n_occurrences: int) -> bool:
    if len(name) == 2:
        return n_units >= 2 and n_occurrences >= 4 * n_units
    return n_units >= 2 or n_occurrences >= 3
