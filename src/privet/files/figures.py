"""Pictures as files: what a figure of matplotlib is in bytes, and which endings name a picture.

Pictures are drawn where their subject is: trees in `privet.tree.exchange.pictures`, trade-offs and
advice in `privet.report`; .svg of our own shapes (`svg`), .png and .pdf by matplotlib. That is an
extra, used through its objects, without a display.
"""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import MissingExtra, OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = ".svg"
PICTURES = (".png", SVG, ".pdf")
_MOST_PIXELS = 60_000  # of a side


def refuse_picture(path: Path) -> None:
    """Refuse, before any work, a name that does not end like a picture that can be drawn here."""
    if path.suffix.lower() not in PICTURES:
        raise OutputError(
            f"A picture cannot be written as {path.name}.",
            f"end its name in {', '.join(PICTURES)}.",
        )
    if path.suffix.lower() != SVG:
        _ = new_figure(1, 1)


def new_figure(width: float, height: float, **settings: Any) -> "Figure":
    """An empty figure of so many inches, or an error with a hint where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        besides = ", or end the name in .svg."
        what = "Pictures other than .svg need"
        raise MissingExtra(what, "matplotlib", "pictures", besides) from None
    return Figure(figsize=(width, height), **settings)


def picture_bytes(figure: "Figure", ending: str, dpi: float = 120.0) -> bytes:
    """A figure as the bytes of a file; the same figure gives the same bytes."""
    form = ending.lower().lstrip(".")
    undated = {"CreationDate": None} if form == "pdf" else None
    made = BytesIO()
    sides = figure.get_size_inches()
    figure.savefig(made, format=form, dpi=min(dpi, _MOST_PIXELS / max(sides)), metadata=undated)
    return made.getvalue()
