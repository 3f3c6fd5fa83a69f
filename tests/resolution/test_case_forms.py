"""Case forms of a name are one name; names that differ by more than an ending of a case are not."""

import pytest
from resolving import resolve

from graphrag_lite.resolution.case_forms import case_forms

FORMS = {
    "ru": ["путин путина путину путиным путине", "москва москвы москве москву москвой", "сергей сергея сергею сергеем",
           "россия россии россию россией", "владимир путин;владимира путина;владимиром путиным", "толстой толстого"],
    "pl": ["tusk tuska tuskowi tuskiem", "kraków krakowa krakowie", "kowalski kowalskiego kowalskim"],
    "cs": ["zeman zemana zemanovi zemanem", "ostrava ostravy ostravě ostravu"],
}  # fmt: skip


@pytest.mark.parametrize(("language", "forms"), [(lang, forms) for lang in FORMS for forms in FORMS[lang]])
def test_the_forms_of_a_name_are_one(language: str, forms: str) -> None:
    name, *others = forms.split(";" if ";" in forms else None)
    found = case_forms(dict.fromkeys([name, *others], language), {name: 2} | dict.fromkeys(others, 1))
    assert found == dict.fromkeys(others, name)


@pytest.mark.parametrize("others", ["иван иванов", "пётр петров", "александр александров", "минск минский район"])
def test_another_name_is_no_form(others: str) -> None:
    keys = others.split(" ", 1)
    assert case_forms(dict.fromkeys(keys, "ru"), dict.fromkeys(keys, 1)) == {}


def test_only_languages_that_decline_names_join_them() -> None:
    names = ["Анна", "Анны"]
    for language, n in (("ru", 1), ("en", 2)):
        rows = resolve(["d", "d"], names, ["person"] * 2, [True] * 2, {}, languages=[language] * 2, alias=False)
        assert len({row.key for row in rows}) == n
