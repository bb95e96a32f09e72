"""`privet report`: made again, never at the cost of the release."""

from pathlib import Path

import pytest

from privet.cli.main import main
from privet.release.verify import verify
from report.releases import edit_manifest, people


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people().save(tmp_path / "release", format="csv")
    return tmp_path / "release"


def test_a_lost_or_changed_report_comes_back(folder: Path) -> None:
    path = folder / "report.html"
    first = path.read_bytes()
    for damage in (lambda: None, path.unlink, lambda: path.write_text("changed")):
        damage()
        assert main(["report", str(folder)]) == 0
        assert path.read_bytes() == first
    assert verify(folder).holds


def test_other_bytes_than_listed_are_not_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "report.html"
    first = path.read_bytes()

    def later(data: dict) -> None:
        data["published"] = "1999-12-31"

    edit_manifest(folder, later)
    for options in ([], ["--force"], ["--out", str(path), "--force"]):
        assert main(["report", str(folder), *options]) == 2
        assert "--out" in capsys.readouterr().err
        assert path.read_bytes() == first
    assert main(["report", str(folder), "--out", str(folder.parent / "new.html")]) == 0
    assert "1999-12-31" in (folder.parent / "new.html").read_text(encoding="utf-8")


def test_nothing_is_added_to_a_release(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    people().save(folder, format="csv", report=False)
    assert main(["report", str(folder)]) == 2
    assert main(["report", str(folder), "--out", str(folder / "other.html")]) == 2
    assert verify(folder).holds
    assert main(["report", str(folder), "--out", str(tmp_path / "r.html")]) == 0
    assert main(["report", str(folder), "--out", str(tmp_path / "r.html")]) == 2
    assert main(["report", str(folder), "--out", str(tmp_path / "r.html"), "--force"]) == 0


@pytest.mark.parametrize("name", ["manifest.json", "model.json", "data.csv"])
def test_files_of_the_release_are_safe(folder: Path, name: str) -> None:
    before = (folder / name).read_bytes()
    assert main(["report", str(folder), "--out", str(folder / name), "--force"]) == 2
    assert (folder / name).read_bytes() == before


def test_what_is_no_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "nowhere")]) == 3
    assert main(["report", str(tmp_path)]) == 3
    assert "Hint:" in capsys.readouterr().err
