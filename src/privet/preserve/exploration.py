"""What is known of every size before anything is published, and how a table shows it."""

from dataclasses import dataclass, field

from privet.shown import html_table

_SKETCHED = (
    "~ worked out quickly: where it passes the tree is the same, but privacy and columns may come "
    "out a little different when this size is published."
)


@dataclass(frozen=True)
class TreeLine:
    """One of several trees at one size; `training`, `cross_validated`: accuracy or R2."""

    target: str
    leaves: int
    measure: str
    training: float
    cross_validated: float


@dataclass(frozen=True)
class SizeLine:
    """One size: what its release would reach; `training`, `cross_validated`: accuracy or R2.

    `one_class_share` is the share of records in equivalence classes of one target value;
    `marginal_error` and `association_error` say how far the quasi-identifiers are from the
    original, one by one and in pairs (`engine.likeness`); `columns_repaired` counts those that rich
    recoding could not release as filled (None with other recodings). `trees`, where several are
    kept, has each of them; `leaves` is then the most that one has, and accuracy is of the first.
    `sketched`: worked out quickly, by values that need not be those of `publish` (`Judge.sketch`).
    """

    leaves: int
    k: int
    k_with_target: int
    l: int | float | None  # noqa: E741
    t: int | float | None
    equivalence_classes: int
    told_by_boundaries: int
    one_class_share: float
    marginal_error: float
    association_error: float
    columns_repaired: int | None
    training: float
    cross_validated: float
    passes: bool
    same_tree: bool
    trees: tuple[TreeLine, ...] = ()
    k_people: int | None = None
    sketched: bool = False


@dataclass(frozen=True)
class Exploration:
    """Every size, and what accuracy means here ("accuracy" or "R2").

    `chosen` is the size that `publish` would take, by global recoding if `chosen_globally`. If no
    size passes it is None, and `refusal` says why; the lines then show what could be had. Of
    several trees some may then take more splits: `chosen_leaves` has those of each.
    """

    measure: str
    lines: tuple[SizeLine, ...]
    k: int = 1
    chosen: int | None = None
    chosen_globally: bool = False
    chosen_leaves: tuple[int, ...] = ()
    refusal: str = ""
    cut_short: bool = False  # by the limit of time: larger sizes were not tried
    question: str = field(default="", repr=False)  # a digest of what was asked

    def __repr__(self) -> str:
        found = "none passes" if self.chosen is None else f"publish would take {self.chosen} leaves"
        return f"<Exploration of {len(self.lines)} sizes: {found}>"

    def _repr_html_(self) -> str:
        rows = [(*self.head, "publish takes"), *(self.cells(line) for line in self.lines)]
        return html_table(rows, f"{self.refusal} {self.note}".strip())

    @property
    def note(self) -> str:
        """What the mark of sketched sizes means, where there are some."""
        return _SKETCHED if any(line.sketched for line in self.lines) else ""

    @property
    def head(self) -> tuple[str, ...]:
        found = [
            text
            for tree in (self.lines[0].trees if self.lines else ())
            for text in (f"{tree.target}: leaves", tree.measure, "cross-validated")
        ]
        kept = ("columns off", "pairs off", "repaired")
        told = ("leaves", "K", "K in people", "K with target", "L", "t", "told", "one-class")
        return (*told, *kept, *(found or [self.measure, "cross-validated"]), "passes")

    def cells(self, line: SizeLine) -> tuple[str, ...]:
        """A line in words, as a table shows it; the last cell marks what would be published."""
        return (
            str(line.leaves),
            f"{line.k:,}",
            "-" if line.k_people is None else f"{line.k_people:,}",
            f"{line.k_with_target:,}",
            "-" if line.l is None else f"{line.l:.3g}",
            "-" if line.t is None else f"{line.t:.3f}",
            f"{line.told_by_boundaries:,}",
            f"{line.one_class_share:.1%}",
            f"{line.marginal_error:.4f}",
            f"{line.association_error:.4f}",
            "-" if line.columns_repaired is None else str(line.columns_repaired),
            *_quality(line),
            "yes" if line.passes and line.same_tree else "no",
            self._mark(line),
        )

    def _mark(self, line: SizeLine) -> str:
        if line.leaves != self.chosen:
            return "~" if line.sketched else ""
        return "<- by global recoding" if self.chosen_globally else "<-"


def _quality(line: SizeLine) -> list[str]:
    """How good the tree is; of several, each with its leaves."""
    if not line.trees:
        return [f"{line.training:.4f}", f"{line.cross_validated:.4f}"]
    return [
        text
        for tree in line.trees
        for text in (str(tree.leaves), f"{tree.training:.4f}", f"{tree.cross_validated:.4f}")
    ]
