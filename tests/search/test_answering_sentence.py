"""The sentence that answers comes first: what a thing is, what another text says of it, the newest, and each of two."""

import json
from pathlib import Path

import pytest

import graphrag_lite
from graphrag_lite import pipeline
from graphrag_lite.retrieval.definition_questions import thing_to_define
from graphrag_lite.search.extractive.comparison import compared_things
from graphrag_lite.search.extractive.definitions import defines
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

TEXTS = {
    "Quarry Song": "Quarry Song is a film of 1962 that was directed by Mira Lund. Critics praised its camera work.",
    "Mira Lund": "Mira Lund worked in Bergen for many years. She was born in the harbour town of Hamar in 1921. "
    "The mill was dear to her for its wheel, and in 1950 she bought it and the meadow behind it.",
    "Zorbex": "On Monday Zorbex failed, and nobody in the night shift of the northern hall knew on which machines the "
    "weather forecast, the payroll and the inventory were left. We moved Zorbex to another rack last week. In short, Zorbex is a scheduler that gives each job the machine with most memory left.",
    "Kelvan": "Kelvan crashed twice on Monday. Kelvan, a scheduler of the old kind, gives each job the first machine.",
    "List": "# Machines\n\n- The red machine costs 4,000 crowns a year.\n- The blue machine costs 900 crowns a year.\n\n"
    "> The grey machine costs nothing at all, says the vendor.\n\n## References\n\n"
    "Aas B, Bo C, Dahl E. The green machine costs of owners. J Mach 1999;12:34-9.",
    "Guide": "# The pump house\n\n## Rotating the keys\n\nThe keys are rotated in spring.\n\n1. Stop the pump.\n2. Turn "
    "each key twice.\n3. Start the pump again.\n\n## Keys\n\nKeys hang behind the door, and the keys are not to be lost.",
    "Flat": "# Draining the basin The basin is drained once a year. 1. Open the sluice. 2. Wait an hour. # Other basins "
    "A basin of stone is drained by hand.",
    "Pier": "ANN: What colour is the lantern of the pier?\nBO: Right.\nBO: It is green as a bottle and swings on a chain.\n"
    "ANN: The harbour master repaired the gate.\nBO: Then the oar was repaired in my shed.\nANN: I wonder whether "
    "the ferry is late again today.\nBO: The ferry is late by two hours.",
    "Yard": "ANN: The goat of Karl was sold in May, and the goat was white.\nBO: A pity.\nANN: Who fed the goat?\n"
    "BO: Ines did, every day of the week.\nANN: The shed is old.",
    "Cast": "# The Tide\n\nA play in two acts.\n\nPart | Player\nMrs Sheel, a widow | Sanna Mulv\nThe baker | Ulf Arne\n\n"
    "Sheel was last seen in 1988, when Runa Till was Sheel and the set fell.",
    "Chat": "Kai Ruud: Has anyone seen my spanner?\n\nPippa: Edna has it\n\nLars Moe: The wrench is dear to me.",
    "News": "Hamar, 3 March 2024. The dike of Hamar was opened in 1911 and is closed until May.",
    "Prop": "The prop of the quay was not needed after the flood. The prop of the quay held the wall, which leaned.",
    "Faq": "How is the rust removed from a hinge?\n\nIt is brushed with vinegar, and then oiled. A new hinge has no rust, "
    "and what is removed from it is its paint.",
    "Call": "On our website, Brask.com/investor, is our financial summary. Every CFO and CIO has asked Amy about the loans. "
    "On the call with me are Satu Nadel, chief executive officer, and Amy Hode, chief financial officer. Brask was strong.",
    "Rivals": "Brask talked with Ryan Roslund, the CEO of Linden, and liked it. Your CFO was a good quarter for Brask.",
    "Note": "Invoice is 420 euros",
    "Mill": "Flour revenue of the mill grew by 61 crowns. Bread revenue at the mill rose by 9 crowns, and rye revenue of the "
    "mill by 4. Revenue was 640 crowns in all.",
    "Q1": "The shop had 120 paying members this quarter, up from last year.",
    "Q2": "The shop had 180 paying members this quarter, up from last year.",
    "Q3": "The shop had 150 paying members this quarter, up from last year.",
}
DATES = {"Q1": "2024-03-31", "Q2": "2024-06-30", "Q3": "2024-09-30"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("answering")
    rows = [{"id": title, "title": title, "text": text, "timestamp": DATES.get(title)} for title, text in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "list.md").write_text(TEXTS["List"], encoding="utf-8")
    (folder / "guide.md").write_text(TEXTS["Guide"], encoding="utf-8")
    return Index(pipeline.index(folder, folder / "output", Settings()).snapshot)


def test_what_a_thing_is_is_said_first(index: Index) -> None:
    assert index.query("What is Zorbex?").citations[0].text.startswith("In short, Zorbex is a scheduler")


def test_what_a_thing_is_goes_before_what_else_is_asked_of_it(index: Index) -> None:
    answer = index.query("What is Zorbex and on which rack was it last week?")
    assert answer.citations[0].text.startswith("In short, Zorbex is a scheduler")
    assert "We moved Zorbex to another rack" in answer.answer


def test_the_very_question_of_a_talk_is_told_first_with_its_reply(index: Index) -> None:
    assert index.query("Who fed the goat?").citations[0].text.startswith("Who fed the goat?\nBO: Ines did")


def test_where_and_when_a_report_was_written_is_no_sentence_of_it(index: Index) -> None:
    assert [cited.text[:8] for cited in index.query("When was the dike of Hamar opened?").citations] == ["The dike"]


def test_what_denies_the_fact_gives_no_reason_for_it(index: Index) -> None:
    assert "held the wall" in index.query("Why was the prop of the quay needed?").citations[0].text
    assert "not needed" in index.query("Why was the prop of the quay not needed?").citations[0].text


def test_a_message_without_a_full_stop_answers(index: Index) -> None:
    assert index.query("How much was the invoice?").citations[0].text == TEXTS["Note"]


def test_what_follows_the_very_question_answers_it(index: Index) -> None:
    assert index.query("How is rust removed from a hinge?").citations[0].text.startswith("It is brushed")


@pytest.mark.parametrize(
    "asked", ["Who is Brask's chief financial officer?", "Who is the CFO of Brask?", "Who is Brask's CEO?"]
)
def test_who_has_a_role_is_told_by_the_sentence_that_says_whose_it_is(index: Index, asked: str) -> None:
    assert index.query(asked).citations[0].text.startswith("On the call with me are Satu Nadel")


def test_an_amount_is_told_by_what_states_it_and_not_of_a_part(index: Index) -> None:
    assert index.query("What was the mill's revenue?").citations[0].text.startswith("Revenue was 640 crowns")
    assert index.query("What was the mill's bread revenue?").citations[0].text.startswith("Bread revenue")


def test_what_the_best_sentence_leads_to_is_said_first(index: Index) -> None:
    answer = index.query("Where was the director of the film Quarry Song born?")
    assert "born in the harbour town of Hamar" in answer.citations[0].text
    assert any("directed by Mira Lund" in cited.text for cited in answer.citations)


def test_a_question_of_a_talk_is_told_with_its_reply_and_who_speaks_counts(index: Index) -> None:
    asked = index.query("What colour is the lantern of the pier?").citations[0].text
    assert asked.startswith("What colour") and asked.endswith("green as a bottle and swings on a chain.")
    assert "oar" in index.query("What did Bo say was repaired?").citations[0].text
    assert "two hours" in index.query("Is the ferry late today?").citations[0].text


def test_whoever_asks_all_others_is_told_with_the_reply_and_a_row_with_the_head_of_its_table(index: Index) -> None:
    assert index.query("Who has the spanner?").citations[0].text.endswith("Edna has it")
    assert index.query("Who plays Sheel?").citations[0].text == "Mrs Sheel, a widow | Sanna Mulv"


def test_the_latest_quarter_is_told_by_its_document_alone(index: Index) -> None:
    told = index.query("How many paying members did the shop have in the latest quarter?")
    assert [cited.document for cited in told.citations] == ["Q3"]


def test_a_procedure_is_answered_by_its_steps_below_their_heading(index: Index) -> None:
    answer = index.query("How do I rotate the keys?")
    assert answer.answer.startswith("Rotating the keys: 1. Stop the pump. 2. Turn each key twice. 3. Start the pump")
    assert "1. Open the sluice. 2. Wait an hour. [1]" in index.query("How can I drain the basin?").answer
    assert "Stop the pump" not in index.query("Where do the keys hang?").citations[0].text


def test_what_is_asked_is_found_in_other_words(index: Index) -> None:
    answer = index.query("What is the place of birth of the director of the film Quarry Song?")
    assert "born in the harbour town of Hamar" in answer.citations[0].text  # nobody says "place" or "birth"


def test_of_documents_that_tell_anew_the_newest_is_first(index: Index) -> None:
    answer = index.query("How many paying members does the shop have?")
    assert "150" in answer.citations[0].text
    assert "180" in index.query("How many paying members did the shop have in June 2024?").citations[0].text


def test_both_sides_of_a_comparison_are_told(index: Index) -> None:
    answer = index.query("Compare Zorbex and Kelvan.").answer
    lead, one, other = answer.split("\n\n")
    assert lead == "No sentence compares Zorbex and Kelvan. Of each:"
    assert one.startswith("Zorbex: In short, Zorbex is a scheduler")
    assert other.startswith("Kelvan: Kelvan, a scheduler")


def test_quotations_begin_without_marks_and_entries_of_a_bibliography_are_none(index: Index) -> None:
    answer = index.query("What does the machine cost?")
    assert len(answer.citations) > 2
    texts = index.documents.set_index("source_id").text
    for cited in answer.citations:
        assert cited.text[0].isalnum() and "J Mach" not in cited.text
        assert texts[cited.document][cited.char_start : cited.char_end] == cited.text


def test_what_goes_on_is_read_with_what_it_leans_on_and_what_only_announces_comes_later(tmp_path: Path) -> None:
    (tmp_path / "ferrets.txt").write_text(
        "The poor ferrets had nowhere to dig. They tried the gravel road beside the mill, but it was too hard. "
        "The effect of salt on hamsters was evaluated. Salt made hamsters thirsty, an effect that lasted for a day."
    )
    index = Index(pipeline.index(tmp_path / "ferrets.txt", tmp_path / "output", Settings()).snapshot)
    dug = index.query("What did the poor ferrets do in the story when they had nowhere to dig?").citations[0].text
    assert dug.startswith("The poor ferrets") and dug.endswith("too hard.")
    assert index.query("What is the effect of salt on hamsters?").citations[0].text.startswith("Salt made")


def test_a_question_in_another_language_finds_what_it_means_and_is_told_so(sample: Path) -> None:
    index = Index(sample)
    answer = index.query("Wann wurde Hubble gestartet?").answer
    assert "24 April 1990" in answer and answer.endswith("\n\n(Quoted from texts in English.)")
    assert "Thornton" in index.query("¿Quién instaló COSTAR?").citations[0].text
    assert index.query("Was kostet ein Bitcoin?").abstained
    assert "Quoted" not in index.query("When was Hubble launched?").answer
    assert "Quoted" not in index.query("Qui a installé COSTAR ?").answer


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Who is Scrooge's nephew?", "Scrooge's nephew"),
        ("¿Quién es Bob Cratchit?", "Bob Cratchit"),
        ("Qu'est-ce que Zep ?", "Zep"),
        ("Zep은 무엇인가요?", "Zep"),
        ("什么是RAG？", "RAG"),
        ("Кто такой Эдвин Хаббл?", "Эдвин Хаббл"),
        ("What is the price of Bitcoin?", ""),
        ("What is Ann doing?", ""),
        ("Who is the current team leader?", "team leader"),
        ("What are Debian releases named after?", ""),
        ("What is Debian policy?", "Debian policy"),
        ("Who won?", ""),
    ],
)
def test_what_is_asked_the_definition_of(question: str, thing: str) -> None:
    assert thing_to_define(question) == thing


@pytest.mark.parametrize(
    ("sentence", "thing", "said"),
    [
        ("Fred, Scrooge's nephew.", "Scrooge's nephew", True),
        ("It is Row and Column Access Control (RCAC).", "RCAC", True),
        ("Nous présentons Zep, une nouvelle couche mémoire.", "Zep", True),
        ("Zep은 시간 인식 지식 그래프 엔진입니다.", "Zep", True),
        ("Zepp is a town.", "Zep", False),
        ("Copilot is driving growth.", "Copilot", False),
        ("We introduced Copilot in Field Service.", "Copilot", False),
    ],
)
def test_a_sentence_defines_by_its_form(sentence: str, thing: str, said: bool) -> None:
    assert defines(sentence, [thing]) is said


@pytest.mark.parametrize(
    ("question", "two"),
    [
        ("Is Sam Rivera older than Taylor Cruz?", ("Sam Rivera", "Taylor Cruz")),
        ("What is the difference between DMR and LongMemEval?", ("DMR", "LongMemEval")),
        ("Was ist der Unterschied zwischen Zep und Mem0?", ("Zep", "Mem0")),
        ("Zep vs. Mem0", ("Zep", "Mem0")),
        ("Who is Ann or Bob?", None),
        ("Did it cost more than planned?", None),
    ],
)
def test_what_is_compared(question: str, two: tuple[str, str] | None) -> None:
    assert compared_things(question) == two


def test_what_is_not_defined_is_told_by_the_first_statement_below_its_name(tmp_path: Path) -> None:
    manual = (
        "### Synopsis\n\n```\nnpm prune [--json]\n```\n\n### Description\n\nThis command removes what nothing needs.\n\n"
        "If the --json flag is given, what npm prune removed is printed."
    )
    others = {f"{n}.md": f"The npm tool number {n} can run npm prune, and prints what went." for n in range(6)}
    for name, text in {"npm-prune.md": manual, **others}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    index = Index(pipeline.index(tmp_path, tmp_path / "output", Settings()).snapshot)
    answer = index.query("What does npm prune do?")
    assert answer.citations[0].text == "This command removes what nothing needs."


def test_a_mail_s_head_says_who_sent_it_and_not_who_did_what_it_tells_of(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    head = "From: Ros Tilley <ros@sheds.example>\nTo: Jan Novak <jan@sheds.example>\nSubject: Boiler\n"
    date = "Date: Tue, 04 Mar 2025 09:12:00 +0000\n\n"
    (tmp_path / "corpus" / "boiler.eml").write_text(
        f"{head}{date}The boiler was repaired on Monday by Heizung Krause.\n"
    )
    index = Index(pipeline.index(tmp_path / "corpus", tmp_path / "output", Settings()).snapshot)
    repaired, sent = (index.query(f"Who {what} the boiler?").answer for what in ("repaired", "sent the letter about"))
    assert "Krause" in repaired and "Tilley" not in repaired and "Novak" not in repaired
    assert "Ros Tilley" in sent


def test_views_of_two_speakers_are_what_they_say_on_it(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text(
        "ANN LEE: The tides of the bay turn each mill at night, and that is cheap.\nBO ROE: I do not trust the tides, which "
        "rust each wheel.\nANN LEE: The weather of the north is mild this year.\nBO ROE: Nobody sells wheels in the winter."
    )
    told = graphrag_lite.index(tmp_path / "talk.txt", tmp_path / "root").query(
        "Compare the views of Ann Lee and Bo Roe on tides"
    )
    assert told.answer.startswith("No sentence compares Ann Lee and Bo Roe. Of each:")
    assert "cheap" in told.answer and "rust" in told.answer and "weather" not in told.answer
