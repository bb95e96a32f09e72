"""A tree drawn: as text with lines for the terminal, or as a picture (PNG, SVG, PDF).

A picture grows from left to right, one row for each leaf and one column for each level, each as
wide as its words need; `tree_svg` draws those of our own shapes. The words of the branches come
from `rules`.
"""

from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Any

from privet.files.figures import SVG, new_figure, picture_bytes
from privet.files.svg import as_file
from privet.tree.exchange.tree_svg import tree_svg
from privet.tree.model import Node, Tree
from privet.tree.rules import branch_words, outcome
from privet.words import count

_MOST_LABELS = 2  # of a branch in a picture; the text names all
_MOST_LEAVES_SHOWN = 64  # of a picture in a notebook
_MOST_LETTERS = 24  # of a line in a picture
_LARGEST_INCHES = 300.0  # of a side of a picture
_ROW, _LETTER, _SPACE = 0.42, 0.062, 0.2  # inches: of a leaf, of a letter, around a text
_PALETTE = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#bab0ac")


def draw_text(tree: Tree) -> str:
    """The tree with one line a node, like the drawing of a folder."""
    lines = [f"{tree.target}: {_summary(tree, tree.root)}"]
    waiting = _branches(tree, tree.root, "")[::-1]
    while waiting:
        node, words, last, indent = waiting.pop()
        lines.append(f"{indent}{'└── ' if last else '├── '}{words}: {_summary(tree, node)}")
        waiting += _branches(tree, node, indent + ("    " if last else "│   "))[::-1]
    return "\n".join(lines)


def _branches(tree: Tree, node: Node, indent: str) -> list[tuple[Node, str, bool, str]]:
    """The children of a node, the words of their branches, and whether they are the last."""
    if node.split is None:
        return []
    words = [branch_words(node.split, number) for number in range(len(node.children))]
    return [
        (tree.nodes[child], text, child == node.children[-1], indent)
        for child, text in zip(node.children, words, strict=True)
    ]


def _summary(tree: Tree, node: Node) -> str:
    """`>50K, 4,282 records, 73 %` for a leaf, records alone for an inner node."""
    records = tree.records(node)
    counted = count(records, "record")
    if not node.is_leaf:
        return counted
    if tree.is_regression:
        return f"{outcome(tree, node)} ({counted})"
    return f"{outcome(tree, node)} ({counted}, {max(node.weights) / records * 100:.0f} %)"


# -- pictures ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Level:
    """Where the boxes of one depth stand, and the words of the branches that lead to them."""

    left: float
    box: float
    words: float


def tree_picture(tree: Tree, ending: str) -> bytes:
    """A picture of the tree as the bytes of a .png, .svg or .pdf file."""
    if ending.lower() == SVG:
        return as_file([tree_svg(tree, in_page=False)]).encode("utf-8")
    levels = _levels(tree)
    width = levels[-1].left + levels[-1].box + _SPACE
    height = _ROW * (tree.n_leaves + 1)
    shrunk = min(1.0, _LARGEST_INCHES / max(width, height))
    figure = new_figure(width * shrunk, height * shrunk)
    axes: Any = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(-height, 0)
    rows = _rows(tree)
    for node in tree.nodes:
        _draw_node(axes, tree, node, levels, rows)
    return picture_bytes(figure, ending)


def tree_html(tree: Tree) -> str:
    """A picture for a notebook; lines of text where there are too many leaves for one."""
    if tree.n_leaves > _MOST_LEAVES_SHOWN:
        return f"<pre>{escape(draw_text(tree))}</pre>"
    drawn = tree_picture(tree, ".svg").decode("utf-8")
    return drawn[drawn.index("<svg") :]


def _levels(tree: Tree) -> list[_Level]:
    """The columns of the picture, from what must be written in each."""
    boxes = [0.0] * (tree.depth + 1)
    words = [0.0] * (tree.depth + 1)
    for node in tree.nodes:
        letters = max(map(len, _label(tree, node).split("\n")))
        boxes[node.depth] = max(boxes[node.depth], letters * _LETTER + _SPACE)
        for number in range(len(node.children)):
            needed = len(_words(node, number)) * _LETTER + 2 * _SPACE
            words[node.depth + 1] = max(words[node.depth + 1], needed)
    ends = accumulate(box + word for box, word in zip(boxes, words, strict=True))
    return [
        _Level(end - box + _SPACE, box, word)
        for end, box, word in zip(ends, boxes, words, strict=True)
    ]


def _rows(tree: Tree) -> dict[int, float]:
    """Leaves below each other, every other node at the middle of its children."""
    rows: dict[int, float] = {}
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.is_leaf:
            rows[node.id] = -_ROW * (len(rows) + 1)
        waiting += [tree.nodes[child] for child in reversed(node.children)]
    for node in sorted(tree.inner, key=lambda node: -node.depth):
        rows[node.id] = (rows[node.children[0]] + rows[node.children[-1]]) / 2
    return rows


def _draw_node(
    axes: Any, tree: Tree, node: Node, levels: list[_Level], rows: dict[int, float]
) -> None:
    here, y = levels[node.depth], rows[node.id]
    middle = here.left + here.box / 2
    for number, child in enumerate(node.children):
        there, to_y = levels[node.depth + 1], rows[child]
        corner = there.left - there.words + _SPACE / 2
        axes.plot(
            [middle, corner, corner, there.left + there.box / 2],
            [y, y, to_y, to_y],
            color="#888888",
            linewidth=1,
            zorder=1,
        )
        halo = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        at = corner + (there.words - _SPACE / 2) / 2
        words = _plain(_words(node, number))
        axes.text(at, to_y, words, ha="center", va="center", fontsize=8, bbox=halo, zorder=2)
    box = {"boxstyle": "round", "facecolor": _colour(tree, node), "edgecolor": "#444444"}
    label = _plain(_label(tree, node))
    axes.text(middle, y, label, ha="center", va="center", fontsize=8, bbox=box, zorder=3)


def _words(node: Node, number: int) -> str:
    """What a branch says beside the name that the box of its parent holds."""
    assert node.split is not None
    words = branch_words(node.split, number, _MOST_LABELS)
    return _short(words.removeprefix(node.split.attribute).strip().removeprefix("is "))


def _label(tree: Tree, node: Node) -> str:
    records = f"{tree.records(node):,}"
    if node.split is not None:
        return f"{_short(node.split.attribute)}\n{records}"
    share = "" if tree.is_regression else f", {max(node.weights) / sum(node.weights) * 100:.0f} %"
    return f"{_short(outcome(tree, node))}  ({records}{share})"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


def _colour(tree: Tree, node: Node) -> tuple[float, ...]:
    """Leaves of one class have one colour, the stronger the purer."""
    if not node.is_leaf:
        return _with_white("#000000", 0.07)
    if tree.is_regression:
        return _with_white(_PALETTE[0], 0.3)
    largest = max(node.weights)
    colour = _PALETTE[node.weights.index(largest) % len(_PALETTE)]
    return _with_white(colour, 0.6 * largest / sum(node.weights))


def _with_white(colour: str, strength: float) -> tuple[float, ...]:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(1 - strength * (1 - part) for part in parts)


def _plain(text: str) -> str:
    """Dollar signs would start a formula."""
    return text.replace("$", r"\$")
