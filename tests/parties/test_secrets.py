"""Secrets: their files, their encryption, and that nothing that leaves a party holds them."""

import json
import os
import stat
from pathlib import Path

import pytest

from privet.errors import InputError, PrivetError, UsageError
from privet.files import table_of
from privet.parties import Codebook, ProjectKey, mask
from privet.parties import secret_file as secret_file_module
from privet.parties.secret_file import open_to_others, read_passphrase, read_secret, write_secret

CELLS = {
    "id": [f"NHS-{i:04d}" for i in range(60)],
    "diagnosis": [["melanoma", "asthma", "gout"][i % 3] for i in range(60)],
    "weight": [51.75 + i for i in range(60)],
    "ward": [["ward-E", "ward-W"][i % 2] for i in range(60)],
}


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_a_secret_is_its_owners_alone_from_the_first_byte(
    passphrase: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    plain_write = Path.write_text

    def watched(path: Path, *arguments: object, **options: object) -> int:
        seen.append(stat.S_IMODE(path.stat().st_mode))
        return plain_write(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", watched)
    old = os.umask(0)
    try:
        write_secret(tmp_path / "s", {"a": 1}, passphrase)
    finally:
        os.umask(old)
    assert seen == [0o600]
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
    assert not open_to_others(tmp_path / "s")
    assert read_secret(tmp_path / "s", "codebook", passphrase) == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


def test_an_existing_secret_is_not_overwritten(tmp_path: Path) -> None:
    ProjectKey.new("one").write(tmp_path / "k")
    before = (tmp_path / "k").read_bytes()
    with pytest.raises(UsageError, match="exists already"):
        ProjectKey.new("two").write(tmp_path / "k")
    assert (tmp_path / "k").read_bytes() == before


def test_encryption_hides_the_text_and_notices_changes(tmp_path: Path) -> None:
    path = tmp_path / "s"
    write_secret(path, {"label": "melanoma"}, "right")
    assert b"melanoma" not in path.read_bytes()
    with pytest.raises(InputError, match="passphrase does not open"):
        read_secret(path, "codebook", "wrong")
    with pytest.raises(UsageError, match="is encrypted"):
        read_secret(path, "codebook", None)
    data = json.loads(path.read_text())
    for field in ("salt", "nonce", "data"):
        forged = {**data, field: data[field][:4][::-1] + data[field][4:]}
        path.write_text(json.dumps(forged))
        with pytest.raises(InputError):
            read_secret(path, "codebook", "right")
    for cost in ([2**40, 8, 1], [2**20, 64, 1], [2**17, 8, 2**30], [2**17, 2**200, 1]):
        path.write_text(json.dumps({**data, "cost": cost}))
        with pytest.raises(InputError, match="more than 512 MB"):
            read_secret(path, "codebook", "right")
    for cost in (
        "[Infinity, 8, 1]",
        "[1e5, 8, 1]",
        "[3, 8, 1]",
        "[0, 8, 1]",
        "[8]",
        "null",
        "[true, 8, 1]",
    ):
        path.write_text(json.dumps({**data, "cost": 0}).replace('"cost": 0', f'"cost": {cost}'))
        with pytest.raises(InputError):
            read_secret(path, "codebook", "right")


def test_secrets_that_were_locked_with_a_lower_cost_still_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_file_module, "_COST", 2**15)
    write_secret(tmp_path / "old", {"a": 1}, "right")
    monkeypatch.undo()
    assert json.loads((tmp_path / "old").read_text())["cost"] == [2**15, 8, 1]
    assert read_secret(tmp_path / "old", "codebook", "right") == {"a": 1}
    write_secret(tmp_path / "new", {"a": 1}, "right")
    assert json.loads((tmp_path / "new").read_text())["cost"] == [2**17, 8, 1]


@pytest.mark.parametrize("passphrase", [None, "right"])
def test_a_truncated_secret_is_an_error_at_any_length(
    passphrase: str | None, tmp_path: Path
) -> None:
    key = ProjectKey.new("p")
    book = mask(table_of(CELLS), key="id", sensitive=["diagnosis"], project_key=key).codebook
    for whole, read in ((book, Codebook.read), (key, ProjectKey.read)):
        path = tmp_path / "s"
        path.unlink(missing_ok=True)
        whole.write(path, passphrase)  # type: ignore[attr-defined]
        content = path.read_bytes().rstrip()
        for length in range(0, len(content), max(1, len(content) // 25)):
            path.write_bytes(content[:length])
            with pytest.raises(InputError):
                read(path, passphrase)  # type: ignore[operator]


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"is": "privet codebook"}', '{"is": "x", "format": 1}', "\x00", "{}"]
)
def test_other_files_are_no_secrets(text: str, tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text(text)
    for read in (Codebook.read, ProjectKey.read):
        with pytest.raises(InputError):
            read(path)  # type: ignore[operator]


def test_passphrase_files(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text("two words\nmore\n")
    assert read_passphrase(path) == "two words"
    assert read_passphrase(None) is None
    path.write_text("\n")
    with pytest.raises(InputError, match="empty"):
        read_passphrase(path)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_nothing_that_is_sent_holds_a_secret(ending: str, tmp_path: Path) -> None:
    key = ProjectKey.new("p")
    masked = mask(
        table_of(CELLS), key="id", sensitive=["diagnosis", "weight"], project_key=key, seed=5
    )
    masked.write(tmp_path / f"sent.{ending}")
    (tmp_path / "fill.json").write_text(json.dumps(masked.fill))
    (tmp_path / "told.json").write_text(json.dumps(masked.about))
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        for secret in ("NHS-", "melanoma", "asthma", "gout", key.secret.hex()):
            assert secret.encode() not in content
        assert key.secret not in content
    if ending == "csv":
        sent = (tmp_path / "sent.csv").read_text()
        assert not any(f",{weight}," in sent for weight in CELLS["weight"])


def test_errors_hold_no_cell(tmp_path: Path) -> None:
    key = ProjectKey.new("p")
    messages = []
    for choices in (
        {"bounds": {"weight": "60,70"}},
        {"key": "ward"},
        {"bounds": {"weight": "51.75"}},
        {"bounds": {"diagnosis": "3"}},
    ):
        arguments = {"key": "id", "sensitive": ["diagnosis", "weight"], "project_key": key}
        with pytest.raises(PrivetError) as caught:
            mask(table_of(CELLS), **{**arguments, **choices})  # type: ignore[arg-type]
        messages.append(str(caught.value))
    for message in messages:
        assert not any(word in message for word in ("NHS", "melanoma", "51.75", "110.75", "ward-"))


def test_a_repeated_run_draws_other_aliases_unless_seeded() -> None:
    table = table_of({"id": list(range(26)), "x": [chr(97 + i) for i in range(26)]})
    key = ProjectKey.new("p")

    def drawn(seed: int | None) -> dict[str, object]:
        masked = mask(table, key="id", sensitive=["x"], project_key=key, seed=seed)
        return masked.codebook.columns["x"].to_data()

    assert drawn(None) != drawn(None)
    assert drawn(4) == drawn(4)
    assert drawn(4) != drawn(5)
