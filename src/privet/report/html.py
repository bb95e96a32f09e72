"""The pages: report.html of a release, and steward.html of an audit.

A page is one file without anything from outside. The report says only what the files of its release
say, and nothing of their hashes, so that it has the same bytes whenever it is made again.
"""

from pathlib import Path
from typing import Any

from privet.release.layout import MANIFEST, REPORT
from privet.release.manifest import Manifest
from privet.release.noise_claims import is_noise
from privet.release.release import Audit
from privet.report import plots, words
from privet.report.summary import meanings_of, recoding_of, summarise
from privet.tree.rules import rules

_TEMPLATES = Path(__file__).parent / "templates"


def write_report(folder: Path) -> None:
    """Write report.html into a release folder, from the other files there."""
    (folder / REPORT).write_text(render_report(folder), encoding="utf-8", newline="\n")


def render_report(folder: Path) -> str:
    """The text of report.html."""
    if is_noise(Manifest.read(folder / MANIFEST)):
        from privet.report.noise_page import render_noise_report

        return render_noise_report(folder)
    summary = summarise(folder)
    return page("report.html.j2", s=summary, tree_picture=plots.tree_picture(summary.tree))


def write_steward(audit: Audit, path: Path) -> None:
    """Write steward.html, which must stay inside."""
    path.write_text(render_steward(audit), encoding="utf-8", newline="\n")


def render_steward(audit: Audit) -> str:
    """The text of steward.html."""
    tree = audit.original_tree
    return page(
        "steward.html.j2",
        audit=audit,
        tree=tree,
        sentences=[rule.sentence for rule in rules(tree)],
        tree_picture=plots.tree_picture(tree),
        charts=_charts(audit),
        columns=_before_and_after(audit),
        fit="R²" if tree.is_regression else "accuracy",
    )


def _charts(audit: Audit) -> list[Any]:
    leaves = [int(size["leaves"]) for size in audit.sizes]
    fit = "R²" if audit.original_tree.is_regression else "Accuracy"

    def line(name: str, field: str) -> plots.Series:
        return plots.Series(name, [size.get(field) for size in audit.sizes])

    if not leaves:
        return []
    charts = [
        plots.line_chart(
            "K, the smallest equivalence class",
            leaves,
            [line("K", "k"), line("K, target known", "k_with_target")],
            audit.chosen,
            powers=True,
        ),
        plots.line_chart("L, the worst l (strong)", leaves, [line("L", "l")], audit.chosen),
        plots.line_chart("t, the largest distance", leaves, [line("t", "t")], audit.chosen),
        plots.line_chart(
            fit,
            leaves,
            [line("own records", "fit"), line("cross-validated", "cross_validated")],
            audit.chosen,
        ),
    ]
    return [chart for chart in charts if chart is not None]


def _before_and_after(audit: Audit) -> list[dict[str, Any]]:
    """Every column that the audit knows of, those that were only suppressed or kept as well."""
    columns = audit.recodings.get("columns", {})
    lines = []
    for name in [*columns, *(n for n in audit.columns if n not in columns)]:
        recoding = recoding_of(audit.recodings, name)
        counted = audit.columns.get(name, {})
        lines.append(
            {
                "name": name,
                "treatment": counted.get("treatment") or recoding.get("treatment", ""),
                "before": counted.get("values_before"),
                "after": counted.get("values_after"),
                "meanings": meanings_of(recoding),
            }
        )
    return lines


def page(template: str, **values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(words=words, bar=plots.bar)
    return environment.get_template(template).render(values)
