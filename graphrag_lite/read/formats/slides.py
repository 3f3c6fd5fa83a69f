"""PowerPoint files (.pptx, .pptm)."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from graphrag_lite.read.documents import Composer, Fields, Loaded, Reader, replace_surrogates
from graphrag_lite.read.packages import Package, attribute, child, local_name, open_package
from graphrag_lite.read.stated_times import stated_date

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SHOW = "ppt/presentation.xml"
REPEATED = ("sldNum", "dt", "ftr", "hdr", "sldImg")  # on every slide


def read(data: bytes, path: str, fields: Fields) -> Iterator[Loaded]:
    """Yield the text of all slides in their order, each with its notes and a block."""
    composer = Composer()
    with open_package(data) as package:
        listed = child(package.xml(SHOW), "sldIdLst")
        parts = package.related(SHOW)
        slides = [parts.get(_relation(each), "") for each in (listed if listed is not None else ())]
        headings = []
        for number, slide in enumerate(slides, start=1):
            pieces = list(_shapes(package.xml(slide)))
            headings += [piece for piece in pieces[:1] if piece.startswith("## ")]
            pieces += filter(None, _beside(package, slide))
            if pieces:
                composer.part()
                composer.add(replace_surrogates("\n\n".join(pieces)), "slide", str(number))
        title, metadata = package.properties()
    if title.casefold() == "powerpoint presentation" or not title:
        title = headings[0].removeprefix("## ") if headings else ""
    yield composer.loaded(path, replace_surrogates(title), metadata | stated_date(composer.text(), fields))


def _relation(element: "Element") -> str:
    """Return the id of a relation, which has a namespace, beside an `id` that has none."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def _beside(package: Package, slide: str) -> Iterator[str]:
    """Yield what a slide's charts show, and its notes."""
    parts = package.related(slide).values()
    yield from (_chart(package.xml(name)) for name in parts if "/charts/chart" in name)
    for name in parts:
        if "notesSlide" in name:
            yield from _shapes(package.xml(name))


def _chart(chart: "Element") -> str:
    """Return the title of a chart and its series, a line each: "Sales: 2023 4.3; 2024 2.5"."""
    lines = ["".join(_values(title, "t")) for title in chart.iter() if local_name(title) == "title"]
    for series in (each for each in chart.iter() if local_name(each) == "ser"):
        name, names, values = ([*_values(child(series, part), "v")] for part in ("tx", "cat", "val"))
        points = "; ".join(" ".join(filter(None, pair)) for pair in zip_longest(names, values, fillvalue=""))
        lines.append(": ".join(filter(None, (" ".join(name), points))))
    return "\n".join(filter(None, lines))


def _values(element: "Element | None", name: str) -> Iterator[str]:
    found = element.iter() if element is not None else ()
    return (each.text or "" for each in found if local_name(each) == name)


def _shapes(slide: "Element") -> Iterator[str]:
    """Yield the texts of shapes, the slide's title first, and rows of tables."""
    shapes = [shape for shape in slide.iter() if local_name(shape) in ("sp", "tbl")]
    for shape in sorted(shapes, key=lambda shape: not _is_title(shape)):
        if local_name(shape) == "tbl":
            rows = [row for row in shape if local_name(row) == "tr"]
            shown = [
                " | ".join(" ".join(_text(cell).split()) for cell in row if local_name(cell) == "tc") for row in rows
            ]
            text = "\n".join(row for row in shown if row.strip(" |"))
        else:
            text = "" if _placeholder(shape) in REPEATED else _text(shape)
        if text.strip():
            yield f"## {' '.join(text.split())}" if _is_title(shape) else text.strip()


def _is_title(shape: "Element") -> bool:
    return _placeholder(shape) in ("title", "ctrTitle")


def _placeholder(shape: "Element") -> str:
    return attribute(child(shape, "nvSpPr", "nvPr", "ph"), "type")


def _text(element: "Element") -> str:
    """Return the paragraphs of a shape, one a line."""
    breaks = {"br": "\n", "tab": " "}
    paragraphs = [each for each in element.iter() if local_name(each) == "p"]
    lines = [
        "".join(
            (run.text or "") if local_name(run) == "t" else breaks.get(local_name(run), "") for run in paragraph.iter()
        )
        for paragraph in paragraphs
    ]
    return "\n".join(line for line in lines if line.strip())


_OPEN = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
READER = Reader({".pptx": _OPEN, ".pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12"}, read)
