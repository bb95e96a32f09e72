"""One call from a table to a release with noise that follows its tree.

`add_noise` takes what `privet.publish` takes and gives a `Release`, which saves and verifies
itself. The calls of the other methods are next door, in `pipeline`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.arguments import AnyPath, Kinds, read_with_roles
from privet.errors import CriterionNotReached, UsageError
from privet.files.frames import frame_kind
from privet.mechanism.noise_laws import STANDARD_SD
from privet.mechanism.told_coarsely import coarse_share
from privet.proposal import on_likely_identifiers
from privet.randomness import Seed
from privet.release.about import About
from privet.release.claims.noise_attested import FOUND
from privet.release.manifest import Claim
from privet.release.release import Release
from privet.roles import Names, Rest, Roles
from privet.schema import Schema
from privet.table import Table

if TYPE_CHECKING:
    from privet.mechanism.class_laws import Technique
    from privet.mechanism.noise_laws import Ends, Influence, RelativeTo, Scale, Where, Which
    from privet.mechanism.shapes import LawName
    from privet.noise.in_batches import Drawn
    from privet.noise.settings import NoiseSettings
    from privet.noise.streams import Rows
    from privet.tree.grower import CategorySplits, Impurity
    from privet.tree.model import Tree
    from privet.tree.prune import Pruning

_PAIRS_IN_PUBLISHING = 6_000_000  # of records and people that the intruder compares


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
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    class_noise: "Technique" = "random",
    innocent: float | None = STANDARD_SD,
    which: "Which" = "both",
    where: "Where" = "all",
    ends: "Ends" = "reflect",
    law: "LawName" = "bell",
    relative_to: "RelativeTo" = "value",
    influential: "Influence | None" = "shuffle",
    influential_sd: float = STANDARD_SD,
    influential_scale: "Scale" = "value",
    detective: float | None = 0.1,
    participation: float = 1.0,
    random_value: float = 0.0,
    cousins: int = 0,
    floor: float = 0.0,
    strict: bool = True,
    inside: bool = False,
    keep_tree: bool = False,
    scales: Mapping[str, float] | None = None,
    spikes: Mapping[str, Sequence[float]] | None = None,
    together: Sequence[Sequence[str]] | None = None,
    draw: Sequence[str] | None = None,
    impurity: "Impurity" = "gain-ratio",
    categories: "CategorySplits" = "multiway",
    min_leaf: int | None = None,
    leaves: int | None = None,
    depth: int | None = None,
    prune: "Pruning" = "pessimistic",
    mdl: bool = False,
    seed: Seed = None,
    keep_order: bool = False,
    goal: str | None = None,
    title: str | None = None,
    publisher: str | None = None,
    licence: str | None = None,
) -> Release:
    """Noise that follows the tree of the target: a Release, its `.audit` with expected and observed
    changes of each column.

    `frame` is what `publish` takes. What the parts are is said in `privet.NoiseSettings`; None (for
    the class "none") leaves a part out. `goal` ("found<=10%") chooses deviation, leaves and
    participation by what the intruder finds.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.add_noise(people, target="buys")
    >>> release.method, len(release.data["age"])
    ('noise', 6)
    """
    from privet.noise.settings import NoiseSettings
    from privet.tree.natural import NoiseTreeSettings

    about = About(title, publisher, licence)
    asked = NoiseSettings(
        class_noise=class_noise,
        innocent=innocent,
        which=which,
        where=where,
        ends=ends,
        law=law,
        relative_to=relative_to,
        influential=influential,
        influential_sd=influential_sd,
        influential_scale=influential_scale,
        detective=detective,
        participation=participation,
        random_value=random_value,
        cousins=cousins,
        floor=floor,
        strict=strict,
        inside=inside,
        keep_tree=keep_tree,
        scales=dict(scales or {}),
        spikes={column: tuple(values) for column, values in (spikes or {}).items()},
        together=None if together is None else tuple(tuple(group) for group in together),
        draw=None if draw is None else tuple(draw),
        trees=NoiseTreeSettings(impurity, categories, min_leaf, leaves, depth, prune, mdl),
    )
    roles = Roles(target, sensitive, identifier, quasi, other, drop, rest)
    table, full = read_with_roles(frame, roles, schema, kinds, missing)
    kind = frame_kind(frame)
    release = add_noise_to_table(table, full, asked, seed, keep_order, kind, goal)
    return release.described(about)


def add_noise_to_table(
    table: Table,
    schema: Schema,
    settings: "NoiseSettings",
    seed: Seed = None,
    keep_order: bool = False,
    frame: str = "arrow",
    goal: str | None = None,
) -> Release:
    """Noise on a table whose columns all have their roles. With a goal ("found<=10%") deviation,
    leaves and participation are chosen by what the intruder finds."""
    from privet.noise.goal import Goal, in_words, settings_to_try, what_else
    from privet.noise.publisher import NoisePublisher

    wanted = None if goal is None else Goal.of(goal)
    least = 1.0
    for asked in [settings] if wanted is None else settings_to_try(settings):
        publisher = NoisePublisher(asked, judged_by_intruder, keep_order)
        release = publisher.publish(table, schema, frame, seed)
        said = list(on_likely_identifiers(table, schema))
        if wanted is None:
            return release.saying(said)
        found = float(release.figure(FOUND))
        if found <= wanted.share:
            chosen = f"The goal {wanted} is reached with {in_words(asked)}."
            return release.saying([*said, chosen])
        least = min(least, found)
    raise CriterionNotReached(
        f"The goal {wanted} is not reached: at least {100 * least:.1f} of 100 people are found.",
        what_else(settings),
    )


def judged_by_intruder(tree: "Tree", told: Mapping[str, Any], drawn: "Drawn") -> Claim:
    """What somebody finds who knows the law, and of everybody all values but the target: told so
    coarsely that who knows everybody else cannot try out which value the last one has."""
    from privet.attack.intruder import intrude

    known = [name for name in drawn.original.names if name != tree.target]
    found = intrude(
        tree,
        told,
        drawn.released,
        drawn.original,
        known,
        most_pairs=_PAIRS_IN_PUBLISHING,
        compare=False,
    )
    records = drawn.original.n_rows
    before = coarse_share(found.before, records)
    about: dict[str, Any] = {"known": known, "tried": found.tried, "before": before}
    if records < tree.records(tree.root):
        about["among"] = records
    return Claim(FOUND, about, None, coarse_share(found.found, records), "attested")


def owners_by_audit(release: Release, original: Table, audit: Mapping[str, Any]) -> "Rows | None":
    """Whose each record of a release is: with the seed of its audit the noise is drawn again. None
    where there was no seed."""
    from privet.noise.draws import is_changed
    from privet.noise.framework import NoiseFramework
    from privet.noise.settings import NoiseSettings

    if audit.get("seed") is None:
        return None
    settings, schema = NoiseSettings.from_description(audit["settings"]), release.manifest.schema
    noise = NoiseFramework(settings).fit(original, schema)
    drawn: Table = noise.transform(original, audit["seed"]).select(schema.names())
    shown = release.rows.records()
    order, as_shown = drawn.sorted_rows(), shown.sorted_rows()
    if not all(
        drawn.n_rows == shown.n_rows
        and not is_changed(drawn.take(order)[name], shown.take(as_shown)[name]).any()
        for name in schema.names()
    ):
        raise UsageError(
            "The audit and the table do not draw this release again.",
            "give the audit of this very release, and the table that it was made of.",
        )
    owner = np.empty_like(order)
    owner[as_shown] = order  # the rows of a release are sorted, unless their order was kept
    return owner
