"""The same steps for the other methods: without a tree, with noise, by random substitution."""

import json
import shlex
from pathlib import Path

import pytest

import privet
from privet.cli.main import main
from studio.test_whole_way import published, shown
from studio.visiting import Visitor, table_text, words_of


def chosen(visitor: Visitor, method: str, target: bool = True) -> Visitor:
    visitor.opened()
    if target:
        visitor.choose("readmitted", "target")
    visitor.do("method", method=method)
    return visitor


def test_without_a_tree_no_target_is_needed_and_the_command_is_the_same(
    visitor: Visitor, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen(visitor, "anonymise", target=False)
    visitor.do("levels", k="4")
    visitor.do("preview")
    page = words_of(visitor.wait("preview"))
    assert "Satisfies k-anonymity with k = 4" in page
    assert "without a tree" in visitor.client.get(f"{visitor.here}/file/preview.html").text
    shown_line = shown(published(visitor), "command")
    assert shown_line.startswith("privet anonymise people.csv")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "people.csv").write_text(table_text())
    monkeypatch.chdir(elsewhere)
    assert main(shlex.split(shown_line)[1:]) == 0
    manifests = [place / "the release" / "manifest.json" for place in (home, elsewhere)]
    assert manifests[0].read_bytes() == manifests[1].read_bytes()


def test_noise_reaches_its_goal(visitor: Visitor, home: Path) -> None:
    chosen(visitor, "add_noise")
    visitor.do("levels", found="30")
    visitor.do("preview")
    assert "changed at random" in visitor.wait("preview")
    page = published(visitor)
    assert "found&lt;=30%" in page
    manifest = json.loads((home / "the release" / "manifest.json").read_text())
    assert manifest["method"]["name"] == "noise"
    assert privet.verify(home / "the release")


def test_substitution_shows_accuracy_against_epsilon(visitor: Visitor, home: Path) -> None:
    chosen(visitor, "substitute")
    page = words_of(visitor.wait("trade_off"))
    assert "epsilon of a record" in page
    assert "advised" in page
    gamma, bins = visitor.tab.found("trade_off")["tried"][2]
    visitor.refused("trial", number="999")
    visitor.do("trial", number="2")
    visitor.wait("preview")
    line = shown(published(visitor), "command")
    words = shlex.split(line)
    assert words[words.index("--bins") + 1] == str(bins)
    assert float(words[words.index("--gamma") + 1]) == gamma
    assert "--audit" not in words
    assert privet.read_release(home / "the release").method == "random substitution"


@pytest.mark.parametrize("method", ["add_noise", "substitute", "publish"])
def test_without_a_target_nothing_is_made(visitor: Visitor, method: str) -> None:
    chosen(visitor, method, target=False)
    visitor.refused("preview")
    assert "Choose a target" in visitor.client.get(visitor.here).text


def test_a_method_that_there_is_none_of(visitor: Visitor) -> None:
    visitor.opened()
    visitor.refused("method", method="magic")
    visitor.refused("levels", k="0")
    visitor.refused("levels", k="many")
    visitor.refused("levels", found="101")
