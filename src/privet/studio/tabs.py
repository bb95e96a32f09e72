"""The state of each tab of the browser: which table, what was chosen, which work is going on.

Tabs know nothing of each other. A part of the page has at most one job; a new one ends the one
before. What a change makes out of date is thrown away here, so that the page never shows a figure
beside choices that it does not belong to.
"""

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from privet.errors import UsageError
from privet.files.disk import remove
from privet.studio.choices import ROLES, Choices
from privet.studio.jobs import Job
from privet.studio.spares import Spares

PARTS = ("table", "risk", "trade_off", "preview", "publish", "verify")
_MOST_TABS = 40
_PATIENCE_S = 5  # with work that was told to end


@dataclass
class Tab:
    """One tab of the browser."""

    folder: Path  # its own part of the private folder
    spares: Spares = field(repr=False)
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    table: Path | None = None
    choices: Choices = field(default_factory=Choices)
    jobs: dict[str, Job] = field(default_factory=dict)
    columns: list[Mapping[str, Any]] = field(default_factory=list)  # as they were looked at
    places: dict[str, str] = field(default_factory=dict)  # where a release goes, what is said of it
    _busy: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def start(self, part: str, what: str, **arguments: Any) -> Job:
        """Begin the work of a part of the page; what it did before is ended."""
        with self._busy:
            self.end(part)
            self.jobs[part] = Job.start(what, arguments, self.folder, self.spares)
            return self.jobs[part]

    def end(self, *parts: str) -> None:
        """End the work of some parts, and forget what came out of it."""
        with self._busy:
            for part in parts:
                job = self.jobs.pop(part, None)
                if job is not None:
                    job.cancel()

    def found(self, part: str) -> Any:
        """What the work of a part has found so far; None if nothing."""
        job = self.jobs.get(part)
        return None if job is None or job.state in ("failed", "cancelled") else job.found

    def new_folder(self, name: str) -> Path:
        """A new folder in its part of the private folder."""
        place = self.folder / f"{name}-{secrets.token_hex(4)}"
        place.mkdir(mode=0o700)
        return place

    # -- the table ---------------------------------------------------------------------------------

    def open(self, table: Path) -> None:
        """Another table: everything begins anew."""
        self.end(*PARTS[:-1])
        self.table, self.choices, self.columns = table, Choices(), []
        self._look()

    def read_otherwise(self, **changes: Any) -> None:
        """The same table, read in another way: its kinds may change, roles are proposed again."""
        self.end(*PARTS[:-1])
        self.choices, self.columns = replace(self.choices, **changes), []
        self._look()

    def _look(self) -> None:
        self.start("table", "look", table=self.table, reading=self.choices.reading())

    def take_in(self) -> None:
        """Once the table has been looked at, its proposed roles are the first choice."""
        found = self.found("table")
        if self.columns or found is None:
            return
        with self._busy:
            roles = {column["name"]: column["role"] for column in found["columns"]}
            mixed = [name for name in found["mixed"] if name not in self.choices.categories]
            self.choices = replace(
                self.choices,
                roles=roles,
                declared=found["declared"],
                categories=(*self.choices.categories, *mixed),
            )
            self.columns = found["columns"]
            self._count_risk()
            self._explore()

    def choose_role(self, number: int, role: str) -> None:
        """The role of the column of that number."""
        if not 0 <= number < len(self.columns) or role not in ROLES:
            raise UsageError("The page shows another table than this one.", "load the page again.")
        self.choices = self.choices.with_role(self.columns[number]["name"], role)
        self._count_risk()
        self._explore()

    # -- what is published -------------------------------------------------------------------------

    def preview(self, **chosen: Any) -> None:
        """The release as it would be with what was chosen, in a private place."""
        self.end("preview", "publish")
        self.choices = replace(self.choices, **chosen)
        self.start(
            "preview",
            "preview",
            table=self.table,
            call=self.choices.method,
            arguments=self.choices.arguments(),
            folder=self.new_folder("preview") / "release",
            report=f"/tab/{self.id}/file/preview.html",
        )

    def batch(self, name: str) -> Path:
        """A folder for files that belong together."""
        if not name.isascii() or not name.isalnum() or len(name) > 40:
            raise UsageError("The page sent files without saying which.", "load the page again.")
        place = self.folder / f"batch-{name}"
        place.mkdir(mode=0o700, exist_ok=True)
        return place

    # -- what is asked -----------------------------------------------------------------------------

    def ask(self, **levels: Any) -> None:
        """Other levels of privacy, and other settings."""
        before = self.choices
        self.choices = replace(before, **levels, leaves=None)
        if (self.choices.k, self.choices.columns("quasi")) != (before.k, before.columns("quasi")):
            self._count_risk()
        self._explore()

    def _count_risk(self) -> None:
        known = self.choices.columns("quasi")
        self.end("risk")
        if known:
            self.start(
                "risk",
                "risk",
                table=self.table,
                reading=self.choices.reading(),
                columns=known,
                k=self.choices.k,
            )

    def _explore(self) -> None:
        self.end("trade_off", "preview", "publish")
        if self.choices.target is None:
            return
        if self.choices.method == "publish":
            arguments = self.choices.to_explore()
            self.start("trade_off", "trade_off", table=self.table, arguments=arguments)
        elif self.choices.method == "substitute":
            arguments = self.choices.to_advise()
            self.start("trade_off", "advice", table=self.table, arguments=arguments)


class Tabs:
    """All tabs of one studio; the one that was used longest ago is the first."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.spares = folder, Spares()
        self._tabs: dict[str, Tab] = {}
        self._busy = threading.Lock()

    def new(self) -> Tab:
        """Another tab; of too many, those that nobody has used for longest are closed."""
        place = self.folder / f"tab-{secrets.token_hex(8)}"
        place.mkdir(mode=0o700)
        tab = Tab(place, self.spares)
        with self._busy:
            self._tabs[tab.id] = tab
            names = list(self._tabs)[:-_MOST_TABS]
            too_many = [self._tabs.pop(name) for name in names]
        _close(too_many)
        return tab

    def get(self, name: str) -> Tab | None:
        with self._busy:
            tab = self._tabs.pop(name, None)
            if tab is not None:
                self._tabs[name] = tab  # used just now: the last that would be closed
            return tab

    def close_all(self) -> None:
        self.spares.close()
        with self._busy:
            tabs, self._tabs = list(self._tabs.values()), {}
        _close(tabs)


def _close(tabs: list[Tab]) -> None:
    """End the work of tabs, and remove what they hold."""
    for tab in tabs:
        jobs = list(tab.jobs.values())
        tab.end(*PARTS)
        for job in jobs:
            job.wait(_PATIENCE_S)
        remove(tab.folder)
