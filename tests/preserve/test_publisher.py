"""Leaf recoding never refuses what global recoding of the plain tree would publish."""

from dataclasses import replace

import pytest

from privet.errors import PrivetError
from privet.preserve.publisher import TreePreservingPublisher
from privet.release import Release
from properties.seeded_tables import drawn

# A column released as it is offers the grower a better split than the leaves that l, t or k admit.
KEPT_COLUMN_WINS = [501, 1106, 1549, 2611, 2716, 5892]


def published(seed: int, recoding: str) -> Release | None:
    case = drawn(seed)
    settings = replace(case.settings, recoding=recoding, min_leaf=None)  # type: ignore[arg-type]
    try:
        return TreePreservingPublisher(settings).publish(case.table(), case.schema())
    except PrivetError:
        return None


@pytest.mark.parametrize("seed", KEPT_COLUMN_WINS)
def test_global_recoding_is_tried_before_a_refusal(seed: int) -> None:
    release, plain = published(seed, "leaf"), published(seed, "global")
    assert release is not None
    assert plain is not None
    assert "Leaf recoding reaches no tree" in release.messages[0]
    assert release.manifest.method["recoding"] == "global"
    assert release.manifest.content_sha256 == plain.manifest.content_sha256
    assert release.manifest.grower == plain.manifest.grower


def test_the_refusal_is_that_of_leaf_recoding() -> None:
    both = 0
    for seed in range(120):
        case = drawn(seed)
        if case.settings.k == 1 and case.settings.l is None and case.settings.t is None:
            continue
        if published(seed, "leaf") is None:
            assert published(seed, "global") is None, f"seed {seed}"
            both += 1
    assert both > 1
