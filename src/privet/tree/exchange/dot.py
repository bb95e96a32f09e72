"""A tree in the DOT language of Graphviz: `dot -Tsvg tree.dot`.

`pictures` makes pictures without Graphviz; the words of the branches come from `rules`.
"""

from privet.tree.model import Node, Tree
from privet.tree.rules import branch_words, outcome


def to_dot(tree: Tree) -> str:
    """A tree as the text of a DOT file: one line a node, then one a branch."""
    lines = ["digraph tree {", '  node [shape=box, style=rounded, fontname="sans-serif"];']
    for node in tree.nodes:
        shape = ", style=filled, fillcolor=lightgrey" if node.is_leaf else ""
        lines.append(f"  {node.id} [label={_quoted(_words(tree, node))}{shape}];")
    for node in tree.inner:
        assert node.split is not None
        for number, child in enumerate(node.children):
            words = branch_words(node.split, number)
            lines.append(f"  {node.id} -> {child} [label={_quoted(words)}];")
    return "\n".join([*lines, "}", ""])


def _words(tree: Tree, node: Node) -> str:
    records = tree.records(node)
    count = f"{records:,} record{'s' * (records != 1)}"
    if node.split is not None:
        return f"{node.split.attribute}\n{count}"
    if not tree.is_regression:
        count += f", {max(node.weights) / records * 100:.0f} %"
    return f"{tree.target}: {outcome(tree, node)}\n{count}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\r", "").replace("\n", "\\n") + '"'
