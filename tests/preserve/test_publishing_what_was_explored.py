"""An exploration is not done again for the audit, and no other one is believed."""

from collections.abc import Callable
from typing import Any

import pytest

import privet
from privet.errors import UsageError
from privet.preserve.drafts import Drafts


def people(towns: int) -> dict[str, list[Any]]:
    rows = range(60)
    return {
        "age": [20 + row * 7 % 50 for row in rows],
        "town": [f"town {row % towns}" for row in rows],
        "diagnosis": [("flu", "gout", "none")[row % 5 % 3] for row in rows],
        "back": ["yes" if row * 7 % 50 > 24 or row % 11 == 0 else "no" for row in rows],
    }


PEOPLE = people(3)
ROLES: dict[str, Any] = {"target": "back", "sensitive": ["diagnosis"]}


@pytest.mark.parametrize("smaller", [False, True])
@pytest.mark.parametrize(
    "asked",
    [
        {"k": 3},
        {"k": 4, "l": 1.2},
        {"k": 3, "l": 2, "l_kind": "distinct", "recoding": "leaf"},
        {"k": 3, "recoding": "global"},
    ],
)
def test_the_audit_is_the_same(asked: dict[str, Any], smaller: bool) -> None:
    asked = ROLES | asked
    found = privet.explore(PEOPLE, **asked)
    assert found.chosen is not None
    leaves = {"leaves": min(line.leaves for line in found.lines if line.passes)} if smaller else {}
    plain = privet.publish(PEOPLE, **asked, **leaves)
    told = privet.publish(PEOPLE, **asked, **leaves, explored=found)
    assert plain.audit is not None
    assert told.audit is not None
    assert told.audit.data == plain.audit.data
    assert told.manifest.content_sha256 == plain.manifest.content_sha256


def test_no_size_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = privet.explore(PEOPLE, k=5, **ROLES)
    asked = ROLES | {"k": 5, "leaves": max(line.leaves for line in found.lines if line.passes)}
    tried: list[Any] = []
    monkeypatch.setattr(Drafts, "richly", _counted(Drafts.richly, tried))
    release = privet.publish(PEOPLE, **asked, explored=found)
    before = len(tried)
    assert release.audit is not None
    assert len(release.audit.data["sizes"]) == len(found.lines) > 2
    assert len(tried) == before
    assert privet.publish(PEOPLE, **asked).audit is not None
    assert len(tried) > 2 * before, "without the exploration each size is tried"


def _counted(method: Callable[..., Any], tried: list[Any]) -> Callable[..., Any]:
    def counted(self: Drafts, size: Any) -> Any:
        tried.append(size)
        return method(self, size)

    return counted


@pytest.mark.parametrize(
    "other",
    [{"k": 6}, {"recoding": "leaf"}, {"one_class": "allow"}, {"sensitive": []}, {"min_leaf": 3}],
)
def test_other_settings_are_refused(other: dict[str, Any]) -> None:
    found = privet.explore(PEOPLE, **(ROLES | {"k": 5}))
    with pytest.raises(UsageError, match="other settings"):
        privet.publish(PEOPLE, **(ROLES | {"k": 5} | other), explored=found)


def test_another_table_is_refused() -> None:
    found = privet.explore(PEOPLE, k=5, **ROLES)
    with pytest.raises(UsageError, match="another table"):
        privet.publish(people(4), k=5, **ROLES, explored=found)
