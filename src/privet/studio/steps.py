"""What a person can do on the page, one function for each: it changes the tab and says which parts
of the page are new.

A step gets the fields of its form as texts. It begins work and never waits for it. The last steps
are next door, in `publishing`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import InvalidParameter, UsageError
from privet.studio import publishing
from privet.studio.choices import (
    METHODS,
    MORE,
    MORE_CHOICES,
    MOST_GUARD,
    MOST_K,
    MOST_SECONDS,
)
from privet.studio.tabs import PARTS, Tab
from privet.studio.uploads import below

if TYPE_CHECKING:
    from privet.studio.application import Studio

Form = Mapping[str, str]
Step = Callable[["Studio", Tab, Form], list[str]]
ALL = ["head", "columns", "levels", *PARTS]


def open_path(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """A table, by its path."""
    tab.open(below(form.get("path", ""), studio.homes))
    return ALL


def uploaded_table(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """A table that was dropped."""
    tab.open(Path(form["path"]))
    return ALL


def uploaded_schema(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """A schema file that was dropped: kinds, roles, markers of missing cells."""
    _require_table(tab)
    tab.read_otherwise(schema=Path(form["path"]), categories=())
    return ALL


def reading(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """Texts that stand for missing cells, and columns that are categories."""
    _require_table(tab)
    marks = tuple(dict.fromkeys(form.get("missing", "").split()))
    tab.read_otherwise(missing=marks)
    return ALL


def as_category(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """A column of numbers that are codes, or such a column as numbers again."""
    _require_table(tab)
    name = tab.columns[_number(form, "column", 0, len(tab.columns) - 1)]["name"]
    chosen = [one for one in tab.choices.categories if one != name]
    tab.read_otherwise(categories=(*chosen, *([name] if "yes" in form else [])))
    return ALL


def role(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """Another role for one column."""
    before = dict(tab.choices.roles)
    number = _number(form, "column", 0, len(tab.columns) - 1)
    tab.choose_role(number, form.get("role", ""))
    changed = [
        f"column-{n}"
        for n, column in enumerate(tab.columns)
        if n != number and before.get(column["name"]) != tab.choices.roles[column["name"]]
    ]  # the card that was clicked shows its role already, and keeps the focus
    return [*changed, "levels", "risk", "trade_off", "preview", "publish"]


def method(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """Another way to make the release."""
    if form.get("method") not in METHODS:
        raise UsageError("The page asked for a method that there is none of.", "load it again.")
    tab.ask(method=form["method"])
    return ["levels", "trade_off", "preview", "publish"]


def levels(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """Other levels of privacy: an l of 1 and a t of 1 ask for nothing."""
    k = _number(form, "k", 1, MOST_K) if "k" in form else tab.choices.k
    found = _number(form, "found", 0, 100) if "found" in form else int(tab.choices.found)
    tab.ask(k=k, l=_level(form, "l"), t=_level(form, "t"), found=str(found))
    return ["risk", "trade_off", "preview", "publish"]


def more(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """Other settings, which most tables do not need; an empty field asks for nothing."""
    asked: dict[str, Any] = {}
    for name in MORE[tab.choices.method]:
        text = form.get(name, "").strip()
        choices = MORE_CHOICES.get(name)
        if not text or (choices and text == choices[0]):
            continue
        if choices:
            if text not in choices:
                raise InvalidParameter(name, f"one of {', '.join(choices)}", text)
            asked[name] = text
        elif name == "person":
            asked[name] = tab.columns[_number(form, name, 0, len(tab.columns) - 1)]["name"]
        else:
            most = MOST_GUARD if name == "guard" else MOST_SECONDS
            asked[name] = _number(form, name, 1, most)
    of_other_methods = {
        name: value
        for name, value in tab.choices.more.items()
        if name not in MORE[tab.choices.method]
    }
    chosen = tab.choices
    if "person" in asked:
        chosen = chosen.with_role(asked["person"], "identifier")
    tab.ask(roles=chosen.roles, more=of_other_methods | asked)
    return ["columns", "risk", "trade_off", "preview", "publish"]


def cancel(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """End the work of one part."""
    part = form.get("part", "")
    job = tab.jobs.get(part)
    if job is not None:
        job.cancel()
    return [part] if part in PARTS else []


def again(studio: "Studio", tab: Tab, form: Form) -> list[str]:
    """The work of a part once more, after it was cancelled or failed."""
    part = form.get("part", "")
    job = tab.jobs.get(part)
    if job is None or job.is_running:
        return []
    tab.start(part, job.what, **job.arguments)
    return [part]


def _level(form: Form, name: str) -> str | None:
    text = form.get(name, "").strip()
    return None if text in ("", "1", "1.0", "1.00") else text


def _number(form: Form, name: str, least: int, most: int) -> int:
    text = form.get(name, "").strip()
    if not text.isascii() or not text.isdigit() or not least <= int(text[:9]) <= most:
        raise InvalidParameter(name, f"a whole number from {least} to {most:,}", text)
    return int(text)


def _require_table(tab: Tab) -> None:
    if tab.table is None:
        raise UsageError("No table is open.", "drop a file into the page first.")


STEPS: dict[str, Step] = {
    step.__name__: step
    for step in (
        open_path,
        uploaded_table,
        uploaded_schema,
        reading,
        as_category,
        role,
        levels,
        cancel,
        again,
        method,
        more,
        publishing.point,
        publishing.trial,
        publishing.preview,
        publishing.places,
        publishing.publish,
        publishing.verify_path,
        publishing.uploaded_release,
        publishing.uploaded_file_of_release,
    )
}
