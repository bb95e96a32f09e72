"""R's rpart as an outside grower.

rpart grows depth first until nothing is left to split; it does not stop at a number of leaves, and
its own pruning goes by misclassified records, not by gain. So it is asked for the whole tree, and
`grown.cut` takes that back to our number of leaves. Numbers travel as 64-bit binary, so that no
digit is lost on the way.

For two classes or a numeric target, rpart cuts categories in the order of their means, as we do.
Which of several categories with one mean comes first is its own affair. It matters where the
smallest leaf forbids all cuts but one between them, and then it is said.
"""

import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.files.disk import passing_folder
from privet.schema import Kind
from privet.table import Domain, Table
from privet.tree.foreign.agreement import (
    FLOATS_TELL,
    Agreement,
    Departure,
    by_own_rule,
    different,
)
from privet.tree.foreign.grown import Grown, Inexpressible, Rows, Task, cut, difference
from privet.tree.foreign.numbers import apart_in_doubles, as_numbers
from privet.tree.foreign.programs import rscript, run
from privet.tree.grower import EXHAUSTIVE_UP_TO
from privet.tree.model import Tree

NAME = "rpart"
SPLITS = {"gini": "gini", "entropy": "information", "deviance": "gini"}  # anova ignores it
_DEEPEST = 30  # rpart numbers its nodes by doubling

# Settings and columns come in as doubles, nodes and the leaf of each record go out as doubles.
_SCRIPT = r"""
if (!requireNamespace("rpart", quietly = TRUE)) quit(status = 9)
input <- file("input", "rb")
number <- function(n = 1) readBin(input, "double", n, 8, endian = "little")
rows <- number(); columns <- number(); classes <- number()
split <- if (number() == 1) "information" else "gini"
least <- number(); deepest <- number()
table <- list()
for (i in seq_len(columns)) {
  categories <- number()
  values <- number(rows)
  table[[paste0("x", i)]] <-
    if (categories > 0) factor(values, levels = seq_len(categories) - 1) else values
}
response <- number(rows)
table$y <- if (classes > 0) factor(response, levels = seq_len(classes) - 1) else response
close(input)
table <- as.data.frame(table)
control <- rpart::rpart.control(minsplit = 2, minbucket = least, cp = -1, maxcompete = 0,
  maxsurrogate = 0, usesurrogate = 0, xval = 0, maxdepth = deepest)
parms <- if (classes > 0) list(split = split) else NULL
tree <- rpart::rpart(y ~ ., data = table, method = if (classes > 0) "class" else "anova",
  parms = parms, control = control)
nodes <- tree$frame
asked <- ifelse(nodes$var == "<leaf>", 0, match(as.character(nodes$var), names(table)))
thresholds <- numeric(nrow(nodes))
thresholds[asked > 0] <- tree$splits[, "index"]
output <- file("output", "wb")
writeBin(c(nrow(nodes), as.double(rownames(nodes)), asked, thresholds,
  as.double(rownames(nodes))[tree$where]), output, 8, endian = "little")
close(output)
"""


def require() -> None:
    rscript()


def needs_help(task: Task) -> bool:
    return False


def grow(task: Task) -> tuple[Grown, list[str]]:
    """The tree of rpart with our number of leaves, and what had to be said otherwise."""
    _refuse(task)
    with passing_folder("rpart") as folder:
        (folder / "script.R").write_text(_SCRIPT, encoding="utf-8")
        by_value = _write(task, folder / "input")
        run([rscript(), "--vanilla", "script.R"], folder, "R with its package rpart")
        answer = np.frombuffer((folder / "output").read_bytes(), dtype="<f8")
    remarks = [
        "rpart has no best-first growth: it grew the whole tree, and the splits that gain most "
        "were kept"
    ]
    ranked = [
        f"'{a}'"
        for a in task.attributes
        if task.table[a].domain.kind.is_ordered and a not in by_value
    ]
    if ranked:
        remarks.append(f"given by rank, for doubles do not tell them apart: {', '.join(ranked)}")
    return cut(_read(task, answer, by_value), task), remarks


def deepest(tree: Tree) -> int:
    """How deep rpart need grow to find a tree; it does no more than 30 levels."""
    return min(_DEEPEST, max(1, tree.n_leaves - 1), tree.grower.depth or _DEEPEST)


def explain(task: Task, departure: Departure, program: str, remarks: Sequence[str]) -> Agreement:
    """Where only the order of categories with one mean makes the difference, that is said."""
    if _order_of_equals_decides(task, departure):
        rule = "rpart has its own order of categories with the same mean"
        return by_own_rule(task, departure, program, rule, remarks)
    return different(task, departure, program, remarks)


def _order_of_equals_decides(task: Task, departure: Departure) -> bool:
    """Whether rpart did as well there as the best split that does not part equal categories.

    Every order offers those splits, so whoever does as well took the best of its own order.
    """
    if not task.tree.is_regression and len(task.tree.classes or ()) != 2:
        return False
    rows = departure.node.rows
    allowed = FLOATS_TELL * task.scale(rows)
    joined = replace(task, table=_equals_joined(task, rows))
    sure, ours = (_gain_of(task, grown) for grown in (joined.best(rows), task.best(rows)))
    theirs = _gain_of(task, departure.instead or departure.node)
    order_matters = max(difference(ours, sure), difference(theirs, sure)) > allowed
    return order_matters and difference(sure, theirs) <= allowed


def _gain_of(task: Task, node: Grown) -> Any:
    return task.nothing if node.is_leaf else task.gain(node)


def _equals_joined(task: Task, rows: Rows) -> Table:
    """The table with categories of the same mean among these records made one."""
    response = task.response[rows]
    columns = {name: task.table[name] for name in task.table}
    for name in task.categories:
        column = columns[name]
        codes = column.codes[rows]
        n = np.bincount(codes, minlength=column.domain.size)
        means = np.bincount(codes, response, column.domain.size) / np.maximum(n, 1)
        order = np.argsort(means, kind="stable")
        apart = np.diff(means[order]) > FLOATS_TELL * np.abs(response).max()
        place = np.empty(column.domain.size, dtype=np.int64)
        place[order] = np.concatenate([[0], np.cumsum(apart)])
        labels = np.array([f"v{code:08d}" for code in range(place.max() + 1)], dtype=object)
        columns[name] = column.merged(place, Domain(Kind.CATEGORY, labels))
    return Table(columns)


def _refuse(task: Task) -> None:
    if task.grower.impurity not in SPLITS:
        raise Inexpressible("rpart does not know the gain ratio")
    if task.categories and task.grower.categories == "multiway":
        raise Inexpressible("rpart does not know splits with a branch for each category")
    if task.tree.depth > _DEEPEST:
        raise Inexpressible(f"rpart grows no deeper than {_DEEPEST} levels")
    if task.tree.is_regression or len(task.tree.classes or ()) == 2:
        return
    for name in task.categories:
        size = task.table[name].domain.size
        if name in task.grower.category_orders or size > EXHAUSTIVE_UP_TO:
            raise Inexpressible(
                f"rpart tries every division of the {size} categories of '{name}', where the "
                "model cuts them in a stored order"
            )


def _write(task: Task, path: Path) -> set[str]:
    """The settings and columns; says which columns are given by their values."""
    classes = 0 if task.tree.is_regression else task.target.domain.size
    information = SPLITS[task.grower.impurity] == "information"
    head = (task.table.n_rows, len(task.attributes), classes, information)
    by_value = set()
    with path.open("wb") as file:
        file.write(struct.pack("<6d", *head, task.grower.min_leaf, deepest(task.tree)))
        for name in task.attributes:
            column = task.table[name]
            categories = column.domain.size if column.domain.kind is Kind.CATEGORY else 0
            numbers, is_value = as_numbers(column.domain, apart_in_doubles, task.by_value)
            by_value |= {name} if is_value else set()
            file.write(struct.pack("<d", categories))
            file.write(numbers.astype("<f8")[column.codes].tobytes())
        file.write(task.response.astype("<f8").tobytes())
    return by_value


def _read(task: Task, answer: npt.NDArray[np.float64], by_value: set[str]) -> Grown:
    """The tree: the children of node n are 2n and 2n + 1, each record knows its leaf."""
    size = int(answer[0])
    numbers, asked, thresholds = answer[1 : 1 + 3 * size].reshape(3, size)
    place = {int(number): i for i, number in enumerate(numbers)}
    leaf_of_rows = answer[1 + 3 * size :].astype(np.int64)
    root = Grown(np.arange(task.table.n_rows))
    waiting = [(1, root, leaf_of_rows)]
    while waiting:
        number, node, leaves = waiting.pop()
        column = int(asked[place[number]])
        if column == 0:
            continue
        node.attribute = task.attributes[column - 1]
        if node.attribute in by_value:
            node.threshold = float(thresholds[place[number]])
        for child in (2 * number, 2 * number + 1):
            inside = _is_below(leaves, child)
            node.children.append(Grown(node.rows[inside]))
            waiting.append((child, node.children[-1], leaves[inside]))
    return root


def _is_below(leaves: npt.NDArray[np.int64], node: int) -> npt.NDArray[np.bool_]:
    """Whether each leaf number descends from a node (or is it): shifted to its level, equal."""
    levels = np.floor(np.log2(leaves)).astype(np.int64) - (node.bit_length() - 1)
    return np.asarray((levels >= 0) & (leaves >> np.maximum(levels, 0) == node))
