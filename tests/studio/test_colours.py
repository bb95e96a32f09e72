"""Colours that carry a meaning are told apart by those who see fewer of them, and none carries its
meaning alone."""

import re
from itertools import product

import numpy as np
import pytest

from privet.studio.fragments import stylesheet

# What a person without one kind of cone sees of linear red, green and blue (Machado, Oliveira and
# Fernandes, 2009, severity 1).
SEEN = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
) / np.array([[0.9505], [1.0], [1.089]])
# Beside each other in a picture or a text: a line and another, a mark and its ground, a warning.
PAIRS = [
    ("accent", "page"),
    ("accent", "ink"),
    ("accent", "tint"),
    ("warn", "page"),
    ("warn", "ink"),
    ("warn", "accent"),
    ("soft", "page"),
]
LEAST = 15  # a distance of 2.3 is just seen


def colours() -> dict[str, dict[str, str]]:
    """The named colours, by day and by night."""
    blocks = re.findall(r":root\s*\{([^}]*--accent[^}]*)\}", stylesheet())
    light, dark, _on_paper = (
        dict(re.findall(r"--(\w+):\s*(#[0-9a-fA-F]{3,6})", block)) for block in blocks
    )
    return {"light": light, "dark": dark}


def test_by_night_the_page_is_dark() -> None:
    found = {mode: lab(names["page"], SEEN["all cones"])[0] for mode, names in colours().items()}
    assert found["light"] > 90
    assert found["dark"] < 20


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    value = np.array([int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)])
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.clip(TO_XYZ @ np.clip(seen @ linear, 0, 1), 1e-6, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_simulation_knows_red_from_green_only_with_all_cones() -> None:
    def apart(who: str) -> float:
        return float(np.linalg.norm(lab("#c00000", SEEN[who]) - lab("#4a6a00", SEEN[who])))

    assert apart("all cones") > 2 * apart("deuteranopia")


@pytest.mark.parametrize(("mode", "who"), [*product(["light", "dark"], SEEN)])
def test_colours_with_a_meaning_are_told_apart(mode: str, who: str) -> None:
    names = colours()[mode]
    near = {
        (one, two): round(distance, 1)
        for one, two in PAIRS
        if (distance := np.linalg.norm(lab(names[one], SEEN[who]) - lab(names[two], SEEN[who])))
        < LEAST
    }
    assert near == {}


@pytest.mark.parametrize(
    ("selector", "sign"),
    [
        (r"svg \.line1", "stroke-dasharray"),  # the second line of a chart
        (r"svg \.mark1", "stroke-width"),  # its marks are hollow
        (r"svg \.chosen", "stroke-dasharray"),  # what publish would take
        (r"svg \.leaf", "stroke-width"),
        (r"tr\.chosen", "font-weight"),
        (r"\.answer\.attested", "border-style"),
        (r"\.choices input:checked \+ label::before", "content"),
        (r"\.warning", "border-left-width"),
        (r"button\.size\[aria-pressed=\"true\"\]::before", "content"),
    ],
)
def test_no_meaning_is_carried_by_colour_alone(selector: str, sign: str) -> None:
    rules = re.findall(rf"{selector}\s*\{{([^}}]*)\}}", stylesheet())
    assert any(sign in rule for rule in rules), selector
