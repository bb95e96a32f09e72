"""What `privet publish` answers: what is protected and, in the same letters, what is exposed."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet.release import Release

_TREATMENTS = {
    "kept": "as they were",
    "aggregated": "aggregated",
    "generalised": "generalised",
    "coded": "coded",
    "suppressed": "suppressed",
}
_AGGREGATED = (
    "  Aggregated values are shared by at least k records: a number lies between their smallest",
    "  and largest value, a category is one that some of them have. Each leaf nearly keeps its",
    "  distribution; a single record's value need not be its true one.",
)
_WIDTH = 22
_FIGURES = 14


def figures_of(release: "Release", out: Path, fingerprint: str | None) -> dict[str, Any]:
    """The answer for programs."""
    claims = release.claims
    of_l = {c.parameters["column"]: c.measured for c in claims if c.name == "l-diversity"}
    of_t = {c.parameters["column"]: c.measured for c in claims if c.name == "t-closeness"}
    kinds = [c.parameters["kind"] for c in claims if c.name == "l-diversity"]
    assert release.tree is not None
    return {
        "leaves": release.tree.n_leaves,
        "k": release.figure("k-anonymity"),
        "k_with_target": release.figure("k-anonymity-with-target"),
        "l": min((figure for figure in of_l.values() if figure is not None), default=None),
        "t": max((figure for figure in of_t.values() if figure is not None), default=None),
        "equivalence_classes": release.figure("equivalence-classes"),
        "records": release.figure("records"),
        "same_tree": release.figure("same-tree"),
        "release": str(out),
        "fingerprint": fingerprint,
        "l_kind": kinds[0] if kinds else None,
        "l_by_column": of_l,
        "t_by_column": of_t,
        "one_class_equivalence_classes": release.figure("one-class-equivalence-classes"),
        "one_class_records": release.figure("one-class-records"),
        "target_guessed": release.figure("target-guessed"),
        "told_by_boundaries": release.manifest.method["told_by_boundaries"],
        "narrowed_by_boundaries": release.manifest.method["narrowed_by_boundaries"],
        "columns": columns_by_treatment(release),
        "messages": list(release.messages),
    }


def columns_by_treatment(release: "Release") -> dict[str, list[str]]:
    """The columns that are as they were, aggregated, generalised, coded, suppressed."""
    from privet.release.recoded import entry_of

    found: dict[str, list[str]] = {treatment: [] for treatment in _TREATMENTS}
    for name in release.manifest.schema.names():
        treatment = str(entry_of(release.manifest.recoding, name).get("treatment", "kept"))
        found.setdefault(treatment, []).append(name)
    return found


def in_words(release: "Release", figures: dict[str, Any], with_report: bool) -> str:
    """The answer for people."""
    folder, fingerprint = figures["release"], figures["fingerprint"]
    verb = "would be" if fingerprint is None else "are"
    lines = [
        f"YES: {figures['records']:,} records {verb} published in {folder}, and the same "
        f"tree of {figures['leaves']} leaves grows again from them.",
        "",
        "Protected",
        *_protected(release, figures),
        "",
        "Exposed",
        *_exposed(release, figures),
        "",
        "Columns",
        *_columns(figures["columns"]),
        *(_AGGREGATED if figures["columns"]["aggregated"] else ()),
        "",
        *(f"Note: {message}" for message in release.messages),
        "",
    ]
    if fingerprint is None:
        return "\n".join([*lines, "Dry run, nothing written."])
    lines += [
        f"Fingerprint, to be given out through another channel:\n  {fingerprint}",
        f"Check it:  privet verify {folder} --fingerprint {fingerprint}",
    ]
    return "\n".join([*lines, *([f"Read it:   {folder}/report.html"] if with_report else [])])


def _protected(release: "Release", figures: dict[str, Any]) -> list[str]:
    lines = [_line("k", f"{figures['k']:,}", _asked(release, "k-anonymity"))]
    for column, value in figures["l_by_column"].items():
        said = _asked(release, "l-diversity", column)
        lines.append(_line(f"l of {column}", _figure(value), f"{said}, {figures['l_kind']}"))
    for column, value in figures["t_by_column"].items():
        lines.append(
            _line(f"t of {column}", _figure(value), _asked(release, "t-closeness", column))
        )
    return [*lines, _line("equivalence classes", f"{figures['equivalence_classes']:,}", "")]


def _exposed(release: "Release", figures: dict[str, Any]) -> list[str]:
    target = release.manifest.schema.target
    k, guessed = figures["k_with_target"], figures["target_guessed"]
    alone = "who knows it too can single some people out" if k == 1 else ""
    one, of_them = figures["one_class_equivalence_classes"], figures["one_class_records"]
    sure = "certain for some" if guessed == 1 else f"up to {guessed:.1%}"
    return [
        _line(f"k with {target}", f"{k:,}", alone or "the target counted as known"),
        _line(f"guessing {target}", sure, "in the worst equivalence class"),
        _line(
            "one-class", f"{one:,}", f"equivalence classes with one {target} ({of_them:,} records)"
        ),
        _line(
            "told by boundaries",
            f"{figures['told_by_boundaries']:,}",
            "people alone next to a threshold or with a category",
        ),
    ]


def _columns(by_treatment: dict[str, list[str]]) -> list[str]:
    return [
        _line(_TREATMENTS.get(treatment, treatment), str(len(names)), ", ".join(names))
        for treatment, names in by_treatment.items()
        if names
    ]


def _asked(release: "Release", name: str, column: str | None = None) -> str:
    claim = release.manifest.claim(name, column)
    asked = None if claim is None else claim.claimed
    return "nothing asked" if asked is None else f"asked for {asked}"


def _figure(value: float | None) -> str:
    return "attested" if value is None else f"{value:.4g}"


def _line(name: str, figure: str, said: str) -> str:
    return f"  {name:<{_WIDTH}}{figure:>{_FIGURES}}  {said}".rstrip()
