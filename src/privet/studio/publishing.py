"""The last steps on the page: a size is chosen, previewed and published, and releases are verified.

`steps` has those before, and the list of all.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import InvalidParameter, UsageError
from privet.studio.archives import MOST_FILES
from privet.studio.spoken import can_be_named, command, python
from privet.studio.tabs import Tab
from privet.studio.uploads import below, safe_name

if TYPE_CHECKING:
    from privet.studio.application import Studio
    from privet.studio.steps import Form

_ABOUT = ("title", "publisher", "licence")
_LONGEST = 300


def point(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """A size of the tree; the one that `publish` would take is asked for by no number."""
    found = tab.found("trade_off")
    sizes = {str(size): size for size in (found or {}).get("sizes", ())}
    if form.get("leaves") not in sizes:
        raise InvalidParameter("leaves", "one of the sizes that are shown", form.get("leaves"))
    leaves = sizes[form["leaves"]]
    tab.preview(leaves=None if leaves == found["chosen"] else leaves)
    return ["preview", "publish"]


def trial(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """One of the settings of substitution that were tried."""
    tried = {str(n): one for n, one in enumerate((tab.found("trade_off") or {}).get("tried", ()))}
    if form.get("number") not in tried:
        raise InvalidParameter("number", "one of the trials that are shown", form.get("number"))
    gamma, bins = tried[form["number"]]
    tab.preview(gamma=gamma, bins=bins)
    return ["preview", "publish"]


def preview(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """The release of a method that has nothing to choose from but its levels."""
    if tab.choices.needs_target and tab.choices.target is None:
        raise UsageError("No target is chosen.", "click a column as the target first.")
    if tab.choices.method not in ("anonymise", "add_noise") or not tab.columns:
        raise UsageError("Nothing is chosen to preview.", "click a point of the picture first.")
    tab.preview()
    return ["preview", "publish"]


def places(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """Where the release goes, and what is said of it."""
    tab.places = _places(tab, form)
    return ["spoken"]


def publish(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """Write the release and its audit."""
    if tab.found("preview") is None or tab.jobs["preview"].is_running:
        raise UsageError("Nothing is previewed.", "click a size of the tree first.")
    tab.places = _places(tab, form)
    home = studio.homes[0]
    given: dict[str, Any] = dict(tab.places)
    for name in ("out", "audit"):
        if name in given:
            given[name] = home / given[name]
    archive = tab.new_folder("archive") / f"{tab.places['out']}.zip"
    tab.start(
        "publish",
        "publish",
        table=tab.table,
        call=tab.choices.method,
        arguments=tab.choices.arguments(),
        places=given,
        archive=archive,
        explored=(tab.found("trade_off") or {}).get("explored"),
    )
    return ["publish"]


def verify_path(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """A release by its path: a folder, or an archive."""
    place = below(form.get("path", ""), studio.homes)
    return _verify(tab, place, form)


def uploaded_release(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """An archive that was dropped."""
    return _verify(tab, Path(form["path"]), form)


def uploaded_file_of_release(studio: "Studio", tab: Tab, form: "Form") -> list[str]:
    """One of the files of a release folder that was dropped; the last begins the work."""
    batch, count = form.get("batch", ""), form.get("count", "")
    folder = tab.batch(batch)
    if not count.isdecimal() or int(count[:9]) > MOST_FILES:
        raise UsageError(
            f"The folder has more than {MOST_FILES:,} files.", "choose the folder of one release."
        )
    place = Path(form["path"])
    parts = form.get("whole_name", "").split("/")
    below_data = len(parts) > 2 and parts[-2] == "data"
    target = folder / "data" / place.name if below_data else folder / place.name
    target.parent.mkdir(mode=0o700, exist_ok=True)
    if target.exists():
        raise UsageError("Two of the files have one name.", "choose the folder of one release.")
    place.rename(target)
    if str(sum(path.is_file() for path in folder.rglob("*"))) != count:
        return []
    return _verify(tab, folder, form)


def _verify(tab: Tab, place: Path, form: "Form") -> list[str]:
    fingerprint = form.get("fingerprint", "").strip() or None
    if place.is_dir():
        tab.start("verify", "verify", folder=place, fingerprint=fingerprint)
    else:
        into = tab.new_folder("release")
        tab.start("verify", "verify", archive=place, into=into, fingerprint=fingerprint)
    return ["verify"]


def _places(tab: Tab, form: "Form") -> dict[str, str]:
    """The fields of the form; names of folders are names and no paths."""
    found = {}
    drawn = tab.choices.method == "substitute"  # its command writes no audit, and Parquet alone
    for name in ("out",) if drawn else ("out", "audit"):
        text = form.get(name, "").strip()
        if text and safe_name(text.replace("%", "_"), "") != text:
            raise InvalidParameter(name, "the plain name of a new folder", text)
        if text:
            found[name] = text
    if "out" not in found:
        raise UsageError("The release has no name.", "give the new folder a name.")
    if found.get("audit") == found["out"]:
        raise UsageError(
            "The audit must not lie in the release.", "give it a folder of its own, or none."
        )
    if form.get("format") == "csv" and not drawn:
        found["format"] = "csv"
    told = {name: form.get(name, "").strip()[:_LONGEST] for name in _ABOUT}
    return found | {name: text for name, text in told.items() if text}


def spoken(tab: Tab, home: Path) -> dict[str, str]:
    """What the page would do, as a command line and as Python."""
    if tab.table is None or not tab.places:
        return {}
    table = tab.table.name
    if not tab.table.is_relative_to(tab.folder):
        at_home = tab.table.is_relative_to(home)
        table = str(tab.table.relative_to(home) if at_home else tab.table)
    arguments, places = tab.choices.arguments(), dict(tab.places)
    if tab.choices.method == "substitute":
        places.pop("audit", None)
    if "schema" in arguments:
        arguments["schema"] = Path(arguments["schema"]).name
    said = (tab.choices.method, table, arguments, places)
    named = [name for value in arguments.values() for name in _columns_in(value)]
    typed = command(*said) if all(map(can_be_named, named)) else ""
    return {"command": typed, "python": python(*said)}


def _columns_in(value: Any) -> list[str]:
    """The columns that an argument names in a list; what is named alone is taken as it is."""
    return list(value) if isinstance(value, list | dict) else []
