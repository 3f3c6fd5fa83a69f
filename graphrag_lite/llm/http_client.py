"""An HTTP client of one address, for one event loop: aiohttp, with answers of bounded size.

An answer is unpacked piece by piece, so that a small one that is packed cannot fill the memory.
"""

import json
import os
import ssl
import zlib
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import truststore
from yarl import URL

from graphrag_lite.errors import CallError

MOST = 16_000_000  # bytes of an answer: four million tokens
PIECE = 65_536  # bytes
ENCODING = "gzip"  # not deflate, which servers send in two forms
MEMBER = b"\x1f\x8b"  # what each part of it begins with
EXCUSE = 100_000  # bytes of an answer that says why there is none
IDLE = 4.0  # seconds after which a connection is not used again: servers close theirs after 5 or more
PROXIES = "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY"
WITH_A_NAME = (
    "one that wants a name and a password is http://NAME:PASSWORD@HOST:PORT; hosts in NO_PROXY are asked without it."
)
BROKEN = (aiohttp.ClientError, OSError)  # what a connection fails with


@dataclass(frozen=True)
class Head:
    """What an answer begins with."""

    status_code: int
    headers: Mapping[str, str]

    @property
    def is_success(self) -> bool:
        return 200 <= self.status_code < 300


@dataclass(frozen=True)
class Response(Head):
    """An answer, read to its end."""

    content: bytes


@dataclass(frozen=True)
class Streamed(Head):
    """An answer that is still coming."""

    pieces: AsyncIterator[bytes]

    async def read(self) -> Response:
        return Response(self.status_code, self.headers, b"".join([piece async for piece in self.pieces]))

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the lines as they come."""
        rest = b""
        async for piece in self.pieces:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line
        if rest:
            yield rest


class Client:
    """Sends requests below `base_url`, each with these parameters and headers. `connect`: seconds to get a connection.

    Redirects are not followed: neither key nor documents go where nobody sent them. Raises ValueError for an address or
    a proxy that is none, OSError for certificates that are not there; a request raises one of BROKEN.
    """

    def __init__(self, base_url: str, params: Mapping[str, str], headers: Mapping[str, str], *, connect: float) -> None:
        self._base = URL(base_url)
        (self._base.host or "").encode("idna")  # as looking it up does, which raises ValueError then
        self._params = dict(params)
        if self._base.user:  # the name and the password of an address go before any key
            own = b64encode(f"{self._base.user}:{self._base.password or ''}".encode()).decode()
            headers, self._base = {**headers, "authorization": f"Basic {own}"}, self._base.with_user(None)
        proxy = _proxy(self._base)
        if proxy and URL(proxy).scheme not in ("http", "https"):
            raise ValueError("a proxy of another protocol than HTTP")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=IDLE, ssl=_trusted() if self._base.scheme == "https" else True
            ),
            headers={"accept-encoding": ENCODING, **headers},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(sock_connect=connect),
            max_field_size=PIECE,
            proxy=proxy,
        )

    async def get(self, path: str, *, params: Mapping[str, str] | None = None, most: int = MOST) -> Response:
        async with self._answered("GET", path, most, params=params) as answer:
            return await answer.read()

    async def status(self, path: str) -> int:
        """Return the status of an answer that is not read."""
        async with self._answered("GET", path, MOST) as answer:
            return answer.status_code

    async def post(self, path: str, body: Any, *, most: int = MOST) -> Response:
        async with self.stream(path, body, most=most) as answer:
            return await answer.read()

    async def upload(self, path: str, fields: Mapping[str, str], name: str, content: bytes) -> Response:
        """Send a form of `fields` and a file."""
        form = aiohttp.FormData(fields)
        form.add_field("file", content, filename=name)
        async with self._answered("POST", path, MOST, data=form) as answer:
            return await answer.read()

    def stream(self, path: str, body: Any, *, most: int = MOST) -> AbstractAsyncContextManager[Streamed]:
        """Post a JSON value; give the answer as it comes."""
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        return self._answered("POST", path, most, data=data, headers={"content-type": "application/json"})

    async def aclose(self) -> None:
        await self._session.close()

    @asynccontextmanager
    async def _answered(
        self, method: str, path: str, most: int, *, params: Mapping[str, str] | None = None, **sent: Any
    ) -> AsyncIterator[Streamed]:
        url = (self._base / path).extend_query({**self._params, **(params or {})})
        async with self._session.request(method, url, allow_redirects=False, **sent) as answer:
            yield Streamed(answer.status, answer.headers, _bounded(answer, most))


async def _bounded(answer: aiohttp.ClientResponse, most: int) -> AsyncIterator[bytes]:
    """Yield an answer unpacked. Raises CallError for more than `most` bytes, and for what was not asked for.

    Where its status says that there is none, the beginning of what can be read is all of it.
    """
    encoding = answer.headers.get("content-encoding", "identity").strip().lower().removeprefix("x-")
    where, failed = f"{answer.url.host} answered", answer.status >= 400
    if encoding not in ("identity", "", ENCODING):
        if failed:
            return
        raise CallError(f"{where} in the encoding {encoding[:40]!r}, which was not asked for.")
    pieces = answer.content.iter_any()
    n_bytes = 0
    with suppress(*((aiohttp.ClientPayloadError,) if failed else ())):
        async for piece in _unpacked(pieces) if encoding == ENCODING else pieces:
            n_bytes += len(piece)
            if failed and n_bytes > EXCUSE:
                yield piece[:EXCUSE]
                return
            if n_bytes > most:
                raise CallError(f"{where} with more than {most // 1_000_000} MB. No answer is so long.")
            yield piece


async def _unpacked(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    async for packed in pieces:
        while packed:
            if unpacking.eof:
                if not MEMBER.startswith(packed[: len(MEMBER)]):  # but padding
                    break
                unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                yield unpacking.decompress(packed, PIECE)
            except zlib.error as error:
                raise aiohttp.ClientPayloadError(f"what it has packed is damaged: {error}") from None
            packed = unpacking.unconsumed_tail or unpacking.unused_data
    if not unpacking.eof:
        raise aiohttp.ClientPayloadError("what it has packed has no end")


def is_down(error: BaseException) -> bool:
    """Return whether there was no connection at all."""
    return isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)


def in_the_way(error: BaseException) -> str:
    """Return what keeps every request on this side of the endpoint, and what to do; "" where that is not why."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return (
            f"its certificate is not trusted ({error.certificate_error}). SSL_CERT_FILE may name a file with the"
            " certificates of who issues it."
        )
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return f"the proxy of {PROXIES} is not there ({error.strerror}). Check them."
    if isinstance(error, aiohttp.ClientHttpProxyError) and error.status < 500:
        return refused_by_proxy(f"{error.status} {error.message}")
    return ""


def refused_by_proxy(answer: str) -> str:
    return f"the proxy of {PROXIES} answered {answer}; {WITH_A_NAME}"


def proxied(address: str) -> bool:
    """Return whether an address is asked through a proxy."""
    return _proxy(URL(address)) is not None


def _proxy(url: URL) -> str | None:
    """Return the proxy of the environment for an address; None for one of this machine."""
    host, proxies = url.host or "", getproxies()
    near = host in ("localhost", "::1") or host.startswith("127.")
    return None if near or proxy_bypass(host) else proxies.get(url.scheme) or proxies.get("all")


def _trusted() -> ssl.SSLContext:
    if path := os.environ.get("SSL_CERT_FILE"):
        return ssl.create_default_context(cafile=path)
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
