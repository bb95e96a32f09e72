"""Lies of files: those that follow from others, those that no release has, what bytes tell."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa

from falsehoods.telling import (
    EVERY,
    MODELLED,
    ROWS,
    WITH_A_TREE,
    WITHOUT_A_TREE,
    Falsehood,
    Folder,
    NothingToChange,
    rewrite,
)

_about = partial(Falsehood, about_files=True)


def _append(name: str) -> Callable[[Folder], None]:
    def tell(folder: Folder) -> None:
        if not (folder.path / name).exists():
            raise NothingToChange
        with (folder.path / name).open("a", encoding="utf-8") as file:
            file.write("<!-- true -->")

    return tell


def _text(name: str, old: str, new: str) -> Callable[[Folder], None]:
    return lambda folder: folder.replace(name, old, new)


def _new(name: str) -> Callable[[Folder], None]:
    def tell(folder: Folder) -> None:
        if (folder.path / name).exists():
            raise NothingToChange
        (folder.path / name).write_bytes(b"{}")
        listed = hashlib.sha256(b"{}").hexdigest()
        folder.edit("manifest.json", lambda m: m["files"].update({name: listed}))

    return tell


def _gone(name: str) -> Callable[[Folder], None]:
    def tell(folder: Folder) -> None:
        if not (folder.path / name).exists():
            raise NothingToChange
        (folder.path / name).unlink()
        folder.edit("manifest.json", lambda m: m["files"].pop(name))

    return tell


# -- Parquet ---------------------------------------------------------------------------------------


def _with_row_labels(table: pa.Table) -> pa.Table:
    """Identifiers in a column that frame libraries take for the names of rows."""
    names = pa.array([f"P{i}" for i in range(table.num_rows)])
    return table.append_column("__index_level_0__", names)


def _field_says(key: str, value: str) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        field = table.schema.field("age")
        about = {**(field.metadata or {}), key.encode(): value.encode()}
        return table.cast(table.schema.set(0, field.with_metadata(about)))

    return change


def _narrower(table: pa.Table) -> pa.Table:
    field = table.schema.field(0).with_type(pa.int32())
    return table.set_column(0, field, table.column(0).cast(pa.int32()))


PARQUET: dict[str, Callable[[pa.Table], pa.Table]] = {
    "metadata of the file": lambda t: t.replace_schema_metadata({"note": "originals below"}),
    "row labels as a column": _with_row_labels,
    "a field says kept": _field_says("privet.treatment", "as it was"),
    "a field says another role": _field_says("privet.role", "other"),
    "a field says more": _field_says("note", "true ages"),
    "a narrower type": _narrower,
    "no field says anything": lambda t: t.cast(pa.schema([f.remove_metadata() for f in t.schema])),
    "columns in another order": lambda t: t.select(t.column_names[::-1]),
}


def _parquet(change: Callable[[pa.Table], pa.Table]) -> Callable[[Folder], None]:
    return lambda folder: rewrite(folder.data, change)


# -- a release that poses as one of the first format -----------------------------------------------


def _posing(change: Callable[[Any], object]) -> Callable[[Folder], None]:
    """No columns.csv, no guard, the version of that time; and a lie."""

    def older(manifest: Any) -> None:
        manifest.update(format=1, privet_version="0.1.0")
        manifest["files"].pop("columns.csv")
        for field in ("guard", "told_by_boundaries", "narrowed_by_boundaries", "chosen_by"):
            manifest["method"].pop(field, None)
        change(manifest)

    def tell(folder: Folder) -> None:
        (folder.path / "columns.csv").unlink()
        folder.edit("manifest.json", older)

    return tell


def _claim(name: str, measured: Any) -> Callable[[Any], object]:
    return lambda m: [c.update(measured=measured) for c in m["claims"] if c["name"] == name]


def _all_suppressed(manifest: Any) -> None:
    for name, entry in manifest["recoding"]["columns"].items():
        if name not in ("y", "illness"):
            entry.clear()
            entry["treatment"] = "suppressed"


def _other_content(folder: Folder) -> None:
    folder.edit("manifest.json", lambda m: m.update(content_sha256="0" * 64))


FILES = (
    "columns.csv",
    "model.pmml",
    "report.html",
    "model.json",
    "mechanism.json",
    "manifest.json",
)
TWICE = {"manifest.json": "claims", "model.json": "nodes", "mechanism.json": "method"}
NO_NUMBERS = ("NaN", "Infinity", "-Infinity", "1e999")
STRANGERS = (
    "README.txt",
    "mechanism.json",
    "model.json",
    "model.pmml",
    "data.csv",
    "data.parquet",
    "audit.json",
    ".hidden",
)

LIES = [
    *(_about(f"{name}: text at the end", EVERY, _append(name)) for name in FILES),
    *(
        _about(f"{name}: a name twice", EVERY, _text(name, f'"{n}":', f'"{n}": null, "{n}":'))
        for name, n in TWICE.items()
    ),
    *(
        _about(f"manifest: {n}", EVERY, _text("manifest.json", f": {ROWS},", f": {n},"))
        for n in NO_NUMBERS
    ),
    *(
        _about(
            f"model: {n}", MODELLED, _text("model.json", f'"records": {ROWS}', f'"records": {n}')
        )
        for n in NO_NUMBERS
    ),
    *(_about(f"one more file: {name}", EVERY, _new(name)) for name in STRANGERS),
    *(_about(f"a file less: {name}", EVERY, _gone(name)) for name in FILES[:2]),
    _about("columns.csv: a treatment", WITH_A_TREE, _text("columns.csv", ",suppressed,", ",kept,")),
    _about("columns.csv: a role", EVERY, _text("columns.csv", ",quasi,", ",other,")),
    _about("columns.csv: a meaning", EVERY, _text("columns.csv", "the", "no")),
    _about("report: more records", EVERY, _text("report.html", str(ROWS), "999")),
    _about("report: a script", EVERY, _text("report.html", "</main>", "<script>1</script></main>")),
    _about("PMML: another score", MODELLED, _text("model.pmml", 'score="', 'score="!')),
    *(_about(f"Parquet: {name}", EVERY, _parquet(change)) for name, change in PARQUET.items()),
    Falsehood("format 1: k", WITH_A_TREE, _posing(_claim("k-anonymity", 10**6))),
    Falsehood("format 1: suppressed", WITH_A_TREE, _posing(_all_suppressed)),
    Falsehood("format 1: a sentence", ("leaf, hidden",), _posing(_claim("l-diversity", "much"))),
    Falsehood("format 1: a substituted table", ("substitution",), _posing(lambda m: None)),
    Falsehood("format 1: a table without a tree", WITHOUT_A_TREE, _posing(lambda m: None)),
    Falsehood(
        "format 1: without a tree, all in old words",
        ("mondrian",),
        _posing(lambda m: m["method"].update(chosen_by={"cuts": []})),
    ),
    _about("content of other rows", EVERY, _other_content),
]
