"""What is right of answers that depend on time: periods, and what is computed of dated statements.

    python benchmarks/temporal.py ../shared/data/qa [--page ANSWERS.md]

Of timeqa: R@1, 2 and 5, and gold answer in the first cited sentence. Of longmemeval_evidence and beam_100k: of the
questions about time with a gold answer, how many are computed, how many of these are right, and how many of the others
have the gold answer in their text. A number of days is compared as such, an order by where the gold answer names what.
"""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import reading
import retrieval

import graphrag_lite
from graphrag_lite.search.answer import Answer
from graphrag_lite.temporal.date_questions import DateQuestion, date_question
from graphrag_lite.temporal.durations import UNITS

CUTS = (1, 2, 5)
COMPUTED = re.compile(r"(?:about )?\d+ (?:day|week|month|year)s?\b|.+\(\d{4}.*\), (?:before|after) |1\. |Until ")
LONG = re.compile(r"(?:about )?(\d+) (day|week|month|year)s?(?: \((\d+) days?\))?")
NUMBERS = {word: n for n, word in enumerate("zero one two three four five six seven eight nine ten".split())}
FILLING = frozenset("the a an my i of for on in to at with and did was".split())


class Judged(NamedTuple):
    """A question, its answer, and whether that was computed and holds the gold answer."""

    question: str
    gold: str
    answer: Answer
    computed: bool
    right: bool


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def is_right(asked: DateQuestion | None, gold: str, answer: str) -> bool:
    """Tell whether a computed line says what the gold answer says; of another answer, whether its text holds that."""
    line = answer.split("\n")[0]
    if asked is None or not COMPUTED.match(line):
        return " ".join(words(gold)) in " ".join(words(answer))
    if asked.kind in ("ago", "between"):
        told = LONG.match(line)
        unit = re.search(r"day|week|month|year", gold) or re.match(r"[a-z]+", told[2] if told else "")
        if not told or not unit:
            return False
        days = float(told[3] or 0) or int(told[1]) * UNITS[told[2]]
        numbers = [int(n) for n in re.findall(r"\d+", gold)] + [
            NUMBERS[word] for word in words(gold) if word in NUMBERS
        ]
        return any(round(days / UNITS[unit[0]]) == n for n in numbers)
    named = [set(words(event)) - FILLING for event in asked.events]
    if asked.kind == "order":
        places = [min(gold.casefold().find(max(sorted(one), key=len)), 10**6) for one in named]
        listed = [line.find(event) for event in asked.events]
        return sorted(range(len(named)), key=listed.__getitem__) == sorted(range(len(named)), key=places.__getitem__)
    chosen = min(range(len(named)), key=lambda place: line.find(asked.events[place]) % 10**6)
    held = [len(one & set(words(gold))) / len(one) for one in named]
    return held[chosen] == max(held) > 0


def judged(folder: Path) -> Iterator[Judged]:
    """Ask the questions about time of a set that have a gold answer."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["type"].replace("_", "-") == "temporal-reasoning" and row["answers"]]
    with tempfile.TemporaryDirectory() as root:
        index = reading.opened(folder / "corpus.jsonl", root)
        told = index.query_all([row["question"] for row in rows], as_of=[row.get("question_date") for row in rows])
        for row, outcome in zip(rows, told, strict=True):
            answer = reading.kept(outcome)
            asked = date_question(row["question"])
            computed = asked is not None and bool(COMPUTED.match(answer.answer.split("\n")[0]))
            gold = str(row["answers"][0])
            yield Judged(row["question"], gold, answer, computed, is_right(asked, gold, answer.answer))


def recalls(folder: Path) -> str:
    """Render the recall of local search at 1, 2 and 5 documents."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["supporting_ids"]]
    with tempfile.TemporaryDirectory() as root:
        index = graphrag_lite.index(folder / "corpus.jsonl", root)
        found = index.query_all([row["question"] for row in rows], retrieve_only=True)
    shares = dict.fromkeys(CUTS, 0.0)
    for row, outcome in zip(rows, found, strict=True):
        gold = set(row["supporting_ids"])
        for cut in CUTS:
            shares[cut] += len(gold & set(reading.kept(outcome).documents[:cut])) / len(gold) / len(rows)
    return " / ".join(f"{100 * shares[cut]:.1f}" for cut in CUTS)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--page", type=click.File("w"), help="Write the answers about time here.")
def main(folder: Path, page: Any) -> None:
    """Print a line a figure."""
    if (timeqa := folder / "timeqa").exists():
        n, first, whole, *_ = reading.gold_held(timeqa, "local").split(" | ")
        print(f"timeqa R@1 / 2 / 5: {recalls(timeqa)}")
        print(f"timeqa, gold of {n} in the first cited sentence {first}, in the answer {whole}")
    for name in ("longmemeval_evidence", "beam_100k"):
        if not (folder / name).exists():
            continue
        found = [one for part in retrieval.sets_in(folder / name) for one in judged(part)]
        computed = [one for one in found if one.computed]
        right = sum(one.right for one in computed)
        others = sum(one.right for one in found if not one.computed)
        print(f"{name}: of {len(found)} questions about time {len(computed)} computed, {right} of them right;", end=" ")
        print(f"gold in the text of {others} others")
        if page:
            for one in found:
                mark = "computed" if one.computed else "not computed"
                page.write(f"\n## {one.question}\n\nGold: {one.gold}. {mark}, {one.right}\n\n{one.answer.answer}\n")


if __name__ == "__main__":
    main()
