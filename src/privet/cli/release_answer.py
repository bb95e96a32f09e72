"""What the commands that publish by equivalence classes answer: what is protected, what exposed.

`publish_answer` and `anonymise_answer` put the pieces together. What is exposed stands in the same
letters as what is protected.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import in_options
from privet.schema import Role

if TYPE_CHECKING:
    from privet.release import Release

_TREATMENTS = {
    "kept": "as they were",
    "aggregated": "aggregated",
    "generalised": "generalised",
    "rounded": "rounded",
    "normalised": "normalised",
    "coded": "coded",
    "suppressed": "suppressed",
}
_WIDTH = 22
_FIGURES = 14


def privacy_figures(release: "Release") -> dict[str, Any]:
    """The figures of a release, for programs; those about a target are None where there is none."""
    of_l, of_t = (_by_column(release, name).values() for name in ("l-diversity", "t-closeness"))
    return {
        "k": release.figure("k-anonymity"),
        "k_with_target": release.figure("k-anonymity-with-target"),
        "l": min((figure for figure in of_l if figure is not None), default=None),
        "t": max((figure for figure in of_t if figure is not None), default=None),
        "equivalence_classes": release.figure("equivalence-classes"),
        "records": release.figure("records"),
    }


def release_figures(release: "Release", out: Path, fingerprint: str | None) -> dict[str, Any]:
    """Where a release is, and its figures column by column."""
    kinds = [c.parameters["kind"] for c in release.claims if c.name == "l-diversity"]
    return {
        "release": str(out),
        "fingerprint": fingerprint,
        "l_kind": kinds[0] if kinds else None,
        "l_by_column": _by_column(release, "l-diversity"),
        "t_by_column": _by_column(release, "t-closeness"),
        **told_of_target(release),
        "k_people": release.figure("k-anonymity-people"),
        **_of_people(release),
        "columns": columns_by_treatment(release),
        "messages": [in_options(message) for message in release.said],
    }


def _of_people(release: "Release") -> dict[str, Any]:
    """What is attested of people, where a person has several records."""
    if release.figure("k-anonymity-people") is None:
        return {}
    return {
        "l_people_by_column": _by_column(release, "l-diversity-people"),
        "t_people_by_column": _by_column(release, "t-closeness-people"),
        "one_class_people": release.figure("one-class-people"),
        "target_guessed_people": release.figure("target-guessed-people"),
    }


def told_of_target(release: "Release", target: str | None = None) -> dict[str, Any]:
    """How much equivalence classes tell of a target; of the first one, where none is named."""
    several = target is not None and len(release.manifest.schema.names(Role.TARGET)) > 1
    names = {
        "one_class_equivalence_classes": "one-class-equivalence-classes",
        "one_class_records": "one-class-records",
        "target_guessed": "target-guessed",
    }
    column = target if several else None
    return {field: release.figure(name, column) for field, name in names.items()}


def _by_column(release: "Release", name: str) -> dict[str, Any]:
    """What the claims of a name measured, by column."""
    return {c.parameters["column"]: c.measured for c in release.claims if c.name == name}


def columns_by_treatment(release: "Release") -> dict[str, list[str]]:
    """The columns that are as they were, aggregated, generalised, coded, suppressed."""
    from privet.release.recoded import entry_of

    found: dict[str, list[str]] = {treatment: [] for treatment in _TREATMENTS}
    for name in release.manifest.schema.names():
        treatment = str(entry_of(release.manifest.recoding, name).get("treatment", "kept"))
        found.setdefault(treatment, []).append(name)
    return found


def release_in_words(
    release: "Release",
    figures: dict[str, Any],
    headline: str,
    exposed: Sequence[str],
    keeps: str,
    with_report: bool,
) -> str:
    """The answer for people: a headline, what is protected, what is exposed, and what to do now.

    `keeps` is what nearly keeps the distribution of an aggregated column: each leaf, or column.
    """
    folder, fingerprint = figures["release"], figures["fingerprint"]
    lines = [
        headline,
        "",
        "Protected",
        *_protected(release, figures),
        "",
        *(["Exposed", *exposed, ""] if exposed else []),
        "Columns",
        *_columns(figures["columns"]),
        *(_on_aggregated(keeps) if figures["columns"]["aggregated"] else ()),
        "",
        *(f"Note: {in_options(message)}" for message in release.said),
        "",
    ]
    if fingerprint is None:
        return "\n".join([*lines, "Dry run, nothing written."])
    lines += [
        f"Fingerprint, to be given out through another channel:\n  {fingerprint}",
        f"Check it:  privet verify {folder} --fingerprint {fingerprint}",
    ]
    return "\n".join([*lines, *([f"Read it:   {folder}/report.html"] if with_report else [])])


def _on_aggregated(keeps: str) -> tuple[str, ...]:
    return (
        "  Aggregated values are shared by at least k records: a number lies between their "
        "smallest",
        f"  and largest value, a category is one that some of them have. Each {keeps} nearly keeps "
        "its",
        "  distribution; a single record's value need not be its true one.",
    )


def published(figures: dict[str, Any]) -> str:
    """`YES: 2,000 records are published in FOLDER`"""
    verb = "would be" if figures["fingerprint"] is None else "are"
    return f"YES: {figures['records']:,} records {verb} published in {figures['release']}"


def _protected(release: "Release", figures: dict[str, Any]) -> list[str]:
    lines = [line("k", f"{figures['k']:,}", _asked(release, "k-anonymity"))]
    if figures["k_people"] is not None:
        said = f"{_asked(release, 'k-anonymity-people')}; records are counted above"
        lines = [*lines, line("k in people", f"{figures['k_people']:,}", said)]
        for letter, name in (("l", "l-diversity-people"), ("t", "t-closeness-people")):
            for column, value in figures[f"{letter}_people_by_column"].items():
                said = _asked(release, name, column)
                lines.append(line(f"{letter} of {column}", _figure(value), f"{said}, in people"))
    for column, value in figures["l_by_column"].items():
        said = _asked(release, "l-diversity", column)
        lines.append(line(f"l of {column}", _figure(value), f"{said}, {figures['l_kind']}"))
    for column, value in figures["t_by_column"].items():
        lines.append(line(f"t of {column}", _figure(value), _asked(release, "t-closeness", column)))
    return [*lines, line("equivalence classes", f"{figures['equivalence_classes']:,}", "")]


def exposed_target(release: "Release", figures: dict[str, Any]) -> list[str]:
    """How much of the target those learn who know the quasi-identifiers."""
    targets = release.manifest.schema.names(Role.TARGET)
    k = figures["k_with_target"]
    alone = "who knows it too can single some people out" if k == 1 else ""
    known = "all targets" if len(targets) > 1 else targets[0]
    lines = [line(f"k with {known}", f"{k:,}", alone or "the target counted as known")]
    for target in targets:
        told = told_of_target(release, target)
        guessed, of_them = told["target_guessed"], told["one_class_records"]
        sure = "certain for some" if guessed == 1 else f"up to {guessed:.1%}"
        one = f"{told['one_class_equivalence_classes']:,}"
        said = f"equivalence classes with one {target} ({of_them:,} records)"
        lines.append(line(f"guessing {target}", sure, "in the worst equivalence class"))
        lines.append(line("one-class", one, said))
    return lines


def _columns(by_treatment: dict[str, list[str]]) -> list[str]:
    return [
        line(_TREATMENTS.get(treatment, treatment), str(len(names)), ", ".join(names))
        for treatment, names in by_treatment.items()
        if names
    ]


def _asked(release: "Release", name: str, column: str | None = None) -> str:
    claim = release.manifest.claim(name, column)
    asked = None if claim is None else claim.claimed
    return "nothing asked" if asked is None else f"asked for {asked}"


def _figure(value: float | None) -> str:
    return "attested" if value is None else f"{value:.4g}"


def line(name: str, figure: str, said: str) -> str:
    """One line of an answer."""
    return f"  {name:<{_WIDTH}}{figure:>{_FIGURES}}  {said}".rstrip()
