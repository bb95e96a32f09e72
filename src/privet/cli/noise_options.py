"""The noise of `privet noise`: the options of its parts and of the trees that it follows."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from privet.cli.choices import (
    ClassImpurity,
    ClassNoise,
    Ends,
    Influential,
    Law,
    NoisePruning,
    RelativeTo,
    Where,
    Which,
)
from privet.cli.loading import names
from privet.cli.options import Columns, flag, option
from privet.cli.tree_options import (
    CategoriesOption,
    DepthOption,
    MdlOption,
    leaves_option,
    min_leaf_option,
)
from privet.errors import InvalidParameter, UsageError

if TYPE_CHECKING:
    from privet.noise.settings import NoiseSettings
    from privet.tree.natural import NoiseTreeSettings

_OFF = "none"


@dataclass(frozen=True, kw_only=True)
class NoiseTreeOptions:
    """How the trees that noise follows are grown."""

    impurity: Annotated[
        ClassImpurity, option("--impurity", "NAME", "gain-ratio, c45, entropy or gini.")
    ] = "gain-ratio"
    categories: CategoriesOption = "multiway"
    min_leaf: Annotated[int | None, min_leaf_option("; grows with the table")] = None
    leaves: Annotated[int | None, leaves_option(" before pruning")] = None
    depth: DepthOption = None
    mdl: MdlOption = False
    prune: Annotated[NoisePruning, option("--prune", "HOW", "pessimistic or none.")] = "pessimistic"

    def settings(self) -> "NoiseTreeSettings":
        """The same, checked."""
        from privet.tree.natural import NoiseTreeSettings

        return NoiseTreeSettings(**asdict(self))


@dataclass(frozen=True, kw_only=True)
class NoiseOptions:
    """How much noise each part adds, and where."""

    class_noise: Annotated[
        ClassNoise, option("--class", "HOW", "random, probabilistic, all-leaves or none.")
    ] = "random"
    innocent: Annotated[
        str, option("--innocent", "SD", "Noise on numbers off the path, as a share; or none.")
    ] = "0.276"
    influential: Annotated[
        Influential,
        option("--influential", "HOW", "Numbers on the path: shuffle, wrap, reflect, none."),
    ] = "shuffle"
    detective: Annotated[
        str, option("--detective", "P", "Categories: the chance of a sibling's value; or none.")
    ] = "0.1"
    participation: Annotated[
        float, option("--participation", "R", "The share of records whose categories are drawn.")
    ] = 1.0
    strict: Annotated[
        bool,
        flag("--strict/--no-strict", "Spare the categories on a record's path, or draw them."),
    ] = True
    keep_tree: Annotated[
        bool, flag("--keep-tree", "Draw again where the tree would change, until it does not.")
    ] = False
    keep_inside: Annotated[
        bool, flag("--inside", "Keep the trees of categories out of the release, in the audit.")
    ] = False
    which: Annotated[Which, option("--which", "WHICH", "Innocent numbers: tia, lia or both.")] = (
        "both"
    )
    where: Annotated[
        Where, option("--where", "WHERE", "Innocent noise in heterogeneous leaves, or all.")
    ] = "all"
    ends: Annotated[
        Ends, option("--ends", "RULE", "At a column's ends: reflect, reflect-whole or clamp.")
    ] = "reflect"
    law: Annotated[
        Law, option("--law", "LAW", "Noise on numbers: bell, normal, laplace, correlated or paper.")
    ] = "bell"
    relative_to: Annotated[
        RelativeTo,
        option("--relative-to", "WHAT", "A deviation is a share of the value or of the column's."),
    ] = "value"
    spike: Annotated[
        list[str] | None, option("--spike", "COLUMN=N", "A number left alone; repeatable.")
    ] = None
    scale: Annotated[
        list[str] | None,
        option("--scale", "COLUMN=N", "Noise as a share of N, not of the value; repeatable."),
    ] = None
    together: Annotated[
        Columns, option("--together", "COLUMNS", "Columns drawn as one: a,b; repeatable.")
    ] = None
    draw: Annotated[
        Columns, option("--draw", "COLUMNS", "The categories that are drawn: a,b; else all.")
    ] = None
    random_value: Annotated[
        float, option("--random-value", "V", "The chance of any other category.")
    ] = 0.0
    floor: Annotated[
        float,
        option("--floor", "V", "Mix laws of classes and categories with the uniform one."),
    ] = 0.0
    cousins: Annotated[
        int, option("--cousins", "H", "Count leaves under the H-th ancestor as kin.")
    ] = 0

    def settings(self, trees: NoiseTreeOptions) -> "NoiseSettings":
        """What is asked, checked before any table is read."""
        from privet.noise.settings import NoiseSettings

        together = self.together
        return NoiseSettings(
            class_noise=self.class_noise,
            innocent=_number_or_none("--innocent", self.innocent),
            which=self.which,
            where=self.where,
            ends=self.ends,
            law=self.law,
            relative_to=self.relative_to,
            influential=None if self.influential == "none" else self.influential,
            influential_scale=self.relative_to,
            detective=_number_or_none("--detective", self.detective),
            participation=self.participation,
            random_value=self.random_value,
            cousins=self.cousins,
            floor=self.floor,
            strict=self.strict,
            inside=self.keep_inside,
            keep_tree=self.keep_tree,
            spikes={c: tuple(values) for c, values in _by_column("--spike", self.spike).items()},
            scales={c: values[-1] for c, values in _by_column("--scale", self.scale, 1000).items()},
            together=tuple(tuple(names([group])) for group in together) if together else None,
            draw=self._drawn(),
            trees=trees.settings(),
        )

    def _drawn(self) -> tuple[str, ...] | None:
        """The categories to draw, None for all; an empty list would draw none without a word."""
        if not self.draw:
            return None
        if not (named := names(self.draw)):
            raise InvalidParameter(
                "--draw", "one column or more", ",".join(self.draw) or "none", "as in --draw a,b."
            )
        if self.detective == _OFF:
            raise UsageError(
                "--draw names categories that are drawn, and --detective none draws none.",
                "leave out one of the two.",
            )
        return tuple(named)


def _number_or_none(option: str, text: str) -> float | None:
    if text == _OFF:
        return None
    try:
        return float(text)
    except ValueError:
        raise InvalidParameter(option, "a number or none", text) from None


def _by_column(option: str, given: list[str] | None, example: int = 0) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for text in given or ():
        column, _, number = text.rpartition("=")
        try:
            found.setdefault(column, []).append(float(number))
        except ValueError:
            column = ""
        if not column:
            raise InvalidParameter(option, "COLUMN=NUMBER", text, f"write {option} gain={example}.")
    return found
