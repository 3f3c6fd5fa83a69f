"""What a provider's prompt cache would serve: the beginnings of prompts, from 1,024 tokens on, as OpenAI's does."""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256

SHORTEST, STEP = 1024, 128  # tokens that it holds at least, and by which what it holds grows
BLOCK = 64  # characters by which beginnings are compared


class PromptCache:
    """Holds how prompts have begun."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._seen: set[bytes] = set()

    def take(self, messages: Iterable[Mapping[str, str]]) -> int:
        """Return the tokens with which another prompt has begun, and keep how this one begins."""
        content = "\n".join(f"{message['role']}: {message['content']}" for message in messages)
        held, goes_on, begun = 0, True, sha256()
        for end in range(BLOCK, len(content) + 1, BLOCK):
            begun.update(content[end - BLOCK : end].encode())
            key = begun.copy().digest()
            goes_on = goes_on and key in self._seen
            held = end if goes_on else held
            self._seen.add(key)
        n_tokens = self._count(content[:held])
        return n_tokens - n_tokens % STEP if n_tokens >= SHORTEST else 0
