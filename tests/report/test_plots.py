"""Pictures: well-formed, nothing on top of anything else, the same bytes each time."""

from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.random_tables import PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.report.plots import Series, bar, line_chart, tree_picture
from privet.tree import Grower, grow

figures = st.one_of(st.none(), st.floats(1e-6, 1e9))


@given(plain_tables())
def test_every_node_has_a_box_of_its_own(plain: PlainTable) -> None:
    tree = grow(MemoryEngine(plain.table()), plain.schema(), Grower(leaves=8))
    picture = tree_picture(tree)
    assert picture == tree_picture(tree)
    svg = ElementTree.fromstring(picture)
    boxes = [
        tuple(float(r.attrib[name]) for name in ("x", "y", "width", "height"))
        for r in svg.iter("rect")
        if r.attrib["class"] in ("inner", "leaf")
    ]
    assert len(boxes) == len(tree.nodes)
    wide, high = float(svg.attrib["width"]), float(svg.attrib["height"])
    for place, (x, y, width, height) in enumerate(boxes):
        assert 0 <= x <= x + width <= wide
        assert 0 <= y <= y + height <= high
        for other_x, other_y, *_ in boxes[:place]:
            assert abs(x - other_x) >= width or abs(y - other_y) >= height
    assert sum(1 for path in svg.iter("path")) == len(tree.nodes) - 1


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


@pytest.mark.parametrize(("share", "width"), [(0, "0"), (1, "100"), (1 / 3, "33.33")])
def test_bars(share: float, width: str) -> None:
    assert f'class="fill" width="{width}"' in bar(share)
