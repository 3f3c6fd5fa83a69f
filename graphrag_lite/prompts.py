"""The prompts: one Markdown file each, with `$name` placeholders, and a dataclass whose fields are their names.

Shipped in `prompts/`; a file of the same name in the root's `prompts/` takes its place. Files and fields are compared
before a run starts. What varies most stands last in a file, so that a provider's prompt cache can serve the rest.
"""

import difflib
import hashlib
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, dataclass_transform

from graphrag_lite.distribution import shipped_folder
from graphrag_lite.errors import PromptError

PROMPTS: "dict[str, type[Prompt]]" = {}


@dataclass_transform(frozen_default=True, eq_default=False)
class Prompt:
    """A prompt file and its placeholders, by its name in snake case; prompts/README.md says what each asks."""

    def __init_subclass__(cls) -> None:
        PROMPTS[_file_name(cls)] = cls

    def __init__(self, *values: Any, **named: Any) -> None:  # 30 dataclasses would be made at every start
        names = [name for name in type(self).__annotations__ if name not in named]
        vars(self).update(zip(names, values, strict=True), **named)


def _file_name(cls: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Prompt")).lower() + ".md"


class ExtractGraphPrompt(Prompt):
    entity_types: str
    examples: str
    about: str  # lines on when and by whom the text was said, and what before it; empty where nothing is known
    text: str


class ExtractGraphExamplesPrompt(Prompt): ...


class ExtractGraphMissedPrompt(Prompt): ...


class ExtractGraphMorePrompt(Prompt): ...


class ExtractClaimsPrompt(Prompt):
    claim_description: str
    date: str
    entities: str
    text: str


class ExtractClaimsMissedPrompt(Prompt): ...


class ExtractClaimsMorePrompt(Prompt): ...


class ResolveEntitiesPrompt(Prompt):
    pairs: str


class FoldFactsPrompt(Prompt):
    pairs: str


class SummarizeDescriptionsPrompt(Prompt):
    max_words: int
    name: str
    descriptions: str


class ReportCommunitiesPrompt(Prompt):
    max_words: int
    records: str


class LocalSearchPrompt(Prompt):
    response_type: str
    records: str
    question: str


class BasicSearchPrompt(Prompt):
    response_type: str
    records: str
    question: str


class GlobalMapPrompt(Prompt):
    records: str
    question: str


class GlobalReducePrompt(Prompt):
    response_type: str
    records: str
    question: str


class RateReportPrompt(Prompt):
    report: str
    question: str


class RatePassagePrompt(Prompt):
    passage: str
    question: str


class MapPassagesPrompt(Prompt):
    records: str
    question: str


class DriftPrimerPrompt(Prompt):
    max_follow_ups: int
    records: str
    question: str


class DriftFollowUpPrompt(Prompt):
    max_follow_ups: int
    records: str
    follow_up: str
    question: str


class AgentSearchPrompt(Prompt):
    task: str
    user: str


class AgentSummaryPrompt(Prompt):
    max_words: int
    summary: str
    messages: str
    question: str


class DescribeCorpusPrompt(Prompt):
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

    def fill(self, values: object) -> str:
        """Return a prompt, its placeholders filled; what is filled in is not read again.

        >>> Prompts({"extract_graph_missed.md": "Anything missed?"}).fill(ExtractGraphMissedPrompt())
        'Anything missed?'
        """
        template = string.Template(self.texts[_file_name(type(values))])
        return template.substitute(vars(values))


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
        for problem in _problems(texts.get(name, ""), set(cls.__annotations__))
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
    """Return the shipped prompt files, by name."""
    files = sorted(shipped_folder("prompts", "prompts").glob("*.md"))
    return {path.name: path.read_text(encoding="utf-8") for path in files}
