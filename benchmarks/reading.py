"""What a reader gets: the questions of a folder of documents as people have them, answered without a model.

    python benchmarks/reading.py ../shared/data/reading [--method local] [--page ANSWERS.md] [--qa ../shared/data/qa]
    python benchmarks/reading.py ../shared/data/reading --questions benchmarks/own_questions.jsonl

FOLDER holds questions.jsonl: `corpus` (a path from the folder's parent, or the project's examples), `question`, and
`expect`: a regular expression that a right answer matches, "abstain" where the corpus does not say, null where only an
eye can judge. Printed by corpus and method: expected text in the first cited sentence, in the answer, abstentions that
are right, and questions with an answer that were refused. `--page` writes all answers to one Markdown page, `--qa` asks
the questions of sets, too: gold answer in the first cited sentence, in the answer, and its mean length in words.
"""

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import graphrag_lite
from graphrag_lite.errors import GraphragLiteError
from graphrag_lite.search.answer import Answer
from graphrag_lite.search.index import Index, Outcome

EXAMPLES = Path(__file__).parent.parent / "examples" / "corpus"
MARKED = re.compile(r"\s?\[\d+\]")
HEADS = (
    "| corpus | method | questions | in first sentence | in answer | refused, of unanswerable | refused, of others |"
)


def opened(corpus: Path, root: str) -> Index:
    """Index a corpus from nothing."""
    return graphrag_lite.index(corpus, root)


def first_sentence(answer: Answer) -> str:
    """Return the answer up to its first mark, with what stands over it."""
    return MARKED.split(answer.answer, maxsplit=1)[0]


def scored(answers: list[tuple[dict[str, Any], Answer]]) -> str:
    """Render the figures of the answers to some questions."""
    expected = [(row, answer) for row, answer in answers if row["expect"] not in (None, "abstain")]
    first = sum(bool(re.search(row["expect"], first_sentence(answer))) for row, answer in expected)
    whole = sum(bool(re.search(row["expect"], answer.answer)) for row, answer in expected)
    none = [answer.abstained for row, answer in answers if row["expect"] == "abstain"]
    refused = sum(answer.abstained for _, answer in expected)
    n = len(expected)
    return f"{len(answers)} | {first} of {n} | {whole} of {n} | {sum(none)} of {len(none)} | {refused} of {n} |"


def page(name: str, method: str, answers: list[tuple[dict[str, Any], Answer]]) -> Iterator[str]:
    """Yield the answers as Markdown."""
    yield f"\n# {name}, {method}\n"
    for row, answer in answers:
        yield f"\n## {row['question']}\n\nExpected: `{row['expect']}`\n\n{answer.answer}\n"
        yield from (f"- [{one.n}] {one.path}, {one.char_start}-{one.char_end}" for one in answer.citations)


def gold_held(folder: Path, method: str) -> str:
    """Render how often the answers to a set's questions hold the gold answer, of those whose gold is to be found.

    That is: some supporting document holds it, and the question does not.
    """
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines() if line]
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines() if line]
    texts = {row["id"]: _plain(f"{row.get('title', '')} {row['text']}") for row in corpus}
    asked = []
    for row in rows:
        gold = [_plain(str(one)) for one in row.get("answers", []) if str(one).strip()]
        supporting = " ".join(texts.get(one, "") for one in row["supporting_ids"])
        if any(one in supporting for one in gold) and not any(one in _plain(row["question"]) for one in gold):
            asked.append((row, gold))
    if not asked:
        return "0 | | | |"
    with tempfile.TemporaryDirectory() as root:
        index = opened(folder / "corpus.jsonl", root)
        days = [row.get("question_date") for row, _ in asked]
        told = index.query_all([row["question"] for row, _ in asked], method, as_of=days)
    first = [
        any(one in _plain(first_sentence(kept(answer))) for one in gold)
        for (_, gold), answer in zip(asked, told, strict=True)
    ]
    whole = [
        any(one in _plain(kept(answer).answer) for one in gold) for (_, gold), answer in zip(asked, told, strict=True)
    ]
    refused = sum(kept(answer).abstained for answer in told)
    words = sum(n_words(MARKED.sub("", kept(answer).answer)) for answer in told) / len(told)
    share = [f"{100 * sum(held) / len(asked):.1f}" for held in (first, whole)]
    return f"{len(asked)} | {share[0]} | {share[1]} | {words:.0f} | {refused} |"


def kept(outcome: Outcome) -> Answer:
    """Return an answer; without a model there is always one."""
    if not isinstance(outcome, Answer):
        raise outcome
    return outcome


def n_words(text: str) -> float:
    """Count words; two Chinese or Japanese characters are one."""
    wide = re.findall(r"[぀-ヿ㐀-鿿]", text)
    return len(wide) / 2 + len(re.findall(r"[^\W぀-ヿ㐀-鿿]+", text))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--method", "methods", multiple=True, default=("local",), show_default=True)
@click.option("--page", "written", type=click.Path(path_type=Path), help="Write all answers to this Markdown page.")
@click.option("--qa", type=click.Path(path_type=Path, exists=True), help="A folder of sets of questions, asked too.")
@click.option("--questions", type=click.Path(path_type=Path, exists=True), help="Ask these, not the folder's own.")
@click.option("--sets", multiple=True, help="Only these sets.")
@click.option("--only", multiple=True, help="Only corpora whose path holds this.")
def main(
    folder: Path,
    methods: tuple[str, ...],
    written: Path | None,
    qa: Path | None,
    questions: Path | None,
    sets: tuple[str, ...],
    only: tuple[str, ...],
) -> None:
    """Ask, and print one line a corpus and method."""
    by_corpus: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (questions or folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        by_corpus[row["corpus"]].append(row)
    lines: list[str] = []
    print(HEADS + "\n" + "| --- " * 7 + "|")
    every: dict[str, list[tuple[dict[str, Any], Answer]]] = defaultdict(list)
    for name, rows in sorted(by_corpus.items()):
        if only and not any(part in name for part in only):
            continue
        with tempfile.TemporaryDirectory() as root:
            try:
                index = opened(EXAMPLES if name.startswith("examples") else folder.parent / name, root)
            except GraphragLiteError as error:
                print(f"| {name} | cannot be indexed: {str(error).splitlines()[0]} |")
                continue
            for method in methods:
                answers = [(row, index.query(row["question"], method)) for row in rows]
                every[method] += answers
                lines += page(name, method, answers)
                print(f"| {name} | {method} | {scored(answers)}", flush=True)
    for method, answers in every.items():
        print(f"| **all** | {method} | {scored(answers)}", flush=True)
    if qa:
        print(
            "\n| set | method | questions | gold in first sentence, % | in answer, % | words | refused |\n"
            + "| --- " * 7
            + "|"
        )
        for path in sorted(qa.iterdir()):
            if (path / "questions.jsonl").exists() and (not sets or path.name in sets):
                for method in methods:
                    print(f"| {path.name} | {method} | {gold_held(path, method)}", flush=True)
    if written:
        written.write_text("\n".join(lines).lstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
