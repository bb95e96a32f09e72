"""WEKA's J48 as an outside grower, for the gain ratio.

J48 grows depth first to the end, so `grown.cut` takes its tree back to our number of leaves. It
prints thresholds with six decimals only; so numbers are given by rank, and columns and categories
by number. Where J48 decides by rules that ours do not have (`j48_rules`), the rule is named.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from privet.errors import UsageError
from privet.files.arff_write import write_arff
from privet.files.disk import passing_folder
from privet.schema import Kind
from privet.table import Coded, Domain, Table
from privet.tree.foreign.agreement import Agreement, Departure, different
from privet.tree.foreign.grown import Grown, Inexpressible, Task, cut
from privet.tree.foreign.j48_rules import J48Rules
from privet.tree.foreign.numbers import refuse_what_no_threshold_separates
from privet.tree.foreign.programs import java, run, weka_jar

NAME = "WEKA J48"
TOLERANCE = 1e-6  # J48 takes gain ratios nearer than this for equal
_CLASS = "weka.classifiers.trees.J48"
_RATIOS = ("gain-ratio", "c45")  # each column by itself, or with the average gain of C4.5
_NODE = re.compile(r"""^N(\w+) \[label="'?([^"']*)""")
_EDGE = re.compile(r"""^N(\w+)->N(\w+) \[label="'?(<=|>|=|!=) ([^"']*)""")


def require() -> None:
    java()
    weka_jar()


def needs_help(task: Task) -> bool:
    return False


def grow(task: Task) -> tuple[Grown, list[str]]:
    """The tree of J48 with our number of leaves, and what had to be said otherwise."""
    if task.grower.impurity not in _RATIOS:
        raise Inexpressible(f"J48 knows the gain ratio alone, not {task.grower.impurity}")
    if task.grower.depth is not None:
        raise Inexpressible("J48 has no limit of depth")
    remarks = [
        "J48 has no best-first growth: it grew the whole tree, and the splits with the highest "
        "ratio were kept",
        "numbers are given by rank, for J48 prints six decimals of a threshold",
    ]
    return cut(whole(task), task), remarks


def whole(task: Task) -> Grown:
    """The tree of J48, grown to the end."""
    with passing_folder("weka") as folder:
        write_arff(_numbered(task), folder / "table.arff")
        options = ["-U", "-M", str(task.grower.min_leaf), "-t", "table.arff", "-no-cv", "-g"]
        options += ["-B"] if task.grower.categories == "subset" else []
        options += [] if corrects() else ["-J", "-O"]
        command = [java(), "-Djava.awt.headless=true", "-cp", weka_jar(), _CLASS, *options]
        return _read(task, run(command, folder, NAME))


def explain(task: Task, departure: Departure, program: str, remarks: Sequence[str]) -> Agreement:
    """It grew another tree; where its own rules ask for what it did, the rule is named."""
    theirs = departure.node
    found = J48Rules(task, theirs.rows, corrects()).account(theirs)
    told = different(task, departure, program, remarks)
    if found is None:
        return told
    return replace(told, detail=f"{told.detail}; J48's own rule: {found}")


@lru_cache(maxsize=4)
def _says(jar: str) -> str:
    with passing_folder("weka") as folder:
        return run([java(), "-cp", jar, _CLASS, "-h"], folder, NAME)


def corrects() -> bool:
    """Whether J48 lowers the gains of numbers and collapses branches: WEKA 3.6 always does, later
    ones can be told not to."""
    return "\n-J" not in _says(weka_jar())


def _numbered(task: Task) -> Table:
    """The same table with numbers for names and categories, and ranks for numbers."""
    columns = {}
    for place, name in enumerate((*task.attributes, task.tree.target)):
        column = task.table[name]
        size = column.domain.size
        if column.domain.kind.is_ordered and name != task.tree.target:
            refuse_what_no_threshold_separates(column.domain)
            columns[f"x{place}"] = Coded(Domain(Kind.INTEGER, np.arange(size)), column.codes)
            continue
        labels = np.array([f"v{code:08d}" for code in range(size)], dtype=object)
        columns[f"x{place}"] = Coded(Domain(Kind.CATEGORY, labels), column.codes)
    return Table(columns)


def _read(task: Task, text: str) -> Grown:
    """J48's graph: nodes name a column or a class, edges a condition."""
    labels: dict[str, str] = {}
    edges: dict[str, list[tuple[str, str, str]]] = {}
    for line in text.splitlines():
        if edge := _EDGE.match(line):
            edges.setdefault(edge[1], []).append((edge[2], edge[3], edge[4]))
        elif node := _NODE.match(line):
            labels[node[1]] = node[2]
    if "0" not in labels:
        raise UsageError(f"{NAME} printed no tree.", "this version of WEKA may be too new or old.")
    root = Grown(np.arange(task.table.n_rows))
    waiting = [("0", root)]
    while waiting:
        name, node_here = waiting.pop()
        if name not in edges:
            continue
        attribute = task.attributes[int(labels[name][1:])]
        codes = task.table[attribute].codes[node_here.rows].astype(np.int64)
        node_here.attribute = attribute
        for child, sign, value in edges[name]:
            inside = _follows(codes, sign, value)
            if inside.any():  # J48 has branches for categories that no record of the node has
                node_here.children.append(Grown(node_here.rows[inside]))
                waiting.append((child, node_here.children[-1]))
    return root


def _follows(codes: npt.NDArray[np.int64], sign: str, value: str) -> npt.NDArray[np.bool_]:
    if sign in ("=", "!="):
        return np.asarray((codes == int(value[1:])) == (sign == "="))
    return np.asarray((codes <= float(value)) == (sign == "<="))
