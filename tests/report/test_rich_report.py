"""What is said of rich releases: what an aggregated value means, and how records lie before and
after."""

import csv
import io
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import privet
from privet.cli.main import main
from privet.datasets import hospital
from privet.files import write_table
from privet.release.columns import columns_csv
from privet.report.html import render_report
from report.releases import Page, rows_of

ROLES = {"target": "readmitted", "identifier": "patient_id", "sensitive": "diagnosis"}


@cache
def release() -> privet.Release:
    return privet.publish(hospital(1000, seed=4), **ROLES, k=8, l=2, leaves=12)  # type: ignore[arg-type]


def column_lines(of: privet.Release) -> dict[str, dict[str, str]]:
    lines = csv.DictReader(io.StringIO(columns_csv(of.manifest, of.trees)))
    return {line["column"]: line for line in lines if line["meaning"]}


def test_columns_csv_says_by_kind_what_a_value_is() -> None:
    lines = column_lines(release())
    for name, line in lines.items():
        entry = release().manifest.recoding["columns"][name]
        if line["treatment"] != "aggregated":
            continue
        said = line["meaning"]
        assert said.startswith("Shared by at least k records; ")
        assert ("some of them have it" in said) == (line["kind"] == "category")
        assert ("between their smallest and largest value" in said) == (line["kind"] != "category")
        assert ("joined" in said) == (not entry["within_class_range"])
        assert "need not be its true one" in said
    assert {"category", "date", "decimal", "integer"} <= {line["kind"] for line in lines.values()}


def test_columns_csv_lists_values_that_were_joined() -> None:
    found = release()
    text = columns_csv(found.manifest, found.trees)
    lines = [line for line in csv.DictReader(io.StringIO(text)) if line["stands_for"]]
    joined = [
        (name, str(some["value"]))
        for name, entry in found.manifest.recoding["columns"].items()
        for some in entry.get("joined", ())
    ]
    shown = [(line["column"], line["value"]) for line in lines]
    assert joined
    assert set(joined) <= set(shown)


def test_the_report_draws_every_distribution(tmp_path: Path) -> None:
    release().save(tmp_path / "r", format="csv")
    text = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert render_report(tmp_path / "r") == text
    page = Page(text)
    rows = rows_of(tmp_path / "r")
    assert "Least lead of a split over its best rival" in page.text
    assert "Every equivalence class lies inside one leaf" in page.text
    for name in release().manifest.schema.names():
        start = text.index(f"<h3><bdi>{name}</bdi></h3>")
        table = text[start : text.index("</table>", start)]
        cells = [part.split("<")[0] for part in table.split('<td class="number">')[1:]]
        assert sum(int(cell.replace(",", "")) for cell in cells) == len(rows)
        assert table.count('class="bar"') == len(cells)
    sexes = Counter(row["sex"] for row in rows)
    assert all(f"{count:,}" in page.text for count in sexes.values())


def test_the_audit_has_distributions_before_and_after(tmp_path: Path) -> None:
    table = hospital(1000, seed=4)
    release().save(tmp_path / "r", format="csv", audit=tmp_path / "a")
    audit = release().audit
    assert audit is not None
    before = Counter(table["sex"].domain.value(c) for c in table["sex"].codes.tolist())
    after = Counter(row["sex"] for row in rows_of(tmp_path / "r"))
    columns: dict[str, Any] = audit.data["columns"]
    for share in columns["sex"]["distribution"]:
        assert (share["before"], share["after"]) == (before[share["value"]], after[share["value"]])
    for about in columns.values():
        for when in ("before", "after"):
            assert sum(share[when] for share in about["distribution"]) == 1000
        ordered = about["kind"] != "category"
        assert not ordered or len(about["distribution"]) <= 11  # ten ranges, and missing
    steward = Page((tmp_path / "a" / "steward.html").read_text(encoding="utf-8"))
    assert "Records before" in steward.text


def test_the_answer_says_what_aggregated_means(tmp_path: Path, capsys: Any) -> None:
    write_table(hospital(400, seed=4), tmp_path / "people.csv")
    words = [f"--{role}={name}" for role, name in ROLES.items()]
    asked = ["publish", str(tmp_path / "people.csv"), *words, "-k", "8", "--leaves", "3"]
    asked += ["--dry-run", "--out", str(tmp_path / "r")]
    assert main(asked) == 0
    assert "Aggregated values are shared by at least k records" in capsys.readouterr().out
    assert main([*asked, "--recoding", "leaf"]) == 0
    assert "Aggregated values" not in capsys.readouterr().out
