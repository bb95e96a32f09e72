"""What attackers find stands in the audit and on the steward's page, and nowhere in the release."""

import json
from pathlib import Path
from typing import Any

import pytest

import privet
from privet.datasets import hospital


@pytest.mark.parametrize("call", [privet.publish, privet.anonymise])
def test_the_steward_is_told_what_attackers_find(call: Any, tmp_path: Path) -> None:
    people = hospital(150, seed=2)
    asked: Any = {"identifier": "patient_id", "target": "readmitted", "k": 5}
    asked |= {"leaves": 3} if call is privet.publish else {}
    for name in ("first", "second"):
        release = call(people, **asked).in_ledger(tmp_path / "ledger.json")
        release.save(tmp_path / name, audit=tmp_path / f"{name}-audit")
        asked |= {"k": 7}
    audit = json.loads((tmp_path / "second-audit" / "audit.json").read_text(encoding="utf-8"))
    page = (tmp_path / "second-audit" / "steward.html").read_text(encoding="utf-8")
    told = audit["attacks"]
    assert told["linkage"]["figures"] == privet.attack.by_linkage(release, people).to_data()
    assert told["homogeneity"]["figures"] == privet.attack.by_homogeneity(release).to_data()
    assert ("minimality" in told) == (call is privet.publish)
    for one in told.values():
        assert all(sentence in page for sentence in one["said"])
    assert audit["ledger"]["former"][0]["shared"] == 150
    assert f"among {audit['ledger']['k_of_intersection']} at the worst" in page
    for file in (tmp_path / "second").iterdir():
        assert b"rosecutor" not in file.read_bytes()
