"""An answer of bounded size: unpacked piece by piece, so that a small one that is packed cannot fill the memory.

client.event_hooks -> bounded(response) -> the same response, which fails while it is read where it holds too much
"""

import zlib
from collections.abc import AsyncIterator
from typing import cast

import httpx2

from graphrag_lite.errors import CallError

MOST = 16_000_000  # bytes of an answer: four million tokens
PIECE = 65_536  # bytes
ENCODINGS = ("gzip", "deflate")


async def bounded(response: httpx2.Response) -> None:
    """Let a response unpack itself within bounds. Reading it raises CallError for more, and for what was not asked for.

    `most` of its request's extensions takes the place of MOST.
    """
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    where = f"{response.url.host} answered"
    if encoding not in ("identity", "", *ENCODINGS):
        raise CallError(f"{where} in the encoding {encoding[:40]!r}, which was not asked for.")
    raw = cast(httpx2.AsyncByteStream, response.stream)
    most = int(response.request.extensions.get("most", MOST))
    response.stream = _Bounded(raw, encoding in ENCODINGS, most, where)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, raw: httpx2.AsyncByteStream, is_packed: bool, most: int, where: str) -> None:
        self._raw, self._is_packed, self._most, self._where = raw, is_packed, most, where

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)  # of either of ENCODINGS, told by its head
        n_bytes = 0
        async for packed in self._raw:
            while packed:
                piece, packed = packed, b""
                if self._is_packed:
                    try:
                        piece = unpacking.decompress(piece, PIECE)
                    except zlib.error as error:
                        raise httpx2.DecodingError(f"what it has packed is damaged: {error}") from None
                    packed = unpacking.unconsumed_tail
                n_bytes += len(piece)
                if n_bytes > self._most:
                    raise CallError(f"{self._where} with more than {self._most // 1_000_000} MB. No answer is so long.")
                yield piece

    async def aclose(self) -> None:
        await self._raw.aclose()
