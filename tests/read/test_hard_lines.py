"""Lines that a width has cut are joined; what stands in lines of its own is not."""

from graphrag_lite.read.hard_lines import joined_lines

KOREAN = (
    "  우리 마을의 도서관은 매일 아침 아홉 시에 문을 열고 저녁 여섯 시에 ",
    "닫는다. 어린이는 책을 세 권까지 빌릴 수 있고 어른은 다섯 권까지 빌",
    "릴 수 있다.",
    "- 1 -",
    "  가. 빌린 책은 두 주 안에 돌려주어야 하며, 늦으면 하루에 백 원을 내",
    "야 한다.",
    "  나. 책을 잃어버리면 같은 책을 사서 내거나 그 값을 도서관에 내야 한",
    "다.",
)


def test_korean_lines_are_joined_within_words_where_no_space_ends_them() -> None:
    joined = joined_lines("\n\n".join(KOREAN))
    assert "여섯 시에 닫는다. 어린이는" in joined and "빌릴 수 있다." in joined
    assert joined.count("\n\n") == 3 and "내야 한다.\n\n  나. 책을" in joined


def test_a_list_and_a_table_stay_as_they_are() -> None:
    names = (
        "서울특별시 중구 세종대로",
        "부산광역시 해운대구 우동",
        "대구광역시 수성구 범어동",
        "인천광역시 남동구 구월동",
    )
    listed = "\n".join(f"{name} {number}" for name in names for number in range(11, 20))
    assert joined_lines(listed) == listed
    table = "\n".join(f"| {name} | 도서관은 매일 문을 연다. |" for name in names)
    assert joined_lines(table) == table


def test_japanese_lines_are_joined_without_a_space() -> None:
    text = "私たちの町の図書館は毎朝九時に開いて、夕方の六時に閉\nまります。本は三冊まで借りられますが、新しい雑誌は一\n冊だけです。\n\n二階は静かです。"
    assert "六時に閉まります。本は三冊まで借りられますが、新しい雑誌は一冊だけです。\n\n二階" in joined_lines(text)
