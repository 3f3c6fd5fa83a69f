"""Candidate names in Arabic, Hebrew, Devanagari and Thai: by titles, heads, glosses in brackets, and repetition.

These scripts have no capitals either. The word lists are short: what they don't cover stays a candidate that the
corpus must confirm.
"""

import re
from collections import Counter

from graphrag_lite.text.names.name import Name

_WORD = re.compile(
    "[\u0590-\u05f4]+(?:[\"'\u05f3\u05f4][\u0590-\u05ea]+)?|[\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u06ff]+|[\u0900-\u0963\u0970-\u097f]+"
)
_THAI = re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e]+")
_QUOTED = re.compile(r"[«“]([^«»“”\n.؟!]{2,40})[»”]")
_GLOSS = re.compile(r"\s?[(]\s*[A-Z][^()\n]{1,60}[)]")
_CUES = {
    "person": """
        الرئيس رئيس السيد السيدة الملك الملكة الأمير الأميرة الدكتور الشيخ الوزير النائب الجنرال القائد البابا الإمام السلطان الخليفة
        הנשיא נשיא מר גברת הרב המלך המלכה הנסיך הנסיכה דוקטור פרופסור השר הגנרל שר
        श्री श्रीमती डॉ डॉक्टर राष्ट्रपति प्रधानमंत्री मंत्री राजा रानी महाराजा सम्राट प्रोफेसर पंडित संत
        """,
    "organization": """
        جامعة شركة حزب وزارة منظمة مؤسسة بنك جمعية نادي مجلس اتحاد
        אוניברסיטת חברת מפלגת משרד ארגון בנק מכללת מכון
        """,
    "location": """
        مدينة محافظة ولاية دولة جمهورية مملكة نهر جبل جزيرة بحيرة بحر شارع مطار قرية
        העיר עיר מדינת רפובליקת ממלכת נהר הר אי אגם רחוב שדה מחוז
        """,
}  # fmt: skip
_HEADS_AFTER = {
    "organization": "विश्वविद्यालय कंपनी पार्टी बैंक संगठन संस्थान आयोग परिषद कॉलेज",
    "location": "नदी शहर राज्य जिला जिले गाँव प्रदेश पर्वत द्वीप झील",
}
_FUNCTION = frozenset("""
في من على إلى عن مع أن إن كان كانت هذا هذه ذلك تلك التي الذي الذين هو هي هم ما لا لم لن قد كل بعد قبل بين حتى عند أو ثم كما أي غير منذ خلال حيث وقد وكان وكانت كانوا يكون تكون ليس بعض أكثر
أحد وهو وهي إذا لكن ولكن بعض عام يوم سنة عدد وفي ومن وعلى هناك أيضا أيضًا ضد نحو حول تم يتم فيه فيها منها منه له لها به بها عليه عليها إنه إنها أنه أنها قال وقال وقالت العام اليوم الأول الأولى
של את על עם אל הוא היא הם זה זו לא כי גם או אם יש אין היה הייתה היו אשר כל בין עד רק אך אבל מה מי כמו אחרי לפני יותר כאשר שנת שנה ידי לאחר אחד אחת ואת ועל הזה הזאת שלו שלה שלהם אמר כך עוד
के का की में है हैं को से पर ने और यह वह एक इस उस था थे थी भी नहीं कि जो तो ही तक लिए कर हो गया गयी गई किया जाता होता साथ बाद अपने अपनी इसके उनके कुछ या दो जब रहा रहे रही हुआ हुए हुई करने किसी इन उन अब द्वारा करते दिया बहुत सकता वाले वाली
होने कहा जाने लेकिन तथा एवं रूप
""".split())  # fmt: skip
_KIND = {word: kind for kind, words in _CUES.items() for word in words.split()}
_KIND_AFTER = {word: kind for kind, words in _HEADS_AFTER.items() for word in words.split()}
_THAI_CUES = (
    ("person", "นางสาว นาย นาง ดร. ประธานาธิบดี นายกรัฐมนตรี สมเด็จ พระเจ้า เจ้าชาย เจ้าหญิง ศาสตราจารย์"),
    ("organization", "มหาวิทยาลัย บริษัท พรรค ธนาคาร กระทรวง โรงเรียน โรงพยาบาล สมาคม มูลนิธิ สโมสร"),
    ("location", "จังหวัด อำเภอ ตำบล ประเทศ กรุง เมือง แม่น้ำ เกาะ ถนน ภูเขา ทะเล รัฐ วัด"),
)
_THAI_CUE = re.compile(
    "|".join(map(re.escape, sorted((w for _, ws in _THAI_CUES for w in ws.split()), key=lambda w: (-len(w), w))))
)
_THAI_KIND = {word: kind for kind, words in _THAI_CUES for word in words.split()}
_THAI_FUNCTION = re.compile(
    "ที่|และ|ใน|ของ|เป็น|ได้|มี|จาก|ให้|กับ|ว่า|หรือ|แต่|ซึ่ง|โดย|จะ|ถูก|คือ|อยู่|ไป|มา|แล้ว|เมื่อ|เพื่อ|ก็|นี้|นั้น|ไม่|กล่าว|ต่อ|ตั้ง|เคย|เริ่ม|อีก|ยัง|ทั้ง|เดิน|เข้า|ออก"
)


def find_names_other_scripts(text: str) -> list[Name]:
    """Return the names in `text`, ordered by start, not overlapping.

    >>> [(n.name, n.type) for n in find_names_other_scripts("زار الرئيس محمد مرسي جامعة القاهرة في عام 2012")]
    [('محمد مرسي', 'person'), ('جامعة القاهرة', 'organization')]
    """
    found = [
        Name(m.start(1), m.end(1), " ".join(m[1].split()), "work", True)
        for m in _QUOTED.finditer(text)
        if m[1].strip() and not m[1].isascii()
    ]
    ends = 0
    free: list[Name] = []
    at = 0
    for name in _thai(text) + _spaced(text):
        while at < len(found) and found[at].end <= name.start:
            at += 1
        if name.start >= ends and (at == len(found) or name.end <= found[at].start):
            free.append(name)
            ends = name.end
    return sorted(found + free, key=lambda name: name.start)


def _spaced(text: str) -> list[Name]:
    matches = list(_WORD.finditer(text))
    n = len(matches)
    words = [match.group() for match in matches]
    joined = [i + 1 < n and text[matches[i].end() : matches[i + 1].start()] == " " for i in range(n)]
    plain = [word not in _FUNCTION and len(word) > 2 and word not in _KIND for word in words]
    single = Counter(word for word, is_plain in zip(words, plain, strict=True) if is_plain)
    pairs = Counter((words[i], words[i + 1]) for i in range(n - 1) if joined[i] and plain[i] and plain[i + 1])
    names = []
    i = 0
    while i < n:
        last, kind, sure = i, "", False
        if words[i] in _KIND and joined[i] and plain[i + 1]:
            kind = _KIND[words[i]]
            first = i + 1 if kind == "person" else i
            last = i + 1
            if kind == "person" and joined[last] and plain[last + 1]:
                last += 1
            sure = True
        elif plain[i] and joined[i] and words[i + 1] in _KIND_AFTER and words[i] not in _KIND_AFTER:
            first, last, kind, sure = i, i + 1, _KIND_AFTER[words[i + 1]], True
        elif plain[i] and joined[i] and pairs.get((words[i], words[i + 1]), 0) > 1:
            first, last, kind = i, i + 1, "unknown"
        elif plain[i] and (single[words[i]] > 2 or _GLOSS.match(text, matches[i].end())):
            first, kind, sure = i, "unknown", bool(_GLOSS.match(text, matches[i].end()))
        if kind:
            start, end = matches[first].start(), matches[last].end()
            names.append(Name(start, end, text[start:end], kind, sure))
        i = last + 1
    return names


def _thai(text: str) -> list[Name]:
    names = []
    for run in _THAI.finditer(text):
        position = run.start()
        while cue := _THAI_CUE.search(text, position, run.end()):
            limit = min(run.end(), cue.end() + 40)  # a search to the end of the run would make the whole quadratic
            stop = _THAI_FUNCTION.search(text, cue.end() + 2, limit)
            other = _THAI_CUE.search(text, cue.end() + 2, limit)
            end = min([limit, *(match.start() for match in (stop, other) if match)])
            kind = _THAI_KIND[cue.group()]
            if 2 <= end - cue.end() <= 24:
                start = cue.end() if kind == "person" else cue.start()
                names.append(Name(start, end, text[start:end], kind, end - cue.end() <= 12))
            position = max(end, cue.end())
    return names
