"""Find names in scripts without capitals: Chinese, Japanese, Korean; Arabic, Hebrew, Devanagari and Thai in outline.

Extraction sees one text unit only. What it marks as not anchored is a candidate, which `resolution.ladder` keeps where
it recurs in the corpus.
"""

import re

from graphrag_lite.text.names.name import Name, merged

__all__ = ["Name", "find_names_caseless"]

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_OTHER = re.compile("[\u0590-\u06ff\u0900-\u097f\u0e01-\u0e4e]")
_KANA_SHARE = 0.1  # of kana and Han; a Chinese text that quotes Japanese stays below, a Japanese one has half


def find_names_caseless(text: str, language: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    `language` is an ISO 639-1 code, "" when unknown: the script decides, and `ja` where kanji stand without kana.

    >>> [name.name for name in find_names_caseless("北京大学位于北京市。", "zh")]
    ['北京大学', '北京市']
    """
    names: list[Name] = []
    hangul = len(_HANGUL.findall(text))
    kana = len(_KANA.findall(text))
    han = len(_HAN.findall(text))
    if hangul:  # each is imported at its first text, as its word lists are
        from graphrag_lite.text.names.korean import find_names_korean

        names += find_names_korean(text)
    if kana + han and hangul < kana + han:
        japanese = kana > _KANA_SHARE * (kana + han) if language != "zh" else kana > han
        if japanese or language == "ja":
            from graphrag_lite.text.names.japanese import find_names_japanese as find_names
        else:
            from graphrag_lite.text.names.chinese import find_names_chinese as find_names
        names = merged(names, find_names(text))
    if _OTHER.search(text):
        from graphrag_lite.text.names.other_scripts import find_names_other_scripts

        names = merged(names, find_names_other_scripts(text))
    return names
