"""What went wrong at an endpoint: which kind of error it is, in words that a user can act on and that hold no key.

Refused: not this request, in this form. Trouble: not now, it can heal. ModelError: no request can succeed.
"""

import json
import os
import re
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from http.client import responses
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import quote

from graphrag_lite.errors import CallError, ModelError, UnansweredError
from graphrag_lite.llm.limits import retry_after
from graphrag_lite.llm.openai_fields import decoded, parse_json, read_answer
from graphrag_lite.llm.retries import Trouble
from graphrag_lite.settings.models import Llm

if TYPE_CHECKING:
    from graphrag_lite.llm.http_client import Response

REDIRECTS = {301, 302, 303, 307, 308}
HEALS = {408, 409, 425, 429}  # and 5xx, but for 501
PROXY_WANTS_A_NAME = 407
TOOK_TOO_LONG = {504, 524}  # for a gateway, before a server that may go on writing: it would at every attempt
MESSAGE = 500  # characters of an endpoint's message that are shown
EXCERPT = 150  # of what it has sent instead of an answer
# Said with 400 in the place of 401 and 404: by Gemini; by LiteLLM, whose database holds all keys but one; by Bedrock.
KEY = re.compile("api.?key|no connected db", re.IGNORECASE)
MODEL = re.compile("invalid model name|model identifier is invalid", re.IGNORECASE)
CREDIT = re.compile("insufficient_quota|budget_exceeded|credit balance is too low")

T = TypeVar("T")


class StatusError(Exception):
    """The endpoint answered with an error; its body is read."""

    def __init__(self, response: "Response") -> None:
        super().__init__(f"status {response.status_code}")
        self.response = response


class Refused(CallError):
    """The endpoint does not take this request. It may take another form of it."""

    def __init__(self, text: str, status: int, message: str) -> None:
        super().__init__(text)
        self.status = status
        self.message = message


@dataclass
class Diagnosis:
    """Says what is wrong with an endpoint: `section` of the settings is what the user is sent to, `address` is shown.

    `secrets` are taken out of whatever the endpoint or the transport says. Once it has `answered`, a web page is of
    what stands before it, and says nothing of its address or key.
    """

    settings: Llm
    section: str
    address: str
    secrets: list[str]
    answered: bool = False

    async def translated(self, attempt: Awaitable[T], hand_back: frozenset[int]) -> T:
        """Await an attempt; what goes wrong is raised as Refused, ModelError or Trouble, and holds no key."""
        try:
            return await attempt
        except StatusError as error:
            self._refuse(error.response, decoded(error.response.content), hand_back)
        except http_client().BROKEN as error:
            if not http_client().is_down(error):
                self.pass_on(error)
            if isinstance(error, TimeoutError) and not http_client().is_down(error):
                seconds = f"{self.settings.timeout:g} s (llm.timeout)"
                raise Trouble(f"{self.address} has not answered within {seconds}.", paid=True) from None
            raise Trouble(self.unreachable(error), down=http_client().is_down(error)) from None

    def pass_on(self, error: BaseException) -> None:
        """Raise ModelError where a proxy or a certificate keeps every request away."""
        if why := http_client().in_the_way(error):
            raise ModelError(f"{self.address} cannot be asked: {self.redacted(why)}") from None

    def give_up(self, trouble: Trouble, tries: int) -> NoReturn:
        """Raise what a trouble is after its last attempt."""
        text = f"{trouble} Tried {'once' if tries == 1 else f'{tries} times'}."
        if trouble.down:
            raise ModelError(
                f"{text} {self.next_step()} What was answered is kept, and the next run goes on from there."
            ) from None
        raise UnansweredError(f"{text} Ask again later, or see whether its server is well.") from None

    def read(self, response: Any) -> Any:
        """Return the JSON object of an answer. Raises Trouble for another, ModelError for a page of HTML."""
        try:
            answer = read_answer(response.content)
        except ValueError:
            start = self.redacted(text := decoded(response.content).lstrip())[:80]
            if is_page := "html" in response.headers.get("content-type", "") or start.startswith("<"):
                start = self.message(text)[:80]
            if is_page and not self.answered:
                raise ModelError(
                    f"{self.address} answered with a web page. Check {self.section}.base_url: it is the"
                    " address of an API, and most end in /v1."
                ) from None
            raise Trouble(f"{self.address} answered with something that is not JSON: {start!r}.") from None
        if not isinstance(answer, dict):
            raise Trouble(f"{self.address} answered with a JSON {type(answer).__name__} instead of an object.")
        choices = answer.get("choices")
        holder = choices[0] if isinstance(choices, list) and choices else answer
        error = holder.get("error") if isinstance(holder, dict) else None
        error = error or (answer if answer.get("object") == "error" else None)  # vLLM's and FastChat's
        if error:  # as OpenRouter does, with status 200, also where a reply breaks off
            code = str(error.get("code")) if isinstance(error, dict) else ""
            status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500
            self._refuse(replace(response, status_code=status), json.dumps({"error": error}), frozenset())
        return answer

    def _refuse(self, response: "Response", text: str, hand_back: frozenset[int]) -> NoReturn:
        """Raise what an error of the endpoint means, of which this is the text."""
        status, headers = response.status_code, response.headers
        message = self.message(text) or responses.get(status, "and does not say why")
        answered = f"{self.address} answered {status}: {message}"
        if status in hand_back:
            raise Refused(answered, status, message) from None
        if status in REDIRECTS:
            where = self.redacted(headers.get("location", ""))[:MESSAGE]
            raise ModelError(
                f"{self.address} answered {status}: it has moved to {where!r}. Nothing is sent there: if that is right,"
                f" write it in {self.section}.base_url."
            ) from None
        if status == PROXY_WANTS_A_NAME:
            why = http_client().refused_by_proxy(f"{status} {message}")
            raise ModelError(f"{self.address} cannot be asked: {why}") from None
        flagged = bool(re.search(r"moderation|flagged", message, re.IGNORECASE))
        flagged |= self.answered and text.lstrip().startswith("<")  # by a firewall, for what a text says
        if status == 401 or (status == 403 and not flagged) or (status == 400 and KEY.search(message)):
            raise ModelError(self.unauthorised(status, message) + self._or_the_proxy(text)) from None
        if status == 402 or CREDIT.search(text):
            raise ModelError(
                f"{answered}\nThe account has no credit left. Top it up and run again: what was answered is kept."
            ) from None
        if status in (404, 405) or (status == 400 and MODEL.search(message)):
            which = "a deployment's name" if self.settings.preset.deployments else "most end in /v1"
            names = "llm.model, llm.models or embeddings.model"
            raise ModelError(
                f"{answered}\nCheck the model's name ({names}), and {self.section}.base_url ({which})."
            ) from None
        long = re.search(r"context.?(size|length|window)", message, re.IGNORECASE)  # llama.cpp says so with 500, too
        if status in HEALS or (status >= 500 and status != 501 and not long):
            paid = status in TOOK_TOO_LONG
            raise Trouble(f"{answered.rstrip('.')}.", pause=retry_after(headers, text), paid=paid) from None
        if re.search("context|too long|too many tokens|too large", message, re.IGNORECASE):
            answered += "\nA model with a larger context can take it; or make what is sent smaller in the settings."
        raise Refused(answered, status, message) from None

    def message(self, text: str) -> str:
        """Return what an error body says: `error.message`, `error`, `message`, `detail`, or its text.

        A validator's (pydantic's: vLLM, Mistral) names the field beside it.
        """
        try:
            found = parse_json(text)
        except ValueError:
            page = self.redacted(text)[:5000]
            found = re.sub(r"<title>[^<]{0,200}</title>|<[^<>]{0,200}>", " ", page)
            found = found if found.strip() else re.sub("<[^<>]{0,200}>", " ", page)
        for name in ("error", "message", "detail", "msg"):
            if isinstance(found, list) and found:
                found = found[0]
            if isinstance(found, dict) and name in found:
                field = found.get("loc") if name == "msg" else None
                found = f"{field[-1]}: {found[name]}" if isinstance(field, list) and field else found[name]
        words = " ".join((found if isinstance(found, str) else json.dumps(found)).split())
        words = self.redacted(words)
        return words if len(words) <= MESSAGE else f"{words[:MESSAGE]} ..."

    def redacted(self, text: str) -> str:
        for secret in self.secrets:
            if len(secret) > 3:
                text = text.replace(secret, "***").replace(quote(secret, safe=""), "***")
        return text

    def cause(self, error: BaseException) -> str:
        """Return what broke a connection, or an answer."""
        inner = error.__cause__ or error
        reason = getattr(inner, "strerror", None) or getattr(inner, "message", None) or str(inner)  # str() adds lines
        words = " ".join(self.redacted(reason).split()) if isinstance(reason, str) else ""
        return words[:EXCERPT].rstrip(".") or type(inner).__name__

    def unauthorised(self, status: int, message: str) -> str:
        name = self.settings.key_env
        have = "is set, but not to a key that it takes" if os.environ.get(name) else "is not set"
        return (
            f"{self.address} refuses the key ({status}): {message}\nThe environment variable {name}"
            f" ({self.section}.api_key_env) {have}. Set it to a key of this endpoint."
        )

    def _or_the_proxy(self, text: str) -> str:
        """Return that a refusal may be the proxy's, where there is one: in JSON it is the endpoint's own."""
        if text.lstrip().startswith("{") or not http_client().proxied(self.address):
            return ""
        return f"\nOr it is the proxy of {http_client().PROXIES} that refuses: {http_client().WITH_A_NAME}"

    def unreachable(self, error: BaseException) -> str:
        if isinstance(error, TimeoutError):
            return f"{self.address} does not answer."
        if http_client().is_down(error):
            return f"{self.address} cannot be reached: {self.cause(error)}."
        return f"{self.address} cut the connection ({self.cause(error)})."

    def next_step(self) -> str:
        if self.settings.base_url is None and (self.settings.address or "").startswith("https:"):
            return "Check the network of this machine."
        return f"Is the server running? Check {self.section}.base_url."


def http_client() -> Any:
    """Return the module of the client, which models of other packages do without. Its TimeoutError is an OSError."""
    from graphrag_lite.llm import http_client

    return http_client
