"""`privet substitute`, `rebuild` and `tree --mechanism` from outside."""

import json
import re
from pathlib import Path

import pytest

from privet.cli.main import main
from privet.datasets import agrawal, agrawal_schema
from privet.files import read_table, write_table
from privet.mechanism.substitution import Substitution
from privet.tree.exchange.model_file import read_model


@pytest.fixture
def perturbed(people: list[str], tmp_path: Path) -> list[str]:
    out = tmp_path / "p.parquet"
    assert main(["substitute", *people, "--seed", "1", "--out", str(out)]) == 0
    return [str(out), "--mechanism", str(tmp_path / "p.mechanism.json")]


def test_the_table_and_its_mechanism_are_written(
    people: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "q.csv.gz"
    assert main(["substitute", *people, "--joint", "age+elevel", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "A whole record has epsilon 17.58, but for group, which nothing hides: what" in text
    assert "Released unchanged: group." in text
    assert "operating system" in text
    assert read_table(out).n_rows == 3_000
    mechanism = json.loads((tmp_path / "q.mechanism.json").read_text())
    assert len(mechanism["blocks"]) == 8
    assert "seed" not in mechanism
    assert main(["substitute", *people, "--out", str(out)]) == 2
    assert "exists already" in capsys.readouterr().err


def test_json_states_gamma_epsilon_and_error(
    people: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["--columns", "age", "--rho1", "0.1", "--rho2", "0.6", "--seed", "2", "--json"]
    out = str(tmp_path / "r.parquet")
    assert main(["substitute", *people, *wanted, "--out", out]) == 0
    found = json.loads(capsys.readouterr().out)
    (block,) = found["blocks"]
    assert block["gamma"] == "27/2"
    assert block["belief_of_a_tenth_becomes_at_most"] == 0.6
    assert block["values"] == 10
    assert 0 < block["predicted_error"] < 0.2
    assert any("privacy suffers" in text for text in found["warnings"])
    assert "seed" not in (tmp_path / "r.mechanism.json").read_text()


@pytest.mark.parametrize(("gamma", "used"), [("7", "7"), ("20", "27/2")])
def test_of_gamma_and_rho_the_more_private_holds(
    people: list[str], gamma: str, used: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ["--columns", "age", "--gamma", gamma, "--rho1", "0.1", "--rho2", "0.6", "--json"]
    assert main(["substitute", *people, *limits, "--out", str(tmp_path / "g.parquet")]) == 0
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    assert block["gamma"] == used


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--gamma", "1"], "above 1"),
        (["--gamma", "much"], "a number"),
        (["--rho1", "0.5", "--rho2", "0.1"], "0 < rho1 < rho2 < 1"),
        (["--columns", "agee"], "no column 'agee'"),
        (["--joint", "age+salary+loan+hvalue+hyears"], "at most 65536"),
        (["--show", "middle"], "one of 'centre'"),
    ],
)
def test_wrong_usage_is_refused(
    people: list[str], wrong: list[str], message: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out = tmp_path / "x.parquet"
    assert main(["substitute", *people, *wrong, "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_without_domains_the_records_must_be_asked_for(
    people: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = ["substitute", people[0], "--target", "group", "--out", str(tmp_path / "x.csv")]
    assert main(bare) == 2
    assert "--domain-from-data" in capsys.readouterr().err
    assert main([*bare, "--domain-from-data", "--bins", "8"]) == 0
    assert "comes from the records" in capsys.readouterr().out
    written = json.loads((tmp_path / "x.mechanism.json").read_text())
    assert all(c["from_data"] for b in written["blocks"] for c in b["columns"])


@pytest.mark.parametrize("way", ["global", "by-class", "by-node"])
def test_rebuilding(
    perturbed: list[str], way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    out = tmp_path / "g.csv"
    wanted = ["rebuild", *perturbed, "--target", "group", "--way", way, "--out", str(out)]
    assert main([*wanted, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["way"] == way
    assert found["blocks"]["age"]["expected_error"] < 0.2
    assert read_table(out).n_rows == 3_000
    assert main([*wanted, "--force"]) == 0
    assert "3,000 records rebuilt" in capsys.readouterr().out


@pytest.mark.parametrize("way", ["estimated", "auto"])
def test_the_tree_of_the_originals(
    perturbed: list[str], way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    model = tmp_path / "model.json"
    wanted = ["tree", *perturbed, "--target", "group", "--leaves", "4", "--way", way]
    assert main([*wanted, "--out", str(model), "--rules"]) == 0
    out = capsys.readouterr().out
    assert "age" in out
    assert "grown" in out
    assert read_model(model).attributes_used[0] == "age"
    assert main([*wanted, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert bool(found["scores"]) == (way == "auto")


def test_a_way_needs_a_mechanism_that_fits(
    perturbed: list[str], people: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tree", perturbed[0], "--target", "group", "--way", "auto"]) == 2
    assert "--mechanism" in capsys.readouterr().err
    assert main(["tree", *perturbed, "--target", "group", "--way", "magic"]) == 2
    assert main(["tree", *perturbed, "--way", "auto"]) == 2
    assert main(["tree", *perturbed, "--target", "group", "--prune", "pessimistic"]) == 2
    (tmp_path / "broken.json").write_text("{}")
    broken = ["--mechanism", str(tmp_path / "broken.json")]
    out = ["--out", str(tmp_path / "g.csv")]
    assert main(["rebuild", perturbed[0], *broken, *out]) == 3
    small = agrawal(1, 50, 5).select(["age", "group"])
    write_table(small, tmp_path / "small.csv")
    assert main(["rebuild", str(tmp_path / "small.csv"), *perturbed[1:], *out]) == 2
    assert "no column" in capsys.readouterr().err


def test_the_time_grows_with_the_columns_and_not_with_their_square(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole mechanism was written down for each column: 1,500 columns took minutes."""
    written = []
    real = Substitution.to_data
    monkeypatch.setattr(Substitution, "to_data", lambda self: written.append(1) or real(self))
    names = [f"c{number}" for number in range(40)]
    rows = [[str((7 * i + j) % 5) for j in range(40)] for i in range(30)]
    table = tmp_path / "wide.csv"
    table.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    asked = ["substitute", str(table), "--target", "c0", "--domain-from-data"]
    assert main([*asked, "--out", str(tmp_path / "out.csv")]) == 0
    assert len(written) <= 2


def test_a_budget_for_a_whole_record(
    people: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "folder"
    asked = ["--epsilon", "12", "--importance", "age=3", "--with-target", "--out", str(out)]
    assert main(["substitute", *people, *asked]) == 0
    text = capsys.readouterr().out
    assert text.startswith("A whole record has epsilon 1")
    assert text.index("epsilon   gamma") < text.index("age ")
    assert not re.search(r"\d/\d", text)  # factors as people write them
    assert main(["substitute", *people, *asked, "--force", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    of_blocks = {"+".join(b["columns"]): b["epsilon"] for b in found["blocks"]}
    assert sum(of_blocks.values()) <= found["epsilon_of_a_record"] <= 12
    assert of_blocks["age"] == pytest.approx(3, abs=0.01)
    assert of_blocks["group"] == pytest.approx(1, abs=0.01)
    assert main(["verify", str(out)]) == 0
    capsys.readouterr()
    assert main(["tree", str(out), "--target", "group", "--json"]) == 0
    alone = capsys.readouterr().out
    for table in (out, next(out.glob("data.*"))):  # the folder stands for its mechanism.json
        asked_so = ["tree", str(table), "--mechanism", str(out), "--target", "group", "--json"]
        assert main(asked_so) == 0
        assert capsys.readouterr().out == alone
    assert main(["tree", str(out), "--json"]) == 0  # the release names its target
    assert capsys.readouterr().out == alone
    rebuilt = [tmp_path / "r.csv", tmp_path / "s.csv"]
    assert main(["rebuild", str(out), "--target", "group", "--out", str(rebuilt[0])]) == 0
    assert main(["rebuild", str(out), "--out", str(rebuilt[1])]) == 0
    assert rebuilt[0].read_bytes() == rebuilt[1].read_bytes()
    assert main(["tree", str(next(out.glob("data.*"))), "--mechanism", str(out)]) == 2
    assert "No target is named" in capsys.readouterr().err
    assert main(["substitute", *people, *asked, "--force", "--gamma", "5"]) == 2
    assert "--epsilon" in capsys.readouterr().err


def test_what_so_many_records_can_carry(
    people: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "p.parquet")
    asked = ["substitute", *people, "--seed", "1", "--out", out]
    assert main(asked) == 0
    assert "in 90 of 100 draws" in capsys.readouterr().out
    assert main([*asked, "--force", "--json", "--accuracy", "0.999"]) == 0
    found = json.loads(capsys.readouterr().out)["outlook"]
    assert found["low"] < found["accuracy"] < found["high"]
    assert found["majority"] == pytest.approx(0.67, abs=0.05)
    assert found["wanted"] == 0.999
    mechanism = ["--mechanism", str(tmp_path / "p.mechanism.json"), "--target", "group"]
    assert main(["tree", out, *mechanism, "--way", "by-class", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)["outlook"]
    assert again["majority"] == found["majority"]
    assert main(["tree", out, *mechanism, "--way", "stacked", "--accuracy", "0.5"]) == 0
    assert "0.5 is expected already of these 3,000 records." in capsys.readouterr().out
    assert main(["tree", out, *mechanism, "--accuracy", "2"]) == 2
    assert main(["tree", people[0], "--target", "group", "--accuracy", "0.9"]) == 2
    assert "--mechanism" in capsys.readouterr().err


def test_few_records_are_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = agrawal(2, 300, 7)
    write_table(table, tmp_path / "few.parquet")
    (tmp_path / "few.toml").write_text(agrawal_schema(table).to_toml())
    few = [str(tmp_path / "few.parquet"), "--schema", str(tmp_path / "few.toml")]
    assert main(["substitute", *few, "--seed", "1", "--out", str(tmp_path / "few")]) == 0
    assert "Warning: 0.6" in capsys.readouterr().out
