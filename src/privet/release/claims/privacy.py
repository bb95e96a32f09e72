"""The claims of k, l and t, which every release by equivalence classes makes, and their recount.

All can be counted again from the files but l or t of a column that the release does not show: such
a claim states what was asked for and no figure, since figures could be inverted. What a method
claims besides is in its own module.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from privet.criteria import KINDS
from privet.criteria.people import K_PEOPLE, L_PEOPLE, T_PEOPLE
from privet.release.checks import Check
from privet.release.claims.figures import (
    CLASSES,
    GUESSED,
    K_WITH_TARGET,
    ONE_CLASS,
    ONE_CLASS_RECORDS,
    RECORDS,
    ClassFigures,
    Figures,
    K,
    L,
    T,
    reaches,
    recount,
)
from privet.release.claims.levels import is_level
from privet.release.claims.people import (
    GUESSED_PEOPLE,
    ONE_CLASS_PEOPLE,
    PEOPLE,
    OfPeople,
    attested_people,
)
from privet.release.claims.tree_titles import TREE, tree_title
from privet.release.manifest import Claim, Manifest, canonical
from privet.release.recoded import entry_of
from privet.schema import Role, Schema

Key = tuple[str, Any, Any]


def privacy_claims(
    figures: ClassFigures, schema: Schema, shown: Sequence[str], asked: Mapping[str, Any]
) -> list[Claim]:
    """What is claimed of equivalence classes. `shown` are the sensitive columns released as they
    are, `asked` the levels asked for: k, l, l_kind, t, target_known; `of_people` what was measured
    of people, where a person may have several records. Then l and t were asked of people."""
    quasi: dict[str, Any] = {"quasi": list(schema.quasi)}
    people: OfPeople | None = asked.get("of_people")
    known = bool(asked.get("target_known"))
    k, kind = asked.get("k"), asked.get("l_kind") or "strong"
    claims = [
        Claim(RECORDS, {}, None, figures.records, "release"),
        Claim(CLASSES, quasi, None, figures.equivalence_classes, "release"),
        Claim(K, quasi, None if known else k, figures.k, "release"),
        *([] if people is None else [Claim(K_PEOPLE, quasi, k, people.k, "attested")]),
    ]
    if isinstance(figures, Figures):
        with_target = {"quasi": [*schema.quasi, *figures.told]}
        asked_k = k if known else None
        claims.append(Claim(K_WITH_TARGET, with_target, asked_k, figures.k_with_target, "release"))
        for target, told in figures.told.items():
            about = quasi if len(figures.told) == 1 else quasi | {"column": target}
            claims += [
                Claim(ONE_CLASS, about, None, told.one_class, "release"),
                Claim(ONE_CLASS_RECORDS, about, None, told.one_class_records, "release"),
                Claim(GUESSED, about, None, told.guessed, "release"),
                *_told_of_people(target, about, people),
            ]
    for column in schema.sensitive:
        about = {"column": column, "kind": kind}
        l, t = asked.get("l"), asked.get("t")  # noqa: E741
        if people is not None:
            claims += _of_people(column, kind, l, t, people if column in shown else None)
            l = t = None  # noqa: E741
        if column in shown:
            claims.append(Claim(L, about, l, figures.l[column][kind], "release"))
            claims.append(Claim(T, {"column": column}, t, figures.t[column], "release"))
            continue
        if l is not None:
            claims.append(Claim(L, about, l, None, "attested"))
        if t is not None:
            claims.append(Claim(T, {"column": column}, t, None, "attested"))
    return claims


def _told_of_people(target: str, about: Mapping[str, Any], people: OfPeople | None) -> list[Claim]:
    """What classes tell of the target of people."""
    if people is None:
        return []
    alike, guessed = people.one_class[target], people.guessed[target]
    return [
        Claim(ONE_CLASS_PEOPLE, about, None, alike, "attested"),
        Claim(GUESSED_PEOPLE, about, None, guessed, "attested"),
    ]


def _of_people(column: str, kind: str, l: Any, t: Any, shown: OfPeople | None) -> list[Claim]:  # noqa: E741
    """What was asked of people in a sensitive column; of a hidden one no figure is told."""
    asked = [(L_PEOPLE, {"column": column, "kind": kind}, l), (T_PEOPLE, {"column": column}, t)]
    found = {} if shown is None else {L_PEOPLE: shown.l.get(column), T_PEOPLE: shown.t.get(column)}
    return [
        Claim(name, about, level, found.get(name), "attested")
        for name, about, level in asked
        if level is not None
    ]


def shown_sensitive(schema: Schema, recoding: Mapping[str, Any]) -> tuple[str, ...]:
    """The sensitive columns whose values a release shows as they are."""
    return tuple(
        name
        for name in schema.sensitive
        if schema[name].role is Role.TARGET or entry_of(recoding, name).get("treatment") == "kept"
    )


def asks_of_sensitive(manifest: Manifest) -> bool:
    """Whether a release says that l or t was asked for."""
    names = (L, T, L_PEOPLE, T_PEOPLE)
    return any(c.name in names and c.claimed is not None for c in manifest.claims)


# -- what the files show ---------------------------------------------------------------------------


def by_key(claims: Iterable[Claim]) -> dict[Key, Claim]:
    """Claims by what they are about."""
    return {key_of(claim): claim for claim in claims}


def key_of(claim: Claim) -> Key:
    tree = claim.parameters.get(TREE)
    about = None if tree is None else tree_title(tree, str(claim.parameters.get("target")))
    return claim.name, claim.parameters.get("column"), about


def title_of(key: Key) -> str:
    name, column, tree = key
    title = f"{name} of {column}" if column else name
    return f"{title} ({tree})" if tree else title


def made_once(usual: Iterable[Key], manifest: Manifest) -> Iterator[Check]:
    """A no for every claim that a release must make and does not, or makes twice."""
    made = Counter(key_of(claim) for claim in manifest.claims)
    for key in dict.fromkeys([*usual, *made]):
        if made[key] != 1:
            yield Check(title_of(key), "no", "the manifest must make this claim once")


def says_otherwise(claim: Claim, expected: Claim) -> Check | None:
    """A no where a claim speaks of something else than it must."""
    title = title_of(key_of(claim))
    if canonical(_about(claim)) != canonical(_about(expected)):
        return Check(title, "no", "it speaks of other columns than the schema does")
    if claim.checkable != expected.checkable:
        return Check(title, "no", "the manifest is wrong on whether it can be checked")
    return None


def _about(claim: Claim) -> dict[str, Any]:
    """The parameters of a claim, but for the kind of l, which the publisher may choose."""
    return {name: value for name, value in claim.parameters.items() if name != "kind"}


def judged(
    claim: Claim,
    usual: Mapping[Key, Claim],
    figures: ClassFigures,
    manifest: Manifest,
    shown: Sequence[str],
) -> Check:
    """A claim of k, l or t against what was counted; any other is none that the files show."""
    expected = usual.get(key_of(claim))
    if expected is None:
        return _attested(claim, manifest, shown, figures)
    return says_otherwise(claim, expected) or _recounted(claim, figures)


def _recounted(claim: Claim, figures: ClassFigures) -> Check:
    title, found = title_of(key_of(claim)), recount(claim, figures)
    if found is None:
        return Check(title, "no", "the files do not show this")
    if found != claim.measured or type(found) is not type(claim.measured):
        return Check(title, "no", f"claimed {claim.measured}, counted {found}")
    if claim.claimed is not None and not is_level(claim):
        return Check(title, "no", "nobody can have asked for that")
    if not reaches(claim, found):
        return Check(title, "no", f"asked for {claim.claimed}, counted {found}")
    text = f"{found:.6g}" if isinstance(found, float) else str(found)
    return Check(
        title, "yes", text if claim.claimed is None else f"{text} (asked for {claim.claimed})"
    )


def _attested(
    claim: Claim, manifest: Manifest, shown: Sequence[str], figures: ClassFigures
) -> Check:
    """l or t of a column that is really hidden, said as it must be."""
    title = title_of(key_of(claim))
    column = claim.parameters.get("column")
    if claim.name in PEOPLE:
        return attested_people(claim, manifest, figures, shown)
    if claim.name not in (L, T) or claim.checkable != "attested":
        return Check(title, "no", "the files do not show this")
    if column not in manifest.schema.sensitive or column in shown:
        return Check(title, "no", "it is attested of a column that is not hidden and sensitive")
    wrong = _not_a_level(claim, figures)
    if wrong:
        return Check(title, "no", wrong)
    if manifest.format == 1:
        return _attested_figure(claim, title)
    if claim.measured is not None or claim.claimed is None:
        return Check(title, "no", "of a hidden column only the level asked for is attested")
    side = "at least" if claim.name == L else "at most"
    return Check(title, "attested", f"{side} {claim.claimed}")


def _not_a_level(claim: Claim, figures: ClassFigures) -> str:
    """Why nobody can attest so much of a hidden column; empty if somebody can."""
    column, kind = claim.parameters.get("column"), claim.parameters.get("kind")
    about = {"column": column, "kind": kind} if claim.name == L else {"column": column}
    if dict(claim.parameters) != about or (claim.name == L and kind not in KINDS):
        return "it is not said in known words what is attested"
    if claim.claimed is None:
        return ""
    if not is_level(claim):
        return "of a hidden column only the level asked for is attested"
    too_many = claim.name == L and claim.claimed > figures.k
    return "no column can be so diverse among so few records" if too_many else ""


def _attested_figure(claim: Claim, title: str) -> Check:
    """Releases of format 1 attest measured figures of hidden columns."""
    figure = claim.measured
    if isinstance(figure, bool) or not isinstance(figure, int | float) or figure < 0:
        return Check(title, "no", "the attested figure is none")
    if claim.claimed is not None and not reaches(claim, figure):
        return Check(title, "no", "the attested figure is short of what is claimed")
    return Check(title, "attested", str(figure))
