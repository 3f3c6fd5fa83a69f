"""The models that are asked: where they are, what they may cost."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from graphrag_lite.settings.presets import JSON_FORMS, PRESETS, Preset
from graphrag_lite.settings.values import Address, HeaderName, Options, SettingsSection, VariableName

OPENAI = "openai"  # the provider where none is named


class Prices(SettingsSection):
    """What a model costs, in US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(0.0, ge=0)
    cached_input: float | None = Field(None, ge=0)

    @property
    def halved(self) -> "Prices":
        """What a batch costs."""
        cached = None if self.cached_input is None else self.cached_input / 2
        return Prices(input=self.input / 2, output=self.output / 2, cached_input=cached)


# https://platform.openai.com/docs/pricing, 2025
PRICES = {
    "gpt-4o-mini": Prices(input=0.15, cached_input=0.075, output=0.6),
    "gpt-4.1-mini": Prices(input=0.4, cached_input=0.1, output=1.6),
    "gpt-5-mini": Prices(input=0.25, cached_input=0.025, output=2.0),
    "text-embedding-3-small": Prices(input=0.02),
    "text-embedding-3-large": Prices(input=0.13),
}


Asking = Literal[
    "extract_graph",
    "resolve_entities",
    "summarize_descriptions",
    "fold_facts",
    "extract_claims",
    "report_communities",
]
"""A stage that asks a model, in the order of their turns."""


class Takes(SettingsSection):
    """What an endpoint takes, where that is not what its provider does; null: as its provider."""

    key_header: HeaderName | None = None  # Authorization: with `Bearer` before the key
    deployments: bool | None = None
    json_form: Literal["json_schema", "json_object", "words"] | None = None
    logit_bias: bool | None = None
    reply_limit: Literal["max_tokens", "max_completion_tokens"] | None = None

    def over(self, preset: Preset) -> Preset:
        """Return a preset with what is set here in its place.

        >>> Takes(key_header="Authorization", logit_bias=False).over(PRESETS["azure"]).key_header
        ''
        """
        bearer = (self.key_header or "").lower() == "authorization"
        stated: dict[str, Any] = {
            "key_header": "" if bearer else self.key_header,
            "deployments": self.deployments,
            "form": self.json_form and JSON_FORMS[self.json_form],
            "biased": self.logit_bias,
            "max_tokens": self.reply_limit,
        }
        return replace(preset, **{name: value for name, value in stated.items() if value is not None})


class Llm(SettingsSection):
    """The chat model: any OpenAI-compatible endpoint. `method: standard` needs one, answers use one that is named."""

    provider: str = Field(OPENAI, description=f"{', '.join(PRESETS)}; or what an installed package brings")
    model: str | None = Field(None, description="its name; null: no model, answers are sentences of the corpus")
    models: dict[Asking, str] = Field(
        {}, description="other models of the same endpoint, by stage, such as {resolve_entities: gpt-4.1-nano}"
    )
    base_url: Address | None = Field(
        None, description="endpoint, such as http://localhost:11434/v1; null: the provider's own"
    )
    api_key_env: VariableName | None = Field(
        None,
        description="the environment variable that holds the key, never the key; null: the provider's (OPENAI_API_KEY)",
    )
    headers: dict[HeaderName, VariableName] = Field(
        {}, description="more headers, and the environment variables that hold them, such as {X-Team: TEAM}"
    )
    query: dict[str, VariableName] = Field(
        {}, description="parameters of the address, and the variables that hold them, such as {subscription-key: KEY}"
    )
    takes: Takes = Field(Takes(), description="what differs from its provider's way; null: as there")
    temperature: float | None = Field(
        0.0, ge=0, description="null: not sent, for models that accept no other than theirs"
    )
    parameters: Options = Field({}, description="more request parameters, such as {seed: 1}")
    concurrency: int = Field(25, ge=1, description="most requests in flight")
    requests_per_minute: int | None = Field(None, ge=1, description="null: no limit but the endpoint's own")
    tokens_per_minute: int | None = Field(None, ge=1, description="prompt and completion; null: no limit")
    batch: bool = Field(
        False,
        description="index asks in batches, within 24 hours at half the price (openai, azure, groq, anthropic, gemini)",
    )
    timeout: float = Field(180.0, gt=0, description="seconds that one request may take")
    max_attempts: int = Field(6, ge=1, description="tries of a request that can heal: 429, 5xx; a timeout: 2")
    max_failure_ratio: float = Field(0.05, ge=0, le=1, description="a stage stops when more of its items have failed")
    max_calls: int | None = Field(None, ge=0, description="a run stops, to be resumed, before it makes more calls")
    max_cost: float | None = Field(
        None, ge=0, description="a run stops, to be resumed, once it has cost this (US dollars)"
    )
    prices: dict[str, Prices] = Field(PRICES, description="by model, US dollars per million tokens; these are of 2025")

    @model_validator(mode="after")
    def _batches_are_of_one_model(self) -> Self:
        if self.batch and self.models:
            raise ValueError("batch asks one model: leave models empty")
        return self

    def of(self, stage: str) -> Self:
        """Return the settings as a stage asks by them."""
        named = next((name for each, name in self.models.items() if each == stage), self.model)
        return self.model_copy(update={"model": named})

    def prices_of(self, model: str | None) -> Prices | None:
        """Return what a model costs, None where that is not known. Weights at a path of this machine cost nothing."""
        if not model or model in self.prices:
            return self.prices.get(model or "")
        path = Path(model).expanduser()
        return Prices(input=0) if path.name != model and path.exists() else None

    @property
    def preset(self) -> Preset:
        """What its provider differs in; nothing where a package brings it."""
        return self.takes.over(PRESETS.get(self.provider, Preset()))

    @property
    def is_file(self) -> bool:
        """Whether the model is weights of llama.cpp in a file, read in this process."""
        return self.provider == "llamacpp" and self.base_url is None and (self.model or "").endswith(".gguf")

    @property
    def address(self) -> str | None:
        """Its base URL, None where neither the settings nor the provider have one."""
        return self.base_url or self.preset.base_url

    @property
    def key_env(self) -> str:
        """The environment variable that holds its key."""
        return self.api_key_env or self.preset.key


class Embeddings(SettingsSection):
    """The embedding model: any OpenAI-compatible endpoint. Local search uses vectors as far as they add to words."""

    provider: str = Field(OPENAI, description="as llm.provider; openai without a base_url: the endpoint of llm")
    model: str | None = Field(None, description="its name; null: none, no vectors")
    base_url: Address | None = Field(None, description="endpoint; null: that of llm")
    api_key_env: VariableName | None = Field(
        None, description="the environment variable that holds the key; null: that of llm"
    )
    batch_size: int = Field(64, ge=1, description="most texts in one request")
    text_prefix: str = Field("", description='put before each text that is embedded, such as "passage: " (E5)')
    question_prefix: str = Field("", description='put before each question, such as "query: " (E5)')
