"""Pictures: well-formed, nothing on top of anything else, the same bytes each time."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privet.report.plots import Series, bar, line_chart

figures = st.one_of(st.none(), st.floats(1e-6, 1e9))


@given(st.lists(figures, min_size=1, max_size=20), st.booleans(), st.data())
def test_points_lie_inside_their_chart(
    line: list[float | None], powers: bool, data: st.DataObject
) -> None:
    assume(any(figure is not None for figure in line))
    leaves = list(range(2, len(line) + 2))
    chosen = data.draw(st.sampled_from(leaves))
    chart = line_chart("K", leaves, [Series("K", line), Series("?", line)], chosen, powers)
    svg = ElementTree.fromstring(str(chart))
    known = sum(figure is not None for figure in line)
    assert len(list(svg.iter("circle"))) == known + 1  # one in the legend
    for circle in svg.iter("circle"):
        assert 0 <= float(circle.attrib["cx"]) <= float(svg.attrib["width"])
        assert 0 <= float(circle.attrib["cy"]) <= float(svg.attrib["height"])
    assert f"published: {chosen}" in svg.attrib["aria-label"]


def test_no_figures_no_chart() -> None:
    assert line_chart("L", [2, 3], [Series("L", [None, None])], 2) is None


def test_a_chart_may_go_across_something_else() -> None:
    chart = line_chart("Right", [5, 9], [Series("a", [1, 2])], 9, across="bins", mark="advised")
    assert "Right by bins; advised: 9" in ElementTree.fromstring(str(chart)).attrib["aria-label"]
    assert ">bins<" in str(chart)


@pytest.mark.parametrize(("share", "width"), [(0, "0"), (1, "100"), (1 / 3, "33.33")])
def test_bars(share: float, width: str) -> None:
    assert f'class="fill" width="{width}"' in bar(share)


def test_what_was_asked_looks_like_no_other_line_and_its_name_fits() -> None:
    figures: list[float | None] = [3, 5]
    measured = [Series("passes", figures), Series("does not pass", [5, None])]
    drawn = str(
        line_chart("K", [2, 3], [*measured, Series("k = 10, asked for", [4, 4], level=True)])
    )
    looks = re.findall(r'<polyline class="(\w+)"', drawn)
    assert looks == ["line0", "line1", "edge"]
    assert drawn.count("<circle") == 2 + 1
    place = re.search(r'<text[^>]* x="([\d.]+)"[^>]*>k = 10', drawn)
    assert place is not None
    assert float(place[1]) + 6.5 * len("k = 10, asked for") < 420
