r"""Rich text (.rtf), as TextEdit, WordPad and older programs for texts write it: what a reader sees, without looks."""

import codecs
import re
from collections.abc import Iterator

from graphrag_lite.read.documents import Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.stated_times import stated_date

TOKEN = re.compile(rb"\\([a-zA-Z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)")
# Groups that are not seen in the text: `\*` begins others that a program may skip.
HIDDEN = frozenset(b"fonttbl colortbl stylesheet info pict object header footer headerl headerr headerf".split())
HIDDEN |= frozenset(b"footerl footerr footerf listtable listoverridetable revtbl rsidtbl generator xmlnstbl".split())
SIGNS = {b"par": "\n\n", b"sect": "\n\n", b"page": "\n\n", b"line": "\n", b"row": "\n", b"cell": " | ", b"tab": "\t"}
SIGNS |= {b"emdash": "—", b"endash": "–", b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“"}
SIGNS |= {b"rdblquote": "”", b"emspace": " ", b"enspace": " "}
SYMBOLS = {b"~": " ", b"_": "-", b"\n": "\n\n", b"\r": "\n\n", b"\\": "\\", b"{": "{", b"}": "}"}
TITLE = re.compile(rb"\{\\title ([^{}\\]{1,200})\}")
BLANK, CELLS = re.compile(r"\n\s*\n"), re.compile(r"(?m)(?: \| )+$")


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ValueError("is no rich text: it does not begin with {\\rtf")
    stated = re.search(rb"\\ansicpg(\d+)", data[:1000])
    encoding = f"cp{stated[1].decode()}" if stated else "cp1252"
    try:
        codecs.lookup(encoding)
    except LookupError:
        encoding = "cp1252"
    text = _text(data, encoding)
    text = BLANK.sub("\n\n", CELLS.sub("", text.replace("\0", ""))).strip()
    title = TITLE.search(data)
    titled = title[1].decode(encoding, "replace").strip() if title else ""
    yield Loaded(path, titled, replace_surrogates(text), metadata=stated_date(text, fields))


class _Seen:
    """Text as it is put together: bytes in an encoding, and characters by number, may be parts of characters."""

    def __init__(self, encoding: str) -> None:
        self._pieces: list[str] = []
        self._bytes, self._encoding = bytearray(), encoding

    def add(self, data: bytes, encoding: str) -> None:
        if encoding != self._encoding:
            self.say("")
            self._encoding = encoding
        self._bytes += data

    def say(self, text: str) -> None:
        self._pieces += [self._bytes.decode(self._encoding, "replace"), text]
        self._bytes.clear()

    def text(self) -> str:
        self.say("")
        return "".join(self._pieces)


def _text(data: bytes, encoding: str) -> str:
    """Return what is seen. Behind a character by its number stand so many others for programs that do not know it."""
    seen = _Seen(encoding)
    groups, hidden, others, skip = [(False, 1)], False, 1, 0
    for found in TOKEN.finditer(data):
        word, number, code, symbol, brace, plain = found.groups()
        if brace == b"{":
            groups.append((hidden, others))
        elif brace and len(groups) > 1:
            (hidden, others), skip = groups.pop(), 0
        elif word in HIDDEN or symbol == b"*":
            hidden = True
        elif word == b"uc":
            others = int(number or 1)
        elif hidden:
            continue
        elif word == b"u" and number:
            seen.add((int(number) % 65536).to_bytes(2, "little"), "utf-16-le")
            skip = others
        elif word or symbol:
            seen.say(SIGNS.get(word, "") if word else SYMBOLS.get(symbol, ""))
        elif code or plain:
            piece = bytes.fromhex(code.decode()) if code else plain
            piece, skip = piece[skip:], max(0, skip - len(piece))
            seen.add(piece, encoding) if piece else None
    return seen.text()


READER = Reader({".rtf": "application/rtf"}, read)
