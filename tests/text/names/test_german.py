"""German nouns are names only where something besides the capital says so."""

import pytest

from graphrag_lite.text.names.find import find_names


def anchored(text: str) -> set[str]:
    return {name.name for name in find_names(text, "de") if name.anchored}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Gestern sprach die Regierung in Palu mit Menschen aus Donggala.", {"Palu", "Donggala"}),
        ("Im Jahr 1990 kam Angela Merkel. Später sagte Merkel, die Zeit sei reif.", {"Angela Merkel", "Merkel"}),
        ("Nach Ansicht von Aristoteles ist der Rahmen des Abkommens zu eng.", set()),
        ("Der Vertrag von Rom gilt in der EU seit Jahren.", {"Vertrag von Rom", "EU"}),
        ("Vom Heimstadion Polonias las man in der Regierungszeit Kublais.", {"Polonias", "Kublais"}),
        ("Geophysikalische Daten zeigen, was Michael E. Mann sagt.", {"Michael E. Mann"}),
        ("Er sprach mit Michael Ende und Warren Harding.", {"Michael Ende", "Warren Harding"}),
        ("Er kam für die Deutsche Welle zur TU Darmstadt.", {"Deutsche Welle", "TU Darmstadt"}),
        ("Otto von Bismarck kam nach Frankreich, wie alle wissen.", {"Otto von Bismarck", "Frankreich"}),
    ],
)
def test_a_noun_is_no_name(text: str, names: set[str]) -> None:
    assert anchored(text) == names


def test_elsewhere_a_capital_says_enough() -> None:
    assert any(name.anchored for name in find_names("They asked about the Zeit.", "en"))
