"""Forms that settings have in common: a section, and values that are checked as they are read."""

import json
import re
from typing import Annotated, Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer


class SettingsSection(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _variable(name: str) -> str:
    if not name.isidentifier():  # not shown: it may be a key
        raise ValueError("is the name of an environment variable, such as OPENAI_API_KEY, not the key itself")
    return name


def _header(name: str) -> str:
    if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII):
        raise ValueError("a header has a name of letters, digits and hyphens, such as X-Team")
    return name


def _without_secrets(url: str) -> str:
    """Return an address as a manifest stores it: a password or a query may be a key.

    >>> _without_secrets("https://me:secret@host:8000/v1?api-key=secret")
    'https://host:8000/v1'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _json(values: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"must be JSON: {error}") from None
    return values


Options = Annotated[dict[str, Any], AfterValidator(_json)]
VariableName = Annotated[str, AfterValidator(_variable)]
HeaderName = Annotated[str, AfterValidator(_header)]
Address = Annotated[str, PlainSerializer(_without_secrets)]


def _several(names: list[str]) -> list[str]:
    if len(set(names)) < 2:
        raise ValueError("names two or more")
    return names


Several = Annotated[list[str], AfterValidator(_several)]
