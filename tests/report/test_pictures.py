"""Pictures in files: SVG by ourselves, PNG and PDF by matplotlib where it is installed."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from privet.errors import UsageError
from privet.files.figures import refuse_picture
from privet.preserve.exploration import Exploration, SizeLine
from privet.report.advice import advice_picture
from privet.report.trade_off import trade_off_picture
from privet.substitution.advise import Advice, Trial
from privet.tree.exchange.pictures import tree_picture
from tree.test_rules import grown, small_table

BEGINS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}

LINES = tuple(
    SizeLine(
        leaves=leaves,
        k=40 // leaves,
        k_with_target=1,
        l=None,
        t=0.1 * leaves,
        told_by_boundaries=0,
        equivalence_classes=leaves,
        one_class_share=0.1,
        marginal_error=0.01 * leaves,
        association_error=0.05,
        columns_repaired=None,
        training=0.8,
        cross_validated=0.7,
        passes=leaves < 5,
        same_tree=True,
    )
    for leaves in range(2, 8)
)
TRIALS = tuple(
    Trial(gamma, 10, 3.0 + gamma / 10, 0.7, 0.1, 800, 0.01, 0.6, 0.8, float(gamma))
    for gamma in (5, 7, 9)
)

PICTURES: dict[str, Callable[[str], bytes]] = {
    "tree": lambda ending: tree_picture(grown(small_table()), ending),
    "trade-off": partial(trade_off_picture, Exploration("accuracy", LINES)),
    "advice": partial(advice_picture, Advice(TRIALS, 0.9)),
}


@pytest.mark.parametrize("ending", BEGINS)
@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_in_every_format(picture: str, ending: str) -> None:
    if ending != ".svg":
        pytest.importorskip("matplotlib")
    made = PICTURES[picture](ending)
    assert made.startswith(BEGINS[ending])
    assert made == PICTURES[picture](ending)


@pytest.mark.parametrize("picture", PICTURES)
def test_svg_stands_alone(picture: str) -> None:
    text = PICTURES[picture](".svg").decode("utf-8")
    assert "var(" not in text  # colours by name are for browsers
    root = ElementTree.fromstring(text)
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    inside = [part for part in root if part.tag.endswith("}svg")]
    assert inside
    for part in inside:
        x, y, width, height = (float(part.attrib[n]) for n in ("x", "y", "width", "height"))
        assert 0 < x < x + width < wide
        assert 0 < y < y + height < high


def test_sizes_that_do_not_pass_have_another_mark() -> None:
    text = PICTURES["trade-off"](".svg").decode("utf-8")
    assert "passes: 20 at 2, 13 at 3, 10 at 4; does not pass: 8 at 5" in text


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for refused in (partial(PICTURES["tree"], ".png"), partial(refuse_picture, Path("t.pdf"))):
        with pytest.raises(UsageError, match="need matplotlib") as error:
            refused()
        assert "privet[pictures]" in error.value.hint
    refuse_picture(Path("t.svg"))
    assert PICTURES["tree"](".SVG").startswith(b"<?xml")


def test_the_core_runs_without_matplotlib(tmp_path: Path) -> None:
    script = f"""
import sys
sys.modules["matplotlib"] = None  # as if it were not installed
import privet
cells = {{"x": [1, 2, 3, 4, 5, 6], "y": ["a", "a", "a", "b", "b", "b"]}}
privet.publish(cells, target="y", k=2, leaves=2).save({str(tmp_path / "release")!r})
assert privet.verify({str(tmp_path / "release")!r})
"""
    subprocess.run([sys.executable, "-c", script], check=True)
