"""The page of a tab, whole or in parts: what its state is, put into the templates.

A part is a piece of the page with a name of its own, which takes the place of the one that is
shown. `steps` says which parts are new.
"""

import re
from collections.abc import Iterable
from copy import copy
from pathlib import Path
from typing import Any

from privet.studio import choices
from privet.studio.fragments import fragment
from privet.studio.publishing import spoken
from privet.studio.tabs import PARTS, Tab
from privet.words import SETTINGS

_COLUMN = re.compile(r"column-(\d+)")
_FOLLOWING = {"table": ("columns", "levels", *PARTS), "preview": ("publish",)}


def whole_page(tab: Tab, home: Path) -> str:
    return fragment("studio.html.j2", **_known(tab, home), swapped=False)


def parts(tab: Tab, home: Path, names: Iterable[str]) -> str:
    """Some parts of the page, each to take the place of the one of its name.

    A part that is not shown as at work does not ask again, so those that waited for it come along:
    its work may have ended only just now, after somebody decided which parts are new.
    """
    known = _known(tab, home) | {"swapped": True}
    wanted: dict[str, None] = {}
    for name in names:
        job = known["jobs"].get(name)
        is_running = job is not None and job.is_running
        wanted |= dict.fromkeys([name, *(() if is_running else _FOLLOWING.get(name, ()))])
    made = [_part(tab, name, known) for name in wanted]
    return "\n".join([*made, message()])


def message(said: str = "", hint: str = "") -> str:
    """What went wrong, where it is read out; nothing takes back what was said before."""
    return fragment("message.html.j2", said=said, hint=hint, swapped=True)


def _part(tab: Tab, name: str, known: dict[str, Any]) -> str:
    column = _COLUMN.fullmatch(name)
    if column is not None:
        number = int(column[1])
        return fragment("column_card.html.j2", **known, number=number, column=tab.columns[number])
    job = known["jobs"].get(name)
    return fragment(f"part_{name}.html.j2", **known, part=name, job=job)


def _proposed(tab: Tab, home: Path) -> dict[str, str]:
    """Where the release goes; names that are free, until somebody gives others."""
    if not tab.places and tab.table is not None:
        stem = tab.table.name.partition(".")[0] or "table"
        endings = ("", *(f"-{number}" for number in range(2, 100)))
        free = next(
            end
            for end in endings
            if not (home / f"{stem}-release{end}").exists()
            and not (home / f"{stem}-audit{end}").exists()
        )
        tab.places = {"out": f"{stem}-release{free}", "audit": f"{stem}-audit{free}"}
    return tab.places


def _known(tab: Tab, home: Path) -> dict[str, Any]:
    """All that the templates speak of. Work may end at any moment: a part that is shown as at work
    asks again, so it is enough that each part is seen at one moment, and the table first."""
    table = copy(tab.jobs.get("table"))
    tab.take_in()
    jobs = {name: copy(tab.jobs.get(name)) for name in PARTS} | {"table": table}
    return {
        "tab": tab,
        "here": f"/tab/{tab.id}",
        "home": home.name or str(home),
        "chosen": tab.choices,
        "look": tab.found("table") if tab.columns else None,
        "roles": choices.ROLES,
        "methods": choices.METHODS,
        "method_meanings": choices.METHOD_MEANINGS,
        "role_meanings": choices.ROLE_MEANINGS,
        "most_k": choices.MOST_K,
        "more": choices.MORE,
        "more_choices": choices.MORE_CHOICES,
        "more_titles": choices.MORE_TITLES,
        "most_guard": choices.MOST_GUARD,
        "most_seconds": choices.MOST_SECONDS,
        "setting_words": SETTINGS,
        "places": _proposed(tab, home),
        "spoken": spoken(tab, home) if tab.places else {},
        "jobs": jobs,
    }
