"""What is no name, or not the whole of one, in languages beside English, and in manuals."""

import pytest

from graphrag_lite.text.names.find import find_names


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # what buttons say
        ("en", "Now click Add User, or the Delete button of Velm.", "Velm"),
        ("en", "The press Add User met Velm.", "Add User, Velm"),
        ("de", "Klicken Sie auf den Knopf Entsperren, sagte Anna Velm.", "Anna Velm"),
        ("pl", "Wtedy kliknij przycisk Odblokuj, jak Anna Velm.", "Anna Velm"),
        ("ru", "Нажмите Принтеры, как Анна Велм.", "Анна Велм"),
        # parts of a text, headings, brackets
        ("es", "Es el Libro Segundo, el Artículo 127 y el Número 3 de Velm.", "Velm"),
        ("es", "Era de Juan Alder. (1886-1950) Médico y amigo de Velm.", "Juan Alder, Velm"),
        ("tr", "Dün SAÇMA AĞAÇLAR Vladimir Velm geldi.", "Vladimir Velm"),
        ("it", "Una forchetta12, il piatto16, nel mondo30 la Baviera170 sorse.", "Baviera"),
        ("ru", "Велению внемли, будь послушна,\nОбиды не страшась,\nХвалу прими.\n\nА потом\nи иди\nи иди.", ""),
        # where a name ends, and where it goes on
        (
            "es",
            "Ayer vino Ramón Gómez de la Serna con Santa Teresa de Jesús.",
            "Ramón Gómez de la Serna, Santa Teresa de Jesús",
        ),
        ("pt", "Na Casa de Detenção de São Paulo, conto-lhe.", "Casa de Detenção de São Paulo"),
        ("pl", "Pisał o wyjeździe Zbyszka do Ameryki.", "Zbyszka, Ameryki"),
        ("it", "Ancora in Inghilterra Giacomo ne fa uso.", "Inghilterra, Giacomo"),
        ("ru", "Так сказал Ричард Дж. Велм на Тихоокеанском побережье.", "Ричард Дж. Велм"),
        ("de", "Man verlangte in Santiago den Rücktritt.", "Santiago"),
        (
            "de",
            "Die Xbox-Hardware, das Pearl Jam-Album, ein Online-Konto, die Filmemacher Gelegenheit.",
            "Xbox, Pearl Jam",
        ),
        ("de", "So läuten die Alarmglocken Florian Velm.", "Florian Velm"),
        (
            "vi",
            "Tại Quỹ Khoa học Quốc gia, sân bay và Viện Nghiên cứu Velm.",
            "Quỹ Khoa học Quốc gia, Viện Nghiên cứu Velm",
        ),
        ("vi", "Ông nói với Thủ tướng Velm ở Sân bay.", "Velm"),
        ("vi", "Kỹ sư người Anh William Velm.", "William Velm"),
        ("tr", "Zirvede 5 takım var. İşte Velm.", "Velm"),
        ("tr", "Denizin suyu, deniz soğuk. Dün çokGüzel bir Velm.", "Velm"),
        ("tr", "Genel Yayın Yönetmeni Murat Velm geldi.", "Murat Velm"),
        ("ar", "ومر عمر رضي الله عنه على علي بن أبي طالب", "علي بن أبي طالب"),
        ("ar", "قال السلطان سوق ومر عثمان وأيام مع جورج بوش", "جورج بوش"),
        ("ar", "كتب ”هذا الدليل“، لكن يمكن ”نشره“ في «حياة محمد»", "حياة محمد"),
        ("ar", "من توجيه للـDNAT هنا مع النص", "DNAT"),
        ("en", "Thank you, Mr. Speaker, for the Nation met Velm.", "Velm"),
    ],
)
def test_names_of_many_languages(language: str, text: str, expected: str) -> None:
    assert ", ".join(name.name for name in find_names(text, language) if name.anchored) == expected


def test_which_package_is_no_term() -> None:
    assert not find_names("информацию для указанного пакета и указанного пакета", "ru")
    assert find_names("цвет верхнего слоя и верхнего слоя", "ru")


def test_two_syllables_are_a_word_in_vietnamese() -> None:
    assert not find_names("phần mềm này và phần mềm kia", "vi")
