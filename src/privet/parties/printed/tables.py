"""What WEKA prints in columns: NaiveBayes and EM, k-means, OneR, decision tables.

Means and spreads decode for affine masks; a column with unequal groups stays masked. Counts and
weights are no secret of a mask and stay as they are.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.number_mask import NumberMask
from privet.parties.printed.conditions import UNKNOWN, read_interval
from privet.parties.printed.labels import alias_of, claim_alias
from privet.parties.printed.numbers import NUMBER
from privet.parties.printed.page import Page

_LINE = r"[^\n]*\n?"
_CELL = re.compile(r"'(?:\\.|[^'\\])*'|\S+")
_UNKNOWN_CELL = "a cell that is not known"


def read_tables(page: Page) -> None:
    """Claim every table that is known by its headings."""
    _read_attribute_blocks(page)
    _read_centroids(page)
    _read_one_rules(page)
    _read_decision_tables(page)
    _read_errors(page)


# -- NaiveBayes, EM --------------------------------------------------------------------------------

_MOMENTS = {"mean": "mean", "std. dev.": "spread", "precision": "spread", "weight sum": ""}


def _read_attribute_blocks(page: Page) -> None:
    """A name on a line of its own; below it, indented, figures of each class or cluster."""
    labels = "|".join(map(re.escape, _MOMENTS))
    lines = rf"(?:[ \t]+(?:{labels})[ \t]+{_LINE})+"
    for found in page.free(rf"^(?P<name>{page.number_name})[ \t]*\n(?P<lines>{lines})"):
        mask = page.number(found["name"])
        page.claim(*found.span("name"), mask.column)
        for line in re.finditer(rf"[ \t]+({labels})([ \t]+{_LINE})", found["lines"]):
            rules = {"mean": page.mean, "spread": page.spread}
            rule = rules.get(_MOMENTS[line[1]])
            if rule is not None:
                start = found.start("lines") + line.start(2)
                _decode_row(page, mask, line[2], start, rule)
    for category in page.categories:
        row = rf"[ \t]+(?:{alias_of(category)}|\[total\])[ \t]+{NUMBER}[^\n]*\n?"
        heading = rf"^(?P<name>{page.spelt(category)})[ \t]*\n"
        for found in page.free(rf"{heading}(?P<lines>(?:{row})+)"):
            page.claim(*found.span("name"), category.column)
            _claim_first_cells(page, category, found)


def _claim_first_cells(page: Page, mask: CategoryMask, found: re.Match[str]) -> None:
    """Aliases that begin the indented lines below the name of their column."""
    for line in re.finditer(rf"^[ \t]+({alias_of(mask)})", found["lines"], re.MULTILINE):
        start, end = (found.start("lines") + place for place in line.span(1))
        claim_alias(page, mask, start, end)


def _decode_row(
    page: Page,
    mask: NumberMask,
    text: str,
    start: int,
    rule: Callable[[NumberMask, str, int], str | None],
    sign: str = "",
) -> None:
    """Each number of a row decoded, its right edge kept where there is room."""
    pattern = rf"([ \t]*){re.escape(sign)}({NUMBER})(?=\s|$)"
    if re.sub(pattern, "", text).replace("NaN", "").strip():
        page.fail(mask, start, _UNKNOWN_CELL)
    for cell in re.finditer(pattern, text):
        place = start + cell.start()
        decoded = rule(mask, cell[2], place)
        if decoded is not None:
            shown = (sign + decoded).rjust(len(cell[0]))
            blank = "" if shown.startswith(" ") or not cell[1] else " "
            page.claim(place, start + cell.end(), blank + shown)


# -- k-means ---------------------------------------------------------------------------------------


def _read_centroids(page: Page) -> None:
    """Rows `H_age 3.35 3.31 3.40` below the heading of the clusters; single empty lines between."""
    heading = r"^Attribute[ \t]+Full Data\b[^\n]*\n[^\n]*\n=+[ \t]*\n"
    for table in page.free(rf"{heading}(?P<rows>(?:[ \t]*[^\s=][^\n]*\n?|\n(?=[^\s=]))*)"):
        names: list[str] = []
        last: ColumnMask | None = None
        for line in re.finditer(r"[^\n]+", table["rows"]):
            start = table.start("rows") + line.start()
            if re.match(r"[ \t]*\+/-", line[0]):
                if isinstance(last, NumberMask):
                    _decode_row(page, last, line[0], start, page.spread, "+/-")
                continue
            below = re.match(r"[ \t]+(\S+)(?=[ \t]+\d+ \()", line[0])
            if below and isinstance(last, CategoryMask):
                if below[1] in last.label_of:
                    claim_alias(page, last, start + below.start(1), start + below.end(1))
                continue
            named = re.match(rf"({page.any_name})(?=[ \t])", line[0])
            last = page.mask(named[1]) if named else None
            if not line[0][0].isspace():
                names.append(named[1] if named else "")
            if named and last is not None:
                _read_centroid(page, last, line[0], start, named.end())
        _read_starting_points(page, names, table.start())


def _read_centroid(page: Page, mask: ColumnMask, line: str, start: int, end: int) -> None:
    if isinstance(mask, CategoryMask):
        cells = list(re.finditer(r"\S+", line[end:]))
        if not all(cell[0] in mask.label_of for cell in cells):
            page.fail(mask, start, _UNKNOWN_CELL)
            return
        for cell in cells:
            claim_alias(page, mask, *(start + end + place for place in cell.span()))
    else:
        _decode_row(page, page.number(mask.masked_name), line[end:], start + end, page.mean)
    page.claim(start, start + end, mask.column.ljust(end))


def _read_starting_points(page: Page, names: Sequence[str], end: int) -> None:
    """`Cluster 0: 3.125,sex_1,no` (WEKA 3.8 and later): a record, its cells in the rows' order."""
    for found in page.free(r"^Cluster \d+: (?P<cells>[^\n]*)$"):
        if found.start() > end:
            return
        cells = found["cells"].split(",")
        place = found.start("cells")
        if len(cells) != len(names):  # labels stay as they are, and `mentions` says so
            for mask in map(page.mask, names):
                if isinstance(mask, NumberMask):
                    page.fail(mask, place, _UNKNOWN_CELL)
            continue
        for name, cell in zip(names, cells, strict=True):
            _claim_starting_value(page, page.mask(name), cell, place)
            place += len(cell) + 1


def _claim_starting_value(page: Page, mask: ColumnMask | None, cell: str, place: int) -> None:
    value: str | None = cell
    if isinstance(mask, CategoryMask):
        value = mask.label_of.get(cell)
    elif mask is not None:
        value = page.value(mask, cell, place) if re.fullmatch(NUMBER, cell) else None
    if value is None and mask is not None:
        page.fail(mask, place, _UNKNOWN_CELL)
    page.claim(place, place + len(cell), value or cell)


# -- OneR ------------------------------------------------------------------------------------------


def _read_one_rules(page: Page) -> None:
    """`H_age:` and below it `< 2.5 -> yes`; of categories, each alias and its class."""
    for found in page.free(rf"^(?P<name>{page.number_name}):[ \t]*\n(?P<lines>(?:\t[^\n]*\n?)+)"):
        mask = page.number(found["name"])
        for line in re.finditer(r"\t([^\n]*)\n?", found["lines"]):
            start = found.start("lines") + line.start(1)
            test = re.match(rf"(<=|>=|<|>)(\s*)({NUMBER})(?=\s+->)", line[1])
            if not test:
                if not re.match(r"\?\s+->", line[1]):
                    page.fail(mask, start, _UNKNOWN_CELL)
                continue
            cut = page.cut(mask, test[1], test[3], start)
            if cut is None:
                page.fail(mask, start, UNKNOWN)
            else:
                page.claim(start, start + test.end(), f"{test[1]}{test[2]}{cut[0]}{cut[1]}")
        page.claim(*found.span("name"), mask.column)
    for category in page.categories:
        row = rf"\t(?:{alias_of(category)}|\?)\t->[^\n]*\n?"
        heading = rf"^(?P<name>{page.spelt(category)}):[ \t]*\n"
        for found in page.free(rf"{heading}(?P<lines>(?:{row})+)"):
            page.claim(*found.span("name"), category.column)
            _claim_first_cells(page, category, found)


# -- decision tables -------------------------------------------------------------------------------


def _read_decision_tables(page: Page) -> None:
    """Names in a line between rules, below them one line for each rule; the target comes last."""
    rule = r"^=+[ \t]*\n"
    table = rf"^Rules:[ \t]*\n{rule}(?P<names>[^\n]+)\n{rule}(?P<rows>(?:(?!=)[^\n]*\n)*){rule}"
    for found in page.free(table):
        names = [page.mask(name) for name in found["names"].split()]
        wide = [name for name in page.masks if " " in name and name in found["names"]]
        starts = [
            found.start("names") + name.start() for name in re.finditer(r"\S+", found["names"])
        ]
        for mask, start in zip(names, starts, strict=True):
            if mask is not None:
                page.claim(start, start + len(mask.masked_name), mask.column)
        for line in re.finditer(r"[^\n]+", found["rows"]):
            cells = list(_CELL.finditer(line[0]))
            begin = found.start("rows") + line.start()
            if len(cells) != len(names) or wide:
                for mask in page.masks.values():
                    page.fail(mask, begin, _UNKNOWN_CELL)
                return
            for number, (mask, cell) in enumerate(zip(names, cells, strict=True)):
                is_target = number == len(names) - 1
                _decode_cell(page, mask, cell[0], begin + cell.start(), is_target)


def _decode_cell(
    page: Page, mask: ColumnMask | None, cell: str, place: int, is_target: bool
) -> None:
    if mask is None or cell.strip("'") in ("All", "?"):
        return
    if isinstance(mask, CategoryMask):
        alias = cell.strip("'")
        if alias not in mask.label_of:
            page.fail(mask, place, _UNKNOWN_CELL)
        else:
            begin = place + cell.index(alias)
            claim_alias(page, mask, begin, begin + len(alias))
        return
    decoded = read_interval(page, page.number(mask.masked_name), cell, place)
    if decoded is None and is_target and re.fullmatch(NUMBER, cell):
        decoded = page.mean(mask, cell, place)
        page.responses[place] = mask
    if decoded is None:
        page.fail(mask, place, _UNKNOWN_CELL)
    else:
        page.claim(place, place + len(cell), decoded.ljust(len(cell)))


# -- errors of a model -----------------------------------------------------------------------------


_ERRORS = rf"^Correlation coefficient[^\n]*\nMean absolute error(?P<mean>[ \t]+{NUMBER})[ \t]*\n"
_ERRORS += rf"Root mean squared error(?P<root>[ \t]+{NUMBER})[ \t]*$"
_MERIT = rf"^\tMerit of best subset found:(?P<merit>[ \t]+{NUMBER})[ \t]*$"
_BLOCK = re.compile(r"^(?:=== [^\n]* ===|Time taken to build model)", re.MULTILINE)
_WHOSE_ERRORS = "Errors of a model whose response is not sure stay as they were printed."


def _read_errors(page: Page) -> None:
    """Errors of a model whose masked response was decoded: they are in units of the response.

    A text may hold several models, and errors do not say of which they are.
    """
    if not any(page.responses.values()):
        return
    places = sorted(page.responses)
    for found in page.free(_ERRORS):
        number = bisect_left(places, found.start())
        place = places[number - 1] if number else None
        if place is not None and page.styles.is_one_model(place, found.start()):
            blocks = _BLOCK.findall(page.text, place, found.start())
            place = place if len({*blocks}) == len(blocks) else None  # those of one model differ
        for part in ("mean", "root"):
            _read_error(page, place, found[part], found.start(part))
    for found in page.free(_MERIT):  # it stands above the rules of its decision table
        number = bisect_left(places, found.start())
        place = places[number] if number < len(places) else None
        _read_error(page, place, found["merit"], found.start("merit"))


def _read_error(page: Page, response: int | None, text: str, place: int) -> None:
    """An error of the model that says its response at a place, if no other is between them."""
    mask = page.responses[response] if response is not None else None
    if response is None or mask is None or not page.styles.is_one_model(response, place):
        page.remark(_WHOSE_ERRORS)
    else:
        _decode_row(page, mask, text, place, page.spread)
