"""The first steps: a table is opened, its columns get their roles, and the risk is counted."""

import os
from pathlib import Path

import pytest

import privet
from privet.schema import Schema
from privet.studio.page import parts
from studio.visiting import PATIENCE_S, Visitor, table_text, words_of


def test_a_dropped_table_is_shown_with_proposed_roles(visitor: Visitor) -> None:
    visitor.drop(table_text().encode(), "people.csv")
    visitor.wait("table")
    page = words_of(visitor.client.get(visitor.here).text)
    assert "80 records with 5 columns" in page
    assert "Proposed: Identifier, nearly every record has its own" in page
    proposal = privet.propose(visitor.tab.table)
    assert visitor.tab.choices.roles == {c.name: str(c.role) for c in proposal.schema}
    for column in visitor.tab.columns:
        look = proposal.looks[column["name"]]
        assert (column["distinct"], column["missing"]) == (look.distinct, look.missing)


def test_what_waits_for_a_part_comes_with_it_however_late_its_work_ended(
    visitor: Visitor, home: Path
) -> None:
    visitor.drop(table_text().encode(), "people.csv")
    visitor.tab.jobs["table"].wait(PATIENCE_S)
    shown = parts(visitor.tab, home, ["table"])  # asked for while it was still at work
    assert 'id="columns"' in shown
    assert 'class="job"' not in shown.partition('id="columns"')[0]
    assert all(f">{name}<" in shown for name in ("age", "town", "readmitted"))


def test_a_table_below_the_folder_is_opened_by_its_path(visitor: Visitor, home: Path) -> None:
    (home / "in").mkdir()
    (home / "in" / "t.csv").write_text(table_text())
    visitor.do("open_path", path="in/t.csv")
    assert "80 records" in visitor.wait("table")
    visitor.do("open_path", path=str(home / "in" / "t.csv"))
    assert "80 records" in visitor.wait("table")


@pytest.mark.parametrize(
    "path",
    [
        *("../t.csv", "/etc/passwd", "in/../../t.csv", "out/t.csv", "~"),
        *("li*.csv", "o*t/t.csv", "o*/*", "link.csv:patients"),
    ],
)
def test_no_other_place_is_reached(visitor: Visitor, home: Path, path: str) -> None:
    (home.parent / "t.csv").write_text(table_text())
    (home / "out").symlink_to(home.parent)
    (home / "link.csv").symlink_to(home.parent / "t.csv")
    said = visitor.refused("open_path", path=path)
    assert "outside the folder" in said
    assert visitor.tab.table is None


@pytest.mark.parametrize("path", ["", "  ", "a\0b"])
def test_no_path_is_no_path(visitor: Visitor, path: str) -> None:
    assert "No path is given" in visitor.refused("open_path", path=path)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("C:\\people.csv", "people.csv"),
        ("%2e%2e%2fpeople.csv", "people.csv"),
        (".hidden.csv", "hidden.csv"),
        ("a*[b].csv", "a__b_.csv"),
        ("x" * 400 + ".csv", None),
        ("%C3%A9%F0%9F%8C%B3.csv", "é🌳.csv"),
    ],
)
def test_a_dropped_file_has_no_say_in_where_it_goes(
    visitor: Visitor, given: str, kept: str | None
) -> None:
    visitor.drop(table_text().encode(), given)
    place = visitor.tab.table
    assert place is not None
    assert place.parent.parent == visitor.tab.folder
    assert place.stat().st_mode & 0o777 == 0o600
    assert kept is None or place.name == kept
    assert "80 records" in visitor.wait("table")


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"a,b\n", "t.csv", "has no rows"),
        (b"%PDF-1.4", "t.pdf", "of no format that Privet knows"),
        (b"PAR1 and nothing more", "t.parquet", "t.parquet"),
        (b"a,b\n1,2,3\n", "t.csv", "t.csv"),
        (b"\xff\xfe\x00", "t.csv", "t.csv"),
        (b"PK\x03\x04 no workbook", "t.xlsx", "t.xlsx"),
    ],
)
def test_wrong_files_are_refused_in_words(
    visitor: Visitor, content: bytes, name: str, said: str
) -> None:
    visitor.drop(content, name)
    page = words_of(visitor.wait("table"))
    assert said in page
    assert "Hint:" in page
    assert "fault of its own" not in page
    visitor.opened()  # and the next one is read
    assert visitor.tab.columns


def test_an_empty_file_is_refused_at_once(visitor: Visitor) -> None:
    answer = visitor.client.post(f"{visitor.here}/upload/table", content=b"")
    assert answer.status_code == 422
    assert "The file is empty" in answer.text


def test_columns_that_mix_numbers_and_words_are_named_as_categories(visitor: Visitor) -> None:
    rows = "".join(f"{i if i % 4 else 'many'},{'yn'[i % 2]}\n" for i in range(40))
    visitor.opened(f"n,y\n{rows}")
    assert visitor.tab.choices.categories == ("n",)
    visitor.choose("y", "target")
    assert visitor.tab.choices.to_publish()["kinds"] == {"n": "category"}


def test_roles_are_chosen_and_the_target_is_one(visitor: Visitor) -> None:
    visitor.opened()
    visitor.choose("readmitted", "target")
    answer = visitor.choose("diagnosis", "target")
    assert visitor.tab.choices.roles["readmitted"] == "quasi"
    assert visitor.tab.choices.target == "diagnosis"
    assert 'id="column-4"' in answer
    assert 'id="column-3"' not in answer  # it is where the focus is, and shows its role already
    assert 'id="column-0"' not in answer


@pytest.mark.parametrize(
    "fields",
    [{"column": "9", "role": "quasi"}, {"column": "0", "role": "boss"}, {}, {"column": "x"}],
)
def test_what_no_page_would_send_is_refused(visitor: Visitor, fields: dict[str, str]) -> None:
    visitor.opened()
    before = visitor.tab.choices
    visitor.refused("role", **fields)
    assert visitor.tab.choices == before


def test_numbers_can_be_read_as_categories_and_back(visitor: Visitor) -> None:
    visitor.opened()
    visitor.do("as_category", column=1, yes="yes")
    visitor.wait("table")
    assert visitor.tab.columns[1]["kind"] == "category"
    visitor.do("as_category", column=1)
    visitor.wait("table")
    assert visitor.tab.columns[1]["kind"] == "integer"


def test_markers_of_missing_cells(visitor: Visitor) -> None:
    visitor.opened(table_text().replace("Aix", "?"))
    visitor.do("reading", missing="? ??")
    visitor.wait("table")
    assert visitor.tab.columns[2]["missing"] == 27
    assert visitor.tab.choices.to_publish()["missing"] == ["?", "??"]


def test_the_schema_is_saved_and_loaded(visitor: Visitor) -> None:
    visitor.opened()
    visitor.choose("readmitted", "target")
    visitor.choose("diagnosis", "sensitive")
    saved = visitor.client.get(f"{visitor.here}/file/schema.toml").text
    schema = Schema.from_toml(saved)
    assert schema.target == "readmitted"
    assert schema.sensitive == ("diagnosis",)
    again = visitor.open_tab().opened()
    again.drop(saved.encode(), "people.toml", "schema")
    again.wait("table")
    assert again.tab.choices.roles == visitor.tab.choices.roles
    assert again.tab.choices.named_roles() == {}
    again.drop(b"[columns.nobody]\nkind = 'integer'\n", "other.toml", "schema")
    assert "nobody" in again.wait("table")


def test_the_risk_is_what_the_table_shows(visitor: Visitor) -> None:
    visitor.opened()
    page = words_of(visitor.wait("risk"))
    known = [n for n, role in visitor.tab.choices.roles.items() if role == "quasi"]
    judged = privet.check(visitor.tab.table, quasi=known)
    assert f"k = {judged.k}" in page
    assert f"{judged.unique_records} records are alone" in page
    for name in known:
        visitor.choose(name, "drop")
    assert "nobody can be found" in visitor.client.get(visitor.here).text


def test_two_tabs_do_not_disturb_each_other(visitor: Visitor) -> None:
    other = visitor.open_tab()
    assert other.here != visitor.here
    visitor.opened()
    other.opened("a,b\n" + "1,2\n" * 30, "other.csv")
    visitor.choose("readmitted", "target")
    assert other.tab.choices.target is None
    assert "people.csv" not in other.client.get(other.here).text
    assert "other.csv" not in visitor.client.get(visitor.here).text


def test_many_new_tabs_do_not_close_the_one_in_use(visitor: Visitor) -> None:
    first = visitor.opened()
    idle = visitor.open_tab()
    for _ in range(45):
        visitor.open_tab()
        assert first.client.get(f"{first.here}/part/table").status_code in (200, 204)
    assert first.tab.columns
    assert visitor.studio.tabs.get(idle.here.removeprefix("/tab/")) is None
    assert len(list(visitor.studio.tabs.folder.iterdir())) <= 40


def test_a_tab_that_is_not_known_is_a_new_one(visitor: Visitor) -> None:
    answer = visitor.client.get("/tab/nobody")
    assert answer.url.path.startswith("/tab/")
    assert answer.url.path != "/tab/nobody"
    assert visitor.client.post("/tab/nobody/do/role").status_code == 410


def test_nothing_of_the_table_is_in_an_address(visitor: Visitor) -> None:
    visitor.opened(table_text().replace("town", "Unmistakable"))
    page = visitor.client.get(visitor.here).text
    addresses = [part.partition('"')[0] for part in page.split('="/')[1:]]
    assert len(addresses) > 10
    assert not [one for one in addresses if "Unmistakable" in one or "people" in one]


def test_names_and_values_write_no_html(visitor: Visitor) -> None:
    evil = "<script>alert(1)</script>"
    quote = "\"' onload=x"
    text = f'"{evil}","{quote.replace(chr(34), chr(34) * 2)}",y\n'
    rows = "".join(
        f'"<img src=x onerror=alert({i})>",b{i % 3},{["no", "yes"][i % 2]}\n' for i in range(40)
    )
    visitor.opened(text + rows)
    visitor.choose("y", "target")
    visitor.wait("trade_off")
    page = visitor.client.get(visitor.here).text
    assert "<script>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_only_the_owner_can_read_what_was_dropped(visitor: Visitor) -> None:
    visitor.opened()
    for place in visitor.tab.folder.rglob("*"):
        assert place.stat().st_mode & 0o077 == 0, place
