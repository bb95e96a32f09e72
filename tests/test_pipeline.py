"""The one call: frames in and out, roles, settings, and errors a person can act on."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.errors import (
    CriterionNotReached,
    InvalidParameter,
    PrivetError,
    UnknownColumn,
    UsageError,
)
from privet.files.frames import table_of
from privet.pipeline import publish, publish_table
from privet.preserve.settings import PublishSettings
from privet.release import verify
from properties.publishing import published

CELLS: dict[str, list[Any]] = {
    "id": [f"p{i}" for i in range(12)],
    "age": [21, 25, 33, 38, 41, 47, 52, 55, 60, 63, 68, 71],
    "town": list("aabbccaabbcc"),
    "seen": ["2020-01-0" + str(1 + i % 9) for i in range(12)],
    "illness": ["x", "y", "z"] * 3 + ["x", "x", "y"],
    "y": [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
}
ASKED: dict[str, Any] = {
    "target": "y",
    "identifier": "id",
    "sensitive": "illness",
    "recoding": "global",
    "k": 2,
    "leaves": 2,
}


def test_the_caller_gets_the_kind_of_frame_it_gave() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    for frame in (pd.DataFrame(CELLS), pl.DataFrame(CELLS), pa.table(CELLS)):
        data = publish(frame, **ASKED).data
        assert type(data) is type(frame)
        names = data.column_names if isinstance(data, pa.Table) else list(data.columns)
        assert names == ["age", "town", "seen", "illness", "y"]
        assert len(data) == 12


def test_categories_that_do_not_occur_leave_no_trace(tmp_path: Path) -> None:
    """A categorical frame may know labels that no record has."""
    import pandas as pd

    frame = pd.DataFrame(CELLS)
    frame["town"] = pd.Categorical(frame["town"], categories=["z", "c", "b", "a", "q"])
    frame["y"] = pd.Categorical(frame["y"].astype(str), categories=["2", "1", "0"])
    release = publish(frame, **(ASKED | {"leaves": 4, "k": 1}))
    release.save(tmp_path / "r", format="csv", report=False)
    assert verify(tmp_path / "r").holds
    assert release.tree.classes == ("0", "1")


def test_a_file_is_published_like_its_frame(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(CELLS)
    frame.to_csv(tmp_path / "t.csv", index=False)
    one = publish(tmp_path / "t.csv", **ASKED)
    two = publish(str(tmp_path / "t.csv"), **ASKED)
    assert one.rows.content_sha256() == two.rows.content_sha256()
    assert one.tree == two.tree


def test_roles(tmp_path: Path) -> None:
    release = published(CELLS, tmp_path / "r", **(ASKED | {"other": "town", "drop": "seen"}))
    schema = release.manifest.schema
    assert schema.quasi == ("age",)
    assert schema.sensitive == ("illness",)
    assert schema.names() == ("age", "town", "illness", "y")
    assert release.manifest.recoding["columns"]["town"]["treatment"] == "kept"


def test_the_size_is_chosen_where_none_is_asked_for(tmp_path: Path) -> None:
    rows = 60
    cells = {
        "A": [i % 20 for i in range(rows)],
        "B": [(i * 7) % 5 for i in range(rows)],
        "y": [int(i % 20 > 9) ^ int(i % 17 == 0) for i in range(rows)],
    }
    release = published(cells, tmp_path / "r", k=3)
    assert 2 <= release.tree.n_leaves <= 32
    assert release.figure("k-anonymity") >= 3


def test_fewer_leaves_than_asked_for_are_said(tmp_path: Path) -> None:
    release = published(CELLS, tmp_path / "r", **(ASKED | {"leaves": 6, "target": "town"}))
    assert release.tree.n_leaves < 6
    assert any("6 leaves were asked for" in message for message in release.messages)


def test_target_known_counts_the_target(tmp_path: Path) -> None:
    release = published(CELLS, tmp_path / "r", **(ASKED | {"target_known": True}))
    assert release.figure("k-anonymity-with-target") >= 2


def test_without_a_k_the_manifest_says_so() -> None:
    claim = publish(CELLS, **(ASKED | {"k": 1})).manifest.claim("k-anonymity")
    assert claim is not None
    assert claim.claimed is None


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"target": None}, UsageError, "target"),
        ({"target": "Y"}, UnknownColumn, "'Y'"),
        ({"k": 0}, InvalidParameter, "k must be"),
        ({"k": 13}, InvalidParameter, "number of records"),
        ({"leaves": 1}, InvalidParameter, "leaves"),
        ({"min_leaf": 0}, InvalidParameter, "min_leaf"),
        ({"impurity": "magic"}, InvalidParameter, "impurity"),
        ({"categories": "magic"}, InvalidParameter, "categories"),
        ({"recoding": "magic"}, InvalidParameter, "recoding"),
        ({"l_kind": "magic"}, InvalidParameter, "l_kind"),
        ({"sensitive": None, "l": 2}, UsageError, "no sensitive column"),
        ({"drop": "y"}, UsageError, "dropped"),
        ({"drop": "shoe"}, UnknownColumn, "'shoe'"),
        ({"other": ["age", "town", "seen"]}, UsageError, "quasi-identifier"),
        ({"quasi": "illness"}, UsageError, "both"),
        ({"l": 4}, CriterionNotReached, "l = "),
        ({"t": 0}, CriterionNotReached, "t = "),
        ({"impurity": "deviance", "target": "town"}, UsageError, "numbers"),
    ],
)
def test_wrong_use(asked: dict[str, Any], error: type[PrivetError], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        publish(CELLS, **(ASKED | asked))
    assert caught.value.hint or error is InvalidParameter


def test_values_that_no_row_has_any_more_are_not_released(tmp_path: Path) -> None:
    whole = table_of(
        {"c": [*"abcdab", "z"], "x": [1, 2, 3, 4, 5, 6, None], "y": [0, 0, 1, 1, 0, 0, 1]}
    )
    table = whole.take(np.arange(6))
    schema = table.schema().with_roles(target="y")
    for recoding in ("global", "leaf"):
        release = publish_table(table, schema, PublishSettings(leaves=2, recoding=recoding))  # type: ignore[arg-type]
        release.save(tmp_path / recoding, format="csv", report=False)
        for file in (tmp_path / recoding).iterdir():
            assert '"z"' not in file.read_text()
