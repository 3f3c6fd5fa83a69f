"""How the chat endpoints that people have differ, by the name that `llm.provider` has for them: data, read by `llm`."""

import tomllib
from dataclasses import dataclass
from importlib import resources
from urllib.parse import urlsplit

PLAIN = 3  # place of "plain text" among the forms in which JSON is asked for (llm.openai_fields.FORMS)
JSON_FORMS = {"json_schema": 0, "json_object": 2, "words": PLAIN}


@dataclass(frozen=True)
class Preset:
    """An OpenAI-compatible endpoint. `base_url` is None where everybody has one of their own.

    `key` is the variable that holds the key, `key_header` the header that carries it in place of `Authorization`;
    `form` the best form of a JSON reply that it knows (place in `llm.openai_fields.FORMS`), `biased` False where it
    takes no bias for tokens, `max_tokens` what it calls that limit. `remedy` is for one that cuts long prompts and says
    nothing. `deployments`: the path names the model, and a query the version; `batches`: the form of its batch endpoint
    (`llm.batch_forms.FORMS`), "" where it has none.
    """

    base_url: str | None = None
    key: str = "OPENAI_API_KEY"
    key_header: str = ""
    form: int = 0
    biased: bool = True
    max_tokens: str = "max_tokens"
    remedy: str = ""
    deployments: bool = False
    batches: str = ""


PRESETS = {
    name: Preset(**fields)
    for name, fields in tomllib.loads((resources.files(__package__) / "presets.toml").read_text("utf-8")).items()
}
AZURE_VERSION = "2024-10-21"  # api-version where base_url states none


def deployment_url(base_url: str, model: str) -> str:
    """Return where Azure serves a deployment; an address that names a path of its API stays as it is.

    >>> deployment_url("https://me.openai.azure.com", "mini")
    'https://me.openai.azure.com/openai/deployments/mini?api-version=2024-10-21'
    >>> deployment_url("https://me.openai.azure.com/openai/v1", "mini")
    'https://me.openai.azure.com/openai/v1'
    """
    address, _, query = base_url.partition("?")
    if "/openai" not in urlsplit(address).path:
        address = f"{address.rstrip('/')}/openai/deployments/{model}"
    elif "/deployments/" not in address:
        return base_url
    return f"{address}?{query or f'api-version={AZURE_VERSION}'}"
