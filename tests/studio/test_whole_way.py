"""From a file to a verified release, and the same release by the command line and by Python."""

import json
import os
import re
import shlex
import zipfile
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest

import privet
from privet.cli.main import main
from studio.visiting import Visitor, table_text, words_of

LEVELS = [
    {"k": "3", "l": "1", "t": "1"},
    {"k": "4", "l": "1.5", "t": "0.8"},
]


def previewed(visitor: Visitor, leaves: str | None = None) -> Visitor:
    """A visitor who has chosen a size, by its number or as marked."""
    visitor.wait("trade_off")
    found = visitor.tab.found("trade_off")
    visitor.do("point", leaves=leaves or found["chosen"])
    visitor.wait("preview")
    assert visitor.tab.jobs["preview"].state == "done", visitor.tab.jobs["preview"].message
    return visitor


def published(visitor: Visitor, **fields: str) -> str:
    visitor.do("publish", **({"out": "the release", "audit": "inside"} | fields))
    page = visitor.wait("publish")
    assert visitor.tab.jobs["publish"].state == "done", visitor.tab.jobs["publish"].message
    return page


def shown(page: str, name: str) -> str:
    found = re.search(rf'<code id="{name}">(.*?)</code>', page, re.DOTALL)
    assert found is not None
    return unescape(found[1])


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("leaves", [None, "3"])
def test_the_shown_command_and_python_make_the_same_release(
    levels: dict[str, str],
    leaves: str | None,
    visitor: Visitor,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (home / "people of mine.csv").write_text(table_text())
    visitor.do("open_path", path="people of mine.csv")
    visitor.wait("table")
    visitor.choose("diagnosis", "sensitive")
    visitor.choose("readmitted", "target")
    visitor.do("levels", **levels)
    page = published(previewed(visitor, leaves), title="People's table", format="csv")
    made = json.loads((home / "the release" / "manifest.json").read_text())
    assert visitor.tab.found("publish")["content_sha256"] == made["content_sha256"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "people of mine.csv").write_text(table_text())
    monkeypatch.chdir(elsewhere)
    line = shown(page, "command")
    assert main(shlex.split(line)[1:]) == 0
    again = (elsewhere / "the release" / "manifest.json").read_bytes()
    assert again == (home / "the release" / "manifest.json").read_bytes()
    assert (elsewhere / "inside" / "audit.json").exists()
    program = (
        shown(page, "python").replace("'the release'", "'by python'").replace("'inside'", "'b'")
    )
    exec(program, {})
    assert (elsewhere / "by python" / "manifest.json").read_bytes() == again


def test_a_dropped_table_is_published_and_handed_out(visitor: Visitor, home: Path) -> None:
    visitor.opened()
    visitor.choose("readmitted", "target")
    page = published(previewed(visitor))
    assert "Published and verified" in page
    assert {path.name for path in home.iterdir()} == {"the release", "inside"}
    assert (home / "inside" / "audit.json").stat().st_mode & 0o777 == 0o600
    fingerprint = shown(page, "fingerprint")
    assert privet.verify(home / "the release", fingerprint)
    archive = visitor.client.get(f"{visitor.here}/file/release.zip")
    names = zipfile.ZipFile(BytesIO(archive.content)).namelist()
    assert "the release/manifest.json" in names
    assert not [name for name in names if "audit" in name]
    report = visitor.client.get(f"{visitor.here}/file/report.html")
    assert "sandbox" in report.headers["content-security-policy"]
    assert "script" not in report.headers["content-security-policy"]
    assert "Must stay inside" in visitor.client.get(f"{visitor.here}/file/steward.html").text
    assert visitor.client.get(f"{visitor.here}/file/preview.html").status_code == 200
    for name in ("audit.json", "..%2F..%2Fhome", "data.parquet", "manifest.json"):
        assert visitor.client.get(f"{visitor.here}/file/{name}").status_code == 404
    other = visitor.open_tab()
    for name in ("release.zip", "report.html", "steward.html", "preview.html", "schema.toml"):
        assert other.client.get(f"{other.here}/file/{name}").status_code == 404
    other.drop(archive.content, "the release.zip", "release")
    assert "everything that the files can show holds" in other.wait("verify")


def test_the_preview_says_what_the_release_says(visitor: Visitor) -> None:
    visitor.opened()
    visitor.choose("diagnosis", "sensitive")
    visitor.choose("readmitted", "target")
    found = words_of(previewed(visitor).client.get(visitor.here).text)
    release = privet.publish(visitor.tab.table, **visitor.tab.choices.arguments())
    assert f"Satisfies k-anonymity with k = {release.figure('k-anonymity')}" in found
    assert "exposed" in found
    assert "Ten of the released rows" in found
    page = visitor.client.get(visitor.here).text
    assert page.count('data-node="') == len(release.tree.nodes)
    for node in release.tree.nodes:
        assert f'id="node-{node.id}"' in page
    assert page.count('id="before-and-after-') == len(release.manifest.schema.columns)


def test_a_size_that_does_not_pass_is_refused_in_words(visitor: Visitor) -> None:
    visitor.opened()
    visitor.choose("readmitted", "target")
    visitor.do("levels", k="60", l="1", t="1")
    page = visitor.wait("trade_off")
    assert "No size passes" in page
    visitor.do("point", leaves=visitor.tab.found("trade_off")["sizes"][0])
    assert "Hint:" in visitor.wait("preview")
    assert visitor.tab.jobs["preview"].state == "failed"
    assert "Nothing is previewed" in visitor.refused("publish", out="x")


@pytest.mark.parametrize("leaves", ["", "x", "1000", "-3"])
def test_only_sizes_that_are_shown_can_be_chosen(visitor: Visitor, leaves: str) -> None:
    visitor.opened()
    visitor.choose("readmitted", "target")
    visitor.wait("trade_off")
    visitor.refused("point", leaves=leaves)


@pytest.mark.parametrize(
    "fields",
    [
        {"out": ""},
        {"out": "../away"},
        {"out": "/tmp/away"},
        {"out": ".hidden"},
        {"out": "a/b"},
        {"out": "same", "audit": "same"},
        {"out": "fine", "audit": "../away"},
    ],
)
def test_a_release_goes_nowhere_else(visitor: Visitor, home: Path, fields: dict[str, str]) -> None:
    visitor.opened()
    visitor.choose("readmitted", "target")
    previewed(visitor)
    visitor.refused("publish", **fields)
    assert list(home.iterdir()) == []
    assert [path.name for path in home.parent.iterdir() if "away" in path.name] == []


def test_what_is_there_is_not_replaced(visitor: Visitor, home: Path) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "letter.txt").write_text("dear")
    visitor.opened()
    visitor.choose("readmitted", "target")
    previewed(visitor)
    visitor.do("publish", out="mine")
    assert "Hint:" in visitor.wait("publish")
    assert (home / "mine" / "letter.txt").read_text() == "dear"
    visitor.do("publish", out="other")
    visitor.wait("publish")
    assert (home / "other" / "manifest.json").exists()


def test_a_change_makes_what_was_shown_out_of_date(visitor: Visitor) -> None:
    visitor.opened()
    visitor.choose("readmitted", "target")
    previewed(visitor)
    visitor.do("levels", k="5", l="1", t="1")
    assert visitor.tab.found("preview") is None
    assert visitor.tab.choices.k == 5
    visitor.refused("publish", out="x")
    visitor.wait("trade_off")
    visitor.choose("town", "drop")
    assert "town" in visitor.tab.choices.columns("drop")


def test_cancel_and_again(visitor: Visitor) -> None:
    visitor.opened(table_text(20_000))
    visitor.choose("readmitted", "target")
    job = visitor.tab.jobs["trade_off"]
    page = visitor.do("cancel", part="trade_off")
    assert "Cancelled." in page
    job.wait(10)
    assert job.process.poll() is not None
    assert "at work" not in visitor.do("again", part="trade_off")
    assert visitor.tab.jobs["trade_off"] is not job
    assert visitor.tab.jobs["trade_off"].is_running
    visitor.do("cancel", part="trade_off")


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_verifying_by_path_and_by_files(visitor: Visitor, home: Path) -> None:
    people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    fingerprint = privet.publish(people, target="buys", k=3).save(home / "shop")
    visitor.do("verify_path", path="shop", fingerprint=fingerprint)
    page = words_of(visitor.wait("verify"))
    assert "yes fingerprint" in page
    assert "attested" in page
    visitor.do("verify_path", path="shop", fingerprint="0" * 64)
    assert "another manifest" in visitor.wait("verify")
    visitor.refused("verify_path", path="../shop")
    files = sorted((home / "shop").iterdir())
    for place in files:
        headers = {
            "X-File-Name": f"shop/{place.name}",
            "X-Batch": "a1b2",
            "X-Count": str(len(files)),
        }
        answer = visitor.client.post(
            f"{visitor.here}/upload/file_of_release", content=place.read_bytes(), headers=headers
        )
        assert answer.status_code == 200, answer.text
    assert "everything that the files can show holds" in visitor.wait("verify")
    (home / "shop" / "data.parquet").write_bytes(b"PAR1")
    visitor.do("verify_path", path="shop")
    assert "its bytes have changed" in visitor.wait("verify")


def test_a_name_that_no_option_can_hold_is_said_in_python(visitor: Visitor, home: Path) -> None:
    """Options lose spaces at the ends of names, so no command is shown that would fail."""
    visitor.opened(table_text().replace("id,", '" id ",', 1))
    assert visitor.tab.choices.columns("identifier") == [" id "]
    visitor.choose("readmitted", "target")
    page = previewed(visitor).client.get(visitor.here).text
    assert "use Python" in page
    assert 'id="command"' not in page
    assert "identifier=[&#39; id &#39;]" in page
