"""Settings from a file and from `--set`, with errors as a user reads them; and the file that `init` writes."""

import difflib
import reprlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import ValidationError

from graphrag_lite.errors import OverrideError, SettingsError
from graphrag_lite.settings import IN_ENTITIES_YAML, Settings
from graphrag_lite.settings.known_names import KnownNames
from graphrag_lite.settings.of_graphrag import replacements
from graphrag_lite.settings.values import SettingsSection

TYPES = {  # how an error of pydantic is worded, by its type
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be text; put quotes around it",
    "list_type": "must be a list, as in [a, b]",
    "dict_type": "is a section: its settings stand below it, as `key: value`",
    "model_type": "is a section: its settings stand below it, as `key: value`",
}

# What the file entities.yaml says, by section and key.
KNOWN = (
    ("resolve_entities", "known"),
    ("extract_graph_fast", "names"),
    ("extract_graph", "names"),
    ("extract_graph", "types"),
)
# What PyYAML raises beside its own errors: of a day that no calendar has, `!!bool maybe`, `!!int ""`, `!!timestamp x`.
UNREADABLE = (ValueError, RecursionError, LookupError, AttributeError)


def read(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a settings file, and which keys stand in it twice. Raises SettingsError."""
    try:
        text = path.read_text(encoding="utf-8")
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        values = loader.construct_document(root) if root else {}
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such settings file.") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}:{line}: is not UTF-8 text. Save the file with the encoding UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f":{mark.line + 1}" if mark else ""
        raise SettingsError(f"{path}{at}: is not valid YAML: {error.problem or error.context}.") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise SettingsError(f"{path}:{line}: is not text: it holds the character {chr(error.character)!r}.") from None
    except UNREADABLE as error:
        raise SettingsError(f"{path}: is not valid YAML: {error}.") from None
    if values is None:
        values = {}
    if not isinstance(values, dict):
        kind = "a list" if isinstance(values, list) else f"{shorten_value(values)} alone"
        raise SettingsError(f"{path}: must hold settings, a line `section:` and below it `  key: value`; it is {kind}.")
    return values, list(_repeated(root))


def _repeated(node: Any, above: str = "", seen: tuple[Any, ...] = ()) -> Iterator[str]:
    """Say of each key of a YAML mapping, and of those in it, that it stands there twice: the first would be lost."""
    if not isinstance(node, yaml.MappingNode) or node in seen:  # an alias may hold itself
        return
    lines: dict[str, int] = {}
    for key, value in node.value:
        name, line = f"{above}{key.value}", key.start_mark.line + 1
        if name in lines:
            yield f"{name}: stands there twice, in the lines {lines[name]} and {line}"
        lines[name] = line
        yield from _repeated(value, f"{name}.", (*seen, node))


def shorten_value(value: Any) -> str:
    """Write a value as its file does, a long one cut off.

    >>> shorten_value(True), shorten_value(None), shorten_value([1] * 99)
    ('true', 'empty', '[1, 1, 1, 1, 1, 1, ...]')
    """
    words = {None: "empty", True: "true", False: "false"}
    return words[value] if isinstance(value, bool | None) else reprlib.repr(value)


def load(
    root: Path, config: Path | None = None, overrides: Sequence[str] = (), *, for_indexing: bool = True
) -> Settings:
    """Read the settings of a root. Raises SettingsError that lists every problem and where it stands.

    It is an OverrideError where the file alone would do, and where it is not there although it is named.
    """
    overrides = [overrides] if isinstance(overrides, str) else overrides
    if config and not config.exists():
        raise OverrideError(f"{config}: there is no such settings file.")
    path = config or root / "settings.yaml"
    values, problems = read(path) if config or path.exists() else ({}, [])
    if theirs := replacements(values):
        raise SettingsError(
            f"{path} is a settings file of microsoft/graphrag. `graphrag-lite init FOLDER` writes one of graphrag-lite;"
            " every key is optional there. In the place of:\n" + "\n".join(f"  {line}" for line in theirs)
        )
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, SettingsSection) and values.get(name, field) is None:
            del values[name]  # a section whose every line is commented out
    names = path.parent / "entities.yaml"
    unknown = _with_known(values, names)
    settings, alone = _validated(values, for_indexing)
    misread = [problem for override in overrides if (problem := _override(values, override))]
    settings, found = _validated(values, for_indexing) if overrides else (settings, alone)
    problems += [problem for problem in found if problem in alone]
    misread += [problem for problem in found if problem not in alone]
    if settings and not problems and not unknown and not misread:
        return settings
    lines = []
    for where, listed in ((str(path), problems), (str(names), unknown), ("--set", misread)):
        if listed:
            noun = "a problem" if len(listed) == 1 else f"{len(listed)} problems"
            lines += [f"{where} has {noun}:", *(f"  {problem}" for problem in listed)]
    raise (SettingsError if problems or unknown else OverrideError)("\n".join(lines))


def _with_known(values: dict[str, Any], path: Path) -> list[str]:
    """Put what a file says of names into the sections that need it. Return what is wrong with it."""
    sections = [(values.get(section), key) for section, key in KNOWN]
    if own := [key for section, key in sections if isinstance(section, dict) and key in section]:
        return [f"{key}: this stands here, not in settings.yaml" for key in own]
    if not path.exists():
        return []
    known, problems = read(path)
    try:
        found = KnownNames.model_validate(known)
    except ValidationError as error:
        return [*(_explain(problem, KnownNames) for problem in error.errors()), *problems]
    for section, key in KNOWN:
        stated = values.setdefault(section, {})
        if isinstance(stated, dict):
            stated[key] = found if key == "known" else getattr(found, key)
    return problems


def _validated(values: dict[str, Any], for_indexing: bool) -> tuple[Settings | None, list[str]]:
    """Return the settings that values make, None where they make none, and what is wrong with them."""
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        return None, [_explain(problem) for problem in error.errors()]
    return settings, settings.lack_a_model() if for_indexing else []


def _override(values: dict[str, Any], override: str) -> str:
    """Set what an override says. Return what is wrong with it, nothing where it can be read."""
    name, equals, text = override.partition("=")
    if not equals:
        return f"{override}: write it as section.key=value"
    *sections, key = name.strip().split(".")
    for section in sections:
        inner = values.setdefault(section, {})
        if not isinstance(inner, dict):
            return f"{override}: {section} is not a section"
        values = inner
    try:
        values[key] = yaml.safe_load(text)
    except (yaml.YAMLError, *UNREADABLE):
        values[key] = text
    return ""


def _explain(problem: Any, model: type[SettingsSection] = Settings) -> str:
    """Word one pydantic error the way a user reads it."""
    parts = [str(part) for part in problem["loc"]]
    name, kind = ".".join(parts), problem["type"]
    if kind == "value_error":
        message = problem["msg"].removeprefix("Value error, ")
        return f"{name}: {message}" if name else message
    if kind == "missing":
        return f"{name}: is missing"
    if kind not in ("extra_forbidden", "invalid_key"):
        message = TYPES.get(kind) or problem["msg"].replace("Input should be", "must be")
        return f"{name}: {message} (it is {shorten_value(problem['input'])})"
    field: Any = model
    for part in parts[:-1]:
        field = field.model_fields[part].annotation if hasattr(field, "model_fields") else get_args(field)[1]
    names = [".".join([*parts[:-1], near]) for near in difflib.get_close_matches(parts[-1], field.model_fields, n=1)]
    names = names or [
        f"{section}.{parts[-1]}"
        for section, other in Settings.model_fields.items()
        if parts[-1] in getattr(other.annotation, "model_fields", {})
    ]
    hint = f" Did you mean {' or '.join(names)}?" if names else ""
    return f"{name}: not a setting.{hint}"


def render_defaults() -> str:
    """Return `settings.yaml` with every default and what it means."""
    lines = ["# Settings of graphrag-lite. Every value here is the default; keep only what you change."]
    for name, field in Settings.model_fields.items():
        if field.description is not None:
            lines += ["", f"# {field.description}", f"{name}: {_yaml(field.default)}"]
            continue
        section = type(field.default)
        lines += ["", f"# {(section.__doc__ or '').strip()}", f"{name}:"]
        for key, inner in section.model_fields.items():
            if inner.description != IN_ENTITIES_YAML:
                lines.append(f"  {key}: {_yaml(inner.default)}  # {inner.description}")
    return "\n".join(lines) + "\n"


def _yaml(value: Any) -> str:
    if isinstance(value, SettingsSection):
        value = value.model_dump()
    if isinstance(value, dict):
        value = {key: each.model_dump() if isinstance(each, SettingsSection) else each for key, each in value.items()}
    return yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix("...\n").strip()
