"""What is asked of a release: the options of `publish`, `explore` and, of a table, `check`."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from privet.cli.choices import GrowerName, LKind, OneClass, Recoding
from privet.cli.loading import names
from privet.cli.options import flag, option
from privet.cli.tree_options import (
    CategoriesOption,
    ImpurityOption,
    guard_option,
    leaves_option,
    min_leaf_option,
)
from privet.words import SETTINGS

if TYPE_CHECKING:
    from privet.preserve.settings import PublishSettings

KOption = Annotated[int, option("-k", "K", "Smallest equivalence class; 1 asks for nothing.")]
LOption = Annotated[str | None, option("-l", "L", "Diversity of each sensitive column.")]
LKindOption = Annotated[
    LKind,
    option(
        "--l-kind",
        "KIND",
        "strong: no value has more than 1 in l of an equivalence class; distinct: l values occur; "
        "entropy: as mixed as l equal values; recursive: the most frequent value is less than "
        "c = 3 times the values from the l-th on.",
    ),
]
ReleaseSensitiveOption = Annotated[
    bool,
    flag(
        "--release-sensitive",
        SETTINGS["release_sensitive"],
    ),
]
TargetKnownOption = Annotated[
    bool,
    flag(
        "--target-known",
        "Count the target among what an attacker knows, for k; l and t are judged without it.",
    ),
]
PersonOption = Annotated[
    str | None,
    option(
        "--person",
        "COLUMN",
        SETTINGS["person"],
    ),
]
TOption = Annotated[str | None, option("-t", "T", "Closeness of each sensitive column, 0 to 1.")]


@dataclass(frozen=True, kw_only=True)
class AskedOptions:
    """What is asked of a release, but for k, and how its tree is grown and kept."""

    l: LOption = None  # noqa: E741
    l_kind: LKindOption = "strong"
    t: TOption = None
    leaves: Annotated[int | None, leaves_option("; otherwise cross-validation chooses")] = None
    impurity: ImpurityOption = None
    categories: CategoriesOption = "subset"
    min_leaf: Annotated[int | None, min_leaf_option("; 1 with global recoding, else k")] = None
    guard: Annotated[int | None, guard_option("; 1 (no guard) with global recoding, else k")] = None
    grower: Annotated[
        GrowerName,
        option(
            "--grower",
            "PROGRAM",
            SETTINGS["grower"],
        ),
    ] = "privet"
    recoding: Annotated[
        Recoding,
        option(
            "--recoding",
            "HOW",
            SETTINGS["recoding"],
        ),
    ] = "rich"
    one_class: Annotated[
        OneClass,
        option(
            "--one-class",
            "forbid|allow",
            SETTINGS["one_class"],
        ),
    ] = "forbid"
    keep: Annotated[
        list[str] | None,
        option(
            "--keep",
            "COLUMNS",
            "With rich recoding: columns that matter most, kept best: a,b; repeatable.",
        ),
    ] = None
    refine: Annotated[
        bool,
        flag("--refine/--no-refine", "With leaf recoding: give detail back while k and l hold."),
    ] = True
    float32_safe: Annotated[
        bool,
        flag(
            "--float32-safe",
            "Round decimals to single precision and keep thresholds there (scikit-learn).",
        ),
    ] = False
    use_sensitive: Annotated[
        bool, flag("--use-sensitive", "Let the tree ask sensitive columns as well.")
    ] = False
    target_known: TargetKnownOption = False
    person: PersonOption = None
    target_step: Annotated[
        str | None,
        option(
            "--target-step",
            "STEP",
            "Round a numeric target to steps (10, 0.5) before the tree is grown.",
        ),
    ] = None
    normalise_target: Annotated[
        bool,
        flag(
            "--normalise-target",
            "Bring a numeric target between 0 and 1 before the tree is grown.",
        ),
    ] = False
    time_limit: Annotated[
        float | None,
        option(
            "--time-limit",
            "SECONDS",
            SETTINGS["time_limit"],
        ),
    ] = None

    trees: Annotated[
        list[str] | None,
        option(
            "--tree",
            "SETTINGS",
            "A further tree that the same table keeps: target=COLUMN,leaves=M,impurity=NAME "
            "(also categories=MODE, min-leaf=N); repeatable.",
        ),
    ] = None

    def settings(self, k: int, release_sensitive: bool = False) -> "PublishSettings":
        """What is asked, checked before any table is read."""
        from privet.preserve.settings import PublishSettings

        asked = asdict(self) | {"keep": tuple(names(self.keep)), "trees": tuple(self.trees or ())}
        settings = PublishSettings(k=k, release_sensitive=release_sensitive, **asked)
        settings.criteria_for(ordered=False)  # refuses an l or t that cannot be
        return settings
