"""One call from a table to a release, for every method that publishes.

`publish` keeps the tree, `add_noise` follows it, `substitute` draws under a public matrix. Each
takes a frame, a path or a Table and gives a `Release`, which saves and verifies itself.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import UsageError
from privet.files import read_table
from privet.files.frames import frame_kind, table_of
from privet.release.release import Release
from privet.roles import Names, Rest, schema_for
from privet.schema import Kind, Schema
from privet.table import Table

if TYPE_CHECKING:
    from privet.noise.settings import NoiseSettings
    from privet.preserve.settings import Level, PublishSettings, Recoding
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
    schema: Schema | str | Path | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    l: "Level | None" = None,  # noqa: E741
    l_kind: str = "strong",
    t: "Level | None" = None,
    leaves: int | None = None,
    impurity: "Impurity | None" = None,
    categories: "CategorySplits" = "subset",
    min_leaf: int | None = None,
    guard: int | None = None,
    recoding: "Recoding" = "leaf",
    refine: bool = True,
    float32_safe: bool = False,
    release_sensitive: bool = False,
    use_sensitive: bool = False,
    target_known: bool = False,
) -> Release:
    """Publish a table with its tree: a Release with `.data`, `.tree`, `.claims`, `.save(folder)`.

    `frame` is a pandas, polars or Arrow frame, a mapping of sequences, or the path of a file. `k`
    must be given; k = 1 asks for nothing. Columns with no role given are quasi-identifiers, unless
    some are named as `quasi`: then `rest` says what the others are. The other settings are those
    of `privet.preserve.settings.PublishSettings`.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3)
    >>> release.tree.n_leaves, release.figure("k-anonymity")
    (2, 3)
    >>> release.data["age"]
    [31, 31, 31, 61, 61, 61]
    """
    from privet.preserve.settings import PublishSettings

    if k is None:
        raise UsageError(
            "k is not given: nobody would be protected.",
            "k = 10 is a common choice; k = 1 asks for no k-anonymity.",
        )
    settings = PublishSettings(
        k=k,
        l=l,
        l_kind=l_kind,
        t=t,
        leaves=leaves,
        impurity=impurity,
        categories=categories,
        min_leaf=min_leaf,
        guard=guard,
        recoding=recoding,
        refine=refine,
        float32_safe=float32_safe,
        release_sensitive=release_sensitive,
        use_sensitive=use_sensitive,
        target_known=target_known,
    )
    roles = {
        "target": target,
        "sensitive": sensitive,
        "identifier": identifier,
        "quasi": quasi,
        "other": other,
    }
    table, declared = read_any(frame, schema, kinds, missing)
    full = schema_for(table, declared, roles, drop, rest)
    return publish_table(table, full, settings, frame_kind(frame))


def publish_table(
    table: Table, schema: Schema, settings: "PublishSettings", frame: str = "arrow"
) -> Release:
    """Publish a table whose columns all have their roles."""
    from privet.preserve.publisher import TreePreservingPublisher

    return TreePreservingPublisher(settings).publish(table, schema, frame)


def add_noise(
    frame: Any,
    *,
    target: str | None = None,
    sensitive: Names = None,
    identifier: Names = None,
    quasi: Names = None,
    other: Names = None,
    drop: Names = None,
    rest: Rest | None = None,
    schema: Schema | str | Path | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    seed: int | None = None,
    keep_order: bool = False,
    **settings: Any,
) -> Release:
    """Noise that follows the tree of the target: a Release, its `.audit` with expected and observed
    changes of each column.

    `frame` is what `publish` takes. Further settings are those of
    `privet.noise.settings.NoiseSettings`.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.add_noise(people, target="buys")
    >>> release.method, len(release.data["age"])
    ('noise', 6)
    """
    from privet.noise.settings import NoiseSettings

    roles = {
        "target": target,
        "sensitive": sensitive,
        "identifier": identifier,
        "quasi": quasi,
        "other": other,
    }
    table, declared = read_any(frame, schema, kinds, missing)
    full = schema_for(table, declared, roles, drop, rest)
    asked = NoiseSettings(**settings)
    return add_noise_to_table(table, full, asked, seed, keep_order, frame_kind(frame))


def add_noise_to_table(
    table: Table,
    schema: Schema,
    settings: "NoiseSettings",
    seed: int | None = None,
    keep_order: bool = False,
    frame: str = "arrow",
) -> Release:
    """Noise on a table whose columns all have their roles."""
    from privet.noise.publisher import NoisePublisher

    return NoisePublisher(settings, keep_order).publish(table, schema, frame, seed)


def substitute(
    frame: Any,
    *,
    schema: Schema | str | Path | None = None,
    target: str | None = None,
    identifier: Names = None,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    seed: int | None = None,
    keep_order: bool = False,
    progress: Callable[[int], None] | None = None,
    **settings: Any,
) -> Release:
    """Every record changed at random under a public matrix: a Release without a tree.

    Further settings are those of `privet.RandomSubstitution`: columns, gamma, bins, joint and so
    on. Domains come from the schema, so that they tell nothing of the records.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.substitute(people, target="buys", domain_from_data=True, bins=4)
    >>> release.method, release.tree
    ('random substitution', None)
    """
    from privet.substitution.perturb import RandomSubstitution

    table, declared = read_any(frame, schema, kinds, missing)
    named = {"identifier": identifier} | ({"target": target} if target else {})
    described = (declared or table.schema()).with_roles(**named)
    perturber = RandomSubstitution(**settings)
    return substitute_table(
        table, described, perturber, seed, keep_order, progress, frame_kind(frame)
    )


def substitute_table(
    table: Table,
    schema: Schema,
    perturber: "RandomSubstitution",
    seed: int | None = None,
    keep_order: bool = False,
    progress: Callable[[int], None] | None = None,
    frame: str = "arrow",
) -> Release:
    """Random substitution of a table whose columns all have their roles."""
    from privet.substitution.publisher import SubstitutionPublisher

    publisher = SubstitutionPublisher(perturber, keep_order)
    return publisher.publish(table, schema, frame, seed, progress)


def read_any(
    frame: Any,
    schema: Schema | str | Path | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
) -> tuple[Table, Schema | None]:
    """A table from whatever the caller gave, and the schema if one is declared."""
    declared = Schema.read(Path(schema)) if isinstance(schema, str | Path) else schema
    given = {column.name: column.kind for column in declared or ()}
    given |= {name: Kind(kind) for name, kind in (kinds or {}).items()}
    markers = [*(declared.missing if declared else ()), *missing]
    if isinstance(frame, Table):
        return frame, declared
    if isinstance(frame, str | Path):
        return read_table(frame, kinds=given, missing=markers), declared
    return table_of(frame, given, markers), declared
