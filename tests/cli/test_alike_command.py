"""`privet alike`: similarities of values by trees and by CACTUS, from table to terminal."""

import json
from pathlib import Path

import pytest

import privet
from privet.cli.main import main
from privet.datasets import csd
from privet.errors import UnknownColumn, UsageError

FOUR = "country_of_origin,car_make,profession,status"


@pytest.fixture
def customers(tmp_path: Path) -> str:
    path = tmp_path / "customers.csv"
    privet.write_table(csd(), path)
    return str(path)


def test_the_figures_of_the_paper(customers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["alike", customers, "--columns", FOUR, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    makes = said["columns"]["car_make"]
    good = next(pair["leaves"] for pair in makes["in_leaves"] if pair["first"] == "Ford")
    products = {
        frozenset((pair["first"], pair["second"])): pair["product"]
        for pair in makes["in_leaves"]
        if pair["leaves"] == good
    }
    assert products[frozenset(("Ford", "Toyota"))] == 8184
    assert products[frozenset(("Ford", "Nissan"))] == 6336
    assert products[frozenset(("Nissan", "Toyota"))] == 2976
    assert any(pair["product"] == 4340 for pair in makes["in_siblings"])
    (cluster,) = said["cactus"]["clusters"]
    assert cluster["values"] == [["England", "USA"], ["Ford", "Toyota"], ["Scientist"], ["Good"]]
    assert (cluster["support"], round(cluster["expected"], 1)) == (153, 22.2)
    assert len(said["cactus"]["strong"]) == 21


def test_words_and_function_agree(customers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["alike", customers, "--columns", FOUR, "--drop", "favourite_city"]) == 0
    said = capsys.readouterr().out
    found = privet.alike(csd(), columns=FOUR.split(","), drop="favourite_city")
    assert said == "\n".join(found.sentences()) + "\n"
    assert "car_make: its tree has 4 leaves." in said
    assert "Ford and Toyota, 8,184 (13.4%)" in said
    assert "153 records, by chance 22.2" in said
    assert main(["alike", customers, "--alpha", "2", "--columns", FOUR]) == 0
    assert "153 records" not in capsys.readouterr().out


def test_dropped_columns_are_asked_by_no_tree() -> None:
    table = csd()
    found = privet.alike(table, columns="car_make", drop=["status"])
    assert "status" not in found.trees["car_make"].attributes_used
    assert found.clustering is None  # of one column
    whole = privet.alike(table)
    assert set(whole.trees) == set(table.names)
    assert "status" in whole.trees["car_make"].attributes_used


def test_columns_of_very_many_values_are_no_part_of_the_clusters() -> None:
    rows = {
        "street": [f"s{i % 150}" for i in range(600)],
        "sex": ["f", "m"] * 300,
        "ill": ["no", "no", "yes"] * 200,
    }
    found = privet.alike(rows)
    assert found.left_out == ("street",)
    assert found.clustering is not None
    assert found.clustering.columns == ("sex", "ill")
    assert any("not for CACTUS: street" in line for line in found.sentences())


def test_what_cannot_be_looked_at_is_refused(customers: str) -> None:
    with pytest.raises(UnknownColumn, match="columns"):
        privet.alike(csd(), columns="shoe_size")
    with pytest.raises(UsageError, match="holds no categories"):
        privet.alike({"age": [1, 2, 3], "sex": ["f", "m", "f"]}, columns=["age", "sex"])
    with pytest.raises(UsageError, match="no column of categories"):
        privet.alike({"age": [1, 2, 3], "rent": [3, 4, 5]})
    assert main(["alike", customers, "--alpha", "0"]) == 2
    assert main(["alike", customers, "--columns", "shoe"]) == 2
