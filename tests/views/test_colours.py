"""The colours of types can be told apart, also by people who cannot tell red from green."""

import math
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from graphrag_lite import views

STYLE = (Path(views.__file__).parent / "page" / "style.css").read_text(encoding="utf-8")
# Machado, Oliveira, Fernandes 2009, severity 1, of linear RGB.
SIGHT = {
    "all colours": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
RARE = {"7", "8", "9"}  # law, language, date


def lab(colour: str, sight: str) -> list[float]:
    """Return a colour in CIE L*a*b*, as it is seen."""
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ np.clip(np.array(SIGHT[sight]) @ linear, 0, 1) / (0.9505, 1, 1.089)
    x, y, z = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_types_are_told_apart(sight: str, mode: int) -> None:
    block = re.findall(r":root \{(.*?)\}", STYLE, re.S)[mode]
    colours = dict(re.findall(r"--type-(\w+): #(\w{6})", block))
    assert len(colours) == 11
    for a, b in combinations(colours, 2):
        least = 10 if RARE & {a, b} else 17  # 2.3 is just noticeable side by side
        assert math.dist(lab(colours[a], sight), lab(colours[b], sight)) > least, (a, b)
