"""`privet noise` from outside: the folder, what verify says of it, and what is refused."""

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.cli.main import main
from privet.datasets import crd, csd
from privet.files import read_table, write_table
from privet.release.manifest import Manifest
from privet.release.rows import Rows, sha256_of
from privet.table import Table
from privet.tree.exchange.model_file import read_model

TARGET = ["--target", "credit_risk"]


@pytest.fixture(scope="module")
def applicants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "applicants.csv"
    write_table(crd(399, 2005), path)
    return path


@pytest.fixture(scope="module")
def release(applicants: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out") / "release"
    assert (
        main(["noise", str(applicants), *TARGET, "--seed", "123456789", "--out", str(folder)]) == 0
    )
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(list(arguments))
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def data_of(folder: Path) -> Table:
    manifest = Manifest.read(folder / "manifest.json")
    name = next(n for n in manifest.files if n.startswith("data."))
    return read_table(folder / name, kinds={c.name: c.kind for c in manifest.schema}, exact=True)


def test_the_folder_holds_what_the_design_says(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {path.name for path in release.iterdir()}
    assert {"data.parquet", "model.json", "mechanism.json", "manifest.json", "report.html"} <= names
    status, out, _ = run(capsys, "verify", str(release), "--json")
    answers = {c["name"]: c["answer"] for c in json.loads(out)["checks"]}
    assert status == 0
    assert answers["records-in-leaves"] == answers["class-totals-in-leaves"] == "yes"
    assert answers["tree-of-the-original"] == answers["class-changes"] == "attested"
    mechanism = json.loads((release / "mechanism.json").read_text())
    assert mechanism["class"]["technique"] == "random"
    assert set(mechanism["detective"]["columns"]) == {"city"}


def test_nothing_of_the_seed_is_released(release: Path) -> None:
    for path in release.iterdir():
        assert b"123456789" not in path.read_bytes()


def test_leaves_hold_the_classes_that_the_model_says(release: Path) -> None:
    tree, table = read_model(release / "model.json"), data_of(release)
    reached, codes = tree.leaf_of_rows(table), table["credit_risk"].codes
    for leaf in tree.leaves:
        counts = np.bincount(codes[reached == leaf.id], minlength=2)
        assert tuple(counts.tolist()) == leaf.weights


def test_rows_are_sorted_unless_the_order_is_kept(
    applicants: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = data_of(release)
    keys = list(zip(*(table[name].codes.tolist() for name in table), strict=True))
    assert keys == sorted(keys)
    kept = tmp_path / "kept"
    options = ["--keep-order", "--innocent", "none", "--influential", "none", "--detective", "none"]
    assert main(["noise", str(applicants), *TARGET, *options, "--out", str(kept)]) == 0
    released, original = data_of(kept), read_table(applicants)
    assert np.array_equal(released["income"].codes, original["income"].codes)
    status, out, _ = run(capsys, "verify", str(kept), "--json")
    assert status == 0
    assert {c["name"]: c["answer"] for c in json.loads(out)["checks"]}["rows"] == "attested"


def test_json_and_audit(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, audit = tmp_path / "out", tmp_path / "audit"
    arguments = [str(applicants), *TARGET, "--seed", "7", "--audit", str(audit), "--json"]
    status, text, _ = run(capsys, "noise", *arguments, "--format", "csv", "--out", str(out))
    figures = json.loads(text)
    assert status == 0
    assert (out / "data.csv").exists()
    assert figures["records_stay_in_their_leaves"] is True
    of_class = figures["class"]
    deviation = of_class["variance"] ** 0.5
    assert abs(of_class["changes"] - of_class["expected_changes"]) <= 6 * deviation
    assert {c["column"] for c in figures["columns"]} == set(crd(10, 1))
    saved = json.loads((audit / "audit.json").read_text())
    assert saved["seed"] == 7
    assert sum(saved["class_changes_by_leaf"].values()) == of_class["changes"]
    assert stat.S_IMODE((audit / "audit.json").stat().st_mode) == 0o600


def test_the_report_says_who_is_not_protected(release: Path) -> None:
    page = (release / "report.html").read_text()
    assert "not protected" in page
    assert "Categories that are alike" in page
    assert "<script" not in page


def test_without_strict_no_leaf_is_promised(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "paper"
    options = ["--no-strict", "--detective", "0.9", "--categories", "subset", "--seed", "1"]
    assert main(["noise", str(applicants), *TARGET, *options, "--out", str(folder)]) == 0
    status, out, _ = run(capsys, "verify", str(folder), "--json")
    checks = {c["name"]: c["answer"] for c in json.loads(out)["checks"]}
    assert status == 0
    assert "records-in-leaves" not in checks
    assert checks["records-that-stayed-in-their-leaf"] == "attested"


# -- tampering -----------------------------------------------------------------------------------


def signed_again(folder: Path, change: Any) -> None:
    """The manifest changed by whoever has the folder, its hashes put right."""
    path = folder / "manifest.json"
    data = json.loads(path.read_text())
    change(data)
    data["files"] = {name: sha256_of(folder / name) for name in data["files"]}
    path.write_text(json.dumps(data, indent=1))


def copied(release: Path, to: Path) -> Path:
    to.mkdir()
    for path in release.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


def test_a_class_moved_to_another_leaf_is_found(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(release, tmp_path / "copy")
    table = data_of(folder)
    target = table["credit_risk"]
    codes = target.codes.copy()
    codes[0] = 1 - codes[0]
    changed = table.replace({"credit_risk": type(target)(target.domain, codes)})
    from privet.engine import MemoryEngine

    rows = Rows.of(MemoryEngine(changed), changed.names)
    from privet.release.columns import field_metadata
    from privet.release.manifest import Manifest

    about = field_metadata(Manifest.read(folder / "manifest.json"))
    rows.write(folder / "data.parquet", about)
    signed_again(folder, lambda data: data.update(content_sha256=rows.content_sha256()))
    status, out, _ = run(capsys, "verify", str(folder), "--json")
    answers = {c["name"]: c["answer"] for c in json.loads(out)["checks"]}
    assert status == 1
    assert answers["content"] == "yes"
    assert answers["class-totals-in-leaves"] == "no"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["claims"].pop(1),
        lambda data: data["claims"][4].update(measured=0),
        lambda data: data["claims"][1].update(checkable="attested"),
        lambda data: data["claims"].append({**data["claims"][0], "name": "k-anonymity"}),
        lambda data: data["claims"].append(data["claims"][0]),
        lambda data: data["method"].update({"class": "probabilistic"}),
        lambda data: data["method"].update({"strict": None}),
        lambda data: data["method"].pop("class"),
        lambda data: data["grower"].update(min_leaf=77),
        lambda data: data["files"].pop("mechanism.json"),
        lambda data: data["method"].update({"name": "tree-preserving"}),
    ],
)
def test_a_manifest_that_says_other_things_is_found(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any
) -> None:
    folder = copied(release, tmp_path / "copy")
    signed_again(folder, change)
    status, out, _ = run(capsys, "verify", str(folder), "--json")
    assert status == 1
    assert any(c["answer"] == "no" for c in json.loads(out)["checks"])


def test_a_missing_or_edited_mechanism_is_found(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(release, tmp_path / "copy")
    mechanism = json.loads((folder / "mechanism.json").read_text())
    mechanism["class"]["technique"] = "none"
    (folder / "mechanism.json").write_text(json.dumps(mechanism))
    signed_again(folder, lambda data: None)
    assert run(capsys, "verify", str(folder))[0] == 1
    (folder / "mechanism.json").unlink()
    assert run(capsys, "verify", str(folder))[0] == 1


# -- other commands, and what is refused ---------------------------------------------------------


def test_new_rows_are_classified_and_not_recoded(
    applicants: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predicted = tmp_path / "predicted.csv"
    assert run(capsys, "predict", str(release), str(applicants), "--out", str(predicted))[0] == 0
    assert read_table(predicted).n_rows == 399
    status, _, error = run(
        capsys, "recode", str(release), str(applicants), "--out", str(tmp_path / "r.csv")
    )
    assert (status, "which is no recoding" in error) == (2, True)


@pytest.mark.parametrize(
    "options",
    [
        ["--class", "sometimes"],
        ["--innocent", "much"],
        ["--innocent", "-1"],
        ["--influential", "clamp"],
        ["--detective", "1.5"],
        ["--participation", "2"],
        ["--which", "none"],
        ["--where", "there"],
        ["--ends", "wrap"],
        ["--spike", "income"],
        ["--spike", "nothing=0"],
        ["--scale", "income=0"],
        ["--together", "city,nothing"],
        ["--together", "nothing,income"],
        ["--together", "income,rent"],
        ["--scale", "nothing=5"],
        ["--scale", "city=5"],
        ["--spike", "city=5"],
        ["--spike", "nothing=0", "--innocent", "none", "--influential", "none"],
        ["--impurity", "deviance"],
        ["--prune", "cost-complexity"],
        ["--min-leaf", "0"],
        ["--format", "xls"],
        ["--target", "nothing"],
        ["--class", "none", "--innocent", "none", "--influential", "none", "--detective", "none"],
    ],
)
def test_wrong_usage_is_one_sentence_and_a_hint(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    folder = tmp_path / "out"
    status, _, error = run(
        capsys, "noise", str(applicants), *TARGET, "--out", str(folder), *options
    )
    assert status == 2
    assert error.startswith("Error: ")
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


def test_a_target_with_too_many_values_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = crd(3000, 1)
    path = tmp_path / "wide.csv"
    lines = ["x,y"] + [f"{i % 7},label {i}" for i in range(table.n_rows)]
    path.write_text("\n".join(lines) + "\n")
    status, _, error = run(
        capsys, "noise", str(path), "--target", "y", "--out", str(tmp_path / "o")
    )
    assert (status, "at most" in error) == (2, True)


def test_a_target_of_numbers_is_refused_unless_it_is_called_a_category(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "prices.csv"
    lines = ["size,price"] + [f"{i % 7},{i % 4 + 0.5}" for i in range(60)]
    path.write_text("\n".join(lines) + "\n")
    command = ["noise", str(path), "--target", "price", "--out", str(tmp_path / "out")]
    status, _, error = run(capsys, *command)
    assert status == 2
    assert "'price' holds numbers" in error
    assert "--category price" in error
    assert run(capsys, *command, "--category", "price")[0] == 0


def test_the_intruder_reads_the_files_alone_and_counts_with_the_audit(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, audit = str(tmp_path / "out"), str(tmp_path / "audit")
    made = ["noise", str(applicants), *TARGET, "--seed", "7", "--out", out, "--audit", audit]
    status, said, _ = run(capsys, *made)
    assert status == 0
    assert "of 100 people whose other values are known" in said
    attack = ["attack", "intruder", out, "--original", str(applicants), "--json"]
    status, found, _ = run(capsys, *attack)
    blind = json.loads(found)
    assert status == 0
    assert blind["found"] < blind["before"]
    assert blind["counted"] is None
    status, found, _ = run(capsys, *attack, "--inside", audit)
    seeing = json.loads(found)
    assert seeing["found"] == pytest.approx(blind["found"])
    assert seeing["counted"] == pytest.approx(seeing["found"], abs=0.1)
    claim = Manifest.read(tmp_path / "out" / "manifest.json").claim("found-by-the-intruder")
    assert claim is not None
    assert 0 <= claim.measured - blind["found"] <= 0.01  # told coarsely
    status, _, wrong = run(capsys, *attack[:3], "--original", str(applicants), "--known", "shoes")
    assert status == 2
    assert "Hint:" in wrong


def test_hits_are_the_same_by_the_audit_and_by_rows_in_their_order(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, audit = str(tmp_path / "out"), str(tmp_path / "audit")
    made = ["noise", str(applicants), *TARGET, "--seed", "7", "--out", out, "--audit", audit]
    assert run(capsys, *made, "--keep-order")[0] == 0
    attack = ["attack", "intruder", out, "--original", str(applicants), "--json"]
    by_order, by_audit = (
        json.loads(run(capsys, *attack, *more)[1]) for more in ([], ["--inside", audit])
    )
    assert by_order["counted"] > 0
    assert by_audit == by_order


@pytest.mark.parametrize(
    ("option", "given"), [("--detective", "2"), ("--draw", "shoes"), ("--together", "city")]
)
def test_refusals_name_the_option_that_was_typed(
    option: str, given: str, applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["noise", str(applicants), *TARGET, "--out", str(tmp_path / "out"), option, given]
    status, _, wrong = run(capsys, *made)
    assert status == 2
    assert option in wrong
    assert not (tmp_path / "out").exists()


def test_an_audit_of_another_release_is_refused(
    release: Path, applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = str(tmp_path / "audit")
    other = ["noise", str(applicants), *TARGET, "--seed", "8", "--out", str(tmp_path / "other")]
    assert run(capsys, *other, "--audit", audit)[0] == 0
    attack = ["attack", "intruder", str(release), "--original", str(applicants)]
    status, _, wrong = run(capsys, *attack, "--inside", audit)
    assert status == 2
    assert "do not draw this release again" in wrong


def test_a_goal_chooses_the_noise_or_says_the_least(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["noise", str(applicants), *TARGET, "--seed", "7", "--participation", "0.3"]
    status, said, _ = run(capsys, *made, "--out", str(tmp_path / "free"), "--json")
    free = json.loads(said)["intruder"]["found"]
    goal = ["--goal", f"found<={0.6 * free:.3f}", "--out", str(tmp_path / "out")]
    status, said, _ = run(capsys, *made, *goal, "--json")
    figures = json.loads(said)
    assert status == 0
    assert figures["intruder"]["found"] <= 0.6 * free
    assert any("is reached with" in message for message in figures["messages"])
    assert run(capsys, "verify", str(tmp_path / "out"))[0] == 0
    none = ["--goal", "found<=0%", "--out", str(tmp_path / "none")]
    status, _, wrong = run(capsys, *made, *none)
    assert status == 1
    assert "at least" in wrong
    assert not (tmp_path / "none").exists()
    for nonsense in ("found<=110%", "lost<=10%", "found<=many"):
        status, _, wrong = run(capsys, *made, "--goal", nonsense, "--out", str(tmp_path / "none"))
        assert status == 2
        assert "--goal" in wrong


def test_trees_of_categories_can_stay_inside(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, audit = str(tmp_path / "out"), str(tmp_path / "audit")
    made = ["noise", str(applicants), *TARGET, "--inside", "--out", out, "--audit", audit]
    assert run(capsys, *made)[0] == 0
    assert run(capsys, "verify", out)[0] == 0
    told = json.loads((tmp_path / "out" / "mechanism.json").read_text())["detective"]["columns"]
    assert all(set(entry) == {"columns", "expected_changed"} for entry in told.values())
    assert "kept inside" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    attack = ["attack", "intruder", out, "--original", str(applicants)]
    status, _, wrong = run(capsys, *attack)
    assert status == 2
    assert "--inside" in wrong
    status, said, _ = run(capsys, *attack, "--inside", audit, "--json")
    assert status == 0
    claim = Manifest.read(tmp_path / "out" / "manifest.json").claim("found-by-the-intruder")
    assert claim is not None
    assert 0 <= claim.measured - json.loads(said)["found"] <= 0.01  # told coarsely


def test_an_epsilon_is_claimed_where_there_is_one(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["noise", str(applicants), *TARGET, "--participation", "0.5", "--floor", "0.2"]

    def bounds(name: str, *more: str) -> dict[str, float]:
        out = tmp_path / name
        assert run(capsys, *made, *more, "--out", str(out))[0] == 0
        assert run(capsys, "verify", str(out))[0] == 0
        claims = Manifest.read(out / "manifest.json").claims
        found = [c for c in claims if c.name == "epsilon-of-a-cell"]
        assert all("not private" in c.parameters["given"] for c in found)
        return {c.parameters["column"]: c.measured for c in found}

    drawn = bounds("drawn", "--class", "probabilistic")
    assert drawn["credit_risk"] == 0.0
    assert drawn["city"] > 0
    permuted = bounds("permuted")
    assert set(permuted) == set(drawn) - {"credit_risk"}
    assert bounds("kept", "--keep-tree", "--class", "probabilistic") == {}
    folder = tmp_path / "drawn"
    data = json.loads((folder / "manifest.json").read_text())
    for claim in data["claims"]:
        if claim["name"] == "epsilon-of-a-cell":
            claim["measured"] = claim["measured"] / 2 + 0.01
    (folder / "manifest.json").write_text(json.dumps(data))
    status, said, _ = run(capsys, "verify", str(folder))
    assert status == 1
    assert "epsilon-of-a-cell" in said


def test_a_preset_sets_what_is_not_given(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["noise", str(applicants), *TARGET, "--seed", "1"]

    def method(name: str, *more: str) -> Any:
        assert run(capsys, *made, *more, "--out", str(tmp_path / name))[0] == 0
        return Manifest.read(tmp_path / name / "manifest.json").method

    strong = method("strong", "--preset", "strong", "--floor", "0.3")
    assert (strong["law"], strong["innocent"], strong["floor"]) == ("normal", 0.552, 0.3)
    assert strong["trees"]["leaves"] == 8
    paper = method("paper", "--preset", "paper")
    assert (paper["law"], paper["strict"], paper["trees"]["min_leaf"]) == ("paper", False, 2)
    assert method("strict", "--preset", "strict") == method("none")
    status, _, wrong = run(capsys, *made, "--preset", "weak", "--out", str(tmp_path / "weak"))
    assert status == 2
    assert "strong" in wrong


def test_columns_that_are_hardly_touched_are_named_at_once(
    applicants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["noise", str(applicants), *TARGET, "--innocent", "none", "--influential", "none"]
    status, said, _ = run(capsys, *made, "--out", str(tmp_path / "out"))
    assert status == 0
    named = next(line for line in said.splitlines() if "hardly touches" in line)
    assert "income" in named
    assert "city" not in named
    status, said, _ = run(capsys, "noise", str(applicants), *TARGET, "--out", str(tmp_path / "all"))
    assert not any("income" in line for line in said.splitlines() if "hardly touches" in line)


def test_only_chosen_categories_are_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_table(csd(), tmp_path / "customers.csv")
    made = ["noise", str(tmp_path / "customers.csv"), "--target", "status", "--draw", "car_make"]
    assert run(capsys, *made, "--out", str(tmp_path / "out"))[0] == 0
    assert run(capsys, "verify", str(tmp_path / "out"))[0] == 0
    told = json.loads((tmp_path / "out" / "mechanism.json").read_text())["detective"]["columns"]
    assert list(told) == ["car_make"]
    assert run(capsys, *made[:-1], "shoes", "--out", str(tmp_path / "none"))[0] == 2


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (["--draw", ""], "--draw"),
        (["--draw", "city", "--detective", "none"], "--draw"),
        (["--innocent", "-1"], "--innocent"),
        (["--scale", "income"], "--scale gain=1000"),
        (["--scale", "income=1e308"], "scale of income"),
    ],
)
def test_a_refusal_names_the_option(
    wrong: list[str],
    named: str,
    applicants: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["noise", str(applicants), "--target", "credit_risk", "--out", str(tmp_path / "out")]
    status, _, said = run(capsys, *asked, *wrong)
    assert status == 2
    assert named in said
    assert "Hint: " in said
    assert not (tmp_path / "out").exists()
