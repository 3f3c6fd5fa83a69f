"""How good retrieval is: measures of ranked documents, their intervals, and which differences are more than chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_lite.errors import InputError
from graphrag_lite.read.json_values import objects
from graphrag_lite.text.dates import iso_date
from graphrag_lite.text.timestamps import to_iso

Floats = NDArray[np.float64]
CUTS = (2, 5, 10)
DEPTH = max(CUTS)  # documents that are looked at: what is ranked below counts as not retrieved
NEWEST = "newest_first"  # of questions that say which of their documents is the latest
SAMPLES = 10_000
SEED = 1
BLOCK = 4_000_000  # numbers drawn at a time: 32 MB
MAX_PROBLEMS = 20  # named in one message
Measured = Mapping[str, float]
"""A question's measures, from 0 to 1, by name."""


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question and the documents that answer it, `gold`; none where the corpus does not say.

    It is asked as of the date `as_of`, where there is one. Where the documents contradict each other, `latest` is the
    one that holds, and `superseded` are those that did.
    """

    id: str
    question: str
    type: str
    gold: frozenset[str]
    latest: str | None = None
    superseded: frozenset[str] = frozenset()
    as_of: str | None = None


# --- measures


def measure(question: JudgedQuestion, ranked: Sequence[str]) -> dict[str, float]:
    """Return the measures of one ranking, of at most DEPTH documents, best first.

    recall@k is the share of `gold` in the first k, all_gold@5 whether all of it is in the first 5, mrr 1 / the rank of
    the first document of it (0 where none is ranked), newest_first whether `latest` is ranked above all `superseded`.

    >>> question = JudgedQuestion("1", "Who?", "", frozenset("ac"), "a", frozenset("b"))
    >>> found = measure(question, ["b", "a", "c"])
    >>> found["recall@2"], found["all_gold@5"], found["mrr"], found["newest_first"]
    (0.5, 1.0, 0.5, 0.0)
    """
    ranked, gold = ranked[:DEPTH], question.gold
    found = {f"recall@{cut}": len(gold.intersection(ranked[:cut])) / len(gold) for cut in CUTS}
    found["all_gold@5"] = float(found["recall@5"] == 1)
    found["mrr"] = next((1 / rank for rank, name in enumerate(ranked, start=1) if name in gold), 0.0)
    if question.latest:
        rivals = {question.latest, *question.superseded}
        found[NEWEST] = float(next((name == question.latest for name in ranked if name in rivals), False))
    return found


# --- statistics


def interval(values: Floats) -> Floats:
    """Return the 95% interval (2, n_measures) of the means of `values` (n_questions, n_measures).

    Percentile bootstrap over questions (Efron and Tibshirani 1993, chapter 13; for retrieval, Sakai, SIGIR 2006).

    >>> interval(np.ones((4, 1))).tolist()
    [[1.0], [1.0]]
    """
    rng, n = np.random.default_rng(SEED), len(values)
    # How often each question is drawn is all that a mean needs of a resample.
    drawn = (rng.multinomial(n, np.full(n, 1 / n), size=size) for size in _blocks(n))
    means = np.concatenate([counts @ values / n for counts in drawn])
    low_and_high: Floats = np.percentile(means, (2.5, 97.5), axis=0)
    return low_and_high


def p_value(differences: Floats) -> Floats:
    """Return how likely mean differences at least this large are by chance, (n_measures,), two-sided.

    `differences` (n_questions, n_measures) are of two methods on the same questions. Fisher's randomisation test: if
    the methods were equal, each difference could as well have the other sign (Smucker, Allan, Carterette, CIKM 2007).
    The observed signs count as one of the samples, so it is never 0 (Phipson and Smyth 2010).

    >>> p_value(np.zeros((4, 1))).tolist()
    [1.0]
    """
    rng = np.random.default_rng(SEED)
    observed = np.abs(differences.sum(axis=0)) - 1e-9  # equal sums may differ in their last bits
    extreme = np.zeros(differences.shape[1])
    for size in _blocks(len(differences)):
        signs = 2.0 * rng.integers(0, 2, (size, len(differences))) - 1
        extreme += (np.abs(signs @ differences) >= observed).sum(axis=0)
    return (extreme + 1) / (SAMPLES + 1)


def _blocks(n: int) -> list[int]:
    """Return numbers of samples that sum to SAMPLES, each of n numbers, that fit the memory."""
    size = max(1, BLOCK // n)
    return [min(size, SAMPLES - start) for start in range(0, SAMPLES, size)]


def summarize(rows: Sequence[Measured]) -> dict[str, dict[str, float]]:
    """Return `mean`, `low` and `high` (95%) of every measure, and `n`, the questions that have it."""

    def figures(values: Floats) -> dict[str, Floats]:
        low, high = interval(values)
        return {"mean": values.mean(axis=0), "low": low, "high": high}

    return _by_measure(rows, figures)


def compare(after: Mapping[str, Measured], before: Mapping[str, Measured]) -> dict[str, dict[str, float]]:
    """Return `difference` (after - before) and `p` of every measure, over the `n` questions (by id) that both have."""
    pairs = [(after[key], before[key]) for key in after if key in before]
    rows = [{name: now[name] - was[name] for name in now if name in was} for now, was in pairs]
    return _by_measure(rows, lambda values: {"difference": values.mean(axis=0), "p": p_value(values)})


def _by_measure(
    rows: Sequence[Measured], figures: Callable[[Floats], Mapping[str, Floats]]
) -> dict[str, dict[str, float]]:
    """Return `figures` (n_measures,) of values (n_questions, n_measures): of what all questions have, then others."""
    names = dict.fromkeys(name for row in rows for name in row)
    everywhere = [name for name in names if all(name in row for row in rows)]
    found: dict[str, dict[str, float]] = {}
    for group in filter(None, (everywhere, *([name] for name in names if name not in everywhere))):
        values = np.array([[row[name] for name in group] for row in rows if group[0] in row], dtype=float)
        columns = figures(values)
        for column, name in enumerate(group):
            found[name] = {"n": len(values), **{key: round(float(each[column]), 6) for key, each in columns.items()}}
    return found


# --- files


def read_text(path: Path) -> str:
    """Return the text of a file that a user names. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def read_questions(text: str, where: str) -> list[JudgedQuestion]:
    """Return the questions of a JSONL file, in their order. Raises InputError that names every line that is wrong."""
    questions: list[JudgedQuestion] = []
    lines: dict[str, int] = {}
    problems = []
    for number, row in objects(text):
        if wrong := _wrong(row, lines):
            problems.append(f"{where}:{number}: {wrong}")
            continue
        row = row or {}
        key, older = str(row["id"]), frozenset(map(str, row.get("superseded_ids") or ()))
        lines[key] = number
        questions.append(
            JudgedQuestion(
                key,
                row["question"],
                str(row.get("type") or ""),
                frozenset(map(str, row["supporting_ids"])),
                str(row["latest_supporting_id"]) if row.get("latest_supporting_id") and older else None,
                older,
                row.get("question_date") or None,
            )
        )
    if problems:
        more = [f"... and {len(problems) - MAX_PROBLEMS} more"] if len(problems) > MAX_PROBLEMS else []
        raise InputError("\n".join(["These questions cannot be used:", *problems[:MAX_PROBLEMS], *more]))
    if not any(question.gold for question in questions):
        raise InputError(f"{where}: no question with supporting_ids, so there is nothing to measure.")
    return questions


def _wrong(row: Mapping[str, Any] | None, lines: Mapping[str, int]) -> str:
    """Say what is wrong with a line of questions, nothing where it can be used; `lines` are of the ids before it."""
    if row is None:
        return "not a JSON object"
    names = ("id", "question", "supporting_ids", "superseded_ids", "latest_supporting_id", "question_date")
    key, question, gold, older, latest, day = map(row.get, names)
    is_right = {
        "no `id`, a string or number": _is_id(key),
        f"the `id` {key!r} is also that of line {lines.get(str(key))}": str(key) not in lines,
        "no `question`": isinstance(question, str) and question.strip(),
        "no `supporting_ids`, a list of the ids of documents, [] where the corpus does not say": _are_ids(gold),
        "`superseded_ids` is not a list of the ids of documents": older is None or _are_ids(older),
        "`latest_supporting_id` is not the id of a document": latest is None or _is_id(latest),
        "`question_date` is not a date, such as 2023-05-30": not day
        or (isinstance(day, str) and (iso_date(day) or to_iso(day))),
    }
    return next((what for what, right in is_right.items() if not right), "")


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and value != ""


def _are_ids(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_id, value))


def read_earlier(path: Path, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Measured]]:
    """Return the measures of an earlier result, of which some set and method are wanted. Raises InputError."""
    earlier = read_results(read_text(path), str(path))
    if not any(key in earlier for key in wanted):
        known = ", ".join(f"{name} by {method}" for name, method in earlier)
        raise InputError(f"{path} has nothing to compare with. It holds: {known}.")
    return earlier


def read_results(text: str, where: str) -> dict[tuple[str, str], dict[str, Measured]]:
    """Return the measures of an earlier result by set and method, then by question id.

    Raises InputError for a line that is not one that `eval --json` prints.
    """
    found: dict[tuple[str, str], dict[str, Measured]] = {}
    for number, row in objects(text):
        try:
            key = (str((row or {})["set"]), str((row or {})["method"]))
            found[key] = {
                str(question["id"]): {str(name): float(value) for name, value in question["measures"].items()}
                for question in (row or {})["questions"]
            }
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(f"{where}:{number}: not a result of `graphrag-lite eval --json`.") from None
    if not found:
        raise InputError(f"{where}: no results of `graphrag-lite eval --json`.")
    return found
