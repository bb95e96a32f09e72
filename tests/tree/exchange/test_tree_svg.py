"""Trees as pictures: well-formed, no box on top of another, the same bytes each time."""

from xml.etree import ElementTree

from hypothesis import given

import privet
from oracles.random_tables import PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.tree import Grower, grow
from privet.tree.exchange.tree_svg import tree_svg


@given(plain_tables())
def test_every_node_has_a_box_of_its_own(plain: PlainTable) -> None:
    tree = grow(MemoryEngine(plain.table()), plain.schema(), Grower(leaves=8))
    picture = tree_svg(tree)
    assert picture == tree_svg(tree)
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


def test_a_long_name_gives_way_to_the_value() -> None:
    name = "hours_that_are_worked_in_a_week"
    table = {"age": [20, 21, 60, 61], name: [30.125, 30.125, 44.9225, 44.9225]}
    svg = ElementTree.fromstring(tree_svg(privet.grow(table, target=name, leaves=2)))
    shown = [text.text for text in svg.iter("text") if text.attrib["class"] == "what"]
    assert shown == ["age?", "hours_tha…: about 30.125", "hours_th…: about 44.9225"]
    assert f"{name}: about 30.125" in "".join(title.text or "" for title in svg.iter("title"))
