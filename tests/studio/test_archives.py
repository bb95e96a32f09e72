"""Archives that come in are believed in nothing: sizes, numbers, names, links."""

import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InputError
from privet.studio import archives
from privet.studio.archives import pack, unpack


def archive_of(path: Path, files: dict[str, bytes], mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = mode << 16
            made.writestr(entry, content)
    return path


def test_what_is_packed_is_unpacked(tmp_path: Path) -> None:
    release = tmp_path / "release"
    (release / "data").mkdir(parents=True)
    contents = {"manifest.json": b"{}", "data/part-00000.parquet": b"PAR1" * 9}
    for name, content in contents.items():
        (release / name).write_bytes(content)
    made = pack(release, tmp_path / "a.zip")
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert pack(release, tmp_path / "b.zip").read_bytes() == made.read_bytes()
    (tmp_path / "out").mkdir()
    unpack(made, tmp_path / "out")
    for name, content in contents.items():
        assert (tmp_path / "out" / name).read_bytes() == content


@pytest.mark.parametrize(
    "name",
    [
        "../manifest.json",
        "/manifest.json",
        "a/../../manifest.json",
        "C:\\manifest.json",
        "a\\..\\b",
        ".hidden",
        "a/b/c/d",
        "a//b",
        "nul\x01",
        "-option",
        "x" * 300,
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    made = archive_of(tmp_path / "a.zip", {name: b"x", "manifest.json": b"{}"})
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="name that no release has"):
        unpack(made, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip", "out"}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    made = archive_of(tmp_path / "a.zip", {"manifest.json": b"/etc/passwd"}, kind | 0o777)
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="a link or a device"):
        unpack(made, tmp_path / "out")


def test_a_bomb_is_stopped(tmp_path: Path) -> None:
    made = archive_of(tmp_path / "a.zip", {"data.csv": b"\0" * (20 << 20)})
    assert made.stat().st_size < 100_000
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="more than a release may"):
        unpack(made, tmp_path / "out", most_bytes=1 << 20)
    assert (tmp_path / "out" / "data.csv").stat().st_size <= 1 << 20


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    made = archive_of(tmp_path / "a.zip", {f"f{n}": b"x" for n in range(4)})
    with pytest.raises(InputError, match="more than 3 files"):
        unpack(made, tmp_path)


def test_a_name_that_comes_twice_is_refused(tmp_path: Path) -> None:
    made = archive_of(tmp_path / "a.zip", {"data.csv": b"x", "DATA.csv": b"y"})
    with pytest.raises(InputError, match="twice"):
        unpack(made, tmp_path)


@given(st.binary(max_size=200))
def test_what_is_no_archive_is_refused(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.zip"
        path.write_bytes(content)
        with pytest.raises(InputError):
            unpack(path, Path(folder))


@given(st.data())
def test_a_spoilt_archive_is_refused_or_read(data: st.DataObject) -> None:
    """Whatever a byte is changed to, there is a sentence or the files, never a traceback."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = archive_of(Path(folder) / "a.zip", {"r/manifest.json": b"{}" * 50, "r/d.csv": b"a"})
        content = bytearray(made.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        made.write_bytes(content)
        out = Path(folder) / "out"
        out.mkdir()
        try:
            unpack(made, out)
        except InputError:
            return
        assert all(out in path.resolve().parents for path in out.rglob("*"))
