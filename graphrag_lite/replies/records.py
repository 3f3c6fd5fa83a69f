"""Records in a model's reply: delimited tuples, however they are dressed.

Asked for `("entity"<|>NAME<|>TYPE<|>DESCRIPTION)##`, models also write curly quotes, bullets, fences, half a delimiter,
no brackets, another word for the kind, or JSON. A record begins where a word for its kind stands before a delimiter;
everything else about the form is optional. Every search is linear in the length of the reply, whatever it holds.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from graphrag_lite.errors import ReplyError
from graphrag_lite.text.word_lists import toml_file

QUOTES = "\"'`“”„‟‘’‚«»「」『』＂＇"
QUOTE = frozenset(QUOTES)
OPEN, CLOSED = "([{（【［", ")]}）】］"
OPENING = frozenset(OPEN)
# <|> and what models make of it: |>  <|  </|>  < | >  <||>  <|#|>  ＜｜＞
DELIMITER = r"(?:[<＜]\s?/?\s?[|｜][#|｜]{0,2}\s?/?\s?[>＞]?|[|｜]\s?[>＞])"
DELIMITERS = re.compile(DELIMITER)
PIPES = re.compile(rf"{DELIMITER}|[|｜]{{1,2}}")
COMMAS = re.compile(rf"{DELIMITER}|,(?=\s{{0,4}}[{QUOTES}\d])")
TABS = re.compile(rf"{DELIMITER}|\t")
# <|COMPLETE|> and its variants anywhere; the bare word where it is the last thing said.
COMPLETE = re.compile(
    r"[<＜]\s?[|｜]\s?completed?\s?(?:[|｜]\s?[>＞]?|[>＞])|[<＜]/?completed?/?[>＞]"
    r"|(?<![^#\n)])[ \t#*(<|>]{0,9}completed?[ \t\n#*)<|>.]{0,9}\Z",
    re.I,
)
FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.M)
BEFORE_KIND = re.compile(rf"[\s*_•·\-–+>#\d.:|{re.escape(OPEN + CLOSED)}{QUOTES}]*")  # bullets, numbers, brackets
AFTER_KIND = re.compile(rf"[\s*_{QUOTES}]{{0,6}}(?=({DELIMITER})|([|｜])|(,)|(\t))\s?")
LINE_END = rf"[ \t]{{0,4}}(?:[{re.escape(CLOSED)}][.,;*]{{0,3}}){{1,3}}[ \t]{{0,8}}(?:##|\n|$)|[ \t]{{0,8}}(?:##|\n|$)"
NUMBER_END = (
    rf"[,;: \t]{{0,4}}\d{{1,2}}(?:\.\d{{1,4}})?(?:/10)?[ \t]{{0,4}}(?:[{re.escape(CLOSED)}]{{1,3}}[ \t]{{0,4}})?$"
)
ENDS, NUMBER = re.compile(LINE_END), re.compile(NUMBER_END)
BRACKETS = re.compile(rf"[{re.escape(OPEN + CLOSED)}]")
BREAK = re.compile(rf"##|\n[ \t]{{0,9}}\n|\n[ \t]{{0,9}}(?=[*#`{re.escape(OPEN)}•-]|\d{{1,3}}[.)])")
PIECE = re.compile(r"##|\n")
MAX_FIELDS = 24  # more are no record; also what keeps the scan of hostile replies linear
MAX_JSON_TRIES = 200
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ud800-\udfff]")
NOTHING = frozenset("none null n/a na nil unknown - – — ?".split()) | {"", "not stated", "not specified", "unspecified"}
"""What models write into a field, in lower case, of which they know nothing."""


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of record: its first field, then its fields in order with other names that JSON keys give them.

    `also` are other words for the kind; `least` is the number of fields below which there is nothing to read.
    """

    kind: str
    fields: Mapping[str, tuple[str, ...]]
    also: tuple[str, ...] = ()
    least: int = 1


WORDS = toml_file(__package__, "record_words.toml")
FORMS = {
    kind: Form(kind, {name: tuple(names) for name, names in form["fields"].items()}, tuple(form["also"]), form["least"])
    for kind, form in WORDS["forms"].items()
}


@dataclass(frozen=True, slots=True)
class Records:
    """What a reply holds. Rows are [kind, field, field, ...], in order; kind is "" where the reply names none.

    A row may have fewer or more fields than its form: whoever reads it decides. `dropped` are the pieces that hold a
    delimiter and are no record. `complete` says whether the reply holds the completion mark; `bare`, that it says in
    due form that there is nothing: the mark alone, headings without records, or empty JSON lists.
    """

    rows: list[list[str]]
    dropped: list[str]
    complete: bool
    bare: bool


def parse_records(text: str, *forms: Form) -> Records:
    """Read the records of a reply. Fields come without the quotes and white space around them, else as written.

    Where there is one form only, its kind may be left out.

    >>> form = Form("claim", {"subject": (), "status": (), "text": ()})
    >>> parse_records('1. **(“Claim”<|>"Scrooge"<|>TRUE|>He said "Bah!")**\\n<|COMPLETE|>', form).rows
    [['claim', 'Scrooge', 'TRUE', 'He said "Bah!"']]
    >>> parse_records("[{'claim'}] I cannot.", form).rows, parse_records("<|COMPLETE|>", form).bare
    ([], True)
    """
    if "&lt;|" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">")
    plain = COMPLETE.sub("\n", FENCE.sub("", text))
    complete = COMPLETE.search(text) is not None
    rows: list[list[str]] = []
    dropped: list[str] = []
    starts = list(_starts(plain, forms))
    only = forms[0].kind if len(forms) == 1 else ""
    if not starts and not DELIMITERS.search(plain):
        rows = list(_json_rows(plain, forms))
    ends = [begin for begin, *_ in starts] + [len(plain)]
    _kindless(plain[: ends[0]], only, rows, dropped)
    for (_, first, form, delimiters), end in zip(starts, ends[1:], strict=True):
        fields, used = _fields(plain[first:end], delimiters, form)
        while delimiters is PIPES and fields and not fields[-1]:
            fields.pop()  # the right side of a table
        rows.append([form.kind, *fields])
        _kindless(plain[first + used : end], only, rows, dropped)
    marked = complete or plain.strip()[:1] in ("[", "{")
    bare = marked and not rows and not re.search(r"\w", _kinds(forms).sub("", plain))
    return Records(rows, dropped, complete, bare)


def unreadable(n_dropped: int, form: str, otherwise: str) -> ReplyError:
    """Return what is wrong with a reply without a usable record: `form` is asked for, `otherwise` the mark alone."""
    what = "none of its records can be read" if n_dropped else "it holds no record"
    return ReplyError(
        f"{what}. Write {form}, ## between records, and <|COMPLETE|> at the end; {otherwise}, <|COMPLETE|> alone."
    )


def clean_field(field: str) -> str:
    """Return a field on one line, its HTML entities as characters, without control characters and markup around it.

    >>> clean_field("**Marks &amp;\\n Spencer**\\x00")
    'Marks & Spencer'
    """
    text = html.unescape(field) if "&" in field else field
    text = " ".join(CONTROL.sub("", text.replace("\x0b", " ").replace("\x0c", " ")).split())
    return text.strip("*").strip() if text.startswith("**") or text.endswith("**") else text


def _kinds(forms: tuple[Form, ...]) -> re.Pattern[str]:
    """Return a pattern of all words for the kinds, longest first: they are compared where their first letters stand."""
    words = {word for form in forms for word in (form.kind, *form.also)}
    firsts = "".join(sorted({letter for word in words for letter in (word[0].lower(), word[0].upper())}))
    either = "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
    return re.compile(f"(?=[{re.escape(firsts)}])(?i:{either})")


def _starts(text: str, forms: tuple[Form, ...]) -> Iterator[tuple[int, int, Form, re.Pattern[str]]]:
    """Yield (where the record begins, where its first field begins, form, delimiters) for every kind in its place."""
    by_word = {word.casefold(): form for form in forms for word in (form.kind, *form.also)}
    for word in _kinds(forms).finditer(text):
        after = AFTER_KIND.match(text, word.end())
        if not after:
            continue
        angle, pipe, comma, _ = after.groups()
        line = text.rfind("\n", max(0, word.start() - 40), word.start()) + 1
        before = text[max(line, word.start() - 40) : word.start()]
        bare = before.rstrip(QUOTES + "*_ \t")
        begins = BEFORE_KIND.fullmatch(before) is not None and (line > 0 or word.start() <= 40)
        opened = bare[-1:] in OPENING
        if comma and not (opened and before[-1:] in QUOTE):
            continue  # "(entity, that is" is prose
        if not (begins or opened or (angle and bare[-1:] == "#")):
            continue
        begin = word.start() - (len(before) - len(bare)) - (1 if opened else 0)
        delimiters = DELIMITERS if angle else PIPES if pipe else COMMAS if comma else TABS
        separator = delimiters.match(text, after.end()) or delimiters.search(text, after.start())
        if separator:
            yield begin, separator.end(), by_word[word.group().casefold()], delimiters


def _fields(text: str, delimiters: re.Pattern[str], form: Form | None) -> tuple[list[str], int]:
    """Return the fields at the start of `text` and where they end.

    A quoted field ends at the quote before a delimiter, so it may hold the delimiter itself; where that leaves too few
    fields or the split at every delimiter gives just enough, quotes are no guide and every delimiter counts.
    """
    fields, end, spanning = _scan(text, delimiters, quoted=True)
    if spanning and form:
        every, every_end, _ = _scan(text, delimiters, quoted=False)
        if len(every) == len(form.fields) or len(fields) < form.least:
            return every, every_end
    return fields, end


@cache
def _close(delimiters: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(rf"[{QUOTES}][*_]{{0,3}}(?=\s{{0,4}}(?:{delimiters.pattern})|{LINE_END}|{NUMBER_END})")


def _scan(text: str, delimiters: re.Pattern[str], *, quoted: bool) -> tuple[list[str], int, bool]:
    """Return fields, where they end, and whether a quoted one holds a delimiter."""
    fields: list[str] = []
    position = 0
    spanning = False
    while len(fields) < MAX_FIELDS:
        first = position + len(text[position : position + 40]) - len(text[position : position + 40].lstrip(" \t\n\r*_"))
        closing = _close(delimiters).search(text, first + 1) if quoted and text[first : first + 1] in QUOTE else None
        inside = text[first + 1 : closing.start()] if closing else ""
        held = [cut.end() for cut in delimiters.finditer(inside)]
        if closing and not any(inside[end : end + 4].lstrip()[:1] in QUOTE for end in held):  # else it was not closed
            spanning = spanning or bool(held)
            fields.append(inside)
            position = closing.end()
            space = len(text[position : position + 4]) - len(text[position : position + 4].lstrip())
            if following := delimiters.match(text, position + space):
                position = following.end()
                continue
            if number := NUMBER.match(text, position):
                fields.append(number.group().strip(CLOSED + ",;: \t"))
                position = number.end()
            return [_bare(field) for field in fields], position, spanning
        cut = delimiters.search(text, first)
        stop = cut.start() if cut else len(text)
        end = _end(text, first, stop, last=cut is None)
        fields.append(text[first:end])
        if end < stop or not cut:
            return [_bare(field) for field in fields], end, spanning
        position = cut.end()
    return [_bare(field) for field in fields], position, spanning


def _end(text: str, first: int, stop: int, *, last: bool) -> int:
    """Return where an unquoted field ends: at the bracket that closes the record, else at `stop` or a break before."""
    depth = 0
    for bracket in BRACKETS.finditer(text, first, stop):
        if bracket.group() in OPEN:
            depth += 1
        elif depth:
            depth -= 1
        elif ENDS.match(text, bracket.start()):
            return bracket.start()
    found = BREAK.search(text, first, stop) if last else None
    return found.start() if found else stop


def _bare(field: str) -> str:
    """Return a field without the white space, bold marks and one pair of quotes around it."""
    field = field.strip().strip("*_").strip()
    if len(field) > 1 and field[0] in QUOTE and field[-1] in QUOTE and QUOTE.isdisjoint(field[1:-1]):
        return field[1:-1].strip()
    return field.strip('"“”„＂').strip() if field.count('"') % 2 else field


def _kindless(text: str, kind: str, rows: list[list[str]], dropped: list[str]) -> None:
    """Read what stands between records: pieces with two delimiters are records that name no kind."""
    if not DELIMITERS.search(text):
        return
    for piece in PIECE.split(text):
        n_delimiters = len(DELIMITERS.findall(piece))
        if n_delimiters >= 2:
            inner = piece.lstrip(" \t*•-+>.0123456789")
            rows.append([kind, *_fields(inner.lstrip(OPEN), DELIMITERS, None)[0]])
        elif n_delimiters:
            dropped.append(piece.strip())


def _json_rows(text: str, forms: tuple[Form, ...]) -> Iterator[list[str]]:
    """Yield the records of a reply that is JSON, or JSON Lines, with whatever prose around it."""
    decoder = json.JSONDecoder(strict=False)
    position = tries = 0
    opening = re.compile(r"[\[{]")
    while (found := opening.search(text, position)) and tries < MAX_JSON_TRIES:
        try:
            value, position = decoder.raw_decode(text, found.start())
        except ValueError:
            tries += 1
            position = found.end()
            continue
        except RecursionError:
            return
        yield from _json_records(value, None, forms)


def _json_records(value: Any, named: Form | None, forms: tuple[Form, ...]) -> Iterator[list[str]]:
    """Yield the records in a JSON value; `named` is the form that the key above it names."""
    by_word = {word.casefold(): form for form in forms for word in (form.kind, *form.also)}
    if isinstance(value, list):
        if len(value) > 1 and isinstance(value[0], str) and (form := by_word.get(value[0].casefold())):
            yield [form.kind, *map(_text, value[1:])]
        elif named and len(value) >= named.least and all(isinstance(item, str | int | float) for item in value):
            yield [named.kind, *map(_text, value)]
        else:
            for item in value:
                yield from _json_records(item, named, forms)
    elif isinstance(value, dict):
        keys = {re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", " ", str(key)).casefold().strip(): key for key in value}
        values = [item.casefold() for item in value.values() if isinstance(item, str)]
        forms_here = [named] if named else [by_word[word] for word in values if word in by_word][:1] or forms
        rows = [
            [form.kind, *(_value(value, keys, field, names) for field, names in form.fields.items())]
            for form in forms_here
        ]
        rows = [row for row, form in zip(rows, forms_here, strict=True) if all(row[: form.least + 1])]
        if rows:
            yield max(rows, key=lambda row: sum(map(bool, row)))
            return
        for key, item in value.items():
            yield from _json_records(item, by_word.get(str(key).casefold(), named), forms)


def _value(value: dict[str, Any], keys: dict[str, str], field: str, names: tuple[str, ...]) -> str:
    """Return the value under a field's name, or a key that holds one of its names as a word."""
    for name in (field.replace("_", " "), *names):
        for key, original in keys.items():
            if key == name or (" " in key and " " not in name and name in key.split()):
                return _text(value[original])
    return ""


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value).strip()
