"""Outside growers: the tree of a model grown again by another program and compared with it.

`sklearn`, `rpart` and `weka` each turn a `Task` into a `Grown` tree. `agreement` compares it with
ours: the same, the same up to a tie, or different. `programs` finds and runs what is outside.
"""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

from privet.errors import InvalidParameter
from privet.schema import Schema
from privet.table import Table
from privet.tree.foreign.agreement import Agreement, Departure, agreement, different
from privet.tree.foreign.grown import Grown, Inexpressible, Task
from privet.tree.model import Tree

PROGRAMS = ("privet", "sklearn", "rpart", "weka")

__all__ = [
    "PROGRAMS",
    "Agreement",
    "Grown",
    "Inexpressible",
    "Task",
    "agreement",
    "grow_with",
    "grown_by",
    "require",
]


def require(program: str) -> None:
    """An error with a hint if a program is unknown or not on this machine."""
    if program not in PROGRAMS:
        raise InvalidParameter("program", "one of " + ", ".join(PROGRAMS), program)
    if program != "privet":
        _module(program).require()


def grow_with(program: str, tree: Tree, table: Table, schema: Schema, seed: int = 0) -> Agreement:
    """Have another program grow the tree of a table with the settings of `tree`, and compare."""
    require(program)
    if program == "privet":
        return _ourselves(tree, table, schema)
    module = _module(program)
    if tree.n_leaves == 1:
        return Agreement(program, "same", "the tree is a single leaf: there is nothing to grow")
    task = Task(table, schema, tree, seed=seed)
    try:
        grown, remarks = module.grow(task)
        explain: Callable[..., Agreement] = getattr(module, "explain", different)
        found = agreement(task, grown, program, remarks, getattr(module, "TOLERANCE", 0.0))
        if isinstance(found, Departure):
            return explain(task, found, program, remarks)
        if found.outcome == "same" and module.needs_help(task):
            return replace(found, outcome="same, with help")
        return found
    except Inexpressible as cannot:
        return Agreement(program, "inexpressible", str(cannot))


def grown_by(program: str, task: Task) -> Grown:
    """The tree that another program grows; `Inexpressible` where it knows no such settings."""
    grown: Grown = _module(program).grow(task)[0]
    return grown


def _ourselves(tree: Tree, table: Table, schema: Schema) -> Agreement:
    from privet.engine import MemoryEngine
    from privet.tree.compare import compare
    from privet.tree.grow import grow

    outcome = compare(tree, grow(MemoryEngine(table), schema, tree.grower))
    if outcome:
        return Agreement("privet", "same", f"{tree.n_leaves} leaves, bit for bit")
    return Agreement("privet", "different", str(outcome), node=outcome.node)


def _module(program: str) -> Any:
    return import_module(f"privet.tree.foreign.{program}")
