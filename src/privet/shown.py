"""How objects show themselves in a notebook: small tables, escaped, without style of their own."""

from collections.abc import Sequence


def html_table(rows: Sequence[Sequence[str]], note: str = "", head: bool = True) -> str:
    """Rows of texts as a table of HTML, the first as its head; a note below."""
    from html import escape

    lines = []
    for number, row in enumerate(rows):
        tag = "th" if head and number == 0 else "td"
        cells = "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    said = f"<p>{escape(note)}</p>" if note else ""
    return f"<table>{''.join(lines)}</table>{said}"
