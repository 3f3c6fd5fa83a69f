"""Labels in Chinese, Japanese and Korean: a role or a verb of a closed form, and nothing else."""

import pytest

from graphrag_lite.text.relations_unspaced import unspaced_relation

SAID = [
    ("zh", "今年，美国总统唐纳德在新加坡。", "美国", "唐纳德", "总统"),
    ("zh", "Inrupt的首席执行官约翰·布鲁斯表示，", "Inrupt", "约翰·布鲁斯", "首席执行官"),
    ("zh", "艾森是布鲁金斯学会的高级研究员，", "艾森", "布鲁金斯学会", "高级研究员"),
    ("zh", "东加拉位于巴鲁以北。", "东加拉", "巴鲁", "位于"),
    ("zh", "九月在莫斯科会见佩里后", "莫斯科", "佩里", ""),
    ("zh", "默克尔和俄罗斯总统普京", "默克尔", "普京", ""),
    ("ja", "クロムウェル協会の会長、ゴールドスミス氏", "クロムウェル協会", "ゴールドスミス", "会長"),
    ("ja", "エドワードは評議会の理事である", "エドワード", "評議会", "理事"),
    ("ja", "エルドアン大統領がドイツを訪問した日", "エルドアン", "ドイツ", "訪問"),
    ("ja", "ケーシー選手、ローズ選手", "ケーシー", "ローズ", ""),
    ("ko", "마케도니아의 총리 조란은", "마케도니아", "조란", "총리"),
    ("ko", "단체 TPUSA의 대표인 캔디스 터너", "TPUSA", "캔디스 터너", "대표"),
    ("ko", "서울과 부산", "서울", "부산", ""),
]


@pytest.mark.parametrize(("language", "text", "a", "b", "label"), SAID)
def test_a_label_is_a_role_or_a_verb(language: str, text: str, a: str, b: str, label: str) -> None:
    places = [(text.index(name), text.index(name) + len(name)) for name in (a, b)]
    assert unspaced_relation(text, places[0], places[1], language) == label
