"""Bytes to text, whatever their encoding."""

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Right for 99% of 100-byte samples in nine encodings; among all that the library knows it is right for 92%.
CANDIDATES = ["cp1252", "cp932", "euc_jp", "gb18030", "big5", "cp949", "koi8_r", "cp1251"]
# Those of one byte a character, of which their languages' function words tell the right one; the first of equals.
SINGLE = (
    *("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1251", "koi8_r", "koi8_u", "mac_cyrillic", "iso8859_5", "cp866"),
    *("cp855", "cp1253", "cp1255", "cp1256", "iso8859_6", "mac_roman"),
)
# Of languages whose function words have few letters that tell the encodings apart.
OF_LANGUAGE = dict.fromkeys(("hu", "cs", "pl", "ro"), ("cp1250", "iso8859_2")) | {"tr": ("cp1254",)}
MIN_WORDS, MIN_SHARE = 4, 0.04  # function words with letters beyond ASCII, of all words with such letters
NEARLY = 0.9  # of the function words that the best has: then the fewest words, which a wrong encoding cuts up
BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
PAIRED = 0.01  # of the characters, those that are no pair of bytes, in Chinese, Japanese and Korean: of words half are
SAMPLE = 200_000  # bytes from which an encoding is guessed
PIECE = 1 << 20  # bytes
MAX_DAMAGED = 0.1  # of the characters beyond ASCII, in UTF-8; another encoding read as UTF-8 is wrong in nearly all


def decode(data: bytes) -> str:
    """Return the text of `data`: by its byte order mark, as UTF-8, or as what charset-normalizer takes it for.

    Line ends stay as they are, so that character spans count what the file holds; a byte order mark is not part of
    the text; a few damaged bytes in UTF-8 become U+FFFD. Raises ValueError for bytes that are no text.

    >>> decode("café".encode("utf-16"))
    'café'
    """
    return data.decode(*_encoding(data))


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


def _encoding(data: bytes) -> tuple[str, str]:
    """Return the encoding of a text, and how its errors are read. Raises ValueError for bytes that are no text."""
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return encoding, "strict"
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
        found = (_guess(data) if n_bad > MAX_DAMAGED * n_other else "utf-8"), "replace"
    if "\0" in data[:40_000].decode(found[0], "replace")[:10_000]:
        raise ValueError("not a text file (it holds zero bytes)")
    return found


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    sample = data[:SAMPLE]
    if len(data) > SAMPLE:  # cut where a line ends: half a character would rule its encoding out
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    if b"\0" not in sample:
        if told := _told(sample):
            return told
        if best := from_bytes(sample, cp_isolation=CANDIDATES).best():
            return best.encoding
    raise ValueError("not a text file, or in an encoding that is not recognised")


def _told(sample: bytes) -> str:
    """Return the encoding of one byte a character in which the text has most function words, "" where none tells.

    Words in ASCII say nothing, and single letters little: the "и" of one encoding is the "è" of another. Where bytes
    beyond ASCII stand together, and in pairs, some of them look like words of Russian.

    >>> _told("Это не первый раз, но что они для этого сделали, и как им это удалось?".encode("cp866"))
    'cp866'
    """
    from graphrag_lite.text.language import WORD, languages_of, most_common
    from graphrag_lite.text.names.lists import word_lists

    runs, pairs = BEYOND_ASCII.findall(sample), sample.decode("gb18030", "replace")
    if sum(map(len, runs)) >= 2 * len(runs) and pairs.count("\ufffd") <= PAIRED * len(pairs):
        return ""
    others, languages = word_lists("other_scripts")["function"], languages_of()
    found: list[tuple[int, bool, int, str]] = []
    for encoding in SINGLE:
        text = sample.decode(encoding, "replace")
        words = [word for word in WORD.findall(text.casefold()) if not word.isascii()]
        words_of = (languages.get(word) or (["he"] if word in others else None) for word in words if len(word) > 1)
        own = [codes for codes in words_of if codes]
        n = len(own) - text.count("\ufffd")
        if n >= MIN_WORDS and n >= MIN_SHARE * len(words):
            codes = Counter(code for of_word in own for code in of_word)
            found.append((n, encoding in OF_LANGUAGE.get(most_common(codes), ()), -len(words), encoding))
    likely = [each for each in found if each[0] >= NEARLY * max(found)[0]]
    return max(likely, key=lambda each: each[1:3], default=(0, False, 0, ""))[-1]
