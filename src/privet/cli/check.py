"""`privet check`: whether a table satisfies k-anonymity, l-diversity and t-closeness.

The judging is done in `privet.criteria.assessment`; here are the options and the words for people.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.engine_options import EngineOptions
from privet.cli.loading import load_as, names, read_schema
from privet.cli.options import (
    JsonOption,
    QuasiOption,
    ReadingOptions,
    SensitiveOption,
    TableArgument,
    option,
)
from privet.cli.publish_options import LKindOption, LOption, PersonOption, TOption
from privet.cli.terminal import emit_json

if TYPE_CHECKING:
    from privet.criteria import Assessment, Finding


def check(
    table: TableArgument,
    *,
    quasi: QuasiOption = None,
    sensitive: SensitiveOption = None,
    k: Annotated[str | None, option("-k", "K", "Smallest size of an equivalence class.")] = None,
    l: LOption = None,  # noqa: E741
    l_kind: LKindOption = "strong",
    c: Annotated[str, option("--c", "NUMBER", "The c of recursive (c,l)-diversity.")] = "3",
    t: TOption = None,
    person: PersonOption = None,
    reading: ReadingOptions,
    where: EngineOptions,
    json: JsonOption = False,
) -> int:
    """Judge a table by its quasi-identifiers: k, l and t, and whether they are as asked.

    The exit status is 0 if all that was asked for holds, and 1 if not.

    Example: privet check patients.csv --quasi age,sex,zip --sensitive disease -k 5 -l 2
    """
    from privet.calls import columns_to_judge
    from privet.criteria import assess, criteria_of
    from privet.criteria.assessment import require_sensitive
    from privet.engine import engine_of

    declared = read_schema(reading.schema)
    known, hidden = columns_to_judge(names(quasi), names(sensitive), declared)
    criteria = criteria_of(k, l, l_kind, c, t)
    require_sensitive(hidden, criteria)
    named = {"--quasi": known, "--sensitive": hidden}
    if person is not None:
        named["--person"] = [person]
    used = list(dict.fromkeys([*known, *hidden, *([person] if person else [])]))
    with where.counting(table):
        loaded = load_as(table, reading, declared, named, used)
        found = assess(engine_of(loaded), known, hidden, criteria, person)
    if json:
        emit_json(found.to_dict())
    else:
        typer.echo(_in_words(found, table, known))
    return 0 if found.holds else 1


def _in_words(found: "Assessment", table: Path, quasi: list[str]) -> str:
    lines = []
    for answer, does in (("NO", "does not satisfy"), ("YES", "satisfies")):
        asked = [f for f in found.findings if f.verdict.holds is (answer == "YES")]
        if asked and found.holds is (answer == "YES"):
            what = "; ".join(map(_named, asked))
            lines.append(f"{answer}: {table.name} {does} {what}, for these columns.")
    if not found.holds:
        lines.append(
            f"{found.violating_records:,} of {found.records:,} records lie in "
            f"{found.violating_classes:,} equivalence classes that break what was asked for."
        )
    lines += ["", *_aligned(_figures(found, quasi))] if lines else _aligned(_figures(found, quasi))
    return "\n".join(lines)


def _named(finding: "Finding") -> str:
    """`l-diversity with l = 2 (strong) of disease`."""
    parameters = dict(finding.verdict.parameters)
    letter = finding.verdict.criterion[0]
    text = f"{finding.verdict.criterion} with {letter} = {_short(parameters.pop(letter))}"
    if "c" in parameters:
        text += f" and c = {_short(parameters.pop('c'))}"
    detail = "".join(f" ({value})" for value in parameters.values())
    return text + detail + (f" of {finding.column}" if finding.column else "")


def _figures(found: "Assessment", quasi: list[str]) -> list[tuple[str, str]]:
    rows = [
        ("quasi-identifiers", ", ".join(quasi)),
        ("records", f"{found.records:,}"),
        ("equivalence classes", f"{found.equivalence_classes:,}"),
        ("records alone in theirs", f"{found.unique_records:,}"),
        ("k", f"{found.k:,}"),
        *([] if found.k_people is None else [("k in people", f"{found.k_people:,}")]),
    ]
    figures = found.to_dict()
    for column, kinds in figures["l"].items():
        rows += [(f"l of {column}, {kind}", _short(value)) for kind, value in kinds.items()]
    rows += [(f"t of {column}", _short(value)) for column, value in figures["t"].items()]
    for finding in found.findings:
        verdict = finding.verdict
        broken = f"NO, broken for {verdict.violating_records:,} records"
        rows.append((_named(finding), "YES" if verdict.holds else broken))
    return rows


def _aligned(rows: list[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows)
    return [f"  {name:<{width}}  {value}" for name, value in rows]


def _short(value: int | float | str) -> str:
    return value if isinstance(value, str) else f"{value:.10g}"
