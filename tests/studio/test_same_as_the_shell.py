"""Whatever was clicked, the command line that is shown makes the same release when it is typed.

The posts are those of the page; the work runs here at once, by the functions that jobs run.
"""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from privet.cli.main import main
from privet.studio import work
from privet.studio.jobs import Job, Reporter
from studio.test_whole_way import shown
from studio.visiting import Visitor, table_text

ODD = 'id,"age, in ""years""",the town\'s $HOME,-diagnosis; `x`,réadmis?\n'


@dataclass(frozen=True)
class Way:
    """What somebody clicks: the name of the file, its header, and posts one after the other."""

    file: str = "people.csv"
    header: str = "id,age,town,diagnosis,readmitted\n"
    rows: int = 60
    steps: tuple[tuple[str, Mapping[str, str]], ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    leaves: str | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""


def levels(**asked: str) -> tuple[str, Mapping[str, str]]:
    return "levels", {"k": "3", "l": "1", "t": "1"} | asked


def more(**asked: str) -> tuple[str, Mapping[str, str]]:
    return "more", asked


NO_TREE = ("method", {"method": "anonymise"})
WAYS = {
    "as proposed": Way(),
    "k alone": Way(steps=(levels(k="5"),)),
    "l and t": Way(roles={3: "sensitive"}, steps=(levels(k="4", l="1.5", t="0.8"),)),
    "t alone": Way(roles={3: "sensitive"}, steps=(levels(t="0.9"),)),
    "a size": Way(steps=(levels(),), leaves="3"),
    "by leaf": Way(steps=(levels(), more(recoding="leaf"))),
    "by one map": Way(steps=(levels(), more(recoding="global"))),
    "one class allowed": Way(steps=(levels(), more(one_class="allow"))),
    "a guard": Way(steps=(levels(), more(guard="2"))),
    "two people": Way(steps=(levels(k="2"), more(person="0"))),
    "the tree of scikit-learn": Way(steps=(levels(), more(grower="sklearn"))),
    "a limit of time": Way(steps=(levels(), more(time_limit="600"))),
    "sensitive columns released": Way(
        roles={3: "sensitive"}, steps=(levels(), more(release_sensitive="yes"))
    ),
    "other roles": Way(roles={0: "drop", 2: "other", 3: "identifier"}),
    "codes and marks": Way(
        steps=(("reading", {"missing": "? flu -9"}), ("as_category", {"column": "1", "yes": "yes"}))
    ),
    "odd columns": Way(header=ODD, roles={2: "other", 3: "sensitive"}, steps=(levels(l="1.5"),)),
    "odd columns without a tree": Way(header=ODD, roles={3: "sensitive"}, steps=(NO_TREE,)),
    "an odd file": Way(file='it\'s a "table"; $(x) ü.csv', places={"out": "it's $out ü"}),
    "a file like an option": Way(file="--out.csv", places={"out": "x y", "audit": "in 'side"}),
    "a folder": Way(file="sub dir/people.csv", places={"format": "csv", "title": "-t `x` $1"}),
    "a schema": Way(
        schema='[columns.age]\nkind = "category"\nrole = "sensitive"\n', roles={3: "sensitive"}
    ),
    "no tree": Way(steps=(NO_TREE, levels(k="6"))),
    "no tree, sensitive columns released": Way(
        roles={3: "sensitive"}, steps=(NO_TREE, levels(), more(release_sensitive="yes"))
    ),
    "no tree, several records": Way(steps=(NO_TREE, levels(k="2"), more(person="0"))),
}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are done here, before the answer."""

    def start(
        what: str, arguments: Mapping[str, Any], folder: Path, spares: object, **_: object
    ) -> Job:
        job = Job(what, arguments, folder, process=None)  # type: ignore[arg-type]
        reporter = Reporter(say=lambda share, said: None, show=lambda found: None)
        skipped = what in ("risk", "preview")  # nothing that is published comes of them
        job.found = "" if skipped else getattr(work, what)(reporter, **arguments)
        job.state = "done"
        job._ended.set()
        return job

    monkeypatch.setattr(Job, "start", start)


def clicked(visitor: Visitor, way: Way) -> str:
    """The page after everything was clicked."""
    visitor.do("open_path", path=f"./{way.file}")
    visitor.wait("table")
    if way.schema:
        visitor.drop(way.schema.encode(), "its schema.toml", "schema")
        visitor.wait("table")
    for step, fields in way.steps[:2]:
        if step in ("reading", "as_category"):
            visitor.do(step, **fields)
            visitor.wait("table")
    for number, role in way.roles.items():
        visitor.do("role", column=number, role=role)
    for step, fields in way.steps:
        if step not in ("reading", "as_category"):
            visitor.do(step, **fields)
    visitor.do("role", column=4, role="target")  # the last, for now every size is tried
    if visitor.tab.choices.method == "publish":
        found = visitor.tab.found("trade_off")
        visitor.do("point", leaves=way.leaves or found["chosen"])
    else:
        visitor.do("preview")
    visitor.do("publish", **({"out": "release", "audit": "audit"} | way.places))
    return visitor.client.get(visitor.here).text


def typed(line: str) -> list[str]:
    """The words of a line as a shell gives them to a program."""
    told = subprocess.run(
        ["sh", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, text=True
    )
    return told.stdout.split("\0")[:-1]


@pytest.mark.parametrize("name", WAYS)
def test_the_shown_command_makes_the_same_release(
    name: str,
    at_once: None,
    visitor: Visitor,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    way = WAYS[name]
    elsewhere = tmp_path / "elsewhere"
    for folder in (home, elsewhere):
        place = folder / way.file
        place.parent.mkdir(exist_ok=True, parents=True)
        place.write_text(way.header + table_text(way.rows).partition("\n")[2], encoding="utf-8")
    (elsewhere / "its schema.toml").write_text(way.schema)
    page = clicked(visitor, way)
    out = way.places.get("out", "release")
    made = json.loads((home / out / "manifest.json").read_text())
    monkeypatch.chdir(elsewhere)
    words = typed(shown(page, "command"))
    assert words[0] == "privet"
    assert main(words[1:]) == 0
    again = json.loads((elsewhere / out / "manifest.json").read_text())
    assert again["content_sha256"] == made["content_sha256"]
    assert again == made
    assert f"content_sha256: <code>{made['content_sha256']}" in page
