"""What the parties' commands write: never on top of what they read, and all files or none."""

import os
from pathlib import Path

import pytest

from privet.cli.main import main
from privet.files.maskings import sidecar_of
from privet.tree.exchange.model_file import read_model, read_models, to_text

ROWS = "\n".join(f"p{i},{20 + i % 50},{'abc'[i % 3]},{'yes' if i % 4 else 'no'}" for i in range(60))
MASK = ["mask", "good.csv", "--key", "id", "--sensitive", "age,diag", "--project-key", "pk.json"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(f"id,age,diag,y\n{ROWS}\n")
    (tmp_path / "words").write_text("correct horse\n")
    assert main(["party", "init", "--project", "p", "--out", "pk.json"]) == 0
    assert main([*MASK, "--codebook", "book", "--out", "sent.parquet"]) == 0
    (tmp_path / "other.csv").write_text(f"id,age,diag,z\n{ROWS}\n")
    more = ["--drop", "age,diag", "--codebook", "book2", "--out", "sent2.parquet"]
    other = ["mask", "other.csv", "--key", "id", "--sensitive", "z", "--project-key", "pk.json"]
    assert main([*other, *more]) == 0
    assert main(["join", "sent.parquet", "sent2.parquet", "--out", "joined.parquet"]) == 0
    assert main(["tree", "joined.parquet", "--target", "H_z", "--out", "m.json"]) == 0
    (tmp_path / "fill.json").write_text("{}")
    (tmp_path / "link").symlink_to("pk.json")
    os.link(tmp_path / "pk.json", tmp_path / "hard")
    os.link(tmp_path / "book", tmp_path / "hardbook")
    (tmp_path / "here").symlink_to(tmp_path)
    return tmp_path


def state(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(home.iterdir()) if path.is_file()}


NEW = ["--codebook", "new", "--out", "new.parquet"]
OLD = ["--codebook", "book", "--out", "new.parquet"]
JOIN = ["join", "sent.parquet", "sent2.parquet", "--force"]
DECODE = ["decode", "m.json", "--codebook", "book", "--force"]


@pytest.mark.parametrize(
    "asked",
    [
        [*MASK, "--codebook", "new", "--out", "pk.json", "--force"],
        [*MASK, "--codebook", "new", "--out", "pk.csv", "--fill-out", "pk.json", "--force"],
        [*MASK, "--codebook", "same.csv", "--out", "same.csv"],
        [*MASK, "--codebook", "same.csv", "--out", "here/same.csv"],
        [*MASK, *NEW, "--fill-out", "new"],
        [*MASK, *NEW, "--fill-out", "new.parquet"],
        [*MASK, *NEW, "--fill-out", "link", "--force"],
        [*MASK, *NEW, "--fill-out", "hard", "--force"],
        [*MASK, *NEW, "--fill-out", "good.csv", "--force"],
        [*MASK, *NEW, "--fill-out", "words", "--passphrase-file", "words", "--force"],
        [*MASK, *OLD, "--fill-out", "book", "--force"],
        [*MASK, *OLD, "--fill-out", "hardbook", "--force", "--extend"],
        [*MASK, *OLD, "--fill-out", "here/book", "--force"],
        [*MASK, "--codebook", "pk.json", "--out", "new.parquet", "--force"],
        [*MASK, "--codebook", "hard", "--out", "new.parquet", "--force", "--extend"],
        [*MASK, "--codebook", "x.csv.privet.json", "--out", "x.csv"],
        [*JOIN, "--out", "sent.parquet"],
        [*JOIN, "--out", "here/sent2.parquet"],
        [*JOIN, "--fill", "fill.json", "--out", "fill.json"],
        [*DECODE, "--out", "m.json"],
        [*DECODE, "--out", "book"],
        [*DECODE, "--out", "hardbook"],
        [*DECODE, "--out", "joined.parquet", "--for", "joined.parquet"],
        [*DECODE, "--out", "words", "--passphrase-file", "words"],
        ["party", "init", "--project", "p", "--out", "words", "--passphrase-file", "words"],
        ["party", "init", "--project", "p", "--out", "pk.json"],
        ["party", "init", "--project", "p", "--out", "link"],
    ],
    ids=lambda asked: " ".join(asked[-6:]),
)
def test_an_output_is_never_an_input_or_another_output(asked: list[str], home: Path) -> None:
    before = state(home)
    assert main(asked) in (2, 3)
    assert state(home) == before


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_failure_leaves_everything_as_it_was(
    ending: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full when the last file is written: the codebook of before is still there."""
    out, fill = home / f"out.{ending}", home / "f.json"
    sidecar = sidecar_of(out)
    for path in filter(None, (out, fill, sidecar)):
        path.write_text("what was there")
    before = state(home)
    plain = Path.write_text

    def full(path: Path, text: str, *rest: object, **more: object) -> int:
        if text.startswith("{\n"):  # the fill values, and what stands beside a table
            raise OSError(28, "No space left on device")
        return plain(path, text, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", full)
    more = ["--codebook", "book", "--extend", "--out", out.name, "--fill-out", fill.name, "--force"]
    assert main([*MASK, *more]) == 2
    assert state(home) == before
    monkeypatch.undo()
    os.chdir(home)
    assert main([*MASK, *more]) == 0
    assert state(home)["f.json"] != b"what was there"


def test_a_huge_number_of_homophones_is_refused_at_once(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wanted in ("9999999999", "9" * 30, "9" * 6000):
        assert main([*MASK, *NEW, "--homophones", f"diag={wanted}"]) == 2
        said = capsys.readouterr().err
        assert "homophones" in said
        assert "Hint:" in said
    assert "to 60" in _said(capsys, "--homophones", "diag=9999999999")


def test_every_tree_of_a_model_is_decoded(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of a release that keeps several trees; one may have columns of others alone."""
    tree = ["tree", "joined.parquet", "--leaves", "3"]
    assert main([*tree, "--target", "H_diag", "--out", "diag.json"]) == 0
    assert main([*tree, "--target", "y", "--drop", "H_age,H_diag", "--out", "y.json"]) == 0
    models = [read_model(home / name) for name in ("y.json", "m.json", "diag.json")]
    (home / "all.json").write_text(to_text(*models))
    capsys.readouterr()
    asked = ["decode", "all.json", "--codebook", "book", "--out", "all-decoded.json"]
    assert main(asked) == 0
    said = capsys.readouterr()
    assert "diag: 60 records" in said.out
    assert "H_diag" not in said.out
    assert "Still masked, of other parties: H_z." in said.err
    decoded = read_models(home / "all-decoded.json")
    assert decoded[0] == models[0]
    for name, tree_of_it in zip(("m.json", "diag.json"), decoded[1:], strict=True):
        main(["decode", name, "--codebook", "book", "--out", f"one-{name}"])
        assert tree_of_it == read_model(home / f"one-{name}")
    assert main([*asked[:4], "--out", "all.pmml"]) == 2
    assert "holds 3 trees" in capsys.readouterr().err


def _said(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    main([*MASK, *NEW, *more])
    return capsys.readouterr().err
