"""What `substitute`, `rebuild` and `tree --mechanism` refuse, and that `verify` finds originals."""

import random
from pathlib import Path

import pytest

import privet
from privet.cli.main import main
from privet.errors import ClaimNotBorneOut
from privet.mechanism.substitution import Substitution

SCHEMA = """
[columns.age]
kind = "integer"
domain = [18, 80]

[columns.job]
domain = ["cook", "clerk", "nurse"]
other = "other"

[columns.class]
role = "target"
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    toss = random.Random(7)
    jobs = ["cook"] * 40 + ["clerk", "nurse", "tailor"]
    rows = [f"{toss.randint(18, 80)},{toss.choice(jobs)},{toss.choice('yn')}" for _ in range(900)]
    (tmp_path / "people.csv").write_text("\n".join(["age,job,class", *rows]) + "\n")
    (tmp_path / "people.toml").write_text(SCHEMA)
    return tmp_path


def refused(words: list[str], capsys: pytest.CaptureFixture[str], status: int = 2) -> str:
    capsys.readouterr()
    assert main(words) == status
    return capsys.readouterr().err


def test_the_report_says_once_what_no_epsilon_covers(people: Path) -> None:
    """Columns in clear, domains from the records, and that only the publisher knows of others."""
    asked = ["substitute", str(people / "people.csv"), "--target", "class"]
    assert main([*asked, "--domain-from-data", "--out", str(people / "from-data")]) == 0
    page = (people / "from-data" / "report.html").read_text()
    assert page.count("comes from the records") == 1
    assert "The domain of age, job comes from the records: it shows which values and which" in page
    assert "sum over its columns but for class, which nothing hides" in page
    public = [*asked, "--schema", str(people / "people.toml"), "--with-target"]
    (people / "people.toml").write_text(SCHEMA + 'domain = ["n", "y"]\n')
    assert main([*public, "--out", str(people / "public")]) == 0
    page = (people / "public" / "report.html").read_text()
    assert "and that their domains do not come from the records, only the publisher" in page
    assert "which nothing hides" not in page


@pytest.mark.parametrize("out", ["pair.csv", "folder"])
def test_between_n_and_2n_whole_numbers_are_substituted_and_read(out: str, tmp_path: Path) -> None:
    toss = random.Random(1)
    rows = [f"{20 + i % 29},{toss.choice('yn')}" for i in range(290)]
    (tmp_path / "t.csv").write_text("\n".join(["age,class", *rows]) + "\n")
    place = str(tmp_path / out)
    asked = ["--target", "class", "--domain-from-data", "--out", place]
    assert main(["substitute", str(tmp_path / "t.csv"), *asked]) == 0
    beside = ["--mechanism", str(tmp_path / "pair.mechanism.json")] if out == "pair.csv" else []
    rebuilt = ["--target", "class", "--out", str(tmp_path / "g.csv")]
    assert main(["rebuild", place, *beside, *rebuilt]) == 0


def test_an_identifier_is_not_perturbed(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, out = str(people / "people.csv"), people / "out.csv"
    for named in (["--columns", "age"], ["--joint", "age+job"]):
        asked = ["--domain-from-data", "--identifier", "age", *named, "--out", str(out)]
        said = refused(["substitute", table, "--target", "class", *asked], capsys)
        assert "Column 'age' is an identifier" in said
        assert "--columns and --joint" in said
        assert not out.exists()


def test_a_table_of_originals_is_not_taken_for_a_perturbed_one(
    people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, schema = str(people / "people.csv"), ["--schema", str(people / "people.toml")]
    assert main(["substitute", table, *schema, "--out", str(people / "p.csv")]) == 0
    mechanism = ["--mechanism", str(people / "p.mechanism.json"), "--target", "class"]
    for command in (["rebuild", "--out", str(people / "g.csv")], ["tree"]):
        said = refused([command[0], table, *mechanism, *command[1:]], capsys)
        assert "cells that its matrix cannot draw" in said
        assert "not perturbed" in said


@pytest.mark.parametrize(
    ("column", "job", "said"),
    [
        ("age", "nurse", "the data hold values that the matrices do not know"),
        ("job", "tailor", "the data hold values that the matrices do not know"),
        ("job", "nurse", "a value of 'job' is seen more or less often than its matrix can draw"),
        ("class", "nurse", ""),
    ],
)
def test_originals_that_no_draw_can_give_are_found(
    people: Path, monkeypatch: pytest.MonkeyPatch, column: str, job: str, said: str
) -> None:
    """A liar hands out the originals; those that could have been drawn are only attested."""
    text = (people / "people.csv").read_text().replace("tailor", job)
    (people / "people.csv").write_text(text)
    declared = people / "people.toml"
    declared.write_text(SCHEMA.replace('role = "target"', 'domain = ["y", "n"]'))
    monkeypatch.setattr(Substitution, "drawn", lambda self, table, *_: table)
    asked = {"schema": str(declared), "columns": [column], "gamma": 2}
    release = privet.substitute(str(people / "people.csv"), **asked)  # type: ignore[arg-type]
    if said:
        with pytest.raises(ClaimNotBorneOut, match=said):
            release.save(people / "out")
    else:
        release.save(people / "out")
        assert privet.verify(people / "out").holds


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--schema", "people.toml"], "--schema"),
        (["--category", "class"], "--category"),
        (["--missing", "?"], "--missing"),
        (["--categories", "multiway"], "--categories"),
        (["--drop", "class"], "The target 'class' is dropped"),
        (["--identifier", "class"], "The target 'class' is dropped or an identifier"),
    ],
)
def test_what_a_tree_of_originals_has_no_use_for_is_refused(
    people: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(people / "release")
    table = [str(people / "people.csv"), "--schema", str(people / "people.toml")]
    assert main(["substitute", *table, "--out", out]) == 0
    given = [word.replace("people.toml", table[2]) for word in more]
    assert said in refused(["tree", out, "--target", "class", *given], capsys)


def test_what_is_said_of_a_column_is_said_once(
    people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [str(people / "people.csv"), "--schema", str(people / "people.toml")]
    twice = ["--epsilon", "5", "--importance", "age=2", "--importance", "age=3"]
    said = refused(["substitute", *table, *twice, "--out", str(people / "o.csv")], capsys)
    assert "--importance names column 'age' twice" in said


@pytest.mark.parametrize("number", ["1e400", "1e308", "9" * 300])
def test_absurd_gammas_are_told_in_a_sentence(
    people: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [str(people / "people.csv"), "--schema", str(people / "people.toml")]
    out = ["--out", str(people / "o.csv")]
    for option in (["--gamma", number], ["--rho1", "1e-300", "--rho2", "0.5"]):
        assert len(refused(["substitute", *table, *option, *out], capsys)) < 400
    refused(["advise", *table, "--gammas", "1e400"], capsys)
