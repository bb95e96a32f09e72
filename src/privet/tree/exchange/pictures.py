"""A tree drawn: as text with lines for the terminal, or as a picture (PNG, SVG, PDF).

Matplotlib is imported only for a picture, and used through its objects, without a display.
The words of the branches come from `rules`.
"""

from pathlib import Path
from typing import Any

from privet.errors import OutputError
from privet.tree.model import Node, Tree
from privet.tree.rules import branch_words, outcome

_MOST_LABELS = 3  # of a branch in a picture; the text names all
_LARGEST_INCHES = 300.0  # of a side of a picture
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
    count = f"{records:,} record{'s' * (records != 1)}"
    if not node.is_leaf:
        return count
    if tree.is_regression:
        return f"{outcome(tree, node)} ({count})"
    return f"{outcome(tree, node)} ({count}, {max(node.weights) / records * 100:.0f} %)"


# -- pictures ------------------------------------------------------------------------------------


def draw_picture(tree: Tree, path: Path) -> None:
    """Write a picture of the tree; the ending of the path says the format (.png, .svg, .pdf)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    places = _places(tree)
    width = min(_LARGEST_INCHES, 2.3 * tree.n_leaves + 1)
    height = min(_LARGEST_INCHES, 1.5 * (tree.depth + 1))
    figure = Figure(figsize=(max(width, 4.0), max(height, 2.0)), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-0.6, tree.n_leaves - 0.4)
    axes.set_ylim(-tree.depth - 0.5, 0.5)
    for node in tree.nodes:
        _draw_node(axes, tree, node, places)
    if path.suffix.lower().lstrip(".") not in canvas.get_supported_filetypes():
        raise OutputError(
            f"A picture cannot be written as '{path.suffix}'.", "use .png, .svg or .pdf."
        )
    try:
        figure.savefig(path, dpi=min(150.0, 60_000 / max(width, height)))
    except OSError as error:
        raise OutputError(
            f"The picture {path} cannot be written: {error.strerror}.",
            "check that its folder exists and may be written to.",
        ) from None


def _places(tree: Tree) -> dict[int, tuple[float, float]]:
    """Leaves side by side, every other node above the middle of its children."""
    places: dict[int, tuple[float, float]] = {}
    next_leaf = 0
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.is_leaf:
            places[node.id] = float(next_leaf), -float(node.depth)
            next_leaf += 1
        waiting += [tree.nodes[child] for child in reversed(node.children)]
    for node in reversed(tree.inner):
        ends = [places[child][0] for child in (node.children[0], node.children[-1])]
        places[node.id] = sum(ends) / 2, -float(node.depth)
    return places


def _draw_node(axes: Any, tree: Tree, node: Node, places: dict[int, tuple[float, float]]) -> None:
    x, y = places[node.id]
    for number, child in enumerate(node.children):
        assert node.split is not None
        to_x, to_y = places[child]
        axes.plot([x, to_x], [y, to_y], color="#888888", linewidth=1, zorder=1)
        words = branch_words(node.split, number, _MOST_LABELS).removeprefix(node.split.attribute)
        along = 0.4 if number % 2 == 0 else 0.6  # neighbours at different heights
        middle = x + (to_x - x) * along, y + (to_y - y) * along
        halo = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(*middle, _plain(words.strip()), ha="center", va="center", fontsize=7, bbox=halo)
    records = f"{tree.records(node):,}"
    if node.split is not None:
        label = f"{node.split.attribute}\n{records}"
    else:
        label = f"{outcome(tree, node)}\n{records}"
        if not tree.is_regression:
            label += f", {max(node.weights) / sum(node.weights) * 100:.0f} %"
    box = {"boxstyle": "round", "facecolor": _colour(tree, node), "edgecolor": "#444444"}
    axes.text(x, y, _plain(label), ha="center", va="center", fontsize=8, bbox=box, zorder=2)


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
