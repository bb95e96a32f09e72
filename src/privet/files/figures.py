"""Pictures as files: what a figure of matplotlib is in bytes, and which endings name a picture.

The figures themselves are drawn where their subject is: trees in `privet.tree.exchange.pictures`,
trade-offs in `privet.report`. Matplotlib is used through its objects, without a display.
"""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")
_MOST_PIXELS = 60_000  # of a side


def refuse_picture(path: Path) -> None:
    """Refuse, before any work, a name that does not end like a picture."""
    if path.suffix.lower() not in PICTURES:
        raise OutputError(
            f"A picture cannot be written as {path.name}.",
            f"end its name in {', '.join(PICTURES)}.",
        )


def picture_bytes(figure: "Figure", ending: str, dpi: float = 120.0) -> bytes:
    """A figure as the bytes of a file; the same figure gives the same bytes."""
    import matplotlib

    form = ending.lower().lstrip(".")
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    made = BytesIO()
    sides = figure.get_size_inches()
    with matplotlib.rc_context({"svg.hashsalt": "privet"}):
        figure.savefig(made, format=form, dpi=min(dpi, _MOST_PIXELS / max(sides)), metadata=dated)
    return made.getvalue()
