"""Bars and charts of figures, of the shapes of `files.svg`: lines by number of leaves, or points.

Shapes and words carry the meaning, never colour alone. Trees are drawn in `tree.exchange`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from privet.files.svg import line, rectangle, rounded, svg, text

_WIDE, _HIGH = 420, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 46, 40  # margins
_LEGEND = 150  # the width of a name
_LEAST = 1e-9  # finer differences are not drawn


def bar(share: float) -> Markup:
    """A bar of a share of the width, for a cell of a table."""
    return Markup(
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="frame" width="100" height="10"/>'
        '<rect class="fill" width="{}" height="10"/></svg>'
    ).format(rounded(100 * share))


def histogram(records: Sequence[int], alt: str) -> Markup:
    """Small bars side by side, for a column at a glance; the words say what they stand for."""
    most = max(*records, 1)
    step = 100 / max(len(records), 1)
    bars = [
        rectangle("fill", n * step, 30 - high, step * 0.86, high)
        for n, high in enumerate(max(30 * count / most, 0.6 * (count > 0)) for count in records)
    ]
    return Markup(
        '<svg class="histogram" role="img" aria-label="{}" viewBox="0 0 100 30" '
        'preserveAspectRatio="none">{}</svg>'
    ).format(alt, Markup("").join(bars))


@dataclass(frozen=True)
class Series:
    """A line of a chart; None where there is no figure. A `level` is what was asked for: a thin
    line without marks."""

    name: str
    figures: Sequence[float | None]
    level: bool = False


@dataclass(frozen=True)
class _Frame:
    """The field of a chart: which figures it holds, and where each of them lies."""

    lowest: float
    highest: float
    ticks: Sequence[float]
    powers: bool = False

    def across(self, figure: float) -> float:
        share = (figure - self.lowest) / ((self.highest - self.lowest) or 1)
        return _LEFT + (_WIDE - _LEFT - _RIGHT) * share

    def upright(self, figure: float) -> float:
        low, high = (self._scaled(tick) for tick in (self.ticks[0], self.ticks[-1]))
        share = (self._scaled(figure) - low) / (high - low)
        return _HIGH - _BOTTOM - (_HIGH - _TOP - _BOTTOM) * share

    def _scaled(self, figure: float) -> float:
        return math.log10(figure) if self.powers else figure

    def lines(self, title: str) -> list[Markup]:
        """The title, and a line for each tick."""
        shapes = [text(_LEFT, 16, title, "title")]
        for tick in self.ticks:
            height = self.upright(tick)
            shapes.append(line("grid", _LEFT, height, _WIDE - _RIGHT, height))
            shapes.append(text(_LEFT - 6, height + 4, f"{tick:,.6g}", "end"))
        return shapes

    def below(self, figures: Sequence[float], name: str) -> list[Markup]:
        """Figures below the field, and what they are."""
        shapes = [
            text(self.across(figure), _HIGH - _BOTTOM + 16, f"{figure:.6g}", "middle")
            for figure in figures
        ]
        return [*shapes, text((_LEFT + _WIDE - _RIGHT) / 2, _HIGH - 6, name, "middle")]


def line_chart(
    title: str,
    leaves: Sequence[float],
    series: Sequence[Series],
    chosen: float | None = None,
    powers: bool = False,
    across: str = "leaves",
    mark: str = "published",
    press: str = "",
) -> Markup | None:
    """Figures by number of leaves, or of something else that goes `across`, one of them marked as
    published or the like; None if there is no figure.

    With `powers` the vertical axis is logarithmic. With `press`, every number of leaves has a field
    to be clicked, which stands for the button of that name and number.
    """
    known = _known(series)
    if not known:
        return None
    ticks = (_powers_of_ten if powers else _even_ticks)(_every(known))
    frame = _Frame(min(leaves), max(leaves), ticks, powers)
    shapes = [*frame.lines(title), *frame.below(_some(leaves), across)]
    if chosen is not None:
        x = frame.across(chosen)
        shapes.append(line("chosen", x, _TOP, x, _HIGH - _BOTTOM))
    radius = 4 if len(leaves) <= 16 else 2.5
    for number, one in enumerate(known):
        points = _points(frame, leaves, one)
        path = " ".join(f"{rounded(x)},{rounded(y)}" for x, y in points)
        look = "edge" if one.level else f"line{number % 2}"
        shapes.append(Markup('<polyline class="{}" points="{}"/>').format(look, path))
        if not one.level:
            shapes += [_mark(number, x, y, radius) for x, y in points]
    shapes += _legend(known)
    if press:
        shapes += _fields(frame, leaves, press)
    marked = "" if chosen is None else f"; {mark}: {chosen:.6g}"
    alt = f"{title} by {across}{marked}. {_in_words(leaves, known)}"
    return svg("chart", _WIDE, _HIGH, alt, shapes)


def _fields(frame: _Frame, leaves: Sequence[float], press: str) -> list[Markup]:
    """One above the other the whole height, each as far as the middle to its neighbours."""
    places = [frame.across(one) for one in leaves]
    middles = [(low + high) / 2 for low, high in pairwise(places)]
    ends = [_LEFT - 8, *middles, _WIDE - _RIGHT + 8]
    field = Markup(
        '<rect class="press" data-press="{}{:.6g}" x="{}" y="{}" width="{}" height="{}">'
        "<title>{:.6g}</title></rect>"
    )
    return [
        field.format(
            press, one, *map(rounded, (low, _TOP, high - low, _HIGH - _TOP - _BOTTOM)), one
        )
        for one, (low, high) in zip(leaves, pairwise(ends), strict=True)
    ]


def _known(series: Sequence[Series]) -> list[Series]:
    return [s for s in series if any(figure is not None for figure in s.figures)]


def _every(series: Sequence[Series]) -> list[float]:
    return [figure for s in series for figure in s.figures if figure is not None]


def _points(frame: _Frame, places: Sequence[float], one: Series) -> list[tuple[float, float]]:
    return [
        (frame.across(place), frame.upright(figure))
        for place, figure in zip(places, one.figures, strict=True)
        if figure is not None
    ]


def _legend(known: Sequence[Series]) -> list[Markup]:
    shapes = []
    wide = min(_LEGEND, (_WIDE - _LEFT - _RIGHT) // len(known))
    for number, one in enumerate(known):
        x = _LEFT + number * wide
        sign = line("edge", x, 32, x + 10, 32) if one.level else _mark(number, x + 5, 32)
        shapes += [sign, text(x + 14, 36, one.name, "")]
    return shapes


def _mark(number: int, x: float, y: float, radius: float = 4) -> Markup:
    """Full circles for the first line, empty squares for the second."""
    if number % 2:
        return rectangle("mark1", x - radius, y - radius, 2 * radius, 2 * radius)
    circle = Markup('<circle class="mark0" cx="{}" cy="{}" r="{}"/>')
    return circle.format(*map(rounded, (x, y, radius)))


def _in_words(places: Sequence[float], known: Sequence[Series]) -> str:
    return "; ".join(
        f"{one.name}: "
        + ", ".join(
            f"{figure:.6g} at {place:.6g}"
            for place, figure in zip(places, one.figures, strict=True)
            if figure is not None
        )
        for one in known
    )


def _powers_of_ten(figures: Sequence[float]) -> list[float]:
    low = math.floor(math.log10(min(figures)))
    high = max(math.ceil(math.log10(max(figures))), low + 1)
    return [10.0**power for power in range(low, high + 1)]


def _even_ticks(figures: Sequence[float]) -> list[float]:
    """Three to seven ticks at 1, 2 or 5 times a power of ten that hold all figures."""
    low, high = min(figures), max(figures)
    spread = (high - low) or abs(high) or 1.0
    spread = max(spread, _LEAST)
    step = 10.0 ** math.floor(math.log10(spread / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if spread / (step * factor) <= 5)
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 1)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _some(leaves: Sequence[float], most: int = 10) -> Sequence[float]:
    return leaves[:: max(1, -(-len(leaves) // most))]
