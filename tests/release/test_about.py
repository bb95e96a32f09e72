"""Title, publisher and licence: plain words of the publisher, in manifest and report, attested."""

import html
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.cli.main import main
from privet.errors import InputError, InvalidParameter, UsageError
from privet.release.about import MOST_LETTERS, About
from privet.release.layout import MANIFEST, REPORT
from privet.release.manifest import Manifest
from privet.report.html import render_report

PEOPLE = {"age": [30, 31, 32, 60, 61, 62] * 5, "buys": (["no"] * 3 + ["yes"] * 3) * 5}
SAID = ["--title", "Shop <b>survey</b> & more", "--publisher", "Ünïversity", "--licence", "CC0"]
PLAIN = st.text(min_size=1, max_size=MOST_LETTERS).filter(
    lambda text: text.isprintable() and text == text.strip()
)


def release(**said: str) -> privet.Release:
    return privet.publish(PEOPLE, target="buys", k=3, leaves=2, recoding="leaf", **said)


@pytest.fixture(scope="module")
def plain() -> privet.Release:
    return release()


@given(title=PLAIN, publisher=st.none() | PLAIN)
def test_plain_words_go_in_and_come_out(
    title: str,
    publisher: str | None,
    plain: privet.Release,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    about = About(title, publisher)
    path = tmp_path_factory.mktemp("about") / MANIFEST
    path.write_text(replace(plain.manifest, about=about).to_text(), encoding="utf-8")
    assert Manifest.read(path).about == about


@given(
    st.text(max_size=8).flatmap(
        lambda text: st.sampled_from(["\n", "\t", "\x1b", "\u202e", "\x00", "\u2028"]).map(
            lambda mark: f"a{text}{mark}b"
        )
    )
    | st.sampled_from(["", " ", " a", "a ", "a" * (MOST_LETTERS + 1)])
)
def test_whatever_is_no_plain_line_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="licence must be one line of plain text"):
        About(licence=text)


def test_nothing_is_said_unless_somebody_says_it(plain: privet.Release) -> None:
    assert not plain.manifest.about
    assert "about" not in plain.manifest.to_data()


def test_the_report_says_it_and_verifying_makes_it_again(tmp_path: Path) -> None:
    release(title="A <b> & “c”", publisher="P", licence="CC0").save(tmp_path / "r")
    text = (tmp_path / "r" / REPORT).read_text(encoding="utf-8")
    assert f"<dd><bdi>{html.escape('A <b> & “c”')}</bdi></dd>" in text
    assert "<title>A &lt;b&gt; &amp; “c”. Release report" in text
    found = privet.verify(tmp_path / "r")
    assert found
    assert ("about", "attested") in [(check.name, check.answer) for check in found.checks]


def test_a_changed_title_is_seen(tmp_path: Path) -> None:
    release(title="Survey of shops").save(tmp_path / "r")
    path = tmp_path / "r" / MANIFEST
    path.write_text(path.read_text().replace("Survey of shops", "Census of shops"))
    found = privet.verify(tmp_path / "r")
    assert [check.name for check in found.checks if check.answer == "no"] == [REPORT]


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"title": "a\nb"},
        {"title": "a" * (MOST_LETTERS + 1)},
        {"title": 5},
        {"title": None},
        {"titel": "a"},
        [],
        "title",
        None,
    ],
)
def test_a_manifest_with_other_words_is_refused(
    about: object, plain: privet.Release, tmp_path: Path
) -> None:
    path = tmp_path / MANIFEST
    path.write_text(json.dumps(plain.manifest.to_data() | {"about": about}))
    with pytest.raises(InputError, match="malformed"):
        Manifest.read(path)


@pytest.mark.parametrize(
    "command",
    [
        ["publish", "t.csv", "--target", "buys", "-k", "3", "--recoding", "leaf"],
        ["noise", "t.csv", "--target", "buys"],
        ["substitute", "t.csv", "--target", "buys", "--domain-from-data", "--bins", "3"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_that_publishes_takes_them(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    privet.write_table(privet.table_of(PEOPLE), "t.csv")
    assert main([*command, *SAID, "--out", "r"]) == 0
    assert main(["verify", "r"]) == 0
    assert "attested  about" in capsys.readouterr().out
    assert Manifest.read(Path("r") / MANIFEST).about == About(*SAID[1::2])
    text = render_report(Path("r"))
    assert text == Path("r", REPORT).read_text(encoding="utf-8")
    assert "Shop &lt;b&gt;survey&lt;/b&gt; &amp; more" in text
    assert "Ünïversity" in text
    assert main([*command, "--title", "a\tb", "--out", "q"]) == 2
    assert "--title must be one line of plain text" in capsys.readouterr().err
    assert not Path("q").exists()


def test_the_functions_take_them() -> None:
    said = {"title": "T", "publisher": "P", "licence": "L"}
    by_noise = privet.add_noise(PEOPLE, target="buys", **said)
    drawn = privet.substitute(PEOPLE, target="buys", domain_from_data=True, bins=3, **said)
    for made in (release(**said), by_noise, drawn):
        assert made.manifest.about.to_data() == said


def test_a_table_alone_has_no_place_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    privet.write_table(privet.table_of(PEOPLE), "t.csv")
    asked = ["substitute", "t.csv", "--target", "buys", "--domain-from-data", "--bins", "3"]
    assert main([*asked, "--title", "T", "--out", "f.csv"]) == UsageError.exit_status
    assert "name a folder" in capsys.readouterr().err
    assert not Path("f.csv").exists()
