"""What one name is to the next in Chinese, Japanese and Korean, where a role or a verb of a closed form joins them.

Chinese puts the verb between two names; in Japanese and Korean it follows the second, behind a particle. A role stands
between the two ("Inrupt的首席执行官约翰·布鲁斯") or behind the second ("艾森是布鲁金斯学会的研究员").
"""

import re

from graphrag_lite.text.word_lists import sections

_ROLES = {
    language: "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    for language, words in sections(__package__, "relations_unspaced.txt").items()
}
_ROLE_BETWEEN = {
    "zh": rf"(?:公司|集团|政府)?(?:的|之)?(?P<role>(?:[^，。、,”的是和与\s]{{1,4}}?)?(?:{_ROLES['zh']}))",
    "ja": rf"(?:社|政府)?(?P<no>の)?(?P<role>(?:[^、。のと\s]{{1,6}}?)?(?:{_ROLES['ja']}))"
    r"(?(no)(?:である|でもある|であり|だった|、|・)?)",
    "ko": rf"(?:의|소속)?\s(?P<role>(?:[^,.\s]{{1,6}}\s?)?(?:{_ROLES['ko']}))(?:인|이자|이며|였던|이었던)?\s",
}
_VERBS = (
    "收购|收購|创立|創立|创办|创建|成立|加入|领导|領導|击败|擊敗|战胜|输给|位于|位於|任命|指控|指责|采访|會見|会见|访问|支持"
    "|反对|批评|推出|开发|发布|赢得|签署|合并|担任|毕业于|出生于|来自|属于|接替|取代|超过|起诉|邀请|赞扬|资助|投资"
)
_VERB_BETWEEN = re.compile(rf"(?:先生|女士|总统)?(?:已经|已|曾|将|也|并)?(?P<verb>{_VERBS})(?:了|过|的)?")
_TOPIC = {
    "zh": r"(?:先生|女士)?(?:现在|目前|曾|曾经)?是(?:一名|一位)?",
    "ja": r"(?:氏|さん|社|選手|首相|大統領)?(?:は|が)、?",
    "ko": r"\s?(?:씨|대통령|총리|회장)?(?:은|는|이|가)\s",
}
_AFTER = {
    "zh": rf"的(?P<role>(?:[^，。、,的是\s]{{1,6}}?)?(?:{_ROLES['zh']}))(?=[，。；,])",
    "ja": rf"(?:社|氏)?(?:の(?P<role>(?:[^、。の\s]{{1,6}}?)?(?:{_ROLES['ja']}))(?:で|だ|として|。)"
    r"|(?:を|に|と|から)(?P<verb>[一-龯]{2,4})(?:した|する|して|され|し、))",
    "ko": rf"(?:의\s(?P<role>(?:[^,.\s]{{1,6}}\s?)?(?:{_ROLES['ko']}))(?:이다|입니다|로|으로|이며)"
    r"|(?:을|를|에|와|과|에게)\s(?P<verb>[가-힣]{2,4}?)(?:했다|하였|한다|합니다|하는|했습니다))",
}
_PREPOSED = frozenset("在于從从对對向由")  # before a name in Chinese: it is not who acts


def _compiled(patterns: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {language: re.compile(pattern, re.I) for language, pattern in patterns.items()}


_ROLE, _MARKED, _BEHIND = _compiled(_ROLE_BETWEEN), _compiled(_TOPIC), _compiled(_AFTER)


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
    if language not in _MARKED:
        return ""
    between = text[a[1] : b[0]]
    found = _ROLE[language].fullmatch(between)
    if not found and language == "zh" and text[max(0, a[0] - 1) : a[0]] not in _PREPOSED:
        found = _VERB_BETWEEN.fullmatch(between)
    if not found and _MARKED[language].fullmatch(between):
        found = _BEHIND[language].match(text, b[1])
    named = found.groupdict() if found else {}
    return (named.get("role") or named.get("verb") or "").strip()
