"""What anybody can check of a release from its files alone, and how each answer was found.

First what every release has: only files that belong, hashes, rows, the pages that follow from the
other files. Then what its method claims (`claims`). Nothing of a file is believed before it is
known to be a plain file of bearable size.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from privet.documents import read_bytes
from privet.errors import InputError, PrivetError
from privet.files.csv import csv_bytes
from privet.files.fence import trusted
from privet.release.checks import Check, Verification, yes_or_no
from privet.release.claims import claims_of_method
from privet.release.claims.figures import RECORDS
from privet.release.claims.tree_method import MORE_GROWERS
from privet.release.columns import columns_csv, field_metadata
from privet.release.layout import (
    ANY_PART,
    COLUMNS,
    DATA,
    MANIFEST,
    MODEL,
    PMML_OF_TREES,
    REGROW,
    REPORT,
    data_names,
    files_in,
    folder_of,
    is_data,
    strangers,
)
from privet.release.limits import oversized, unfit
from privet.release.manifest import Manifest, version_of
from privet.release.opened import OpenedRelease
from privet.release.pages import report_of
from privet.release.regrow import scripts
from privet.release.rows import sha256_of
from privet.schema import Role
from privet.version import __version__

_MOST_NAMED = 20  # of files that should not be listed
_MOST_CLAIMS = 20  # of a release, and again for each column; far fewer are made
# What reading raises where an edited file holds a value of a kind that nobody would write there.
_NONSENSE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def verify(folder: str | os.PathLike[str], fingerprint: str | None = None) -> Verification:
    """Check every claim of a release that its files can show.

    With the `fingerprint` that the publisher gave out, the manifest itself is checked as well, and
    with it everything that the manifest says.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> fingerprint = privet.publish(people, target="buys", k=3).save("shop")
    >>> bool(privet.verify("shop", fingerprint))
    True
    """
    return verify_files(folder_of(Path(folder)), fingerprint)


def verify_files(
    folder: Path, fingerprint: str | None = None, report_is_new: bool = False
) -> Verification:
    """`report_is_new`: the report was made from these files just now."""
    found = list(strangers(folder))
    if found:  # whoever put them there may have put anything into the other files as well
        return Verification(tuple(found))
    if not (folder / MANIFEST).exists():
        raise InputError("The folder has no manifest.json.", "name the folder of a release.")
    checks = list(_fingerprint(folder, fingerprint))
    try:
        opened = OpenedRelease.at(folder)
        checks += _hashes(folder, opened.manifest)
    except InputError as error:
        return Verification((*checks, Check("manifest", "no", error.message)))
    if any(check.answer == "no" for check in checks):
        return Verification(tuple(checks))
    try:
        # Who was given the fingerprint knows from whom the files are; a release may be very large.
        with trusted(report_is_new or fingerprint is not None):
            _look_inside(opened, checks, report_is_new)
    except PrivetError as error:
        checks.append(Check("readable", "no", error.message))
    except _NONSENSE:
        checks.append(Check("readable", "no", "a file holds values of a kind it cannot hold"))
    return Verification(tuple(checks))


def _look_inside(opened: OpenedRelease, checks: list[Check], report_is_new: bool) -> None:
    """Add what the files say, each step only where nothing before it is false."""
    checks += _about(opened.manifest)
    checks += _contents(opened)
    if all(check.answer != "no" for check in checks):
        checks += claims_of_method(opened.manifest).checks(opened)
    if all(check.answer != "no" for check in checks):  # no page is made of what is false
        checks += _pages(opened, report_is_new)


def _fingerprint(folder: Path, expected: str | None) -> Iterator[Check]:
    if expected is None:
        return
    found = sha256_of(folder / MANIFEST)
    yield yes_or_no(
        "fingerprint",
        found == expected.strip().lower(),
        "the manifest is the one that was announced",
        "another manifest",
    )


def _hashes(folder: Path, manifest: Manifest) -> Iterator[Check]:
    """Every file that is there is listed, every listed one is there, and what must be there is."""
    there = files_in(folder) - {MANIFEST}
    must = set(claims_of_method(manifest).FILES) | ({COLUMNS} if manifest.format > 1 else set())
    may = must | {REPORT, *filter(is_data, there | set(manifest.files))}
    may |= _beside_model(manifest) if MODEL in must else set()
    strange = sorted((there | set(manifest.files)) - may)
    for name in strange[:_MOST_NAMED]:
        yield Check(f"file {name}", "no", "no release by this method has it")
    for name in sorted((there | must | set(manifest.files)) & may):
        if name not in manifest.files:
            yield Check(f"file {name}", "no", "not listed in the manifest")
        elif name not in there:
            yield Check(f"file {name}", "no", "the file is missing")
        elif why := oversized(folder, name):
            yield Check(f"file {name}", "no", why)
        elif sha256_of(folder / name) != manifest.files[name]:
            yield Check(f"file {name}", "no", "its bytes have changed")
        else:
            yield Check(f"file {name}", "yes", "bytes as listed")
    if not data_names(manifest):
        yield Check("files", "no", "there must be one data file, or parts without a gap")


def _beside_model(manifest: Manifest) -> set[str]:
    """Files that follow from the trees: PMML of each, and a script that grows them."""
    more = manifest.method.get(MORE_GROWERS, [])
    trees = 1 + (len(more) if isinstance(more, list) else 0)
    return {*PMML_OF_TREES[:trees], *REGROW}


def _about(manifest: Manifest) -> Iterator[Check]:
    if manifest.about:
        yield Check(
            "about", "attested", f"what the publisher says: {', '.join(manifest.about.to_data())}"
        )


def _contents(opened: OpenedRelease) -> Iterator[Check]:
    """The rows: those that were published, in an order that tells nothing."""
    manifest = opened.manifest
    schema = manifest.schema
    claim = manifest.claim(RECORDS)
    if len(manifest.claims) > _MOST_CLAIMS + _MOST_CLAIMS * len(schema.columns):
        yield Check("claims", "no", "far more than a release makes")
        return
    reason = unfit(opened.data_paths, claim.measured if claim else None)
    if reason:
        yield Check(RECORDS, "no", reason)
        return
    table = opened.table
    listed = table.names == schema.names() and not schema.names(Role.IDENTIFIER)
    kinds = listed and all(table[c.name].domain.kind is c.kind for c in schema)
    yield yes_or_no(
        "columns", kinds, "as the schema says", "other columns or kinds than the schema says"
    )
    if not kinds:
        return
    yield yes_or_no(
        "content",
        opened.sorted_rows.content_sha256() == manifest.content_sha256,
        "the rows are those that were published",
        "other rows than published",
    )
    if claims_of_method(manifest).keeps_order(manifest):
        yield Check("rows", "attested", "in the order of the original table, as was asked for")
    else:
        nothing = "sorted, so their order tells nothing"
        yield yes_or_no("rows", opened.is_sorted, nothing, "not sorted")
    yield _dialect(opened)


def _dialect(opened: OpenedRelease) -> Check:
    """The data file is written as Privet writes it, and says of its columns what is so."""
    path, *more = opened.data_paths
    if path.name == DATA["csv"]:
        same = _holds_just(path, csv_bytes(opened.table))
        return yes_or_no("data", same, "plain CSV", "it is not written as Privet writes CSV")
    fields = field_metadata(opened.manifest) if opened.manifest.format > 1 else {}
    in_parts = opened.data_name == ANY_PART
    written = zip(opened.rows.parts() if in_parts else [opened.rows], (path, *more), strict=True)
    return yes_or_no(
        "data",
        all(rows.is_written_in(place, fields) for rows, place in written),
        "Parquet; it says nothing but the rows and what the manifest says",
        "it says other things than the rows and the manifest",
    )


def _holds_just(path: Path, portions: Iterator[bytes]) -> bool:
    """Whether a file holds these bytes and no more."""
    with path.open("rb") as file:
        return all(file.read(len(some)) == some for some in portions) and not file.read(1)


def _scripts(opened: OpenedRelease) -> Iterator[Check]:
    """People will run them, so they say what Privet writes and nothing else."""
    manifest = opened.manifest
    expected = scripts(manifest.method, opened.trees)
    for name in sorted(REGROW & {*manifest.files, *expected}):
        text = expected.get(name)
        if name not in manifest.files:
            yield Check(name, "no", "the manifest says that there is one")
        elif text is None:
            yield Check(name, "no", "the manifest names no program that it is for")
        elif read_bytes(opened.folder / name, "script") == text.encode():
            yield Check(name, "yes", "the script that Privet writes; it runs without Privet")
        else:
            wrong = f"not the script that Privet {__version__} writes: do not run it unread"
            yield Check(name, "no", wrong)


def _pages(opened: OpenedRelease, report_is_new: bool) -> Iterator[Check]:
    """Files that follow from the others are made again and compared."""
    manifest, folder = opened.manifest, opened.folder
    if COLUMNS in manifest.files:
        again = columns_csv(manifest, opened.trees).encode()
        yield yes_or_no(
            COLUMNS,
            read_bytes(folder / COLUMNS, COLUMNS) == again,
            "says what the manifest says",
            "it says other things than the manifest",
        )
    yield from _scripts(opened)
    if REPORT not in manifest.files or report_is_new:
        return
    written = read_bytes(folder / REPORT, "report")
    if manifest.privet_version == __version__:
        same = written == report_of(folder).encode()
        yield yes_or_no(
            REPORT, same, "made again from the other files", "it says other things than the files"
        )
    elif manifest.version >= version_of(__version__):
        newer = f"made by Privet {manifest.privet_version}; verify it with that version"
        yield Check(REPORT, "no", newer)
    elif any(sign in written.lower() for sign in (b"<script", b"javascript:", b"<iframe")):
        yield Check(REPORT, "no", "it holds what no report holds")
    else:
        said = (
            f"made by Privet {manifest.privet_version}, so not compared; `privet report` makes one"
        )
        yield Check(REPORT, "attested", said)
