"""The page of an index, as Chromium draws it."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from conftest import indexed

from graphrag_lite.search.index import Index
from graphrag_lite.text.plain_text import printable, utf16_offsets
from graphrag_lite.views.explorer import page


def data_of(content: bytes, part: str = "data") -> Any:
    found = re.search(rf'<script id="{part}" type="text/plain">([^<]*)</script>', content.decode())
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


@pytest.fixture
def path(sample: Index, tmp_path: Path) -> Path:
    file = tmp_path / "sample.html"
    file.write_bytes(page(sample, "Sample"))
    return file


def heading(tab: Page) -> str:
    return str(tab.run("document.querySelector('h2').textContent"))


def quiet(tab: Page) -> bool:
    """Say whether the page has asked for nothing, and complained of nothing."""
    assert tab.requests() == []
    assert tab.complaints() == []
    return True


def test_it_draws_itself_and_asks_for_nothing(tab: Page, path: Path, sample: Index) -> None:
    tab.open(path)
    counts = tab.run("document.querySelector('#counts').textContent")
    for table in ("entities", "relationships", "community_reports", "documents"):
        assert re.search(rf"\b{sample.n_rows(table)}\b", counts)
    tab.run("draw()")
    drawn = "(({x, y}) => pen.getImageData(x, y, 1, 1).data[3])(placed(view.ofName.find(Boolean)))"
    assert tab.run(drawn) > 200  # a name is where the map says
    assert tab.run("view.ofName.filter(Boolean).length") > 20
    assert quiet(tab)


def test_search_finds_names_reports_and_texts_as_one_types(tab: Page, path: Path) -> None:
    tab.open(path)
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="/", text="/")
    assert tab.run("document.activeElement.type") == "search"
    tab.type("steven bec")
    groups = tab.run("[...document.querySelectorAll('#hits h4')].map((one) => one.textContent)")
    assert groups == ["Names", "Reports", "Texts"]
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="Enter")
    tab.until("document.querySelector('h2').textContent === 'Steven Beckwith'")
    assert tab.run("document.activeElement.tagName") == "H2"  # a reader of the screen goes on there
    tab.run("history.back()")
    tab.until("document.querySelector('h2').textContent === 'What is in it'")
    tab.run("history.forward()")
    tab.until("document.querySelector('h2').textContent === 'Steven Beckwith'")
    assert tab.run("search('directør zzz').texts.length") == 0
    assert quiet(tab)


def test_a_report_leads_to_the_words_that_it_cites(tab: Page, path: Path, sample: Index) -> None:
    report = sample.arrow("community_reports").to_pylist()[0]
    tab.open(path, f"#community-{report['community']}")
    assert heading(tab) == report["title"]
    tab.click("main .lead a.mark")
    tab.until("document.querySelector('main mark')")
    citation = next(found for found in report["citations"] if found["n"] == 1)
    texts = dict(zip(sample.documents["id"], sample.documents["text"], strict=True))
    words = texts[citation["document_id"]][citation["char_start"] : citation["char_end"]]
    assert tab.run("document.querySelector('main mark').textContent") == words
    box = tab.run("(({top, bottom}) => [top, bottom])(document.querySelector('main mark').getBoundingClientRect())")
    assert 0 < box[0] < box[1] < 900  # it is in view
    assert quiet(tab)


def test_every_page_is_drawn_without_complaint(tab: Page, path: Path) -> None:
    tab.open(path)
    said = tab.run(
        """(() => {
          const kinds = {name: names.title.keys(), community: communities.number, text: documents.title.keys()};
          const places = Object.entries(kinds).flatMap(([kind, rows]) => [...rows].slice(0, 40).map((row) => `${kind}-${row}`));
          places.push("overview@1990..1995", "name-0@199..201", "name-999999", "%E0%A4%A", "text-0-5-999999", "community--1");
          return places.filter((place) => {
            history.replaceState(null, "", `#${place}`);
            route(false);
            const main = document.querySelector("main");
            return !main.querySelector("h2").textContent || /undefined|NaN|\\[object/.test(main.textContent)
              || [...main.querySelectorAll("a, button")].some((one) => !one.textContent.trim());
          });
        })()"""
    )
    assert said == []
    assert quiet(tab)


def test_types_are_listed_by_how_many_names_have_them(tab: Page, path: Path) -> None:
    tab.open(path, "#overview")
    told = tab.run("[...document.querySelectorAll('main h4')].map(each => each.textContent).join('|')")
    counts = [int(found.replace(",", "")) for found in re.findall(r"(?:^|\|)[a-z]+ ([\d,]+)(?=\||$)", told)]
    assert len(counts) > 2 and counts == sorted(counts, reverse=True)


def test_a_period_shows_what_is_of_it(tab: Page, path: Path, sample: Index) -> None:
    days = [day[:10] for day in sample.documents["created_at"] if day]
    tab.open(path, "#overview@1990..1993")
    expected = sorted(day for day in days if "1990" <= day[:4] <= "1993")
    assert expected
    shown_days = tab.run("[...document.querySelectorAll('main .plain time')].map((one) => one.textContent)")
    assert shown_days == expected
    lit = tab.run("view.lit.size")
    assert 0 < lit < sample.n_rows("entities")
    tab.run("document.querySelector('#timeline svg').focus()")
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    tab.until("!period")
    tab.run("document.querySelector('#timeline svg').focus()")
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    tab.until("period")
    tab.open(path, "#overview@1990-05..1990-07")  # finer than the slots
    tab.run("document.querySelector('#timeline svg').focus()")
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", modifiers=8)
    tab.until("period.to !== '1990-07'")
    assert tab.run("[period.from, period.to]") == ["1990", "1991"]
    assert quiet(tab)


def test_names_tell_their_facts_aliases_and_relationships(tab: Page, path: Path, sample: Index) -> None:
    fact = next(row for row in sample.arrow("facts").to_pylist() if row["subject_id"])
    row = sample.column("entities", "id").to_pylist().index(fact["subject_id"])
    tab.open(path, f"#name-{row}")
    said = tab.run("document.querySelector('main').textContent")
    assert fact["fact"] in said
    relationship = sample.arrow("relationships").to_pylist()[0]
    row = sample.column("entities", "id").to_pylist().index(relationship["source_id"])
    tab.open(path, f"#name-{row}")
    said = tab.run("document.querySelector('main').textContent")
    assert relationship["description"] in said
    assert relationship["target"] in said


def test_what_documents_hold_runs_nothing(tab: Page, evil: Index, tmp_path: Path) -> None:
    file = tmp_path / "evil.html"
    content = page(evil, "</title><script>window.ran = 1</script>")
    assert content.count(b"<script") == 3
    file.write_bytes(content)
    for address in ("", *(f"#text-{row}" for row in range(4)), "#name-0", "#name-0@<script>", "#community-0"):
        tab.open(file, address)
        tab.run("document.querySelectorAll('main a').forEach((one) => one.dispatchEvent(new Event('mouseover')))")
        assert tab.run("window.ran ?? 0") == 0
        assert tab.run("document.querySelectorAll('main :is(img, script, svg, [onclick], [onerror])').length") == 0
    assert quiet(tab)
    injected = "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))"
    tab.run(injected)  # what came in by a way that nobody has thought of is not run either
    assert tab.run("window.ran ?? 0") == 0
    assert "Content Security Policy" in "".join(tab.complaints())
    data = data_of(content)
    texts = data_of(content, "texts")
    assert not re.search("[\x00-\x08\x7f-\x9f\u202a-\u202e]", json.dumps([data, texts], ensure_ascii=False))


def test_places_are_those_of_the_index(evil: Index) -> None:
    content = page(evil, "Evil")
    texts = data_of(content, "texts")
    ids = evil.column("documents", "id").to_pylist()
    original = evil.column("documents", "text").to_pylist()
    found = zip(data_of(content)["names"]["sources"], evil.arrow("entities")["sources"].to_pylist(), strict=True)
    n_spans = 0
    for flat, spans in found:
        for (row, start, end), span in zip(zip(*[iter(flat)] * 3, strict=True), spans, strict=True):
            assert ids[row] == span["document_id"]
            units = texts[row].encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
            assert units == printable(original[row][span["char_start"] : span["char_end"]])
            n_spans += 1
    assert n_spans > 3


def test_a_page_that_would_be_too_large_leaves_texts_out_and_says_so(tab: Page, sample: Index, tmp_path: Path) -> None:
    file = tmp_path / "small.html"
    content = page(sample, "Sample", max_bytes=1000)
    file.write_bytes(content)
    assert data_of(content, "texts") == []
    assert data_of(content)["names"]["description"] == sample.entities["description"].map(printable).tolist()
    tab.open(file)
    assert "left out" in tab.run("document.querySelector('main').textContent")
    tab.open(file, "#text-0-0-10")
    assert "left out" in tab.run("document.querySelector('main').textContent")
    assert tab.run("search('telescope').texts.length") == 0
    assert quiet(tab)


def test_it_fits_narrow_screens(tab: Page, path: Path) -> None:
    tab.size(400, 800, dark=True)
    for address in ("", "#name-0", "#text-0", "#community-0", "#overview@1990..1995"):
        tab.open(path, address)
        assert tab.run("document.documentElement.scrollWidth") <= 400
    tab.run(
        "document.querySelector('main').append(block('p', {}, 'ذهب طه حسين إلى باريس', cited('[1]', [[1, 0, 0, 9]])))"
    )
    assert tab.run("getComputedStyle(document.querySelector('main > p:last-child')).direction") == "rtl"
    tab.run("names.title[0] = 'Donaudampfschiff'.repeat(20); tell(view.ofName[0] ?? view.ofName.find(Boolean), 0, 0)")
    assert tab.run("document.querySelector('#tip').scrollWidth <= document.querySelector('#tip').clientWidth")
    tab.open(path, "#text-0")  # which hides the map
    tab.run("location.hash = '#name-0'")
    tab.until("document.querySelector('#map').clientWidth && view.k > 0 && Number.isFinite(view.x)")
    dark = tab.run("getComputedStyle(document.body).backgroundColor")
    tab.size(400, 800)
    assert tab.run("getComputedStyle(document.body).backgroundColor") != dark
    assert quiet(tab)


def test_equal_tables_give_equal_bytes(evil: Index, corpus: Callable[..., Path], tmp_path: Path) -> None:
    folder = evil.folder.parents[2] / "corpus"
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = indexed(corpus(dict(reversed(files.items()))), tmp_path / "output")
    assert page(again, "Evil") == page(evil, "Evil")


def test_an_index_without_names_has_a_page(tab: Page, corpus: Callable[..., Path], tmp_path: Path) -> None:
    empty = indexed(corpus({"a.txt": "nothing is named here."}), tmp_path / "output")
    file = tmp_path / "empty.html"
    file.write_bytes(page(empty, "Empty"))
    tab.open(file)
    assert heading(tab) == "What is in it"
    assert quiet(tab)


def test_a_source_tells_its_page(tab: Page, corpus: Callable[..., Path], tmp_path: Path) -> None:
    captions = "WEBVTT\n\n00:05.000 --> 00:09.000\n<v Ann Lee>Ann Lee \x07 met 😀 Bob Hall.\n\n09:10.000 --> 09:14.000\n<v Bob Hall>Bob Hall likes Ann Lee.\n"
    index = indexed(corpus({"talk.vtt": captions}), tmp_path / "output")
    file = tmp_path / "talk.html"
    file.write_bytes(page(index, "Talk"))
    text = index.documents.text[0]
    blocks = [block for block in index.documents.blocks[0] if block["kind"] == "time"]
    labels = [block["label"] for block in blocks]
    assert len(labels) == 2
    at = utf16_offsets(text)(blocks[1]["char_start"])
    for start, label in ((0, labels[0]), (at - 1, labels[0]), (at, labels[1])):
        tab.open(file, f"#text-0-{start}-{start + 3}")
        assert f"talk.vtt, at {label} · characters {start}" in tab.run(
            "document.querySelector('main .note').textContent"
        )


def test_the_mouse_opens_what_is_on_the_map_and_chooses_a_time(tab: Page, path: Path) -> None:
    tab.open(path)
    place = (
        "(({x, y}) => [x + canvas.getBoundingClientRect().x, y + canvas.getBoundingClientRect().y])"
        "(placed(view.ofName[names.title.indexOf('Lyman Spitzer')]))"
    )
    spot = tab.run(place)
    tab.drag(spot, spot)
    tab.until("document.querySelector('h2').textContent === 'Lyman Spitzer'")
    before = tab.run(place)
    tab.drag(before, [before[0] + 50, before[1] + 20])  # moves the map, and opens nothing
    tab.until(f"{place}[0] - {before[0]} === 50")
    assert heading(tab) == "Lyman Spitzer"
    box = tab.run("(({x, y, width}) => [x, y, width])(document.querySelector('#timeline svg').getBoundingClientRect())")
    n_slots = tab.run("slots.length")
    tab.drag([box[0] + box[2] * 2.5 / n_slots, box[1] + 20], [box[0] + box[2] * 6.5 / n_slots, box[1] + 20])
    tab.until("period")
    assert tab.run("[period.from, period.to]") == tab.run("[slots[2], slots[6]]")
    assert heading(tab) == "Lyman Spitzer"  # as documents of that time mention him
    tab.run("location.hash = '#overview'")
    tab.until("!period")
    tab.click("#types button")
    faint = tab.run("names.title.keys().filter(isFaint).toArray().length")
    assert faint == tab.run("names.type.filter((type) => type !== 0).length")
    assert quiet(tab)
