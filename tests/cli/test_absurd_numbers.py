"""Options with numbers that nobody means: an answer or a sentence, and soon."""

import time
from pathlib import Path

import pytest

from privet.cli.main import main

HUGE = "9" * 21
TABLE = "age,diag,y\n" + "".join(f"{20 + i % 9},d{i % 3},{'ab'[i % 2]}\n" for i in range(40))
SCHEMA = """
[columns.age]
kind = "decimal"
role = "quasi"
domain = [0, 99]
[columns.y]
kind = "category"
role = "target"
"""
WRITES = ("publish", "anonymise", "noise", "substitute")


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (f"publish -k 2 --leaves {HUGE}", 2),
        (f"publish -k {HUGE}", 2),
        (f"publish -k 2 --min-leaf {HUGE}", 2),
        ("publish -k 2 -l 1e999999999 --sensitive diag", 2),
        ("publish -k 2 -t 1e-999999999 --sensitive diag", 2),
        (f"anonymise -k {HUGE}", 2),
        ("anonymise -k 2 -l 1e999999999 --sensitive diag", 2),
        ("anonymise -k 2 -t 1e-999999999 --sensitive diag", 2),
        (f"explore --leaves {HUGE}", 2),
        (f"explore -k {HUGE}", 2),
        (f"tree --leaves {HUGE}", 0),
        (f"tree --depth {HUGE}", 0),
        (f"tree --min-leaf {HUGE}", 0),
        (f"tree --min-gain {HUGE}", 0),
        (f"tree --guard {HUGE}", 0),
        (f"publish -k 2 --guard {HUGE}", 2),
        (f"explore --guard {HUGE}", 2),
        (f"noise --leaves {HUGE}", 0),
        (f"noise --cousins {HUGE}", 2),
        (f"noise --seed {HUGE}{HUGE}{HUGE}", 0),
        (f"substitute --domain-from-data --bins {HUGE}", 0),
        (f"substitute --schema t.toml --bins {HUGE}", 2),
        ("substitute --schema t.toml --bins 99999999", 2),
        ("substitute --domain-from-data --gamma 1e999999999", 2),
        ("substitute --domain-from-data --gamma 1e-999999999", 2),
        (f"substitute --domain-from-data --gamma {HUGE * 50}", 2),
        ("substitute --domain-from-data --rho1 1e-999999999 --rho2 0.5", 2),
        *(
            (f"substitute --domain-from-data --epsilon {number}", status)
            for number, status in (("1e999999999", 2), ("-1", 2), ("0", 2), ("nan", 2), (HUGE, 0))
        ),
        ("substitute --domain-from-data --epsilon 9 --importance age=0", 2),
        ("substitute --domain-from-data --epsilon 9 --importance age=1e-200", 2),
        (f"advise --bins {HUGE}", 2),
        ("advise --gammas 1e999999999", 2),
        *((f"advise --accuracy={share}", 2) for share in ("nan", "inf", "1e400", "-1", "1.01")),
        *((f"noise --spike age={number}", 2) for number in ("nan", "inf", "-inf", "1e400")),
        ("noise --spike age=nan --innocent none --influential none", 2),
        ("noise --spike age=1e300", 0),
    ],
)
def test_numbers_that_nobody_means(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    asked: str,
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "t.toml").write_text(SCHEMA)
    command, *options = asked.split()
    out = ["--out", str(tmp_path / "out.csv")] if command in WRITES else []
    start = time.monotonic()
    found = main([command, str(tmp_path / "t.csv"), "--target", "y", *options, *out])
    err = capsys.readouterr().err
    assert time.monotonic() - start < 60
    assert found == status, err
    if status:
        assert "\nHint: " in err
        assert len(err) < 1000
