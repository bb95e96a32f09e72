"""A release: what may be handed out, in memory and as a folder. Every method leaves by this door.

`save` writes the folder, checks it from the written files and puts it into place, with the audit
beside it where one is asked for. What the folder holds is in `layout`, what it claims in `claims`.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from privet.documents import read_text
from privet.errors import (
    ClaimNotBorneOut,
    InvalidParameter,
    TreeChanged,
    UsageError,
    in_python,
)
from privet.files.fence import fence, trusted
from privet.files.frames import frame_of, table_of
from privet.files.outputs import Outputs, outputs
from privet.release.about import About
from privet.release.audit import CLASS_OF_ROW, LEDGER, Audit, is_audit
from privet.release.checks import Verification, is_of_tree
from privet.release.claims import claims_of_method
from privet.release.layout import (
    FORMATS_OF_DATA,
    MECHANISM,
    is_release,
)
from privet.release.ledger import InLedger, Ledger
from privet.release.manifest import Claim, Manifest
from privet.release.opened import OpenedRelease
from privet.release.origin import Origin
from privet.release.rows import Rows, RowsInOrder
from privet.release.verify import verify_files
from privet.release.writing import Format, hide_the_hour, write_files
from privet.shown import html_table
from privet.tree.model import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What may be handed out: `.data`, `.tree`, `.claims`, `.save(folder)`.

    `audit` never goes with it: not into the folder, not into a pickle, not into a repr. `frame` is
    the kind of frame that the caller gave, so that `data` is of the same kind.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3)
    >>> [claim.name for claim in release.claims][:3]
    ['records', 'equivalence-classes', 'k-anonymity']
    >>> fingerprint = release.save("shop-release")
    >>> len(fingerprint)
    64
    """

    rows: Rows
    tree: Tree | None  # None for a method that publishes no tree
    manifest: Manifest
    frame: str = "arrow"
    said: tuple[str, ...] = ()  # messages, worded for Python and for the command line
    files: Mapping[str, str] = field(default_factory=dict)  # further texts, by name
    make_audit: Callable[[], Audit] | None = None
    origin: Origin | None = None  # of a release by equivalence classes, while it is made
    ledger: InLedger | None = None
    more_trees: tuple[Tree, ...] = ()  # that the same table keeps

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Every tree that grows again from the records."""
        return () if self.tree is None else (self.tree, *self.more_trees)

    @cached_property
    def audit(self) -> Audit | None:
        """What must stay inside; None for a release that was read or unpickled."""
        if self.make_audit is None:
            return None
        audit, more = self.make_audit(), dict[str, Any]()
        if self.origin is not None:
            classes = self.origin.class_of_row
            more[CLASS_OF_ROW] = classes.tolist() if self.origin.classes is None else classes
        if self.ledger is not None:
            more[LEDGER] = self.ledger.meeting.to_data()
        return replace(audit, data={**audit.data, **more}) if more else audit

    @property
    def messages(self) -> tuple[str, ...]:
        """What the steward should know."""
        return tuple(map(in_python, self.said))

    @property
    def data(self) -> Any:
        """The released records, as the kind of frame that was given."""
        return frame_of(self.rows.records(), self.frame)

    @property
    def method(self) -> str:
        return str(self.manifest.method.get("name", ""))

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.manifest.claims

    def figure(self, name: str, column: str | None = None) -> Any:
        """What was measured for a claim; None if it is not made."""
        claim = self.manifest.claim(name, column)
        return None if claim is None else claim.measured

    def __repr__(self) -> str:
        columns = len(self.manifest.schema.columns)
        tree = "".join(f", a tree of {tree.n_leaves} leaves" for tree in self.trees)
        return (
            f"<Release by {self.method}: {self.rows.n_records:,} records, {columns} columns{tree}>"
        )

    def _repr_html_(self) -> str:
        """The figures and the tree, as a notebook shows them; no record."""
        rows = [
            (" of ".join(filter(None, (c.name, c.parameters.get("column")))), str(c.measured))
            for c in self.claims
            if c.measured is not None
        ]
        trees = "".join(tree._repr_html_() for tree in self.trees)
        head = ("claim", "measured")
        return html_table([head, *rows], "; ".join(self.messages)) + trees

    def __getstate__(self) -> dict[str, Any]:
        """A pickle holds what may be handed out and nothing else."""
        names = ("rows", "tree", "manifest", "frame", "said", "files", "more_trees")
        kept = {name: getattr(self, name) for name in names}
        return {**kept, **dict.fromkeys(("make_audit", "origin", "ledger"))}

    def saying(self, more: Iterable[str]) -> "Release":
        """The same release with messages before those that it has."""
        return replace(self, said=(*more, *self.said))

    def described(self, about: About) -> "Release":
        """The same release with what its publisher says of it."""
        return replace(self, manifest=replace(self.manifest, about=about))

    def in_ledger(self, path: str | os.PathLike[str], people: Any = None) -> "Release":
        """The same release, to be entered in a secret ledger when it is saved.

        Its messages say what it tells beside releases that the ledger knows. `people` is a frame
        that tells people apart, row by row; without it they are known by all cells of their row.

        >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
        >>> _ = privet.publish(people, target="buys", k=3).in_ledger("ledger.json").save("first")
        >>> again = privet.publish(people, target="buys", k=2).in_ledger("ledger.json")
        >>> again.ledger.meeting.former[0].shared
        6
        """
        if self.origin is None:
            raise UsageError(
                "Only a release by equivalence classes can go into a ledger, when it is made.",
                "call this on what `publish` or `anonymise` gives.",
            )
        place = Path(path)
        known = None if people is None else table_of(people)
        book = Ledger.read(place)
        meeting = book.meet(book.entry_of(self.origin, known))
        found = replace(self, ledger=InLedger(place, known, meeting))
        return replace(found, said=(*self.said, *meeting.messages(self.figure("k-anonymity"))))

    # -- writing -----------------------------------------------------------------------------------

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        audit: str | os.PathLike[str] | None = None,
        format: Format = "parquet",  # noqa: A002
        force: bool = False,
        report: bool = True,
        inputs: Iterable[str | os.PathLike[str]] = (),
    ) -> str:
        """Write the release, check it from the written files, put it in place; its fingerprint.

        If anything that the files can show does not hold, nothing is published. `audit` names a
        folder for what must stay inside; both folders appear, or none. `force` replaces a release
        or an audit that stands there, and nothing else. No output may be one of the `inputs`.
        `format` is parquet, csv, or parts: data/part-00000.parquet and so on, for large tables.
        """
        if format not in FORMATS_OF_DATA:
            raise InvalidParameter("format", "parquet, csv or parts", format)
        if audit is not None and self.audit is None:
            raise UsageError("This release has no audit.", "only the run that publishes has one.")
        with outputs(inputs=inputs, force=force) as out, trusted(True):  # what is read is our own
            stage = out.folder(folder, mine=is_release)
            inside = None
            if audit is not None:
                inside = out.folder(audit, mine=is_audit, secret=True)
            manifest = write_files(self, stage, format, report)
            require_all(verify_files(stage, report_is_new=True))
            hide_the_hour(stage, manifest.published)
            if inside is not None and self.audit is not None:
                self.audit.write(inside)
            if self.ledger is not None and self.origin is not None:
                self._enter(out, self.ledger, self.origin, manifest)
        return manifest.fingerprint

    def _enter(self, out: Outputs, entered: InLedger, origin: Origin, manifest: Manifest) -> None:
        book = Ledger.read(entered.path)  # another run may have added to it
        entry = book.entry_of(origin, entered.people)
        named = manifest.fingerprint, manifest.published, manifest.about.title or ""
        text = book.with_release(entry, *named).to_text()
        place = out.file(entered.path, secret=True, renew=True)
        place.write_text(text, encoding="utf-8", newline="\n")


def require_all(outcome: Verification) -> None:
    """Raise for the first thing that the written files do not show."""
    failed = outcome.first_no
    if failed is None:
        return
    error = TreeChanged if is_of_tree(failed.name) else ClaimNotBorneOut
    raise error(
        f"The written release does not show what it claims: {failed.name}: {failed.detail}.",
        "nothing was published; please report this, it should never happen.",
    )


def read_release(folder: str | os.PathLike[str]) -> Release:
    """A release from its folder, as it claims to be; `verify` says whether it is.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> _ = privet.publish(people, target="buys", k=3).save("shop")
    >>> privet.read_release("shop").tree.target
    'buys'
    """
    with fence(Path(folder), "release"):
        opened = OpenedRelease.at(Path(folder))
        manifest = opened.manifest
        tree, *more = opened.trees or (None,)
        rows = opened.sorted_rows
        if claims_of_method(manifest).keeps_order(manifest):
            rows = RowsInOrder.keep(opened.table)
        texts = {
            name: read_text(opened.folder / name) for name in (MECHANISM,) if name in manifest.files
        }
        return Release(rows, tree, manifest, files=texts, more_trees=tuple(more))


def today() -> str:
    return datetime.now(UTC).date().isoformat()
