"""The pages of a release with its tree: the report for everybody, and the one for the steward."""

from typing import Any

from privet.errors import InputError
from privet.release.audit import Audit
from privet.release.opened import OpenedRelease
from privet.report import plots
from privet.report.attacked import attacks_in
from privet.report.before_and_after import columns_before_and_after
from privet.report.summary import summarise
from privet.report.template import page
from privet.schema import Role
from privet.tree.exchange.model_file import models_of
from privet.tree.exchange.tree_svg import tree_svg
from privet.tree.model import Tree
from privet.tree.rules import rules


def render(opened: OpenedRelease) -> str:
    """The text of report.html."""
    if not opened.manifest.schema.names(Role.TARGET):
        raise InputError(
            "The manifest names no target, and a release with a tree has one.",
            "`privet verify FOLDER` says what was changed; ask for the original release.",
        )
    summary = summarise(opened)
    pictures = [tree_svg(one.tree) for one in summary.trees]
    return page("report.html.j2", s=summary, pictures=pictures)


def render_steward(audit: Audit) -> str:
    """The text of steward.html."""
    tree, *more = models_of(audit.data["original_model"])
    return page(
        "steward.html.j2",
        chosen=audit.data["chosen_leaves"],
        sizes=audit.data["sizes"],
        tree=tree,
        trees=[
            {
                "tree": one,
                "sentences": [rule.sentence for rule in rules(one)],
                "picture": tree_svg(one),
            }
            for one in (tree, *more)
        ],
        charts=_charts(audit, tree),
        attacks=attacks_in(audit),
        columns=columns_before_and_after(audit, models_of(audit.data["released_model"])),
        fit="R²" if tree.is_regression else "accuracy",
    )


def _charts(audit: Audit, tree: Tree) -> list[Any]:
    sizes, chosen = audit.data["sizes"], audit.data["chosen_leaves"]
    leaves = [int(size["leaves"]) for size in sizes]
    fit = "R²" if tree.is_regression else "Accuracy"

    def line(name: str, field: str) -> plots.Series:
        return plots.Series(name, [size.get(field) for size in sizes])

    if not leaves:
        return []
    charts = [
        plots.line_chart(
            "K, the smallest equivalence class",
            leaves,
            [line("K", "k"), line("K, target known", "k_with_target")],
            chosen,
            powers=True,
        ),
        plots.line_chart("L, the worst l (strong)", leaves, [line("L", "l")], chosen),
        plots.line_chart("t, the largest distance", leaves, [line("t", "t")], chosen),
        plots.line_chart(
            fit,
            leaves,
            [line("own records", "fit"), line("cross-validated", "cross_validated")],
            chosen,
        ),
    ]
    return [chart for chart in charts if chart is not None]
