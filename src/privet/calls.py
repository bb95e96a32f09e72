"""One call for every command on a table that publishes nothing: look, judge, grow, try, convert.

Each takes what `privet.publish` takes: a frame of pandas, polars or Arrow, a mapping of sequences,
a path or a Table. The calls that publish are in `pipeline`, those on a release in `release_calls`;
the commands over all in `cli`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.arguments import (
    AnyPath,
    Kinds,
    read_any,
    read_for_method,
    read_with_roles,
    schema_given,
    settings_from,
)
from privet.errors import UsageError, param
from privet.files import as_table
from privet.roles import Names, Rest, Roles, listed
from privet.schema import Role, Schema
from privet.table import Table

if TYPE_CHECKING:
    from privet.criteria import Assessment
    from privet.measure import Alike
    from privet.preserve.asked_grower import AskedGrower
    from privet.preserve.exploration import Exploration
    from privet.preserve.settings import Level, OneClass, Recoding, Trees
    from privet.proposal import Proposal
    from privet.substitution.advise import Advice
    from privet.substitution.ways import Way
    from privet.tree import Grower, Tree
    from privet.tree.grower import CategorySplits, Impurity

DEFAULT_LEAVES = 16  # where nothing else limits the growth


def propose(frame: Any, *, kinds: Kinds | None = None, missing: Sequence[str] = ()) -> "Proposal":
    """A schema for a table that nobody has described yet: kinds, likely identifiers, remarks.

    >>> proposal = privet.propose({"id": ["a1", "a2", "a3"], "sex": ["f", "m", "f"]})
    >>> [column.role.value for column in proposal.schema]
    ['identifier', 'quasi']
    """
    from privet.proposal import propose as propose_for

    return propose_for(as_table(frame, kinds=kinds, missing=missing), missing)


def check(
    frame: Any,
    *,
    quasi: Names = None,
    sensitive: Names = None,
    k: int | str | None = None,
    l: "Level | None" = None,  # noqa: E741
    l_kind: str = "strong",
    c: "Level" = 3,
    t: "Level | None" = None,
    person: str | None = None,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
) -> "Assessment":
    """Judge a table by its quasi-identifiers: k, l and t, and whether they are as asked.

    With `person`, a column that tells people apart, k counts people.

    >>> judged = privet.check({"age": [30, 30, 60], "ill": ["no", "yes", "no"]}, quasi="age", k=2)
    >>> judged.k, judged.holds
    (1, False)
    """
    from privet.criteria import assess, criteria_of
    from privet.engine import engine_of

    criteria = criteria_of(k, l, l_kind, c, t)
    known, hidden = columns_to_judge(listed(quasi), listed(sensitive), schema_given(schema))
    used = list(dict.fromkeys([*known, *hidden, *listed(person)]))
    table, _ = read_any(frame, schema, kinds, missing, used)
    return assess(engine_of(table), known, hidden, criteria, person)


def columns_to_judge(
    quasi: list[str], sensitive: list[str], schema: Schema | None
) -> tuple[list[str], list[str]]:
    """The columns to judge by: those that are named, else those of the schema."""
    if schema is not None:
        named = {*quasi, *sensitive}
        quasi = quasi or [name for name in schema.quasi if name not in named]
        sensitive = sensitive or [name for name in schema.sensitive if name not in named]
    if not quasi:
        raise UsageError(
            "No quasi-identifier is named.",
            f"name the columns that an attacker may know: {param('quasi', 'COLUMN')}, or give "
            f"{param('schema', 'F.toml')}.",
        )
    return quasi, sensitive


def grow(
    frame: Any,
    schema: Schema | AnyPath | None = None,
    grower: "Grower | None" = None,
    *,
    target: str | None = None,
    identifier: Names = None,
    drop: Names = None,
    impurity: "Impurity | None" = None,
    categories: "CategorySplits" = "subset",
    leaves: int | None = None,
    depth: int | None = None,
    min_leaf: int | None = None,
    min_gain: float | None = None,
    mdl: bool = False,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
) -> "Tree":
    """The tree of a table.

    A `grower` holds all settings; without one they are given by name. Where nothing limits the
    growth, the tree has at most 16 leaves; by the rule of C4.5 it is grown to the end and pruned,
    and a leaf has 2 records, or 1 % of the table if that is more. `frame` may be an engine of
    counts as well.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> privet.grow(people, target="buys").root.split.threshold
    46.0
    """
    from privet.engine import engine_of
    from privet.tree import Grower, default_impurity
    from privet.tree import grow as grow_from
    from privet.tree.natural import min_leaf_of_c45
    from privet.tree.prune import pessimistic

    engine = frame if hasattr(frame, "tally") else None
    if engine is None:
        roles = Roles(target, identifier=identifier, drop=drop)
        table, found = read_for_method(frame, roles, schema, kinds, missing)
        described = schema_of_tree(found, target, identifier, drop)
        engine = engine_of(columns_of_tree(table, described))
    else:
        declared = schema_given(schema)
        if declared is None:
            raise UsageError("An engine has no schema.", f"give {param('schema')} as well.")
        described = schema_of_tree(declared, target, identifier, drop)
    if grower is None:
        given = {"leaves": leaves, "depth": depth, "min_leaf": min_leaf, "min_gain": min_gain}
        limits: dict[str, Any] = {n: value for n, value in given.items() if value is not None}
        chosen = impurity or default_impurity(engine, described.target)
        if chosen == "c45":
            least = {"min_leaf": min_leaf_of_c45(engine.n_rows())}
            grower = Grower(chosen, categories, **(least | limits), mdl=mdl)
            tree = grow_from(engine, described, grower)
            return tree if limits else pessimistic(tree)
        grower = Grower(chosen, categories, **(limits or {"leaves": DEFAULT_LEAVES}), mdl=mdl)
    return grow_from(engine, described, grower)


def schema_of_tree(schema: Schema, target: str | None, identifier: Names, drop: Names) -> Schema:
    """A schema with the roles that a tree needs; what is dropped is not in it."""
    gone = listed(drop)
    wanted = target if target is not None else schema.target
    if wanted in gone or wanted in listed(identifier):
        raise UsageError(
            f"The target '{wanted}' is dropped or an identifier as well.",
            f"leave it out of {param('drop')} and {param('identifier')}.",
        )
    named = schema.with_roles(target=wanted, identifier=listed(identifier))
    return named.without([name for name in gone if name in named])


def columns_of_tree(table: Table, schema: Schema) -> Table:
    """The columns that a tree is grown from."""
    return table.select(c.name for c in schema if c.role is not Role.IDENTIFIER or c.name in table)


def explore(
    frame: Any,
    *,
    k: int = 1,
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
    use_sensitive: bool = False,
    target_known: bool = False,
    person: str | None = None,
    time_limit: float | None = None,
    trees: "Trees" = (),
    target_step: "Level | None" = None,
    normalise_target: bool = False,
    grower: "AskedGrower" = "privet",
    progress: Callable[[int, int], None] | None = None,
    seen: "Callable[[Exploration], None] | None" = None,
    exact: bool = False,
) -> "Exploration":
    """What each size of the tree would give if it were published; the settings of `publish`.

    `seen` is shown what is known after each size, so that a picture can grow. By leaf, sizes of
    more than 12 leaves are `sketched`, which is much quicker, unless all are to be `exact`: the
    tree is the same, but privacy and columns may come out a little different.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> [(line.leaves, line.k) for line in privet.explore(people, target="buys").lines]
    [(2, 3)]
    """
    from privet.preserve.explore import explore as try_all
    from privet.preserve.settings import PublishSettings

    settings = settings_from(PublishSettings, locals())
    more = settings.more_targets
    roles = Roles(target, sensitive, identifier, quasi, other, drop, rest, more, person)
    table, full = read_with_roles(frame, roles, schema, kinds, missing)
    return try_all(table, full, settings, progress, seen, exact)


def advise(
    frame: Any,
    *,
    target: str | None = None,
    identifier: Names = None,
    drop: Names = None,
    schema: Schema | AnyPath | None = None,
    gammas: Sequence[float] = (5, 7, 9, 12),
    bins: Sequence[int] = (5, 10, 20, 50),
    way: "Way" = "stacked",
    seed: int = 0,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    progress: Callable[[float], None] | None = None,
) -> "Advice":
    """Try gamma and the number of bins for random substitution, on the table or a stand-in.

    >>> people = {"age": list(range(40)), "buys": ["no"] * 20 + ["yes"] * 20}
    >>> advice = privet.advise(people, target="buys", gammas=[9], bins=[4, 8])
    >>> [trial.bins for trial in advice.trials]
    [4, 8]
    """
    from privet.substitution.advise import advise as try_all

    unused = [*listed(drop), *listed(identifier)]
    table, found = read_for_method(frame, Roles(target, drop=unused), schema, kinds, missing)
    described = schema_of_tree(found, target, None, unused)
    table = columns_of_tree(table, described)
    return try_all(table, described, gammas, bins, way, seed, progress)


def alike(
    frame: Any,
    *,
    columns: Names = None,
    identifier: Names = None,
    drop: Names = None,
    alpha: float = 1.2,
    impurity: "Impurity" = "gain-ratio",
    categories: "CategorySplits" = "multiway",
    leaves: int | None = None,
    depth: int | None = None,
    min_leaf: int | None = None,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
) -> "Alike":
    """Which values of categories are alike: by the leaves of a tree for each column, and by CACTUS,
    for which two values are strong together above `alpha` times what chance would have.

    >>> found = privet.alike(privet.datasets.csd(), columns=["car_make", "profession"])
    >>> found.in_leaves["car_make"][0].product
    8184
    """
    from privet.measure.alike import values_alike
    from privet.tree.natural import NoiseTreeSettings

    wanted, unused = listed(columns), [*listed(drop), *listed(identifier)]
    table, found = read_for_method(frame, Roles(drop=unused), schema, kinds, missing, wanted)
    trees = NoiseTreeSettings(impurity, categories, min_leaf, leaves, depth)
    return values_alike(table, found.without(unused), wanted, trees, alpha)


def convert(
    source: AnyPath,
    out: AnyPath,
    *,
    schema: Schema | AnyPath | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
    safe_cells: bool = False,
    force: bool = False,
) -> Path:
    """Write a table or a tree in another format; the ends of the names say which.

    `safe_cells` puts an apostrophe before texts that a spreadsheet would run as formulas.

    >>> privet.write_table(privet.table_of({"age": [30, 60], "sex": ["f", "m"]}), "people.csv")
    >>> privet.convert("people.csv", "people.parquet").name
    'people.parquet'
    """
    from privet.files import put_table, refuse_format
    from privet.files.maskings import maskings_of
    from privet.files.outputs import outputs
    from privet.files.safe_cells import with_safe_cells
    from privet.tree.exchange.read import is_tree_file, read_tree
    from privet.tree.exchange.write import tree_bytes

    source, out = Path(source), Path(out)
    if not is_tree_file(source):
        refuse_format(out)
    with outputs(inputs=[source], force=force) as made:
        if is_tree_file(source):
            made.file(out).write_bytes(tree_bytes(read_tree(source), out))
        else:
            table, _ = read_any(source, schema, kinds, missing)
            if safe_cells:
                table = with_safe_cells(table)
            put_table(made, out, table, maskings=maskings_of(source))
    return out
