"""The pages: self-contained, whole, the same bytes each time, and what they must say."""

import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from privet.datasets import make, schema_of
from privet.pipeline import publish, publish_table
from privet.preserve.settings import PublishSettings
from privet.release.rows import sha256_of
from privet.release.verify import verify
from privet.report.html import render_report, render_steward
from report.releases import PEOPLE, Page, edit_manifest, people


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people(l=1.1).save(tmp_path / "release", format="csv")
    return tmp_path / "release"


def require_self_contained(page: Page) -> None:
    for tag, attributes in page.tags:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed"}
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    ids = {a["id"] for _, a in page.tags if "id" in a}
    assert {a["href"] for _, a in page.tags if "href" in a} <= {f"#{i}" for i in ids}


def require_accessible(page: Page) -> None:
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(headings))
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes.get("aria-label") or attributes.get("aria-hidden") == "true"
    assert dict(page.tags)["html"] == {"lang": "en"}


def test_a_report_is_one_whole_page(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    require_self_contained(page)
    require_accessible(page)
    assert "@import" not in text
    assert "url(" not in text
    assert "http" not in page.text


def test_the_same_bytes_when_made_again(folder: Path, tmp_path: Path) -> None:
    first = (folder / "report.html").read_bytes()
    assert render_report(folder).encode() == first
    elsewhere = tmp_path / "another name"
    shutil.copytree(folder, elsewhere)
    (elsewhere / "report.html").unlink()
    assert render_report(elsewhere).encode() == first
    (elsewhere / "report.html").write_bytes(first)
    assert verify(elsewhere).holds

    def forget_hashes(data: dict) -> None:
        data["files"] = {"data.csv": "0" * 64}

    edit_manifest(elsewhere, forget_hashes)
    assert render_report(elsewhere).encode() == first


def test_it_is_listed_and_verified(folder: Path) -> None:
    assert any(c.name == "file report.html" and c.answer == "yes" for c in verify(folder).checks)
    assert sha256_of(folder / "report.html") in (folder / "manifest.json").read_text()


def test_what_it_says(folder: Path) -> None:
    text = Page(render_report(folder)).text
    k = people(l=1.1).figure("k-anonymity")
    for part in (
        "60 records with 5 columns, and a decision tree with 3 leaves that predicts smoker",
        f"Satisfies k-anonymity with k = {k} for these columns: age, town, shoe.",
        "Satisfies l-diversity with l = ",
        "The same tree grows again from the released data",
        f"1 in {k}",
        "attested by the publisher",
        "anyone can check",
        "privet verify FOLDER --fingerprint HEX",
        "pip install privet",
        "privet recode FOLDER",
        "privet predict FOLDER",
        "Two releases of one table.",
        "More knowledge.",
        "Suppressed columns",
    ):
        assert part in text
    assert re.search(r"\banonymous\b", text, re.IGNORECASE) is None
    assert "person 7" not in text


def test_one_value_groups_are_warned_about(tmp_path: Path) -> None:
    release = people(k=1, leaves=8)
    assert release.figure("one-class-equivalence-classes")
    release.save(tmp_path / "r", format="csv")
    page = Page((tmp_path / "r" / "report.html").read_text(encoding="utf-8"))
    assert "Warning." in page.text
    assert "No level was asked for." in page.text


def test_cells_and_names_cannot_write_html(tmp_path: Path) -> None:
    name = '"><script>alert(1)</script>'
    frame = {name: PEOPLE["town"], "age": PEOPLE["age"], "smoker": PEOPLE["smoker"]}
    frame["smoker"] = [f"</style><i>{v}" for v in PEOPLE["smoker"]]
    release = publish(frame, target="smoker", recoding="global", k=1, leaves=4)
    release.save(tmp_path / "r", format="csv")
    for text in (
        (tmp_path / "r" / "report.html").read_text(encoding="utf-8"),
        render_steward(release.audit),  # type: ignore[arg-type]
    ):
        page = Page(text)
        require_self_contained(page)
        assert "<b>" not in text
        assert "<i>" not in text
        assert "</style><i>" in page.text


def test_false_claims_are_said_first(folder: Path) -> None:
    def boast(data: dict) -> None:
        for claim in data["claims"]:
            claim["measured"] = 999 if claim["name"] == "k-anonymity" else claim["measured"]

    edit_manifest(folder, boast)
    text = Page(render_report(folder)).text
    assert "The data do not show what the manifest claims." in text
    assert "(the data show otherwise)" in text
    assert "k = 999" not in text


def test_coded_columns_are_warned_about(tmp_path: Path) -> None:
    release = people(recoding="leaf", leaves=4, refine=False)
    entries = release.manifest.recoding["columns"]
    coded = [name for name, entry in entries.items() if entry["treatment"] == "coded"]
    assert coded
    release.save(tmp_path / "r", format="csv")
    text = Page((tmp_path / "r" / "report.html").read_text(encoding="utf-8")).text
    assert "do not read them as values of single records" in text
    assert f"Never use coded columns ({', '.join(coded)})" in text


@pytest.mark.parametrize("name", ["hospital", "houses"])
def test_built_in_tables(tmp_path: Path, name: str) -> None:
    table = make(name, 400)
    settings = PublishSettings(leaves=4, recoding="global", release_sensitive=True)
    release = publish_table(table, schema_of(name, table), settings)
    release.save(tmp_path / "r")
    page = Page((tmp_path / "r" / "report.html").read_text(encoding="utf-8"))
    require_self_contained(page)
    require_accessible(page)
    assert ("regression tree" in page.text) == (name == "houses")
    assert release.audit is not None
    require_accessible(Page(render_steward(release.audit) or ""))


def test_the_steward_sees_every_size(tmp_path: Path) -> None:
    release = people(leaves=None)
    audit = release.audit
    assert audit is not None
    release.save(tmp_path / "r", audit=tmp_path / "a")
    text = (tmp_path / "a" / "steward.html").read_text(encoding="utf-8")
    page = Page(text)
    require_self_contained(page)
    require_accessible(page)
    assert render_steward(audit) == text
    assert page.text.index("Must stay inside.") < page.text.index("For the steward:")
    rows = re.findall(r'<th scope="row" class="number">(\d+)</th>', text)
    assert rows == [str(size["leaves"]) for size in audit.data["sizes"]]
    assert text.count('<tr class="chosen">') == 1
    assert text.count('class="chosen" d=') == len(re.findall(r'<svg class="chart"', text)) == 4
    for name, column in audit.data["columns"].items():
        assert name in page.text
        assert str(column["values_before"]) in page.text
