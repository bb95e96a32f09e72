"""Groups of categories and their labels: readable, unique, in the order of their members."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.pipeline import publish
from privet.preserve.by_column.categories import group_labels
from privet.schema import Column, Kind, Role, Schema
from privet.table import Domain
from properties.publishing import published, values
from properties.seeded_tables import ODD_LABELS


def domain_of(labels: list[str], missing: bool = False) -> Domain:
    return Domain(Kind.CATEGORY, np.array(sorted(labels), dtype=object), missing)


def test_labels_are_unique_and_sort_like_their_first_members() -> None:
    random_ = random.Random(3)
    for _ in range(400):
        labels = random_.sample(ODD_LABELS, random_.randint(1, len(ODD_LABELS)))
        domain = domain_of(labels, random_.random() < 0.5)
        codes = list(range(domain.size))
        parts = random_.randint(1, domain.size)
        groups: dict[int, list[int]] = {}
        for code in codes:
            groups.setdefault(random_.randrange(parts), []).append(code)
        ordered = sorted(groups.values())
        made = group_labels(domain, ordered, {})
        texts = [label for label in made if label is not None]
        assert len(set(texts)) == len(texts)
        assert texts == sorted(texts)
        assert None not in made[:-1]
        assert (None in made) == (domain.missing and ordered[-1] == [domain.size - 1])


def test_labels_spell_out_small_groups_and_count_large_ones() -> None:
    domain = domain_of(list("abcdefg"))
    assert group_labels(domain, [[0, 1], [2]], {}) == ["a | b", "c"]
    assert group_labels(domain, [[0, 1, 2, 3, 4], [5, 6]], {}) == ["a | b | c | +2 more", "f | g"]


def test_odd_labels_survive_publishing(tmp_path: Path) -> None:
    labels = sorted(ODD_LABELS)
    cells: dict[str, Any] = {"A": labels * 2, "y": ["n", "y"] * len(labels)}
    release = published(cells, tmp_path / "r", kinds={"A": "category"}, leaves=6)
    assert release.tree.n_leaves >= 2
    cells = {"A": labels * 2, "y": [i % 3 for i in range(2 * len(labels))]}
    published(cells, tmp_path / "s", kinds={"A": "category"}, leaves=6)
    published(cells, tmp_path / "t", kinds={"A": "category"}, categories="multiway", leaves=40)


@pytest.mark.parametrize("empty", ["", None])
def test_empty_labels_are_missing(empty: str | None, tmp_path: Path) -> None:
    cells = {"A": ["x", empty, "z", empty, "x", "z"], "y": [0, 1, 0, 1, 0, 0]}
    release = published(cells, tmp_path / "r", leaves=2)
    assert values(release, "A") == ["x | z", None]


def test_names_given_by_the_user_are_used_where_they_fit(tmp_path: Path) -> None:
    cells = {"A": list("abcdabcd"), "y": [0, 0, 1, 1, 0, 0, 1, 1]}
    columns = (Column("A", Kind.CATEGORY), Column("y", Kind.INTEGER, Role.TARGET))
    schema = Schema(columns, {"A": {"early": ("a", "b"), "odd": ("b", "c")}})
    release = published(cells, tmp_path / "r", schema=schema, leaves=2)
    assert values(release, "A") == ["c | d", "early"]


def test_names_that_sort_another_way_do_not_change_the_tree(tmp_path: Path) -> None:
    """Ties go by label; where names would turn one round, they are not used."""
    random_ = random.Random(11)
    for number in range(40):
        rows = random_.randint(6, 20)
        cells = {
            "A": [random_.choice("abcdef") for _ in range(rows)],
            "B": [random_.choice("uvw") for _ in range(rows)],
            "y": [random_.choice([0, 1]) for _ in range(rows - 2)] + [0, 1],
        }
        plain = publish(cells, target="y", k=1, recoding="global", leaves=5)
        groups = {
            column: {
                f"{'zyx'[place % 3]}{place}": tuple(group["members"])
                for place, group in enumerate(plain.manifest.recoding["columns"][column]["groups"])
            }
            for column in ("A", "B")
            if "groups" in plain.manifest.recoding["columns"][column]
            and None not in values(plain, column)
        }
        columns = (
            Column("A", Kind.CATEGORY),
            Column("B", Kind.CATEGORY),
            Column("y", Kind.INTEGER, Role.TARGET),
        )
        named = published(cells, tmp_path / str(number), schema=Schema(columns, groups), leaves=5)
        assert named.tree.n_leaves == plain.tree.n_leaves


def test_stored_orders_of_columns_released_as_they_are(tmp_path: Path) -> None:
    """Over 12 categories and 3 classes: the order stands in the model, for any role."""
    labels = [f"L{i:02d}" for i in range(15)]
    cells = {
        "A": labels * 3,
        "B": list(range(45)),
        "y": [("p", "q", "r")[(i * 7) % 3 if i % 2 else i % 3] for i in range(45)],
    }
    for number, roles in enumerate([{}, {"other": "A"}, {"other": "B"}]):
        release = published(cells, tmp_path / str(number), leaves=6, **roles)
        assert "A" in release.tree.grower.category_orders


def test_multiway_columns_are_not_generalised(tmp_path: Path) -> None:
    cells = {"A": list("abcabc"), "y": [0, 0, 1, 0, 0, 1]}
    release = published(cells, tmp_path / "r", categories="multiway", leaves=3)
    assert values(release, "A") == ["a", "b", "c"]
    assert release.manifest.recoding["columns"]["A"]["treatment"] == "kept"
