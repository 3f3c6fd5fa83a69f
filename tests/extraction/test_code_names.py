"""Names of code within a line."""

from hypothesis import given
from hypothesis import strategies as st
from resolving import resolve

from graphrag_lite.extraction.blocks import UnitBlock
from graphrag_lite.extraction.code_names import code_names


def named(line: str) -> list[str]:
    """Return the names of a line with its code in backticks."""
    blocks, text = [], ""
    for number, piece in enumerate(line.split("`")):
        if number % 2:
            blocks.append(UnitBlock("code", "", len(text), len(text) + len(piece)))
        text += piece
    return [name.name for name in code_names(text, blocks)]


def test_commands_options_files_and_identifiers_are_names_and_values_and_patterns_are_none() -> None:
    assert named("Run `npm ci --omit=dev` or `--yes`, see `package.json`, `fs.readFile(path)` and `@scope/name`.") == [
        *("npm ci", "--yes", "package.json", "fs.readFile", "@scope/name")
    ]
    assert not named(
        "Give `true`, `0`, `1.2.3`, `'x'`, `{a: b}`, `<LANG>_FLAGS`, `https://a.example/b`, `$ ls` or `x`."
    )
    assert not named("`npm ci`")  # a line of code, no code within a line


@given(st.text(), st.text(max_size=60), st.text())
def test_a_name_of_code_is_the_first_of_its_characters(before: str, code: str, after: str) -> None:
    text = before + code + after
    for name in code_names(text, [UnitBlock("code", "", len(before), len(before + code))]):
        assert text[name.start : name.end] == name.name and code.startswith(name.name)


def test_code_is_a_name_where_it_recurs_and_is_no_common_word() -> None:
    counts = {"npm ci": 3, "npm x": 2, "name": 3, "before": 3, "--yes": 3}
    names = [name for name, n in counts.items() for _ in range(n)]
    rows = resolve(["d"] * len(names), names, ["code"] * len(names), [False] * len(names), {"name": 9})
    assert {row.name: row.type for row in rows if row.key} == {"npm ci": "code", "--yes": "code"}


def test_a_word_with_a_capital_inside_is_a_name_however_often_its_command_is_written() -> None:
    rows = resolve(["d"] * 3, ["CMake", "CMake", "Plain"], ["unknown"] * 3, [True] * 3, {"cmake": 9, "plain": 9})
    assert [row.title for row in rows if row.key] == ["CMake"]
