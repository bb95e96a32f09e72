"""Options that `publish` and `explore` share: what is asked of a release, and who knows what."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.choices import CategorySplits, Impurity, LKind, Recoding, Rest
from privet.cli.options import load, names, read_schema

if TYPE_CHECKING:
    from privet.preserve.settings import PublishSettings
    from privet.schema import Schema
    from privet.table import Table

OtherOption = Annotated[
    list[str] | None,
    typer.Option(
        "--other",
        metavar="COLUMNS",
        help="Columns released as they are and counted nowhere: a,b; repeatable.",
    ),
]
RestOption = Annotated[
    Rest | None,
    typer.Option(
        "--rest",
        metavar="ROLE",
        help="What columns without a role are: quasi, other or drop; needed beside --quasi.",
    ),
]
KOption = Annotated[
    int, typer.Option("-k", metavar="K", help="Smallest equivalence class; 1 asks for nothing.")
]
LOption = Annotated[
    str | None, typer.Option("-l", metavar="L", help="Diversity of each sensitive column.")
]
LKindOption = Annotated[
    LKind,
    typer.Option(
        "--l-kind",
        metavar="KIND",
        help="strong: no value has more than 1 in l of an equivalence class; distinct: l values "
        "occur; entropy: as mixed as l equal values; recursive: the most frequent value is less "
        "than 3 times the values from the l-th on.",
    ),
]
TOption = Annotated[
    str | None, typer.Option("-t", metavar="T", help="Closeness of each sensitive column, 0 to 1.")
]
LeavesOption = Annotated[
    int | None,
    typer.Option(
        "--leaves", metavar="M", help="At most M leaves; otherwise cross-validation chooses."
    ),
]
ImpurityOption = Annotated[
    Impurity | None,
    typer.Option(
        "--impurity",
        metavar="NAME",
        help="gini, entropy, gain-ratio or deviance; gini for classes, deviance for numbers.",
    ),
]
CategoriesOption = Annotated[
    CategorySplits,
    typer.Option("--categories", metavar="MODE", help="Category splits: subset or multiway."),
]
MinLeafOption = Annotated[
    int | None,
    typer.Option(
        "--min-leaf", metavar="N", help="Records in each leaf; k with leaf recoding, else 1."
    ),
]
GuardOption = Annotated[
    int | None,
    typer.Option(
        "--guard",
        metavar="G",
        help="A split depends on G records at least, so that a boundary tells of no single one; "
        "k with leaf recoding, else 1 (no guard).",
    ),
]
RecodingOption = Annotated[
    Recoding,
    typer.Option(
        "--recoding",
        metavar="HOW",
        help="leaf: values by leaf, K up to the smallest leaf; global: one map for each column.",
    ),
]
RefineOption = Annotated[
    bool,
    typer.Option(
        "--refine/--no-refine", help="With leaf recoding: give detail back while k and l hold."
    ),
]
Float32Option = Annotated[
    bool,
    typer.Option(
        "--float32-safe",
        help="Round decimals to single precision and keep thresholds there (scikit-learn).",
    ),
]
ReleaseSensitiveOption = Annotated[
    bool,
    typer.Option(
        "--release-sensitive",
        help="Release sensitive columns as they are even where neither l nor t is asked for.",
    ),
]
UseSensitiveOption = Annotated[
    bool, typer.Option("--use-sensitive", help="Let the tree ask sensitive columns as well.")
]
TargetKnownOption = Annotated[
    bool,
    typer.Option("--target-known", help="Count the target among what an attacker knows."),
]


def load_with_roles(
    path: Path,
    schema_file: Path | None,
    missing: Sequence[str] | None,
    category: Sequence[str] | None,
    roles: Mapping[str, Sequence[str] | None],
    drop: Sequence[str] | None,
    rest: Rest | None = None,
) -> "tuple[Table, Schema]":
    """The table and its schema, from the options of a command."""
    from privet.roles import schema_for

    declared = read_schema(schema_file)
    given = {role: names(columns) for role, columns in roles.items() if columns}
    gone = names(drop)
    named = {f"--{role}": columns for role, columns in given.items()} | {"--drop": gone}
    table = load(path, missing=missing, category=category, schema=declared, named=named)
    return table, schema_for(table, declared, given, gone, rest)


def settings_of(
    *,
    k: int,
    l: str | None,  # noqa: E741
    l_kind: LKind,
    t: str | None,
    leaves: int | None,
    impurity: Impurity | None,
    categories: CategorySplits,
    min_leaf: int | None,
    guard: int | None,
    recoding: Recoding,
    refine: bool,
    float32_safe: bool,
    release_sensitive: bool,
    use_sensitive: bool,
    target_known: bool,
) -> "PublishSettings":
    """What is asked, checked before any table is read."""
    from privet.preserve.settings import PublishSettings

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
    settings.criteria_for(ordered=False)  # refuses an l or t that cannot be
    return settings
