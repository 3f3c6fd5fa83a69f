"""The prompts: one Markdown file each, with `$name` placeholders, and a dataclass whose fields are their names.

Shipped in `prompts/`; a file of the same name in the root's `prompts/` takes its place. Files and fields are compared
before a run starts. What varies most stands last in a file, so that a provider's prompt cache can serve the rest.
"""

import difflib
import hashlib
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any, dataclass_transform

from graphrag_lite.errors import PromptError

PROMPTS: dict[str, type] = {}


@dataclass_transform(frozen_default=True)
def prompt(cls: type) -> Any:
    """Register a dataclass as the prompt file of its name: ExtractGraph is `extract_graph.md`."""
    made: type = dataclass(frozen=True)(cls)
    PROMPTS[_file_name(cls)] = made
    return made


def _file_name(cls: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower() + ".md"


@prompt
class ExtractGraph:
    """A text unit's entities and relationships."""

    entity_types: str
    examples: str
    about: str  # lines on when and by whom the text was said, and what before it; empty where nothing is known
    text: str


@prompt
class ExtractGraphExamples:
    """The examples in that prompt: what `prompt-tune` writes anew for a corpus."""


@prompt
class ExtractGraphMissed:
    """Whether entities were missed: yes or no."""


@prompt
class ExtractGraphMore:
    """The entities that were missed."""


@prompt
class ExtractClaims:
    """A text unit's claims about entities."""

    claim_description: str
    date: str
    entities: str
    text: str


@prompt
class ExtractClaimsMissed:
    """Whether claims were missed: yes or no."""


@prompt
class ExtractClaimsMore:
    """The claims that were missed."""


@prompt
class ResolveEntities:
    """Which pairs of names mean one entity."""

    pairs: str


@prompt
class FoldFacts:
    """Which facts a later statement has ended."""

    pairs: str


@prompt
class SummarizeDescriptions:
    """Several descriptions of one entity or relationship as one."""

    max_words: int
    name: str
    descriptions: str


@prompt
class ReportCommunities:
    """A report on one community, from its records."""

    max_words: int
    records: str


@prompt
class LocalSearch:
    """An answer from entities, relationships, claims, reports and texts."""

    response_type: str
    records: str
    question: str


@prompt
class BasicSearch:
    """An answer from texts."""

    response_type: str
    records: str
    question: str


@prompt
class GlobalMap:
    """What some community reports say to a question: scored points."""

    records: str
    question: str


@prompt
class GlobalReduce:
    """An answer from the points of all map calls."""

    response_type: str
    records: str
    question: str


@prompt
class RateReport:
    """Whether a community report helps to answer a question: yes or no."""

    report: str
    question: str


@prompt
class RatePassage:
    """Whether a text unit helps to answer a question: yes or no."""

    passage: str
    question: str


@prompt
class MapPassages:
    """What some text units say to a question: scored points."""

    records: str
    question: str


@prompt
class DriftPrimer:
    """What reports say to a question, and what to ask next."""

    max_follow_ups: int
    records: str
    question: str


@prompt
class DriftFollowUp:
    """What records say to a follow-up of a question, and what to ask next."""

    max_follow_ups: int
    records: str
    follow_up: str
    question: str


@prompt
class AgentSearch:
    """How an agent works, and what its core memory holds."""

    task: str
    user: str


@prompt
class AgentSummary:
    """What went on in calls that leave an agent's context, together with what was told of those before."""

    max_words: int
    summary: str
    messages: str
    question: str


@prompt
class DescribeCorpus:
    """What a corpus is about and which types of entities it names: what `prompt-tune` asks first."""

    texts: str


@dataclass(frozen=True)
class Prompts:
    """The texts of all prompt files, by file name."""

    texts: Mapping[str, str]

    def digests(self, stage: str = "") -> dict[str, str]:
        """Return the sha256 of every file, or of those of one stage: their names begin with its name."""
        return {
            name: hashlib.sha256(text.encode()).hexdigest()
            for name, text in sorted(self.texts.items())
            if name.startswith(stage)
        }

    def fill(self, values: Any) -> str:
        """Return the prompt of a registered dataclass, its placeholders filled; what is filled in is not read again.

        >>> Prompts({"extract_graph_missed.md": "Anything missed?"}).fill(ExtractGraphMissed())
        'Anything missed?'
        """
        template = string.Template(self.texts[_file_name(type(values))])
        return template.substitute({field.name: getattr(values, field.name) for field in fields(values)})


def load(folder: Path | None = None) -> Prompts:
    """Read the shipped prompts, and those of a root's `prompts/` folder instead of them.

    Raises PromptError that names every file whose placeholders are not its dataclass's fields, or whose name is nearly
    a prompt's.
    """
    texts = shipped()
    origin = dict.fromkeys(texts, "shipped")
    unknown = []
    for path in sorted(folder.glob("*.md")) if folder else ():
        if path.name in PROMPTS:
            try:
                texts[path.name] = path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise PromptError(f"{path}: cannot be read: {error}") from None
            origin[path.name] = str(path)
        elif near := difflib.get_close_matches(path.name, PROMPTS, n=1, cutoff=0.8):
            unknown.append(f"  {path}: no prompt has this name. Did you mean {near[0]}?")
    problems = [
        f"  {origin.get(name, name)}{'' if name in texts else ' (missing)'}: {problem}"
        for name, cls in PROMPTS.items()
        for problem in _problems(texts.get(name, ""), {field.name for field in fields(cls)})
    ]
    if problems or unknown:
        raise PromptError("\n".join(["These prompts cannot be used:", *unknown, *problems]))
    return Prompts({name: texts[name] for name in PROMPTS})


def _problems(text: str, names: set[str]) -> list[str]:
    template = string.Template(text)
    if not text.strip():
        return ["it is empty"]
    if not template.is_valid():
        return ["a $ that starts no placeholder; write $$ for the character itself"]
    found = set(template.get_identifiers())
    return [f"${name} is missing" for name in sorted(names - found)] + [
        f"${name} is not a placeholder of this prompt" for name in sorted(found - names)
    ]


def shipped() -> dict[str, str]:
    """Return the shipped prompt files, by name: from the wheel, or from a checkout."""
    package = Path(str(resources.files("graphrag_lite")))
    folder = next(f for f in (package / "shipped" / "prompts", package.parent / "prompts") if f.is_dir())
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
