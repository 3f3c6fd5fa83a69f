"""What stands before a text in a prompt: its date, who speaks, and at most four messages before it."""

from graphrag_lite import tables
from graphrag_lite.extraction.unit_context import LONGEST, context_lines

Message = tuple[str, str, str, str]  # document, time, speaker, role


def told(*messages: Message, conversation: str = "talk") -> list[list[str]]:
    """Return the lines of every message, each a text unit, of documents that hold messages one after the other."""
    texts: dict[str, str] = {}
    episodes, units = [], []
    for number, (document, time, speaker, role) in enumerate(messages):
        start = len(texts.get(document, ""))
        texts[document] = texts.get(document, "") + f"word {number}. "
        span = (start, len(texts[document]) - 1)
        kind = "message" if speaker else "text"
        episodes.append((f"e{number}", document, 0, kind, conversation, speaker, role, time, "", *span))
        units.append((document, *span))
    row = dict.fromkeys(tables.schema("source_documents").names, "")
    documents = tables.make(
        "source_documents", [row | {"id": name, "source_id": name, "text": text} for name, text in texts.items()]
    )
    found = context_lines(documents, tables.make("episodes", episodes))
    return [found(*unit).split("\n") for unit in units]


def test_a_document_has_its_date_alone() -> None:
    assert told(("d", "2024-03-01", "", ""), ("e", "", "", "")) == [["Date of the text: 2024-03-01"], [""]]


def test_a_message_is_told_with_the_four_before_it() -> None:
    said = told(*[("d", f"2024-03-0{day}", "Ana", "") for day in range(1, 7)])
    assert said[0] == ["Date of the text: 2024-03-01", "Spoken by: Ana"]
    assert [line for line in said[5] if line[0] == ">"] == [f"> Ana: word {number}." for number in (1, 2, 3, 4)]


def test_messages_of_other_documents_are_told_where_they_are_dated_earlier() -> None:
    days = ("2024-03-02", "2024-03-01", "2024-03-02", "2024-03-03")
    rows = [(name, day, "user", "user") for name, day in zip("abcd", days, strict=True)]
    said = told(*rows)
    assert said[0][1] == "Spoken by: user of talk"
    before = [[line[2:].partition(": ")[2] for line in lines if line[0] == ">"] for lines in said]
    assert before == [["word 1."], [], ["word 1."], ["word 1.", "word 0.", "word 2."]]
    assert told(*rows, conversation="")[3][-1] == "Spoken by: user"


def test_rows_of_one_day_are_told_in_the_order_of_their_numbers() -> None:
    said = told(*[(f"chat:{n}", "2024-03-01", "Ana", "") for n in (10, 9, 11)])
    assert [[line for line in lines if line[0] == ">"] for lines in said] == [
        ["> Ana: word 1."],
        [],
        ["> Ana: word 1.", "> Ana: word 0."],
    ]


def test_a_message_before_is_one_short_line() -> None:
    row = dict.fromkeys(tables.schema("source_documents").names, "")
    text = "I\nsay: " + "x " * LONGEST
    documents = tables.make("source_documents", [row | {"id": "d", "text": f"{text}. Bye."}])
    spans = [(0, len(text)), (len(text) + 2, len(text) + 6)]
    said = [(f"e{n}", "d", n, "message", "t", "Bo", "", "", "", *span) for n, span in enumerate(spans)]
    line = context_lines(documents, tables.make("episodes", said))(*("d", *spans[1])).split("\n")[-1]
    assert line.startswith("> Bo: I say: x x") and len(line) <= LONGEST + 10
