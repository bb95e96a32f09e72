"""Whatever is changed in a release is found and named, even where every hash was mended."""

import json
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tampering import (
    content_by_hand,
    edit_json,
    mend_hashes,
    read_json,
    read_rows,
    small_release,
    write_json,
    write_rows,
)

from privet.errors import InputError, PrivetError
from privet.pipeline import publish
from privet.release import Verification, verify

Change = Callable[[Any], object]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("releases") / "original"
    return folder, small_release().save(folder, format="csv", report=False)


@pytest.fixture
def folder(original: tuple[Path, str], tmp_path: Path) -> Path:
    shutil.copytree(original[0], tmp_path / "copy")
    return tmp_path / "copy"


def noes(outcome: Verification) -> set[str]:
    return {check.name for check in outcome.checks if check.answer == "no"}


def test_the_original_holds(original: tuple[Path, str]) -> None:
    folder, fingerprint = original
    outcome = verify(folder, fingerprint)
    assert outcome.holds
    answers = {check.name: check.answer for check in outcome.checks}
    assert answers["fingerprint"] == answers["same-tree"] == answers["k-anonymity"] == "yes"
    assert answers["l-diversity of illness"] == "yes"
    assert answers["tree-of-the-original"] == "attested"
    assert content_by_hand(folder) == read_json(folder / "manifest.json")["content_sha256"]


def test_every_changed_byte_is_found(original: tuple[Path, str], folder: Path) -> None:
    """Without the fingerprint for data and model, with it for the manifest as well."""
    for name in ("data.csv", "model.json", "manifest.json"):
        content = (folder / name).read_bytes()
        for place in range(0, len(content), max(1, len(content) // 60)):
            (folder / name).write_bytes(
                content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
            )
            try:
                outcome = verify(folder, original[1])
            except InputError:
                assert name == "manifest.json"
            else:
                named = f"file {name}" if name != "manifest.json" else "fingerprint"
                assert named in noes(outcome), (name, place)
        (folder / name).write_bytes(content)


# -- rows, with all hashes mended --------------------------------------------------------------


@pytest.mark.parametrize("how", ["removed", "doubled", "added", "permuted", "edited"])
def test_other_rows(how: str, folder: Path) -> None:
    before = read_rows(folder)
    manifest = (folder / "manifest.json").read_bytes()
    for place in range(1, len(before), 5):
        (folder / "manifest.json").write_bytes(manifest)
        rows = [list(row) for row in before]
        if how == "removed":
            del rows[place]
        elif how == "doubled":
            rows.insert(place, rows[place])
        elif how == "added":
            rows.append(["99", "Cork", "9.5", "flu", "yes"])
        elif how == "permuted":
            rows.append(rows.pop(1))
        else:
            rows[place][-1] = "no" if rows[place][-1] == "yes" else "yes"
        write_rows(folder, rows)
        assert "file data.csv" in noes(verify(folder))
        mend_hashes(folder)
        found = noes(verify(folder))
        assert found, (how, place)
        assert not any(name.startswith("file") for name in found)
        if how == "removed":
            assert {"records", "same-tree"} <= found
        if how == "doubled":
            assert found == {"readable"}  # no more records are read than are claimed
        if how == "permuted":
            assert found == {"rows"}


def test_a_swap_of_sensitive_values_within_an_equivalence_class_changes_nothing_that_is_claimed(
    folder: Path, original: tuple[Path, str]
) -> None:
    """What no count can show, the fingerprint shows."""
    rows = read_rows(folder)
    body = [[*row[:3], "flu" if row[3] == "gout" else row[3], row[4]] for row in rows[1:]]
    write_rows(folder, [rows[0], *sorted(body)])
    mend_hashes(folder)
    assert "fingerprint" in noes(verify(folder, original[1]))


# -- the model, with all hashes mended ---------------------------------------------------------


def _first_threshold(model: Any) -> Any:
    return next(node for node in model["nodes"] if node["kind"] == "threshold")


def _leaf(model: Any) -> Any:
    return next(node for node in model["nodes"] if node["kind"] == "leaf")


def _move_threshold(model: Any) -> None:
    _first_threshold(model)["threshold"] += 2**-30


def _move_counts(model: Any) -> None:
    leaf = _leaf(model)
    leaf["counts"]["no"] += 1
    leaf["counts"]["yes"] -= 1


def _more_records(model: Any) -> None:
    leaf = _leaf(model)
    leaf["counts"]["no"] += 1
    leaf["records"] += 1


def _other_prediction(model: Any) -> None:
    _leaf(model)["prediction"] = {"no": "yes", "yes": "no"}[_leaf(model)["prediction"]]


def _swap_sides(model: Any) -> None:
    node = next(node for node in model["nodes"] if node["kind"] == "subset")
    node["left"], node["right"] = node["right"], node["left"]


def _swap_children(model: Any) -> None:
    model["nodes"][0]["children"].reverse()


MODEL_EDITS: dict[str, Change] = {
    "threshold": _move_threshold,
    "counts": _move_counts,
    "records": _more_records,
    "prediction": _other_prediction,
    "sides": _swap_sides,
    "children": _swap_children,
    "more trees": lambda m: m["more_trees"].append({}),
    "a remark": lambda m: m.update(remark="trust me"),
    "unseen": lambda m: m.update(unseen_categories="go left"),
    "kinds": lambda m: m["kinds"].update(y="integer"),
    "classes": lambda m: m["classes"].reverse(),
    "no nodes": lambda m: m["nodes"].clear(),
    "target": lambda m: m.update(target="illness"),
    "format": lambda m: m.update(format=2),
    "attribute": lambda m: _first_threshold(m).update(attribute="town"),
    "impurity alone": lambda m: m["grower"].update(impurity="entropy"),
    "min_leaf alone": lambda m: m["grower"].update(min_leaf=2),
}


@pytest.mark.parametrize("edit", MODEL_EDITS)
@pytest.mark.parametrize("release", [{}, {"height_tree": True}])
def test_edited_models(edit: str, release: dict[str, bool], tmp_path: Path) -> None:
    drop = ["town"] if release else ["age", "height"]
    folder = tmp_path / "r"
    small_release(drop=drop, leaves=3, k=1).save(folder, format="csv", report=False)
    try:
        edit_json(folder / "model.json", MODEL_EDITS[edit])
    except StopIteration:
        return  # this tree has no such node, the other one has
    assert "file model.json" in noes(verify(folder))
    mend_hashes(folder)
    assert noes(verify(folder)), edit


GROWER_EDITS: dict[str, Change] = {
    "leaves": lambda g: g.update(leaves=g["leaves"] + 1),
    "fewer leaves": lambda g: g.update(leaves=g["leaves"] - 1),
    "impurity": lambda g: g.update(impurity="deviance"),
    "categories": lambda g: g.update(categories="multiway"),
    "min_leaf": lambda g: g.update(min_leaf=20),
    "min_gain": lambda g: g.update(min_gain=10.0),
    "depth": lambda g: g.update(depth=1),
    "attributes": lambda g: g.update(attributes=["height"]),
    "an unknown column": lambda g: g.update(attributes=["shoe"]),
    "no attribute": lambda g: g.update(attributes=[]),
    "name": lambda g: g.update(name="other"),
    "step": lambda g: g.update(response_step=3.0),
}


@pytest.mark.parametrize("edit", GROWER_EDITS)
def test_swapped_grower_settings(edit: str, folder: Path) -> None:
    """In both files and with mended hashes: another tree grows, or none."""
    for name in ("model.json", "manifest.json"):
        edit_json(folder / name, lambda data: GROWER_EDITS[edit](data["grower"]))
    mend_hashes(folder)
    assert noes(verify(folder)) & {"same-tree", "readable"}


# -- the manifest, with all hashes mended ------------------------------------------------------


def _claim(manifest: Any, name: str) -> Any:
    return next(claim for claim in manifest["claims"] if claim["name"] == name)


RECOUNTED = [
    "records",
    "equivalence-classes",
    "k-anonymity",
    "k-anonymity-with-target",
    "one-class-equivalence-classes",
    "l-diversity",
    "t-closeness",
]


def _titles(name: str) -> set[str]:
    return {name, f"{name} of illness"}


@pytest.mark.parametrize("name", RECOUNTED)
@pytest.mark.parametrize("value", [99999, -1, None, True, "5", 2.5, [], {}])
def test_edited_figures(name: str, value: Any, folder: Path) -> None:
    edit_json(folder / "manifest.json", lambda m: _claim(m, name).update(measured=value))
    assert noes(verify(folder)) & _titles(name)


@pytest.mark.parametrize("name", RECOUNTED)
def test_claims_that_are_removed_or_called_attested(name: str, folder: Path) -> None:
    before = read_json(folder / "manifest.json")
    edit_json(folder / "manifest.json", lambda m: m["claims"].remove(_claim(m, name)))
    assert noes(verify(folder)) & _titles(name)
    write_json(folder / "manifest.json", before)
    edit_json(folder / "manifest.json", lambda m: _claim(m, name).update(checkable="attested"))
    assert noes(verify(folder)) & _titles(name)


MANIFEST_EDITS: dict[str, tuple[str, Change]] = {
    "k asked for": ("k-anonymity", lambda m: _claim(m, "k-anonymity").update(claimed=1000)),
    "k of fewer columns": (
        "k-anonymity",
        lambda m: _claim(m, "k-anonymity")["parameters"].update(quasi=["age"]),
    ),
    "leaves": ("same-tree", lambda m: _claim(m, "same-tree")["parameters"].update(leaves=9)),
    "not the same tree": ("same-tree", lambda m: _claim(m, "same-tree").update(claimed=False)),
    "not the tree": (
        "tree-of-the-original",
        lambda m: _claim(m, "tree-of-the-original").update(measured=False),
    ),
    "no such claim": (
        "privacy",
        lambda m: m["claims"].append(_claim(m, "records") | {"name": "privacy"}),
    ),
    "a quasi-identifier less": (
        "k-anonymity",
        lambda m: m["schema"]["columns"]["age"].update(role="other"),
    ),
    "a column less": ("columns", lambda m: m["schema"]["columns"].pop("height")),
    "another kind": ("columns", lambda m: m["schema"]["columns"]["town"].update(kind="integer")),
    "an identifier": (
        "columns",
        lambda m: m["schema"]["columns"]["town"].update(role="identifier"),
    ),
    "suppressed": (
        "recoding of illness",
        lambda m: m["recoding"]["columns"]["illness"].update(treatment="suppressed"),
    ),
    "recoding of no column": ("recoding", lambda m: m["recoding"]["columns"].pop("town")),
    "another method": ("file mechanism.json", lambda m: m["method"].update(name="noise")),
    "content": ("content", lambda m: m.update(content_sha256="0" * 64)),
    "path": ("file ../x", lambda m: m["files"].update({"../x": "0" * 64})),
    "root": ("file /etc/passwd", lambda m: m["files"].update({"/etc/passwd": "0" * 64})),
    "itself": ("file manifest.json", lambda m: m["files"].update({"manifest.json": "0" * 64})),
    "no model": ("file model.json", lambda m: m["files"].pop("model.json")),
    "no data": ("file data.csv", lambda m: m["files"].pop("data.csv")),
    "a long name": ("file " + "x" * 300, lambda m: m["files"].update({"x" * 300: "0" * 64})),
    "two data files": ("files", lambda m: m["files"].update({"data.parquet": "0" * 64})),
}


@pytest.mark.parametrize("edit", MANIFEST_EDITS)
def test_edited_manifests(edit: str, folder: Path, original: tuple[Path, str]) -> None:
    named, change = MANIFEST_EDITS[edit]
    edit_json(folder / "manifest.json", change)
    found = noes(verify(folder))
    assert named in found or (edit == "another kind" and "readable" in found), found
    assert "fingerprint" in noes(verify(folder, original[1]))


def test_an_attested_claim_may_not_be_dropped(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    small_release().save(folder, format="csv", report=False)
    original = "tree-of-the-original"
    answers = {check.name: check.answer for check in verify(folder).checks}
    assert answers[original] == "attested"
    edit_json(folder / "manifest.json", lambda m: _claim(m, original).update(measured=0.5))
    assert original in noes(verify(folder))
    edit_json(folder / "manifest.json", lambda m: m["claims"].remove(_claim(m, original)))
    assert original in noes(verify(folder))


HIDDEN = {"name": "l-diversity", "parameters": {"column": "illness", "kind": "strong"}}


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ({"claimed": 2, "measured": None}, "attested"),
        ({"claimed": 2, "measured": 2.5}, "no"),
        ({"claimed": None, "measured": None}, "no"),
        ({"claimed": True, "measured": None}, "no"),
        ({"claimed": "at least two", "measured": None}, "no"),
        ({"claimed": 0.5, "measured": None}, "no"),
        ({"claimed": 1000, "measured": None, "name": "k-anonymity"}, "no"),
        ({"claimed": 2, "measured": None, "name": "beauty"}, "no"),
        ({"claimed": 2, "measured": None, "parameters": {"column": "town", "kind": "x"}}, "no"),
    ],
)
def test_of_a_hidden_column_only_a_level_may_be_attested(
    claim: dict[str, Any], answer: str, tmp_path: Path
) -> None:
    folder = tmp_path / "r"
    small_release(release_sensitive=False, l=None).save(folder, format="csv", report=False)
    added = {**HIDDEN, **claim, "checkable": "attested"}
    edit_json(folder / "manifest.json", lambda m: m["claims"].append(added))
    column = added["parameters"]["column"]
    answers = {check.name: check.answer for check in verify(folder).checks}
    assert answers[f"{added['name']} of {column}"] == answer


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["data.csv", "model.json"])
def test_missing_files(name: str, folder: Path) -> None:
    (folder / name).unlink()
    assert f"file {name}" in noes(verify(folder))
    (folder / name).mkdir()
    assert f"file {name}" in noes(verify(folder))


def test_no_manifest_and_no_folder(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    with pytest.raises(InputError, match="manifest"):
        verify(folder)
    with pytest.raises(InputError, match="no release folder"):
        verify(folder / "nothing")


def test_a_second_data_file_is_not_passed_over(folder: Path) -> None:
    (folder / "data.parquet").write_bytes(b"PAR1")
    assert "file data.parquet" in noes(verify(folder))


# -- nonsense ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_random_flips_never_give_a_traceback(form: Any, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    fingerprint = small_release().save(folder, format=form, report=False)
    manifest = (folder / "manifest.json").read_bytes()
    random_ = random.Random(5)
    for name in (f"data.{form}", "model.json", "manifest.json"):
        content = (folder / name).read_bytes()
        for number in range(170):
            edited = bytearray(content)
            for _ in range(random_.randint(1, 4)):
                edited[random_.randrange(len(edited))] = random_.randrange(256)
            if random_.random() < 0.1:
                del edited[random_.randrange(len(edited)) :]
            if bytes(edited) == content:
                continue
            (folder / name).write_bytes(edited)
            try:
                assert not verify(folder, fingerprint).holds, (name, number)
                if name != "manifest.json":
                    with suppress(ValueError, LookupError, ArithmeticError):  # the attacker's own
                        mend_hashes(folder)
                    assert not verify(folder, fingerprint).holds, (name, number)
                    verify(folder)
            except PrivetError:
                pass
            (folder / name).write_bytes(content)
            (folder / "manifest.json").write_bytes(manifest)


def _somewhere(data: Any, random_: random.Random) -> tuple[Any, Any]:
    """A random place in plain data: its container and its key there."""
    while True:
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        key = random_.choice(keys)
        inner = data[key]
        if isinstance(inner, dict | list) and inner and random_.random() < 0.85:
            data = inner
            continue
        return data, key


STRANGE: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    1e308,
    2.5,
    "",
    "\ud800",
    "x" * 400,
    "\0",
    [],
    [[]],
    {},
    {"a": {}},
]


@pytest.mark.parametrize("name", ["model.json", "manifest.json"])
def test_strange_values_never_give_a_traceback(name: str, folder: Path) -> None:
    before = read_json(folder / name)
    manifest = read_json(folder / "manifest.json")
    random_ = random.Random(9)
    for number in range(350):
        write_json(folder / "manifest.json", manifest)
        data = read_json(folder / name) if name == "manifest.json" else before
        container, key = _somewhere(data, random_)
        kept = container[key]
        container[key] = random_.choice(STRANGE)
        try:
            (folder / name).write_text(json.dumps(data), encoding="utf-8")
            if name == "model.json":
                mend_hashes(folder)
            outcome = verify(folder)
            for check in outcome.checks:
                f"{check.name}{check.detail}".encode()
            if name == "model.json":
                assert not outcome.holds or container[key] == kept, (number, key, container[key])
        except PrivetError:
            pass
        container[key] = kept


@pytest.mark.parametrize("name", ["model.json", "manifest.json"])
def test_deep_nesting(name: str, folder: Path) -> None:
    (folder / name).write_text("[" * 200_000, encoding="utf-8")
    try:
        assert not verify(folder).holds
    except InputError:
        assert name == "manifest.json"


def test_a_claim_marked_as_attested_though_it_can_be_checked(folder: Path) -> None:
    def attest_all(manifest: dict[str, Any]) -> None:
        for claim in manifest["claims"]:
            claim["checkable"] = "attested"

    edit_json(folder / "manifest.json", attest_all)
    assert noes(verify(folder)) >= {"same-tree", "k-anonymity", "l-diversity of illness"}


def test_a_claim_on_a_column_that_is_not_sensitive(folder: Path) -> None:
    def forget(manifest: dict[str, Any]) -> None:
        manifest["schema"]["columns"]["illness"]["role"] = "other"

    edit_json(folder / "manifest.json", forget)
    assert "l-diversity of illness" in noes(verify(folder))


def test_files_added_later_are_named(tmp_path: Path) -> None:
    release = publish({"x": [1, 2, 3, 4], "y": [0, 0, 1, 1]}, target="y", k=1, leaves=2)
    release.save(tmp_path / "r", report=False)
    (tmp_path / "r" / "report.html").write_text("later")
    (tmp_path / "r" / "notes.txt").write_text("later")
    assert noes(verify(tmp_path / "r")) == {"file notes.txt"}
    (tmp_path / "r" / "notes.txt").unlink()
    assert noes(verify(tmp_path / "r")) == {"file report.html"}
