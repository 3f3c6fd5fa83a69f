"""Bytes to text, whatever their encoding."""

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import suppress

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Encodings that uchardet tells, for those of which they are a part.
WIDER = {"shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "iso8859-1": "cp1252"}
FEW = 4  # bytes, which tell nothing: beyond ASCII, those of Western Europe
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
MAX_CONTROLS = 0.01  # of the bytes of a text
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
# Letters within words, which uchardet does not tell in some encodings: not what is a mark or a space in one of these.
WITHIN_WORDS = re.compile(rb"(?<=[a-z])[\x80-\x84\x86-\x90\x98-\x9f\xa1-\xc8\xcb-\xcf\xd2-\xd4\xd6-\xff](?=[a-z])")
UNDETECTED, COMMON = ("mac_roman", "cp850"), "éèàêçäöüñíó"
LETTERS = 0.95  # of what stands within words, or of a text in Johab
HANGUL, LEAST_HANGUL = re.compile("[\uac00-\ud7a3]"), 8
ONE_BYTE = ("iso8859", "cp12", "cp8", "mac", "koi8")
ASIAN = ("shift_jis", "euc_", "gb", "big5", "cp9", "iso2022")
SAMPLE = 200_000  # bytes from which an encoding is guessed
PIECE = 1 << 20  # bytes
HIGH_ZERO = 0.9  # of the high bytes of UTF-16 without a mark, in a text of Latin letters
MAX_DAMAGED = 0.1  # of the characters beyond ASCII, in UTF-8; another encoding read as UTF-8 is wrong in nearly all


def decode(data: bytes, stated: str = "") -> str:
    """Return the text of `data`: by its byte order mark, as UTF-8, or as what uchardet takes it for.

    Line ends stay as they are, so that character spans count what the file holds; a byte order mark is not part of
    the text; a few damaged bytes in UTF-8 become U+FFFD. `stated` is what the text itself says
    that its encoding is, which counts for what is no UTF-8. Raises ValueError for bytes that are no text.

    >>> decode("café".encode("utf-16"))
    'café'
    """
    return data.decode(*_encoding(data, stated))


def decoded_lines(data: bytes) -> Iterator[str]:
    """Yield the lines of `data`, with their ends, as `decode` reads them, and never all of them at once.

    A single character beyond 65,535 makes a text take four bytes for each.
    """
    encoding, errors = _encoding(data)
    yield from io.TextIOWrapper(io.BytesIO(data), encoding, errors, newline="\n")


def decoded_pieces(data: bytes) -> Iterator[str]:
    """Yield the text of `data` by the million characters."""
    encoding, errors = _encoding(data)
    text = io.TextIOWrapper(io.BytesIO(data), encoding, errors, newline="")
    while piece := text.read(PIECE):
        yield piece


def _encoding(data: bytes, stated: str = "") -> tuple[str, str]:
    """Return the encoding of a text, and how its errors are read. Raises ValueError for bytes that are no text."""
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return encoding, "replace" if encoding == "utf-8-sig" else "strict"
    if b"\0" in data[:40_000] and (utf16 := _unmarked(data[:40_000])):
        return utf16, "replace"
    if b"\x1b$" in data and data.isascii():
        for encoding in ("iso2022_jp", "iso2022_kr"):
            with suppress(UnicodeDecodeError):
                return ("utf-8" if data.decode(encoding).isascii() else encoding), "strict"
    found = "utf-8", "strict"
    try:
        decoder = codecs.getincrementaldecoder("utf-8")()
        for start in range(0, len(data), PIECE):
            decoder.decode(data[start : start + PIECE], start + PIECE >= len(data))
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        n_bad, n_other = text.count("\ufffd"), len(text) - len(text.encode("ascii", "ignore"))
        found = (_guess(data, stated) if n_bad > MAX_DAMAGED * n_other else "utf-8"), "replace"
    if "\0" in data[:40_000].decode(found[0], "replace")[:10_000]:
        raise ValueError("not a text file (it holds zero bytes)")
    return found


def _unmarked(sample: bytes) -> str:
    """Return which UTF-16 a text of Latin letters without a byte order mark is in, empty for what is none.

    >>> [_unmarked("Un café.".encode(name)) for name in ("utf-16-le", "utf-16-be", "utf-8")]
    ['utf-16-le', 'utf-16-be', '']
    """
    for encoding, high, low in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
        if (
            len(high) >= FEW
            and high.count(0) > HIGH_ZERO * len(high)
            and len(CONTROLS.findall(low)) <= MAX_CONTROLS * len(low)
        ):
            return encoding
    return ""


def _guess(data: bytes, stated: str) -> str:
    """Return the encoding of what is no UTF-8, as it is stated, or as uchardet tells it."""
    from resiliparse.parse.encoding import detect_encoding

    with suppress(LookupError):
        if (name := codecs.lookup(stated).name).startswith((*ONE_BYTE, *ASIAN)):
            return WIDER.get(name, name)
    sample = data[:SAMPLE]
    if len(data) > SAMPLE:  # cut where a line ends: half a character would rule its encoding out
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    if len(CONTROLS.findall(sample)) <= MAX_CONTROLS * len(sample):
        few = len(BEYOND_ASCII.findall(sample)) < FEW
        detected = (None if few else detect_encoding(sample, 0, html5_compatible=False)) or "cp1252"
        with suppress(LookupError):  # of an encoding that Python has not
            name = codecs.lookup(detected).name
            return _verified(sample, name) if name.startswith(ONE_BYTE) else WIDER.get(name, name)
    raise ValueError("not a text file, or in an encoding that is not recognised")


def _verified(sample: bytes, detected: str) -> str:
    """Return the encoding in which a text has small letters within words, `detected` where that is one such."""
    within = b"".join(WITHIN_WORDS.findall(sample))

    def are_small(encoding: str) -> bool:
        return sum(map(str.islower, within.decode(encoding, "replace"))) >= LETTERS * len(within)

    with suppress(UnicodeDecodeError):
        korean = sample.decode("johab")
        if len(HANGUL.findall(korean)) >= max(LEAST_HANGUL, LETTERS * sum(not char.isascii() for char in korean)):
            return "johab"
    if are_small(detected):
        return WIDER.get(detected, detected)
    fitting = filter(are_small, UNDETECTED)
    return max(
        fitting, key=lambda each: sum(map(within.decode(each).count, COMMON)), default=WIDER.get(detected, detected)
    )
