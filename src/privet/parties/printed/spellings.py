"""How masked names are spelt in a text: as they are, escaped between quotes, and as R writes them.

R's `read.csv` writes `a b` and `a.b` both as `a.b`, and the second of them as `a.b.1`, in the order
of the columns: neither is then surely one of them. A spelling that may be of several columns, or
that only another program than the one of this text would write, is `unsure`: where it stands, none
of its columns is decoded.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape as html_escaped

from privet.parties.category_mask import ColumnMask

# A word begins here; in quoted texts of programs a line break is written as two letters.
WORD = r"(?:(?<!\w)|(?<=\\[nlr]))"
ENDS = r"(?!\w|[.-]\w)"  # a name that goes on is another name
_PRINTED_BY_R = re.compile(
    r"^node\), split, n|\b(?:rpart|ctree|tree)\(|^Variables actually used|^\[\d+\] |\bformula = "
    r"|^Model formula|^Fitted party|^Conditional inference tree"
    r"|^ node number: \d+[ \t]*\n[ \t]+root[ \t]*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Spellings:
    """Each spelling with its column, and those that may be of several."""

    sure: Mapping[str, ColumnMask]
    unsure: Mapping[str, tuple[ColumnMask, ...]]

    @property
    def any_name(self) -> str:
        """A pattern for every spelling."""
        return either([*self.sure, *self.unsure]) + ENDS


def spellings_in(text: str, masks: Iterable[ColumnMask]) -> Spellings:
    """The spellings of these names that may stand in a text."""
    is_of_r = bool(_PRINTED_BY_R.search(text))
    found: dict[str, dict[str, ColumnMask]] = {}
    unsure: set[str] = set()
    for mask in masks:
        name = mask.masked_name
        plain = {name, _quoted(name), name.replace('"', '\\"')}
        by_r = re.sub(r"[^\w.]", ".", name)
        foreign = {html_escaped(name), html_escaped(name, quote=False)} - plain
        twins = set(re.findall(rf"{re.escape(by_r)}\.\d+", text)) if is_of_r and "." in by_r else ()
        if by_r not in plain and not is_of_r:
            foreign.add(by_r)
        for spelling in {*plain, *foreign, by_r, *twins}:
            found.setdefault(spelling, {})[name] = mask
        unsure |= foreign | ({by_r, *twins} if twins else set())
    unsure |= {spelling for spelling, owners in found.items() if len(owners) > 1}
    return Spellings(
        {s: next(iter(owners.values())) for s, owners in found.items() if s not in unsure},
        {s: tuple(owners.values()) for s, owners in found.items() if s in unsure},
    )


def either(spellings: Iterable[str]) -> str:
    """A pattern for any of these names, from the start of a word; the longest is tried first."""
    return WORD + _any_of(spellings)


def inside_longer(spellings: Iterable[str]) -> str:
    """A pattern for any of these names behind an underline, as in `num__H_age` of a pipeline."""
    return rf"(?<=_){_any_of(spellings)}(?![^\W_])"


def _any_of(spellings: Iterable[str]) -> str:
    listed = "|".join(re.escape(s) for s in sorted(spellings, key=len, reverse=True))
    return rf"(?:{listed})" if listed else r"(?!)"


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


# -- texts in quotes -------------------------------------------------------------------------------

_DOT = re.compile(r"\A\s*(?:strict\s+)?(?:di)?graph\b")


def quoted_stretches(text: str) -> list[tuple[int, int]]:
    """Where a DOT file has texts in quotes, without the quotes; nothing in other texts."""
    if not _DOT.match(text):
        return []
    found = re.finditer(r'"((?:\\.|[^"\\])*+)"', text, re.DOTALL)
    return [stretch.span(1) for stretch in found]


def in_quotes(text: str) -> str:
    """A text as DOT writes it between quotes."""
    return _quoted(text).replace("\r", "").replace("\n", "\\n")
