"""A release folder, open for reading: what verifying, reports and outside growers start from.

The files are read as they claim to be, each once and when it is asked for; whether they are true is
for `verify` to say.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from privet.arrays import Integers
from privet.documents import read_json
from privet.engine import Engine, engine_of
from privet.errors import InputError
from privet.files import read_table
from privet.release.layout import (
    MANIFEST,
    MECHANISM,
    MODEL,
    data_file,
    data_names,
    folder_of,
    shown_name,
)
from privet.release.leaf_groups import Leaves, groups_of_rows
from privet.release.manifest import Manifest
from privet.release.rows import Rows, RowsInOrder
from privet.schema import Role
from privet.table import Table
from privet.tree.exchange.model_file import read_model, read_models
from privet.tree.model import Tree


@dataclass(frozen=True, eq=False)
class OpenedRelease:
    """The files of a release, read when they are first used."""

    folder: Path
    manifest: Manifest

    @classmethod
    def at(cls, folder: Path) -> "OpenedRelease":
        place = folder_of(folder)
        return cls(place, Manifest.read(place / MANIFEST))

    @cached_property
    def data_path(self) -> Path:
        return data_file(self.folder, self.manifest)

    @property
    def data_paths(self) -> list[Path]:
        """The data file, or the files of its parts in order."""
        return [self.folder / name for name in data_names(self.manifest)]

    @property
    def data_name(self) -> str:
        """What the data are called in the folder."""
        return shown_name(self.manifest)

    @cached_property
    def table(self) -> Table:
        kinds = {column.name: column.kind for column in self.manifest.schema}
        claim = self.manifest.claim("records")
        most = claim.measured if claim and isinstance(claim.measured, int) else None
        return read_table(self.data_path, kinds=kinds, exact=True, most_rows=most)

    @cached_property
    def engine(self) -> Engine:
        return engine_of(self.table)

    @cached_property
    def sorted_rows(self) -> Rows:
        return Rows.of(self.engine, self.table.names)

    @cached_property
    def is_sorted(self) -> bool:
        """Whether the rows are in the order of their values, which tells nothing."""
        return all(self.sorted_rows.have_in_order(name, self.table[name]) for name in self.table)

    @property
    def rows(self) -> Rows:
        """The rows in the order of the file."""
        return self.sorted_rows if self.is_sorted else RowsInOrder.keep(self.table)

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """Every tree of the release; none where its method publishes none."""
        path = self.folder / MODEL
        return read_models(path) if MODEL in self.manifest.files or path.is_file() else ()

    @cached_property
    def leaf_groups(self) -> tuple[list[Leaves], Integers]:
        """The groups of released rows by the leaves of all trees, and the number that each of the
        distinct rows has."""
        return groups_of_rows(self.trees, self.sorted_rows.table)

    @property
    def tree(self) -> Tree:
        """The first tree."""
        return self.trees[0] if self.trees else read_model(self.folder / MODEL)

    @cached_property
    def model_data(self) -> Any:
        return read_json(self.folder / MODEL, "model")

    @cached_property
    def mechanism(self) -> Any:
        return read_json(self.folder / MECHANISM, "mechanism")

    def require_one_release(self) -> None:
        """Refuse files that cannot be of one release: nothing said of them would mean anything."""
        table, schema = self.table, self.manifest.schema
        agree = table.names == schema.names()
        if MODEL in self.manifest.files:
            targets = {tree.target for tree in self.trees}
            agree = agree and set(schema.names(Role.TARGET)) == targets
            agree = agree and all(
                tree.records(tree.root) == table.n_rows
                and all(tree.records(node) > 0 for node in tree.nodes)
                for tree in self.trees
            )
        if not agree:
            raise InputError(
                "The manifest, the model and the data are not of one release.",
                "`privet verify FOLDER` says what was changed; ask for the original release.",
            )
