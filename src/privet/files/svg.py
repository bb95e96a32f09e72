"""Shapes of SVG, and whole pictures: inside a page, or as a file of their own.

They are written by hand and not by a plotting library, so that a report has the same bytes wherever
and whenever it is made again, and takes its colours from the page in light, dark and print. Trees
are drawn of them in `tree.exchange.tree_svg`, charts in `report.plots`.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

STYLES = Path(__file__).parent  # with svg.css and colours.css
_GAP = 12  # between pictures of one file


def svg(
    kind: str, width: float, height: float, alt: str, shapes: Sequence[Markup], least: float = 0
) -> Markup:
    """A picture that shrinks with the page, but not below the width `least`."""
    return Markup(
        '<svg class="{0}" role="img" aria-label="{1}" viewBox="0 0 {2} {3}" width="{2}" '
        'height="{3}" style="min-width: {4}px">{5}</svg>'
    ).format(kind, alt, *map(rounded, (width, height, least)), Markup("").join(shapes))


def text(x: float, y: float, words: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(
        kind, rounded(x), rounded(y), words
    )


def line(kind: str, x: float, y: float, to_x: float, to_y: float) -> Markup:
    return Markup('<path class="{}" d="M{} {}L{} {}"/>').format(
        kind, *map(rounded, (x, y, to_x, to_y))
    )


def rectangle(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, *map(rounded, (x, y, width, height))
    )


def rounded(number: float) -> str:
    """At most two decimals: finer ones are not seen, and last bits differ between machines."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def as_file(pictures: Sequence[Markup]) -> str:
    """Pictures below one another as a file of their own, in the light colours of the pages.

    Colours are written out: few programs besides browsers know those with names.
    """
    width, height, placed = 0.0, float(_GAP), []
    for picture in pictures:
        sides = re.search(r'width="([\d.]+)" height="([\d.]+)"', picture)
        assert sides is not None
        place = f'<svg x="{_GAP}" y="{rounded(height)}" class='
        placed.append(str(picture).replace("<svg class=", place, 1))
        width = max(width, float(sides[1]) + 2 * _GAP)
        height += float(sides[2]) + _GAP
    size = f'width="{rounded(width)}" height="{rounded(height)}"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{_style()}</style>\n'
        f'<rect {size} fill="#ffffff"/>\n' + "\n".join(placed) + "\n</svg>\n"
    )


def _style() -> str:
    colours = (STYLES / "colours.css").read_text(encoding="utf-8").partition("@media")[0]
    known = dict(re.findall(r"(--\w+): (#\w+);", colours))
    style = (STYLES / "svg.css").read_text(encoding="utf-8")
    return re.sub(r"var\((--\w+)\)", lambda name: known[name[1]], style)
