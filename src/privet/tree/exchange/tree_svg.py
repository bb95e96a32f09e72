"""A tree as a picture, of the shapes of `files.svg`: in pages, and in files of its own.

Shapes and words carry the meaning, never colour alone. `pictures` draws other formats.
"""

from collections.abc import Collection

from markupsafe import Markup, escape

from privet.files.svg import rectangle, rounded, svg
from privet.tree.model import Node, Tree
from privet.tree.rules import branch_words, outcome
from privet.words import count

_BOX, _BOX_HEIGHT, _ACROSS, _DOWN = 206, 62, 238, 74  # a node, and the pitch of the nodes
_LETTERS = 29  # that fit into a box
_BOLD_LETTERS = 24


def tree_svg(
    tree: Tree, in_page: bool = True, marked: Collection[int] = (), numbered: bool = False
) -> Markup:
    """The tree from the left to the right, a box for each node, leaves below one another. Nodes
    that are marked have a sign for "differs" in their boxes; where they are numbered, a page knows
    which one is clicked."""
    places = _places(tree)
    width = tree.depth * _ACROSS + _BOX + 4
    height = tree.n_leaves * _DOWN + 4
    alt = f"Tree for {tree.target}: {count(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}."
    if in_page:
        alt += " The rules below say the same in words."
    shapes = [_edge(places[node.id], places[c]) for node in tree.inner for c in node.children]
    for node in tree.nodes:
        number = Markup(' data-node="{}"').format(node.id) if numbered else Markup("")
        shapes.append(_box(tree, node, places[node.id], node.id in marked, number))
    return svg("tree", width, height, alt, shapes, least=0.7 * width)


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
        *map(rounded, (x, y, middle, child[1] + _BOX_HEIGHT / 2, child[0]))
    )


def _box(
    tree: Tree, node: Node, place: tuple[float, float], is_marked: bool, number: Markup
) -> Markup:
    x, y = place
    records = count(tree.records(node), "record")
    share = None
    if node.split is not None:
        kind, what = "inner", f"{node.split.attribute}?"
        shown = what
    else:
        said = outcome(tree, node)
        room = max(_BOLD_LETTERS - len(said) - 2, 3)  # the name gives way, not the value
        kind, what = "leaf", f"{tree.target}: {said}"
        shown = f"{_short(tree.target, room)}: {said}"
        if not tree.is_regression:
            share = max(node.weights) / tree.records(node)
            records += f", {share * 100:.0f} %"
    mark = "≠ " if is_marked else ""
    condition = _condition(tree, node)
    lines = [
        ("condition", _short(condition, _LETTERS)),
        ("what", _short(mark + shown, _BOLD_LETTERS)),
        ("records", _short(records, _LETTERS)),
    ]
    texts = Markup("").join(
        Markup('<text class="{}" x="{}" y="{}">{}</text>').format(
            style, rounded(x + 8), rounded(y + 17 + 16 * number), text
        )
        for number, (style, text) in enumerate(lines)
    )
    whole = escape("; ".join(filter(None, (condition, mark + what, records))))
    frame = rectangle(kind, x, y, _BOX, _BOX_HEIGHT)
    gauge = rectangle("gauge", x, y + _BOX_HEIGHT - 6, _BOX * share, 6) if share else Markup("")
    return Markup("<g{}><title>{}</title>{}{}{}</g>").format(number, whole, frame, gauge, texts)


def _condition(tree: Tree, node: Node) -> str:
    if node.parent is None:
        return "all records"
    parent = tree.nodes[node.parent]
    assert parent.split is not None
    words = branch_words(parent.split, parent.children.index(node.id))
    # where room is short, the parent's box says already which column it is
    return words.removeprefix(parent.split.attribute).strip() if len(words) > _LETTERS else words


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"
