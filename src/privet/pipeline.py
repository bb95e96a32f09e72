"""One call from a table to a release.

`publish` keeps the tree, `anonymise` has none, `substitute` draws under a public matrix;
`add_noise` is next door, in `noise_pipeline`. Each takes a frame, a path or a Table and gives a
`Release`, which saves and verifies itself. Every call that draws takes `seed`: None, a whole
number, or a numpy generator. `title`, `publisher` and `licence` are shown in the report. The other
commands have their calls in `calls`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privet.arguments import AnyPath, Kinds, read_for_method, read_with_roles, settings_from
from privet.errors import UsageError
from privet.files.frames import frame_kind
from privet.proposal import on_likely_identifiers
from privet.randomness import Seed, seed_of
from privet.release.about import About
from privet.release.audit import ATTACKS, Audit
from privet.release.release import Release
from privet.roles import Names, Rest, Roles
from privet.schema import Schema
from privet.table import Table

if TYPE_CHECKING:
    from privet.mechanism.domains import Representative
    from privet.mechanism.matrices import Number
    from privet.preserve.anonymise.settings import AnonymiseSettings, Method
    from privet.preserve.asked_grower import AskedGrower
    from privet.preserve.exploration import Exploration
    from privet.preserve.judging import Progress
    from privet.preserve.settings import Level, OneClass, PublishSettings, Recoding, Trees
    from privet.substitution.perturb import RandomSubstitution
    from privet.tree.grower import CategorySplits, Impurity


def publish(
    frame: Any,
    *,
    k: int | None = None,
    target: str | None = None,
    sensitive: Names = None,
    identifier: Names = None,
    quasi: Names = None,
    other: Names = None,
    drop: Names = None,
    rest: Rest | None = None,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    l: "Level | None" = None,  # noqa: E741
    l_kind: str = "strong",
    t: "Level | None" = None,
    leaves: int | None = None,
    impurity: "Impurity | None" = None,
    categories: "CategorySplits" = "subset",
    min_leaf: int | None = None,
    guard: int | None = None,
    recoding: "Recoding" = "rich",
    refine: bool = True,
    one_class: "OneClass" = "forbid",
    keep: str | Sequence[str] = (),
    float32_safe: bool = False,
    release_sensitive: bool = False,
    use_sensitive: bool = False,
    target_known: bool = False,
    person: str | None = None,
    time_limit: float | None = None,
    trees: "Trees" = (),
    target_step: "Level | None" = None,
    normalise_target: bool = False,
    grower: "AskedGrower" = "privet",
    explored: "Exploration | None" = None,
    progress: "Progress | None" = None,
    title: str | None = None,
    publisher: str | None = None,
    licence: str | None = None,
) -> Release:
    """Publish a table with its tree: a Release with `.data`, `.tree`, `.claims`, `.save(folder)`.

    `frame` is a pandas, polars or Arrow frame, a mapping of sequences, or the path of a file. `k`
    must be given; k = 1 asks for nothing. Columns with no role given are quasi-identifiers, unless
    some are named as `quasi`: then `rest` says what the others are. `trees` are further trees to
    keep, such as {"target": "income", "leaves": 4}. `grower` names the program whose tree is kept
    (privet, sklearn, rpart, j48), or is a fitted tree of scikit-learn. `explored` is what `explore`
    found of the same table with the same settings: its sizes are not tried again for the audit.
    `progress` hears of each size tried. The other settings are those of
    `privet.preserve.settings.PublishSettings`.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3)
    >>> release.tree.n_leaves, release.figure("k-anonymity")
    (2, 3)
    >>> release.data["age"]
    [32, 32, 32, 60, 60, 60]
    """
    from privet.preserve.settings import PublishSettings

    _require_k(k)
    settings = settings_from(PublishSettings, locals())
    about = About(title, publisher, licence)
    more = settings.more_targets
    roles = Roles(target, sensitive, identifier, quasi, other, drop, rest, more, person)
    table, full = read_with_roles(frame, roles, schema, kinds, missing)
    made = publish_table(table, full, settings, frame_kind(frame), progress, explored)
    return made.described(about)


def publish_table(
    table: Table,
    schema: Schema,
    settings: "PublishSettings",
    frame: str = "arrow",
    progress: "Progress | None" = None,
    explored: "Exploration | None" = None,
) -> Release:
    """Publish a table whose columns all have their roles; `progress` hears of each size tried."""
    from privet.preserve.publisher import TreePreservingPublisher

    release = TreePreservingPublisher(settings).publish(table, schema, frame, progress, explored)
    return _attacked(release).saying(on_likely_identifiers(table, schema))


def anonymise(
    frame: Any,
    *,
    k: int | None = None,
    target: str | None = None,
    sensitive: Names = None,
    identifier: Names = None,
    quasi: Names = None,
    other: Names = None,
    drop: Names = None,
    rest: Rest | None = None,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    l: "Level | None" = None,  # noqa: E741
    l_kind: str = "strong",
    t: "Level | None" = None,
    method: "Method" = "mondrian",
    one_class: "OneClass | None" = None,
    keep: str | Sequence[str] = (),
    release_sensitive: bool = False,
    target_known: bool = False,
    person: str | None = None,
    title: str | None = None,
    publisher: str | None = None,
    licence: str | None = None,
) -> Release:
    """Publish a table without a tree: a Release whose records share their values with k others.

    `frame`, `k` and the roles are as in `publish`, but that no target is needed: one that is named
    is released as it is. The other settings are those of
    `privet.preserve.anonymise.settings.AnonymiseSettings`.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "town": ["Aix"] * 3 + ["Bonn"] * 3}
    >>> release = privet.anonymise(people, k=3)
    >>> release.data["age"], release.data["town"]
    ([31, 31, 31, 61, 61, 61], ['Aix', 'Aix', 'Aix', 'Bonn', 'Bonn', 'Bonn'])
    >>> release.method, release.tree, release.figure("k-anonymity")
    ('mondrian', None, 3)
    """
    from privet.preserve.anonymise.settings import AnonymiseSettings

    _require_k(k)
    settings = settings_from(AnonymiseSettings, locals())
    about = About(title, publisher, licence)
    roles = Roles(target, sensitive, identifier, quasi, other, drop, rest, person=person)
    table, full = read_with_roles(frame, roles, schema, kinds, missing, needs_target=False)
    return anonymise_table(table, full, settings, frame_kind(frame)).described(about)


def anonymise_table(
    table: Table, schema: Schema, settings: "AnonymiseSettings", frame: str = "arrow"
) -> Release:
    """Publish a table without a tree; its columns all have their roles."""
    from privet.preserve.anonymise.publisher import AnonymisingPublisher

    release = AnonymisingPublisher(settings).publish(table, schema, frame)
    return _attacked(release).saying(on_likely_identifiers(table, schema))


def _attacked(release: Release) -> Release:
    """The release with an audit that says what attackers find who have the original."""
    make, origin = release.make_audit, release.origin
    assert make is not None
    assert origin is not None

    def audit() -> Audit:
        from privet.attack.against import attacks_against

        found = attacks_against(release, origin.original)
        told = {n: {"figures": f.to_data(), "said": f.sentences()} for n, f in found.items()}
        inside = make()
        return replace(inside, data={**inside.data, ATTACKS: told})

    return replace(release, make_audit=audit)


def _require_k(k: int | None) -> None:
    if k is None:
        raise UsageError(
            "k is not given: nobody would be protected.",
            "k = 10 is a common choice; k = 1 asks for no k-anonymity.",
        )


def substitute(
    frame: Any,
    *,
    columns: Sequence[str] | None = None,
    gamma: "Number | None" = None,
    epsilon: "Number | None" = None,
    importance: "Mapping[str, Number] | None" = None,
    with_target: bool = False,
    bins: int = 20,
    joint: Sequence[Sequence[str]] = (),
    rho1: "Number | None" = None,
    rho2: "Number | None" = None,
    matrices: Mapping[str, Any] | None = None,
    matrix: Any = None,
    representative: "Representative" = "centre",
    domain_from_data: bool = False,
    schema: Schema | AnyPath | None = None,
    target: str | None = None,
    identifier: Names = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    seed: Seed = None,
    keep_order: bool = False,
    progress: Callable[[int], None] | None = None,
    title: str | None = None,
    publisher: str | None = None,
    licence: str | None = None,
) -> Release:
    """Every record changed at random under a public matrix: a Release without a tree.

    What the settings are is said in `privet.RandomSubstitution`. Domains come from the schema, so
    that they tell nothing of the records.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.substitute(people, target="buys", domain_from_data=True, bins=4)
    >>> release.method, release.tree
    ('random substitution', None)
    """
    from privet.substitution.perturb import RandomSubstitution

    about = About(title, publisher, licence)
    perturber = RandomSubstitution(
        columns=columns,
        gamma=gamma,
        bins=bins,
        joint=joint,
        rho1=rho1,
        rho2=rho2,
        matrices=dict(matrices or {}),
        matrix=matrix,
        representative=representative,
        domain_from_data=domain_from_data,
        epsilon=epsilon,
        importance=dict(importance or {}),
        with_target=with_target,
    )
    treated = [*(columns or ()), *(name for group in joint for name in group)]
    table, full = read_for_method(
        frame, Roles(target, None, identifier), schema, kinds, missing, treated
    )
    named = {"identifier": identifier} | ({"target": target} if target else {})
    described = full.with_roles(**named)
    release = substitute_table(
        table, described, perturber, seed, keep_order, progress, frame_kind(frame)
    )
    return release.described(about)


def substitute_table(
    table: Table,
    schema: Schema,
    perturber: "RandomSubstitution",
    seed: Seed = None,
    keep_order: bool = False,
    progress: Callable[[int], None] | None = None,
    frame: str = "arrow",
) -> Release:
    """Random substitution of a table whose columns all have their roles."""
    from privet.substitution.publisher import SubstitutionPublisher

    publisher = SubstitutionPublisher(perturber, keep_order)
    return publisher.publish(table, schema, frame, seed_of(seed), progress)
