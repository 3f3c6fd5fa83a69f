"""Names in scripts without capitals: what a reader would name, in each script, and what must never happen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import assert_linear

from graphrag_lite.text.names.caseless import find_names_caseless
from graphrag_lite.text.names.find import find_names


def found(text: str, language: str) -> dict[str, tuple[str, bool]]:
    return {name.name: (name.type, name.anchored) for name in find_names_caseless(text, language)}


@pytest.mark.parametrize(
    ("text", "language", "name", "kind"),
    [
        ("他毕业于北京大学，后来到上海工作。", "zh", "北京大学", "organization"),
        ("他住在湖南省湘潭市。", "zh", "湘潭市", "location"),
        ("警长约翰·麦卡锡说，调查还在进行。", "zh", "约翰·麦卡锡", "person"),
        ("根據總統馬英九表示，會議已經結束。", "zh", "馬英九", "person"),
        ("她喜欢《红楼梦》和音乐。", "zh", "红楼梦", "work"),
        ("昨天特朗普在白宫发表演讲。", "zh", "特朗普", "unknown"),
        ("ブライアン・オハガン氏はこう述べた。", "ja", "ブライアン・オハガン", "person"),
        ("彼は東京大学を卒業した。", "ja", "東京大学", "organization"),
        ("昨日、田中さんに会った。", "ja", "田中", "person"),
        ("彼女は『こころ』を読んだ。", "ja", "こころ", "work"),
        ("그는 서울대학교를 졸업했다.", "ko", "서울대학교", "organization"),
        ("어제 도널드 트럼프 대통령은 연설했다.", "ko", "도널드 트럼프", "person"),
        ("그는 볼리비아에서 왔다.", "ko", "볼리비아", "location"),
        ("زار الرئيس محمد مرسي القاهرة", "ar", "محمد مرسي", "person"),
        ("เขาไปจังหวัดเชียงใหม่และกลับมา", "th", "จังหวัดเชียงใหม่", "location"),
        ("ดร.สมชาย กล่าว", "th", "สมชาย", "person"),
    ],
)
def test_a_name_with_its_evidence_is_anchored_and_typed(text: str, language: str, name: str, kind: str) -> None:
    assert found(text, language).get(name) == (kind, True)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我们认为这个问题非常重要，但是现在没有时间。", "zh"),
        ("しかし、このような問題は現在も続いている。", "ja"),
        ("그러나 우리는 이 문제가 중요하다고 생각했습니다.", "ko"),
    ],
)
def test_plain_sentences_have_no_anchored_names(text: str, language: str) -> None:
    assert not [name for name, (_, anchored) in found(text, language).items() if anchored]


def test_what_recurs_is_a_candidate_for_the_corpus() -> None:
    text = "麒麟草很美。游人走到麒麟草旁边。他喜欢麒麟草。"
    assert found(text, "zh")["麒麟草"] == ("unknown", False)
    assert "麒麟草" not in found("游人走到麒麟草旁边。", "zh")


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("زار الرئيس محمد مرسي القاهرة. قال محمد مرسي هذا، وعاد محمد مرسي", "ar", "محمد مرسي"),
        ("约翰·史密斯先生。约翰·史密斯", "zh", "约翰·史密斯"),
    ],
)
def test_mentions_of_one_name_in_a_unit_share_type_and_anchor(text: str, language: str, name: str) -> None:
    mentions = [(each.type, each.anchored) for each in find_names_caseless(text, language) if each.name == name]
    assert len(mentions) > 1 and set(mentions) == {("person", True)}


def test_the_script_decides_when_the_language_is_unknown() -> None:
    assert "東京大学" in found("彼は東京大学を卒業した。", "")
    assert "北京大学" in found("他毕业于北京大学。", "")
    assert "서울대학교" in found("그는 서울대학교를 졸업했다.", "")


def test_a_full_stop_in_a_word_list_is_a_full_stop() -> None:
    assert not found("อเล็กซานดราเป็นนักร้อง", "th")  # holds ดร without one


def test_particles_are_no_part_of_a_korean_name() -> None:
    assert set(found("독일은 독일에서 독일의 독일을", "ko")) == {"독일"}


ALPHABET = "中国北京大学省市克里斯特·，。「」《》（）ABc 1アメリカのは東京氏한국은트럼프대통령\n第一的说ابالงนาย"


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet=ALPHABET, max_size=60), st.sampled_from(["", "zh", "ja", "ko", "ar", "th"]))
def test_spans_are_ordered_disjoint_and_true_to_the_text(text: str, language: str) -> None:
    names = find_names_caseless(text, language)
    end = 0
    for name in names:
        assert end <= name.start < name.end <= len(text)
        assert name.name == " ".join(text[name.start : name.end].split()) != ""
        end = name.end
    assert names == find_names_caseless(text, language)


@pytest.mark.parametrize(
    "unit", ["中", "省", "大学", "北京大学", "克·", "ア・", "가 ", "트럼프 ", "นาย", "（A", "《", " "]
)
def test_time_is_linear_without_punctuation(unit: str) -> None:
    assert_linear(lambda text: find_names_caseless(text, ""), unit, small=4000)


def test_particles_come_off_names_of_other_scripts() -> None:
    found = find_names("Zep의 성능은 좋다. Zep은 빠르고, LG전자는 Graphiti의 모델을 쓴다.", "ko")
    assert [name.name for name in found] == ["Zep", "Zep", "LG전자", "Graphiti"]


def test_quotation_marks_around_code_which_is_read_as_blank_name_nothing() -> None:
    assert not find_names("此命令移动文件并重命名为“       ”。另一个文件是“       ”。", "zh")
