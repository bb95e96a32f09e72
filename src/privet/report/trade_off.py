"""The trade-off of `privet explore` as a picture: privacy, accuracy, what is kept, by leaves."""

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from privet.files.figures import SVG, new_figure, picture_bytes
from privet.files.svg import as_file
from privet.preserve.exploration import Exploration, SizeLine
from privet.report.plots import Series, line_chart


def trade_off_picture(found: Exploration, ending: str) -> bytes:
    """Every size in one picture: .png, .svg or .pdf."""
    if ending.lower() == SVG:
        return as_file(trade_off_charts(found)).encode("utf-8")
    figure = new_figure(7, 9, layout="constrained")
    above, below, last = figure.subplots(3, 1, sharex=True)
    leaves = [line.leaves for line in found.lines]
    _draw_privacy(above, found, leaves)
    _draw_distance(last, found, leaves)
    below.plot(leaves, [line.training for line in found.lines], "o-", label="on its own records")
    below.plot(
        leaves, [line.cross_validated for line in found.lines], "s--", label="cross-validated"
    )
    below.set_ylabel(found.measure)
    below.legend()
    return picture_bytes(figure, ending)


def trade_off_charts(found: Exploration, press: str = "") -> list[Markup]:
    """A chart for each thing that is traded; with `press`, sizes can be clicked."""
    lines = found.lines
    leaves = [line.leaves for line in lines]

    def series(name: str, figure: Callable[[SizeLine], float | None]) -> Series:
        return Series(name, [figure(line) for line in lines])

    privacy = [
        series("passes", lambda line: line.k if line.passes else None),
        series("does not pass", lambda line: None if line.passes else line.k),
    ]
    if found.k > 1:
        privacy.append(Series(f"k = {found.k}, asked for", [found.k] * len(lines), level=True))
    fits = [
        series("own records", lambda line: line.training),
        series("cross-validated", lambda line: line.cross_validated),
    ]
    distances = [
        series("columns", lambda line: line.marginal_error),
        series("pairs", lambda line: line.association_error),
    ]
    one_class = [series("share of records", lambda line: line.one_class_share)]
    known = [series("K, target known", lambda line: line.k_with_target)]
    measure = found.measure[0].upper() + found.measure[1:]
    fixed: dict[str, Any] = {"chosen": found.chosen, "mark": "publish takes", "press": press}
    charts = [
        line_chart("K, the smallest equivalence class", leaves, privacy, powers=True, **fixed),
        line_chart(measure, leaves, fits, **fixed),
        line_chart("Distance from the original, 0 is alike", leaves, distances, **fixed),
        line_chart("K, if the target is known", leaves, known, powers=True, **fixed),
        line_chart("L, the worst l", leaves, [series("L", lambda line: line.l)], **fixed),
        line_chart("t, the largest distance", leaves, [series("t", lambda line: line.t)], **fixed),
        line_chart("Records in one-class equivalence classes", leaves, one_class, **fixed),
    ]
    return [chart for chart in charts if chart is not None]


def _draw_distance(axes: Any, found: Exploration, leaves: list[int]) -> None:
    """How far the released columns are from the original ones."""
    lines = found.lines
    axes.plot(leaves, [line.marginal_error for line in lines], "o-", label="columns, one by one")
    axes.plot(leaves, [line.association_error for line in lines], "s--", label="columns in pairs")
    axes.plot(leaves, [line.one_class_share for line in lines], "^:", label="one-class records")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("distance from the original")
    axes.set_xlabel("leaves")
    axes.legend()


def _draw_privacy(axes: Any, found: Exploration, leaves: list[int]) -> None:
    axes.plot(leaves, [line.k for line in found.lines], "o-", label="K")
    axes.plot(leaves, [line.k_with_target for line in found.lines], "^:", label="K, target known")
    if all(line.l is not None for line in found.lines):
        axes.plot(leaves, [line.l for line in found.lines], "s--", label="L")
    if found.k > 1:
        axes.axhline(found.k, color="grey", linewidth=1, label=f"k = {found.k}, asked for")
    if found.chosen is not None:
        axes.axvline(found.chosen, color="grey", linestyle=":", label="publish takes")
    failing = [line for line in found.lines if not line.passes]
    if failing:
        axes.plot(
            [line.leaves for line in failing],
            [line.k for line in failing],
            "x",
            color="black",
            markersize=10,
            label="does not pass",
        )
    axes.set_yscale("log")
    axes.set_ylabel("K and L, log scale")
    axes.set_title("What each size of the tree gives")
    axes.legend()
