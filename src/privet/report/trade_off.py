"""The trade-off of `privet explore` as a picture: privacy above, accuracy below, by leaves."""

from typing import Any

from privet.files.figures import picture_bytes
from privet.preserve.explore import Exploration


def trade_off_picture(found: Exploration, ending: str) -> bytes:
    """Every size in one picture: .png, .svg or .pdf."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 6.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    leaves = [line.leaves for line in found.lines]
    _draw_privacy(above, found, leaves)
    below.plot(leaves, [line.training for line in found.lines], "o-", label="on its own records")
    below.plot(
        leaves, [line.cross_validated for line in found.lines], "s--", label="cross-validated"
    )
    below.set_ylabel(found.measure)
    below.set_xlabel("leaves")
    below.legend()
    return picture_bytes(figure, ending)


def _draw_privacy(axes: Any, found: Exploration, leaves: list[int]) -> None:
    axes.plot(leaves, [line.k for line in found.lines], "o-", label="K")
    axes.plot(leaves, [line.k_with_target for line in found.lines], "^:", label="K, target known")
    if all(line.l is not None for line in found.lines):
        axes.plot(leaves, [line.l for line in found.lines], "s--", label="L")
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
    axes.set_title("Privacy and accuracy by size of the tree")
    axes.legend()
