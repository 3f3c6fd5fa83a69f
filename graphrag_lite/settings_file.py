"""Read a settings file: YAML, whose errors are told by line, and in which no key stands twice."""

import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from graphrag_lite.errors import SettingsError

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
        kind = "a list" if isinstance(values, list) else f"{shown(values)} alone"
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


def shown(value: Any) -> str:
    """Write a value as its file does, a long one cut off.

    >>> shown(True), shown(None), shown([1] * 99)
    ('true', 'empty', '[1, 1, 1, 1, 1, 1, ...]')
    """
    words = {None: "empty", True: "true", False: "false"}
    return words[value] if isinstance(value, bool | None) else reprlib.repr(value)
