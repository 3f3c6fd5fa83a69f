"""What one name is to the next in Chinese, Japanese and Korean, where a role or a verb of a closed form joins them.

Chinese puts the verb between two names; in Japanese and Korean it follows the second, behind a particle. A role stands
between the two ("Inrupt的首席执行官约翰·布鲁斯") or behind the second ("艾森是布鲁金斯学会的研究员").
"""

import re

from graphrag_lite.text.word_lists import expressions, sections

_WORDS = {
    section: "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    for section, words in sections(__package__, "relations_unspaced.txt").items()
}
_FORMS = {
    name: re.compile(form.replace("ROLES", _WORDS[f"{name[:2]} roles"]).replace("VERBS", _WORDS["zh verbs"]), re.I)
    for name, form in expressions(__package__, "unspaced_forms.txt").items()
}
_PREPOSED = frozenset("在于從从對对向由")  # before a name in Chinese: it is not who acts


def unspaced_relation(text: str, a: tuple[int, int], b: tuple[int, int], language: str) -> str:
    """Return what the name at `a`, [start, end), is to, or does to, the name at `b`, "" where no form says so.

    >>> def between(text, a, b, language):
    ...     places = ((text.index(name), text.index(name) + len(name)) for name in (a, b))
    ...     return unspaced_relation(text, *places, language)
    >>> between("微软收购了领英。", "微软", "领英", "zh"), between("微软和领英。", "微软", "领英", "zh")
    ('收购', '')
    >>> between("InruptのCEOであるブルース氏", "Inrupt", "ブルース", "ja")
    'CEO'
    >>> between("삼성은 애플을 고소했다.", "삼성", "애플", "ko")
    '고소'
    """
    between = text[a[1] : b[0]]
    found = _FORMS[f"{language} between"].fullmatch(between)
    if not found and language == "zh" and text[max(0, a[0] - 1) : a[0]] not in _PREPOSED:
        found = _FORMS["zh verb"].fullmatch(between)
    if not found and _FORMS[f"{language} topic"].fullmatch(between):
        found = _FORMS[f"{language} behind"].match(text, b[1])
    named = found.groupdict() if found else {}
    return (named.get("role") or named.get("verb") or "").strip()
