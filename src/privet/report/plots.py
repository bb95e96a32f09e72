"""Pictures as SVG, to stand inside a page.

They are written by hand and not by a plotting library, so that a report has the same bytes wherever
and whenever it is made again, and takes its colours from the page (`templates/page.html.j2`) in
light, dark and print. Shapes and words carry the meaning, never colour alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from privet.report.words import count
from privet.tree.model import Node, Tree
from privet.tree.rules import branch_words, outcome

_BOX, _BOX_HEIGHT, _ACROSS, _DOWN = 206, 62, 238, 74  # a node, and the pitch of the nodes
_LETTERS = 29  # that fit into a box
_WIDE, _HIGH = 420, 250  # of a chart
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 46, 40  # its margins


def bar(share: float) -> Markup:
    """A bar of a share of the width, for a cell of a table."""
    return Markup(
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="frame" width="100" height="10"/>'
        '<rect class="fill" width="{}" height="10"/></svg>'
    ).format(_round(100 * share))


# -- the tree ------------------------------------------------------------------------------------


def tree_picture(tree: Tree) -> Markup:
    """The tree from the left to the right, a box for each node, leaves below one another."""
    places = _places(tree)
    width = tree.depth * _ACROSS + _BOX + 4
    height = tree.n_leaves * _DOWN + 4
    alt = (
        f"Tree for {tree.target}: {count(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}. "
        "The rules below say the same in words."
    )
    shapes = [_edge(places[node.id], places[c]) for node in tree.inner for c in node.children]
    shapes += [_box(tree, node, places[node.id]) for node in tree.nodes]
    return _svg("tree", width, height, alt, shapes, least=0.7 * width)


def _places(tree: Tree) -> dict[int, tuple[float, float]]:
    """The upper left corner of each box: nodes stand at the middle of their children."""
    places: dict[int, tuple[float, float]] = {}
    waiting, next_row = [tree.root], 0
    while waiting:
        node = waiting.pop()
        if node.is_leaf:
            places[node.id] = 2.0 + node.depth * _ACROSS, 2.0 + next_row * _DOWN
            next_row += 1
        waiting += [tree.nodes[child] for child in reversed(node.children)]
    for node in reversed(tree.inner):
        ends = [places[child][1] for child in (node.children[0], node.children[-1])]
        places[node.id] = 2.0 + node.depth * _ACROSS, sum(ends) / 2
    return places


def _edge(parent: tuple[float, float], child: tuple[float, float]) -> Markup:
    x, y = parent[0] + _BOX, parent[1] + _BOX_HEIGHT / 2
    middle = (x + child[0]) / 2
    return Markup('<path class="edge" d="M{} {}H{}V{}H{}"/>').format(
        *map(_round, (x, y, middle, child[1] + _BOX_HEIGHT / 2, child[0]))
    )


def _box(tree: Tree, node: Node, place: tuple[float, float]) -> Markup:
    x, y = place
    records = count(tree.records(node), "record")
    share = None
    if node.split is not None:
        kind, what = "inner", f"{node.split.attribute}?"
    else:
        kind, what = "leaf", f"{tree.target}: {outcome(tree, node)}"
        if not tree.is_regression:
            share = max(node.weights) / tree.records(node)
            records += f", {share * 100:.0f} %"
    lines = [("condition", _condition(tree, node)), ("what", what), ("records", records)]
    texts = Markup("").join(
        Markup('<text class="{}" x="{}" y="{}">{}</text>').format(
            style, _round(x + 8), _round(y + 17 + 16 * number), _short(text)
        )
        for number, (style, text) in enumerate(lines)
    )
    whole = escape("; ".join(text for _, text in lines if text))
    frame = _rectangle(kind, x, y, _BOX, _BOX_HEIGHT)
    gauge = _rectangle("gauge", x, y + _BOX_HEIGHT - 6, _BOX * share, 6) if share else Markup("")
    return Markup("<g><title>{}</title>{}{}{}</g>").format(whole, frame, gauge, texts)


def _condition(tree: Tree, node: Node) -> str:
    if node.parent is None:
        return "all records"
    parent = tree.nodes[node.parent]
    assert parent.split is not None
    words = branch_words(parent.split, parent.children.index(node.id))
    # where room is short, the parent's box says already which column it is
    return words.removeprefix(parent.split.attribute).strip() if len(words) > _LETTERS else words


def _rectangle(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, *map(_round, (x, y, width, height))
    )


# -- charts --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Series:
    """A line of a chart; None where there is no figure."""

    name: str
    figures: Sequence[float | None]


def line_chart(
    title: str, leaves: Sequence[int], series: Sequence[Series], chosen: int, powers: bool = False
) -> Markup | None:
    """Figures by number of leaves, the published size marked; None if there is no figure.

    With `powers` the upright axis goes in powers of ten.
    """
    known = [s for s in series if any(f is not None for f in s.figures)]
    every = [f for s in known for f in s.figures if f is not None]
    if not every:
        return None
    ticks = _powers_of_ten(every) if powers else _even_ticks(every)
    low, high = _scaled(ticks[0], powers), _scaled(ticks[-1], powers)
    span = max(leaves) - min(leaves) or 1

    def across(size: int) -> float:
        return _LEFT + (_WIDE - _LEFT - _RIGHT) * (size - min(leaves)) / span

    def upright(figure: float) -> float:
        share = (_scaled(figure, powers) - low) / (high - low)
        return _HIGH - _BOTTOM - (_HIGH - _TOP - _BOTTOM) * share

    shapes = [_text(_LEFT, 16, title, "title")]
    for tick in ticks:
        shapes.append(_line("grid", _LEFT, upright(tick), _WIDE - _RIGHT, upright(tick)))
        shapes.append(_text(_LEFT - 6, upright(tick) + 4, f"{tick:,.6g}", "end"))
    for size in _some(leaves):
        shapes.append(_text(across(size), _HIGH - _BOTTOM + 16, str(size), "middle"))
    shapes.append(_text((_LEFT + _WIDE - _RIGHT) / 2, _HIGH - 6, "leaves", "middle"))
    shapes.append(_line("chosen", across(chosen), _TOP, across(chosen), _HIGH - _BOTTOM))
    for number, line in enumerate(known):
        points = [
            (across(size), upright(figure))
            for size, figure in zip(leaves, line.figures, strict=True)
            if figure is not None
        ]
        shapes += _drawn(number, points, radius=4 if len(leaves) <= 16 else 2.5)
        x = _LEFT + number * 150
        shapes += [_mark(number, x + 5, 32), _text(x + 14, 36, line.name, "")]
    words = "; ".join(
        f"{s.name}: "
        + ", ".join(
            f"{f:.6g} at {n}" for n, f in zip(leaves, s.figures, strict=True) if f is not None
        )
        for s in known
    )
    return _svg("chart", _WIDE, _HIGH, f"{title} by leaves; published: {chosen}. {words}", shapes)


def _drawn(number: int, points: Sequence[tuple[float, float]], radius: float) -> list[Markup]:
    path = " ".join(f"{_round(x)},{_round(y)}" for x, y in points)
    line = Markup('<polyline class="line{}" points="{}"/>').format(number % 2, path)
    return [line, *(_mark(number, x, y, radius) for x, y in points)]


def _mark(number: int, x: float, y: float, radius: float = 4) -> Markup:
    """Full circles for the first line, empty squares for the second."""
    if number % 2:
        return _rectangle("mark1", x - radius, y - radius, 2 * radius, 2 * radius)
    circle = Markup('<circle class="mark0" cx="{}" cy="{}" r="{}"/>')
    return circle.format(*map(_round, (x, y, radius)))


def _scaled(figure: float, powers: bool) -> float:
    return math.log10(figure) if powers else figure


def _powers_of_ten(figures: Sequence[float]) -> list[float]:
    low = math.floor(math.log10(min(figures)))
    high = max(math.ceil(math.log10(max(figures))), low + 1)
    return [10.0**power for power in range(low, high + 1)]


def _even_ticks(figures: Sequence[float]) -> list[float]:
    """Three to seven ticks at 1, 2 or 5 times a power of ten that hold all figures."""
    low, high = min(figures), max(figures)
    spread = (high - low) or abs(high) or 1.0
    step = 10.0 ** math.floor(math.log10(spread / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if spread / (step * factor) <= 5)
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 1)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _some(leaves: Sequence[int], most: int = 10) -> Sequence[int]:
    return leaves[:: max(1, -(-len(leaves) // most))]


# -- SVG -----------------------------------------------------------------------------------------


def _svg(
    kind: str, width: float, height: float, alt: str, shapes: Sequence[Markup], least: float = 0
) -> Markup:
    """A picture that shrinks with the page, but not below the width `least`."""
    return Markup(
        '<svg class="{0}" role="img" aria-label="{1}" viewBox="0 0 {2} {3}" width="{2}" '
        'height="{3}" style="min-width: {4}px">{5}</svg>'
    ).format(kind, alt, *map(_round, (width, height, least)), Markup("").join(shapes))


def _text(x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(
        kind, _round(x), _round(y), text
    )


def _line(kind: str, x: float, y: float, to_x: float, to_y: float) -> Markup:
    return Markup('<path class="{}" d="M{} {}L{} {}"/>').format(
        kind, *map(_round, (x, y, to_x, to_y))
    )


def _short(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"


def _round(number: float) -> str:
    """At most two decimals: finer ones are not seen, and last bits differ between machines."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
