"""A question is refused where no sentence beside a name tells what is asked of it."""

import re
from pathlib import Path
from time import process_time

import pytest

import graphrag_lite
from graphrag_lite.retrieval.other_words import attributes, requested_attributes
from graphrag_lite.search.extractive.speaker_abstention import is_of_another_speaker
from graphrag_lite.search.index import Index
from graphrag_lite.search.methods import Query

TOLD = (
    "Kathryn Brandt flew on the second servicing mission. She is an engineer of structures and lives near the harbour. "
    "Paul Ostrow is her husband; the two have three children. Brandt said that the work on the mirror was delicate. "
    "The crew trained under water for two years. {more} Its instruments were exchanged at night, one after the other."
)
MORE = (
    "Dana Weiss is 1.78 m tall.", "Five gyroscopes were replaced by Omar Haddad. Dr. Jonas Beck, aged 41, stood by.", "Lena Fuchs was born in Bremen.",
    "Ivo Marek paid Otto Kern, the chief financial officer of Nordwind, for the launch of the probe.", "The salary of Rosa Lindt was printed by a newspaper.",
    "A new lens cost 40 dollars in the shop.",
    "Petra Sommer led the debate of the committee, which sat for many hours and heard at its end of a man who was born in Kiel.",
    "Version 3.2.1 of the program mended the clock. The crew ordered posters. 200 were printed by Otto Kern.",
    "Name Age Position\n\nHanna O. Voss 57 Chief Operator\n\nOdo Lang 61 Cook\n\nThe prints of Hanna Voss sold more than 3,000 copies in 1990.",
    "The revenue of Velmo was 3 million in 2015.", "The sales of Kolb came to 4 million in 2017.",
    "Brugg, Aargau, is a town with a bridge. It had 5,021 inhabitants in 2010. Mayor Iris Zaugg of another town came.",
)  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("attributes")
    (root / "corpus").mkdir()
    for number, more in enumerate(MORE):
        (root / "corpus" / f"notes-{number}.txt").write_text(TOLD.format(more=more), encoding="utf-8")
    return graphrag_lite.index(root / "corpus", root)


@pytest.mark.parametrize("method", ["local", "basic"])
@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        ("How tall is Dana Weiss?", False),
        ("What did Kathryn Brandt say about Neptune?", True),
        ("What did Kathryn Brandt say about the mirror?", False),
        ("How many instruments were exchanged in 1987?", True),
        ("How tall is Paul Ostrow?", True),  # somebody else is
        ("How old is Jonas Beck?", False),
        ("When was Jonas von Beck born?", True),  # one name, whatever is within it
        ("When was Lena von der Fuchs born?", False),
        ("Where did Jonas Beck go?", False),  # "go" says too little to be missed
        ("How old is Omar Haddad?", True),
        ("Where was Petra Sommer born?", True),  # in one sentence with her, but of another
        ("What changed in version 9.9?", True),
        ("How many posters were printed?", False),  # by the number alone
        ("Is Kathryn Brandt married?", False),  # told in another word
        ("Is Omar Haddad married?", True),
        ("Where was Lena Fuchs born?", False),
        ("What is the salary of Rosa Lindt?", False),
        ("What is the salary of Lena Fuchs?", True),
        ("What is Rosa Lindt's blood type?", True),
        ("Why was unit 502 replaced?", True),  # no text has the number
        ("How many gyroscopes did Omar Haddad replace?", False),
        ("How many newspapers did Omar Haddad replace?", True),
        ("How many instruments did Omar Haddad replace?", True),  # five, but of gyroscopes
        ("How old was Lena Fuchs when she died?", True),  # one of the two is told
        ("Who founded Rosa Lindt's newspaper?", True),
        ("What did Ivo Marek eat?", True),
        ("What did Ivo Haddad replace?", True),  # two others have these names
        ("What did Ivo Marek pay for?", False),
        ("How much did Ivo Marek pay Otto Kern?", True),  # no amount is told
        ("What is Ivo Marek's favorite newspaper?", True),
        ("Why does Ivo Marek work?", False),  # a question of words that only ask
        ("What does Lena Fuchs say about gyroscopes?", True),
        ("What is the second servicing mission?", False),
        ("How do I make pancakes?", True),  # no word of it but "make"
        ("How many people did Omar Haddad meet?", True),
        ("What is the delicate servicing mission?", True),  # all words, but never in one sentence
        ("What is Engine?", True),  # an engineer is none
        ("Who is Haddad?", False),
        ("How much did the lens cost?", False),
        ("How much did the launch of the probe cost?", True),  # another thing's price is told
        ("Who is the chairman of the crew?", True),  # no text has the role
        ("Who is the CFO of Nordwind?", False),
        ("Who is the CFO of Haddad?", True),  # others have one
        ("When was the harbour built?", True),
        ("What is the -x harbour?", False),  # a letter is no piece of a thing
        ("In what year was Lena Fuchs born?", True),  # it is told where
        ("Who wrote the report of Dana Weiss?", True),
        ("Who trained the crew in 1961?", True),  # no text has the year
        ("How old is Hanna Voss?", False),  # a row of a table, and no text says "old"
        ("How many prints did Hanna Voss sell?", False),  # counted as copies
        ("How many posters did Hanna Voss sell?", True),
        ("Who is the mayor of Brugg, Aargau?", True),  # another town's is told, and the name has a comma
        ("What is the population of Brugg?", False),
        ("What was the population of Brugg in 1990?", True),  # it is told of another year
        ("What was the revenue of Velmo in 2015?", False),
        ("What was the revenue of Kolb in 2017?", False),
        ("What was the revenue of Velmo in 2017?", True),  # another's is told of that year
        ("Who runs the committee?", False),  # told by whoever led its debate
    ],
)
def test_what_no_sentence_tells_of_a_name_is_refused(index: Index, asked: str, refused: bool, method: str) -> None:
    assert index.query(asked, method).abstained is refused, index.query(asked, method).answer


LETTER = (
    "Otto Brandt wrote this letter to the owners of the harbour.\n\nThe rest of the page is on the weather of the week. "
    "It rained on most days. Nobody went out. I mended the lantern in the shed. My new boat has 4 ropes in it."
)


@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        ("Where did Otto Brandt mend the lantern?", False),  # he says "I", far from his name
        ("How many ropes are in Otto Brandt's new boat?", False),
        ("How many sails are in Otto Brandt's new boat?", True),
        ("Where did Otto Brandt polish the trumpet?", True),  # who has one does not name him
    ],
)
def test_what_a_document_tells_apart_from_a_name_is_told(tmp_path: Path, asked: str, refused: bool) -> None:
    other = LETTER.replace("Otto Brandt", "A clerk").replace("I mended the lantern", "He polished his trumpet")
    (tmp_path / "letter.txt").write_text(LETTER, encoding="utf-8")
    (tmp_path / "other.txt").write_text(other.replace("4 ropes", "3 sails"), encoding="utf-8")
    answer = graphrag_lite.index(tmp_path, tmp_path / "root").query(asked)
    assert answer.abstained is refused, answer.answer


def test_a_version_is_read_as_texts_write_it(index: Index) -> None:
    answer = index.query("What changed in version 3.2?")
    assert answer.readings == {"3.2": "3.2.1"} and "mended the clock" in answer.answer


@pytest.mark.parametrize(("said", "refused"), [("Otto praised Rose 5 times.", False), ("Rose 4.7.1 was sold.", True)])
def test_a_number_of_times_is_no_version(tmp_path: Path, said: str, refused: bool) -> None:
    (tmp_path / "a.txt").write_text(TOLD.format(more=f"{said} The fifty roses of Otto stood in the hall."))
    answer = graphrag_lite.index(tmp_path, tmp_path / "root").query("Where did the flower Rose 50 of Otto stand?")
    assert answer.abstained is refused, answer.answer


def test_what_stands_in_hidden_documents_tells_nothing(tmp_path: Path) -> None:
    rows = (f'{{"id": "{day}", "timestamp": "{day}", "text": "{TOLD.format(more=more)}"}}' for day, more in (
        ("2024-01-01", MORE[1]), ("2025-01-01", MORE[0]),
    ))  # fmt: skip
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    index = graphrag_lite.index(tmp_path / "corpus.jsonl", tmp_path)
    asked = "How tall is Dana Weiss?"
    assert not index.query(asked).abstained
    assert index.query(asked, as_of="2024-06-01").abstained


def test_words_that_only_hold_a_way_to_tell_do_not_tell() -> None:
    tells = {
        question: re.compile(says, re.I)
        for question in ("wife", "price of")
        for asks, says in attributes().items()
        if asks.search(question)
    }
    assert tells["wife"].search("They married.") and not tells["wife"].search(
        "A couple weeks, on Wednesday at the market."
    )
    assert tells["price of"].search("two ducats") and not tells["price of"].search(
        "the education of Spencer, 元素, 지원, non-free and free software, the dollar sign"
    )


@pytest.mark.parametrize(
    ("question", "language", "sentence"),
    [
        ("Wo arbeitet Anna Kessler?", "de", "Anna Kessler ist Ingenieurin bei Siemens."),
        ("Wann wurde Bernd Ostermann geboren?", "de", "Bernd Ostermann kam am 3. Mai 1950 in Kiel zur Welt."),
        ("Wann wurde Norvik gegründet?", "de", "Die Gründung von Norvik folgte 1921."),
        ("Où travaille Claire Dumont ?", "fr", "Claire Dumont est ingénieure chez Airbus."),
        ("Où est né Paul Lemaire ?", "fr", "Paul Lemaire a vu le jour à Nantes."),
        ("Dove nacque Dante?", "it", "Dante, nato a Firenze, fu un poeta."),
        ("What is the phone number of Acme?", "en", "Phone: 5551234."),
        ("¿Cuánto cuesta la lámpara?", "es", "Se vende por 82 €."),
        ("How old will Ida be in May?", "en", "Ida turns 7 then."),
        ("How often is the pump checked?", "en", "A warden checks the pump in 5-minute intervals."),
        ("Wie oft wird die Pumpe geprüft?", "de", "Die Pumpe wird jede Nacht geprüft."),
        ("What is the default value of max_wait?", "en", "max_wait defaults to 30 s."),
        ("How many times was Velmo downloaded?", "en", "Velmo has 3,000 downloads."),
        ("Who is in charge of the harbour?", "en", "Ann Lee manages the harbour."),
        ("Who directed Low Tide?", "en", "Low Tide is a film by Ann Lee."),
        ("What is the population of Brugg?", "en", "Brugg has 5,021 inhabitants."),
        ("What is the website of Velmo?", "en", "See https://velmo.example/ for more."),
        ("Which licence does Velmo have?", "en", "Velmo may be copied under the GPL."),
        ("How many people came to the fair?", "en", "The fair had a crowd of 3,000."),
        ("What was Acme's revenue in 2019?", "en", "Sales came to 3 million in 2019."),
        ("How much was the rent?", "en", "He asked for 40 dollars a month."),
        ("Qui dirige la biscuiterie Le Bihan ?", "fr", "La biscuiterie Le Bihan est pilotée par Solène Riou."),
        ("Wer leitet den Chor?", "de", "An der Spitze des Chors steht Renate Zell."),
        ("Кто основал фабрику?", "ru", "Фабрику открыл в 1925 году купец Савва Третьяков."),
        ("柚子最中はいくらですか？", "ja", "柚子最中は一個220円で販売している。"),
        ("من أسس مصنع البركة؟", "ar", "فتح المصنع أبوابه عام 1955 على يد حمادي الشرفي."),
    ],
)
def test_an_attribute_is_told_in_other_words(question: str, language: str, sentence: str) -> None:
    told = requested_attributes(question, language)
    assert told and all(pattern.search(sentence) for pattern, _ in told)


def test_how_much_of_a_measure_is_no_price() -> None:
    assert requested_attributes("표는 얼마입니까?", "ko") and not requested_attributes("메모리는 얼마입니까?", "ko")


def test_a_year_in_the_name_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for n, more in enumerate(MORE):
        (tmp_path / "corpus" / f"address-{1960 + n}.txt").write_text(TOLD.format(more=more))
    index = graphrag_lite.index(tmp_path / "corpus", tmp_path)
    assert not index.query("How tall was Dana Weiss in 1960?").abstained
    assert index.query("How tall was Dana Weiss in 1959?").abstained


def test_what_a_team_studied_is_no_education() -> None:
    assert requested_attributes("What did Ann Lee study?", "en")
    assert not requested_attributes("What did the Framingham team study?", "en")


OTHERS = {
    "es": "La biblioteca Rosa Chacel abrió en 1987. Desde 2019 la dirige Inés Quiroga, que antes trabajó en Madrid y no "
    "en Toledo. El informe es del aparejador Jaime Soler, que lo entregó ayer por la tarde a la presidenta.",
    "ja": "織物資料館は1979年に開館した。建物は建築家の藤井俊彦が設計した。館長は高橋由美が務めている。\n工事中の会合は西小学校の図書室で行います。",
    "de": "Im Jahr 1973 ernannte der Rat Jonas W. Kern zum Leiter des Amtes, das die Brücke nach Norden bauen sollte. Auf "
    "Kern 2.4 folgte das Programm Kern 2.5 im selben Haus, nach dem die Räume heißen und das die Stadt noch 1980 besaß.",
    "de-2": "Ada Lindt war Vorsitzende des Vereins, eine Stelle, die sie viele Jahre lang bis zu ihrem Tod 1958 hatte.",
    "ar": "افتتح متحف الفخار عام 1991 في مدينة السلط، وصممه المعماري نبيل شاهين. يضم المتحف 2600 قطعة.",
    "ar-2": "خلال ذلك يمكن للسكان أخذ الماء من مدرسة الزهراء كل يوم بعد الظهر.",
}  # fmt: skip


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("others")
    (root / "corpus").mkdir()
    for language, text in OTHERS.items():
        (root / "corpus" / f"{language}.txt").write_text(text, encoding="utf-8")
    return graphrag_lite.index(root / "corpus", root)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("¿Quién dirige la biblioteca Rosa Chacel?", "Inés Quiroga"),
        ("¿Cuánto cobra el aparejador Jaime Soler?", ""),
        ("織物資料館はいつ開館しましたか？", "1979年"),
        ("西小学校はいつ創立されましたか？", ""),
        ("¿En qué año nació Inés Quiroga?", ""),  # years are told of the library
        ("Wann starb Ada Lindt?", "1958"),
        ("In welchem Jahr starb Jonas W. Kern?", ""),  # "die" is an article, the year of another's death
        ("Wo wurde Jonas W. Kern geboren?", ""),  # "nach" tells of no birth
        ("Was ist Kern 2.5?", "2.5"),
        ("Was ist Kern 3.1?", ""),  # others are told
        ("Who wrote the book of Inés Quiroga?", ""),  # asked in a language that no text is in
        ("من صمم متحف الفخار؟", "نبيل شاهين"),
        ("متى بنيت مدرسة الزهراء؟", ""),
    ],
)
def test_what_is_told_in_no_text_is_refused_in_other_languages(others: Index, asked: str, told: str) -> None:
    answer = others.query(asked)
    assert answer.abstained != bool(told) and told in answer.answer


def test_what_asks_is_a_word_of_its_own() -> None:
    assert requested_attributes("Kim jest żona kapitana?", "pl") and not requested_attributes(
        "Gdzie jest położona wieś?", "pl"
    )


@pytest.mark.parametrize("said", ["1", "1,", "open ", "123 ", "ab "])
def test_long_texts_are_read_in_no_time(said: str) -> None:
    patterns = [re.compile(says, re.I) for says in attributes(english=False).values()]
    began, text = process_time(), said * (6000 // len(said))
    for says in patterns:
        says.search(text)
    assert process_time() - began < 3


def test_what_somebody_says_of_what_no_text_of_his_has(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for name, what in (("Marek", "Medicare"), ("Holm", "Broadband"), ("Sand", "Harbours")):
        text = f"We shall extend {what} to the whole of the state. " + "The roads of the state are long and wide. " * 9
        (tmp_path / "corpus" / f"1961-{name}.txt").write_text(text)
    index = graphrag_lite.index(tmp_path / "corpus", tmp_path)
    asked = [
        Query(f"What did Marek say about {what}?", 10).read_by(index) for what in ("Medicare", "Broadband", "Tolls")
    ]
    assert list(map(is_of_another_speaker, asked)) == [False, True, False]


def test_what_no_row_of_a_table_tells_is_refused(tmp_path: Path) -> None:
    names = ("Tungsten", "Gold", "Copper", "Mr Price", "Iron", "Zinc", "Lead", "Tin", "Silver")
    lines = [f"{name},{300 + 7 * n},{5 + n}" for n, name in enumerate(names)]
    (tmp_path / "elements.csv").write_text("\n".join(["name,melting_point,cost", *lines]))
    index = graphrag_lite.index(tmp_path / "elements.csv", tmp_path / "root")
    assert index.query("What is the salary of Tungsten?").abstained
    assert "cost: 5" in index.query("What is the cost of Tungsten?").answer
