"""Several parties on the command line: each with its own files, and clear refusals."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest

from privet.cli.main import main
from privet.files import read_table
from privet.tree.compare import compare
from privet.tree.exchange.model_file import read_model

N = 400


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three parties' tables, a project key and a passphrase, in the current folder."""
    rng = np.random.default_rng(4)
    age = rng.integers(17, 91, N)
    diagnosis = rng.choice(["melanoma", "asthma", "gout"], N, p=[0.2, 0.5, 0.3])
    dose = rng.integers(1, 9, N) / 4
    cost = np.where((age > 50) & (diagnosis == "gout") | (dose > 1.6), "dear", "cheap")
    tables = {
        "hospital": ("patient,age,diagnosis", [age, diagnosis]),
        "pharmacy": ("patient,dose", [dose]),
        "insurer": ("patient,cost", [cost]),
    }
    for name, (header, columns) in tables.items():
        rows = zip(*(column.tolist() for column in columns), strict=True)
        lines = [f"NHS{i:04d}," + ",".join(map(str, row)) for i, row in enumerate(rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    (tmp_path / "all.csv").write_text(
        "\n".join(
            ["age,diagnosis,dose,cost"]
            + [f"{a},{d},{o},{c}" for a, d, o, c in zip(age, diagnosis, dose, cost, strict=True)]
        )
        + "\n"
    )
    (tmp_path / "words").write_text("correct horse\n")
    (tmp_path / "wrong").write_text("battery staple\n")
    monkeypatch.chdir(tmp_path)
    assert main(["party", "init", "--project", "asthma", "--out", "project.key"]) == 0
    return tmp_path


def masked(party: str, *more: str, key: str = "project.key") -> int:
    sensitive = {"hospital": "age,diagnosis", "pharmacy": "dose", "insurer": "cost"}[party]
    files = ["--codebook", f"{party}.book", "--project-key", key, "--out", f"{party}.parquet"]
    return main(
        ["mask", f"{party}.csv", "--key", "patient", "--sensitive", sensitive, *files, *more]
    )


FILES = ["hospital.parquet", "pharmacy.parquet", "insurer.parquet"]


def test_the_whole_way(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sorted_like = ["--aliases", "sorted"]
    assert masked("hospital", "--bounds", "age=16,24,..", *sorted_like) == 0
    assert masked("pharmacy", "--passphrase-file", "words") == 0
    assert masked("insurer", *sorted_like) == 0
    assert "pseudonymisation" in capsys.readouterr().out
    assert main(["join", *FILES, "--out", "joined.parquet"]) == 0
    assert "400 rows, 4 columns" in capsys.readouterr().out
    tree = ["--leaves", "7", "--min-leaf", "5"]
    assert main(["tree", "joined.parquet", "--target", "H_cost", *tree, "--out", "m.json"]) == 0
    assert main(["tree", "all.csv", "--target", "cost", *tree, "--out", "original.json"]) == 0
    capsys.readouterr()
    assert main(["decode", "m.json", "--codebook", "hospital.book", "--out", "d1.json"]) == 0
    said = capsys.readouterr()
    assert "age <= " in said.out
    assert "Still masked, of other parties: H_cost, H_dose." in said.err
    assert stat.S_IMODE((home / "d1.json").stat().st_mode) == 0o600
    assert main(["decode", "d1.json", "--codebook", "insurer.book", "--out", "d2.json"]) == 0
    secret = ["--passphrase-file", "words"]
    asked = ["decode", "d2.json", "--codebook", "pharmacy.book", *secret, "--out", "d3.json"]
    assert main(asked) == 0
    whole = read_model(home / "d3.json")
    assert str(compare(read_model(home / "original.json"), whole)) == "identical"
    assert json.loads((home / "d3.json").read_text())["decoded"]["still_masked"] == []


def test_nothing_that_leaves_holds_a_secret(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for party in ("hospital", "pharmacy", "insurer"):
        assert masked(party, "--fill-out", f"{party}.fill", "--json") == 0
    main(["join", *FILES, "--out", "joined.csv", "--keep-key"])
    printed = capsys.readouterr()
    leaving = [*FILES, "joined.csv", *(f"{p.partition('.')[0]}.fill" for p in FILES)]
    texts = [(home / name).read_bytes() for name in leaving]
    texts += [printed.out.encode(), printed.err.encode()]
    key = json.loads((home / "project.key").read_text())["key"]
    for secret in ("NHS0", "melanoma", "gout", "dear", key):
        assert not any(secret.encode() in text for text in texts)
    assert not any(bytes.fromhex(key) in text for text in texts)
    for name in ("project.key", "hospital.book", "pharmacy.book", "insurer.book"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600
    sent = read_table(home / "joined.csv")
    # a masked number may equal an original by chance, but none is below 1, as some originals are
    assert min(map(float, sent["H_dose"].domain.texts)) >= 1


@pytest.mark.parametrize(
    ("more", "status", "message"),
    [
        (["--bounds", "age=30,60"], 2, "outside the bounds"),
        (["--bounds", "age"], 2, "--bounds must name a column"),
        (["--bounds", "diagnosis=1,2"], 2, "holds categories"),
        (["--bounds", "age=1,x"], 2, "must be numbers"),
        (["--bounds", "age=1,2,..,91"], 2, "would stay as it is"),
        (["--bounds", "age=1,1.0001,..,91"], 2, "in at most 100,000 steps"),
        (["--mode", "best"], 2, "is not one of 'exact', 'paper'"),
        (["--aliases", "best"], 2, "is not one of 'random', 'sorted'"),
        (["--homophones", "diagnosis=many"], 2, "whole number"),
        (["--homophones", "age=4"], 2, "holds numbers"),
        (["--key-kind", "colour"], 2, "--key-kind must be"),
        (["--drop", "age"], 2, "dropped and used"),
        (["--sensitive", "agee"], 2, "did you mean 'age'"),
        (["--passphrase-file", "nowhere"], 3, "cannot be read"),
        (["--project-key", "words"], 3, "project key"),
        (["--project-key", "nowhere"], 3, "cannot be read"),
        (["--out", "nowhere/x.parquet"], 2, "does not exist"),
        (["--out", "x.xyz"], 2, "format"),
    ],
)
def test_wrong_masks_write_nothing(
    more: list[str], status: int, message: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in home.iterdir())
    assert masked("hospital", *more) == status
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in home.iterdir()) == before


def test_secrets_open_to_others_are_warned_of(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert masked("hospital") == 0
    assert "Warning" not in capsys.readouterr().err
    (home / "project.key").chmod(0o644)
    assert masked("insurer") == 0
    assert "others on this machine may read project.key" in capsys.readouterr().err


def test_keys_that_repeat_are_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (home / "insurer.csv").read_text()
    (home / "insurer.csv").write_text(lines + "NHS0007,cheap\nNHS0008,cheap\n")
    assert masked("insurer") == 2
    said = capsys.readouterr().err
    assert "2 keys occur more than once, in 4 rows" in said
    assert "NHS" not in said


def test_another_project_key_is_noticed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["party", "init", "--project", "other", "--out", "other.key"])
    assert masked("hospital") == masked("pharmacy", key="other.key") == 0
    assert main(["join", *FILES[:2], "--out", "joined.parquet"]) == 2
    assert "No key is known to all parties" in capsys.readouterr().err
    assert not (home / "joined.parquet").exists()
    assert masked("hospital", "--force", key="other.key") == 2
    assert "another project key" in capsys.readouterr().err


def test_decoding_refuses_what_does_not_fit(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = ["--passphrase-file", "words"]
    assert masked("hospital", *secret) == masked("insurer") == masked("pharmacy") == 0
    main(["join", *FILES, "--out", "joined.parquet"])
    main(["tree", "joined.parquet", "--target", "H_diagnosis", "--out", "m.json"])
    main(["tree", "all.csv", "--target", "cost", "--out", "clear.json"])
    whole = (home / "m.json").read_text()
    (home / "cut.json").write_text(whole[: len(whole) // 2])
    book = (home / "hospital.book").read_text()
    (home / "cut.book").write_text(book[: len(book) // 2])
    (home / "other.book").write_text(
        (home / "insurer.book").read_text().replace('"cost"', '"diagnosis"')
    )
    (home / "notes.txt").write_text("nothing is masked here")
    stranger = ["--codebook", "stranger.book", "--out", "stranger.parquet"]
    assert masked("hospital", *stranger) == 0
    old = {**json.loads((home / "stranger.book").read_text()), "format": 1}
    (home / "old.book").write_text(json.dumps({k: v for k, v in old.items() if k != "identity"}))
    capsys.readouterr()
    wrong = ["--passphrase-file", "wrong"]
    for model, codebook, more, status, message in [
        ("m.json", "hospital.book", wrong, 3, "passphrase does not open"),
        ("m.json", "hospital.book", [], 2, "is encrypted"),
        ("m.json", "cut.book", secret, 3, "cut short"),
        ("cut.json", "hospital.book", secret, 3, "cut short"),
        ("clear.json", "hospital.book", secret, 2, "none of the columns"),
        ("m.json", "other.book", [], 2, "does not fit the codebook's column 'diagnosis'"),
        ("m.json", "stranger.book", [], 2, "belongs to another masking"),
        ("m.json", "stranger.book", ["--unchecked"], 2, "belongs to another masking"),
        ("m.json", "old.book", [], 2, "was written by version 0.1"),
        ("m.json", "project.key", [], 3, "not a codebook"),
        ("notes.txt", "insurer.book", ["--unchecked"], 2, "holds nothing of what"),
        ("notes.txt", "insurer.book", [], 2, "does not say from which masking"),
        ("nowhere.json", "insurer.book", [], 3, "No such file"),
    ]:
        asked = ["decode", model, "--codebook", codebook, *more, "--out", "decoded.json"]
        assert main(asked) == status
        assert message in capsys.readouterr().err
        assert not (home / "decoded.json").exists()


def test_fill_and_stack(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (home / "pharmacy.csv").read_text().splitlines()
    (home / "pharmacy.csv").write_text("\n".join(lines[:301]) + "\n")
    assert masked("hospital", "--fill-out", "h.json") == 0
    assert masked("pharmacy", "--fill-out", "p.json") == 0
    capsys.readouterr()
    join = ["join", *FILES[:2], "--json"]
    assert main([*join, "--out", "inner.parquet"]) == 0
    parties = json.loads(capsys.readouterr().out)["parties"]
    assert [party["unmatched"] for party in parties] == [100, 0]
    filled = ["--fill", "h.json", "--fill", "p.json"]
    assert main([*join, "--out", "outer.parquet", *filled]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 400
    flags = read_table(home / "outer.parquet")["filled_pharmacy"]
    assert np.bincount(flags.codes).tolist() == [300, 100]

    (home / "pharmacy.csv").write_text("\n".join([lines[0], *lines[301:]]) + "\n")
    more = ["--out", "rest.parquet", "--extend"]
    assert masked("pharmacy", *more) == 0
    assert main(["join", "pharmacy.parquet", "rest.parquet", "--stack", "--out", "s.csv"]) == 0
    assert read_table(home / "s.csv").n_rows == 400
    assert main(["join", "pharmacy.parquet", "rest.parquet", "--out", "t.csv"]) == 2
    assert "--stack" in capsys.readouterr().err


def test_printed_rules_and_centres_are_decoded(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert masked("hospital", "--bounds", "age=16,32,..", "--aliases", "sorted") == 0
    (home / "rules.txt").write_text("H_diagnosis=diagnosis_1 -> H_age <= 1.5000\n")
    (home / "centres.csv").write_text("H_age,n\n1.5,3\n2.25,4\n")
    (home / "rules.json").write_text(json.dumps([{"if": "H_diagnosis=diagnosis_2", "n": 3}]))
    capsys.readouterr()
    sent = ["--codebook", "hospital.book", "--for", "hospital.parquet"]
    assert main(["decode", "rules.txt", *sent]) == 0
    assert capsys.readouterr().out == "diagnosis=asthma -> age <= 24 [24, 25)\n"
    assert main(["decode", "rules.txt", *sent, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["result"] == "diagnosis=asthma -> age <= 24 [24, 25)\n"
    assert told["still_masked"] == []
    assert main(["decode", "centres.csv", *sent]) == 0
    assert capsys.readouterr().out == "age,n\n24,3\n36,4\n"
    (home / "means.csv").write_text("H_age,n\n1.53125,3\n2.25,4\n")
    assert main(["decode", "means.csv", *sent]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("H_age,n\n1.53125,3\n")
    assert "Still masked: H_age" in said.err
    assert main(["decode", "means.csv", *sent, "--numbers", "means"]) == 0
    assert capsys.readouterr().out == "age,n\n24.5,3\n36.0,4\n"
    assert main(["decode", "means.csv", *sent, "--numbers", "guesses"]) == 2
    (home / "days.csv").write_text("H_age,day\n1.5,2020-02-29\n2.25,\n")
    capsys.readouterr()
    assert main(["decode", "days.csv", *sent, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["result"]
    assert told == {"age": [24, 36], "day": ["2020-02-29", None]}
    assert main(["decode", "rules.json", *sent, "--out", "r.json"]) == 0
    assert json.loads((home / "r.json").read_text()) == [{"if": "diagnosis=gout", "n": 3}]
    assert stat.S_IMODE((home / "r.json").stat().st_mode) == 0o600
    (home / "formula.txt").write_text("risk: 0.5 times H_age; H_diagnosis=diagnosis_1\n")
    capsys.readouterr()
    assert main(["decode", "formula.txt", *sent, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["result"] == "risk: 0.5 times H_age; diagnosis=asthma\n"
    assert told["still_masked"] == ["H_age"]


@pytest.mark.parametrize("command", [["party"], ["party", "init"], ["mask"], ["join"], ["decode"]])
def test_help_shows_an_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Usage: privet" in out
    assert command == ["party"] or "Example: privet" in out
