"""The intruder: who knows people's values and the law of the noise looks for their records.

For each released record, the chance that it is a certain person's is the likelihood of that pair
divided by the sum over all people (uniform before the record is seen). That is calibrated: of
guesses made with chance p the share p is right. The paper divides by the sum over released records
instead; its figure stands beside. `likelihood` next door works out the pairs, `intrusion` says what
was found.

Where it is known which record is whose, hits are counted as well, and a naive linkage, which knows
no law and takes the nearest person, is counted beside.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.attack.intrusion import Calibration, Intrusion
from privet.attack.likelihood import Likelihoods, Rows
from privet.attack.nearest_person import nearest_hits
from privet.documents import json_of, read_json
from privet.engine import MemoryEngine
from privet.errors import UnknownColumn, UsageError, param
from privet.files import as_table
from privet.release.audit import AUDIT
from privet.release.layout import MECHANISM
from privet.release.release import Release, read_release
from privet.roles import Names, listed
from privet.table import Table
from privet.tree.model import Tree

BINS = 10
MOST_PAIRS = 40_000_000


def attack_by_intruder(
    release: Any,
    original: Any,
    *,
    known: Names = None,
    inside: "str | Path | None" = None,
    owner: npt.NDArray[np.intp] | None = None,
    missing: Sequence[str] = (),
) -> Intrusion:
    """Look for the people of a table in a release with noise, from what its files tell alone.

    `known` are the columns that the intruder knows of everybody, all but the target if none are
    named. `inside` is the audit, where the trees of the mechanism were kept out of the release.
    Where it is told whose each released record is (`owner`, or a release that keeps the order of
    its rows), hits are counted as well.

    >>> people = privet.datasets.crd(60, 1)
    >>> release = privet.add_noise(people, target="credit_risk", seed=1)
    >>> found = privet.attack.by_intruder(release, people)
    >>> found.found < found.before
    True
    """
    if not isinstance(release, Release):
        release = read_release(release)
    manifest, tree = release.manifest, release.tree
    if manifest.method.get("name") != "noise" or tree is None:
        raise UsageError(
            "The intruder needs a release with noise, and this is another one.",
            "other attacks are listed by `privet attack`.",
        )
    schema = manifest.schema
    kinds = {column.name: column.kind for column in schema}
    people = as_table(original, missing=missing, kinds=kinds)
    names = listed(known) or [name for name in schema.names() if name != schema.target]
    for name in names:
        if name not in schema:
            raise UnknownColumn(name, schema.names())
        if name not in people:
            raise UnknownColumn(name, people.names)
    released = release.rows.records()
    if owner is None and manifest.method["order"] == "kept" and people.n_rows == released.n_rows:
        owner = np.arange(people.n_rows)
    wanted = [*names, *([schema.target] if schema.target in people else [])]
    people = people.select(dict.fromkeys(wanted))
    return intrude(tree, _told(release, inside), released, people, names, owner)


def _told(release: Release, inside: "str | Path | None") -> Mapping[str, Any]:
    """What is told of the mechanism: by the release, or by the audit."""
    if inside is not None:  # the report of such a release says that this is not in it
        place = Path(inside)
        data = read_json(place / AUDIT if place.is_dir() else place, "audit")
        told = data.get("mechanism") if isinstance(data, Mapping) else None
        if isinstance(told, Mapping):
            return told
    if release.manifest.method.get("inside"):
        raise UsageError(
            "The trees of this release's categories were kept inside.",
            f"give its audit: {param('inside', 'AUDIT')}.",
        )
    return json_of(release.files[MECHANISM], MECHANISM)  # type: ignore[no-any-return]


def intrude(
    tree: Tree,
    told: Mapping[str, Any],
    released: Table,
    people: Table,
    known: Sequence[str],
    owner: npt.NDArray[np.intp] | None = None,
    most_pairs: int = MOST_PAIRS,
    compare: bool = True,
) -> Intrusion:
    """Look for the people of a table in released records; `owner` says whose each record is.

    Where there are more pairs than `most_pairs`, records evenly spread over the file are tried.
    Without `compare` neither the naive linkage nor the intruder who knows less is tried.
    """
    rows = _tried(released.n_rows, people.n_rows, most_pairs)
    pairs = Likelihoods(tree, told, released, people, known)
    tally = _Tally(pairs, owner, len(rows) == released.n_rows)
    for chunk, candidates, logs in pairs.chunks(rows):
        tally.add(chunk, candidates, logs)
    asked = [name for name in known if name in tree.attributes_used]
    asked_only = None
    if compare and asked and len(asked) < len(known):
        fewer = Likelihoods(tree, told, released, people, asked)
        best = [_best(_posteriors(logs[0])[0]) for _, _, logs in fewer.chunks(rows)]
        asked_only = float(np.concatenate(best).mean())
    naive = None
    if compare and owner is not None:
        naive = nearest_hits(released, people, known, rows, owner)
    return tally.result(asked_only, naive)


def _tried(records: int, people: int, most_pairs: int) -> Rows:
    number = max(min(records, most_pairs // max(people, 1)), min(records, 20))
    return np.unique(np.linspace(0, records - 1, number).round().astype(np.intp))


def _posteriors(logs: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """For each record the chances of the people, and whether there is any candidate at all."""
    most = logs.max(axis=1, keepdims=True, initial=-np.inf)
    any_at_all = np.isfinite(most[:, 0])
    with np.errstate(invalid="ignore"):
        weights = np.where(any_at_all[:, None], np.exp(logs - most), 0.0)
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=weights, where=total > 0), any_at_all


def _best(chances: Floats) -> Floats:
    """For each record the chance of the likeliest person; 0 if nobody comes into question."""
    return np.asarray(chances.max(axis=1, initial=0.0))


class _Tally:
    """Sums over portions of records."""

    def __init__(
        self, pairs: Likelihoods, owner: npt.NDArray[np.intp] | None, is_whole: bool
    ) -> None:
        self.pairs, self.owner, self.is_whole = pairs, owner, is_whole
        self.best: list[Floats] = []
        self.candidates: list[Floats] = []
        self.true: list[Floats] = []
        self.hits: list[Floats] = []
        self.without = 0
        self.bins = np.zeros((4, BINS))
        people = pairs.people
        self.of_person = np.full(people.n_rows, -np.inf)  # log-sum over records
        self.of_class = np.full(people.n_rows, -np.inf)
        self.of_own = np.full(people.n_rows, -np.inf)

    def add(self, rows: Rows, people: Rows, tables: Floats) -> None:
        chances, any_at_all = _posteriors(tables[0])
        self.without += int((~any_at_all).sum())
        self.best.append(_best(chances))
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -np.where(chances > 0, chances * np.log(chances), 0.0).sum(axis=1)
        self.candidates.append(np.exp(entropy)[any_at_all])
        if self.owner is not None:
            own, place = self._own(rows, people)
            self._count_hits(own, place, chances)
            self.bins[0, 0] += len(rows) * (self.pairs.people.n_rows - len(people))
        if self.is_whole:
            self._by_person(rows, people, tables)

    def _own(self, rows: Rows, people: Rows) -> tuple[Rows, Rows]:
        """Which records have their owner among these people, and as which of them."""
        assert self.owner is not None
        place = np.searchsorted(people, self.owner[rows])
        there = place < len(people)
        there[there] = people[place[there]] == self.owner[rows][there]
        return np.flatnonzero(there), place[there]

    def _count_hits(self, lines: Rows, place: Rows, chances: Floats) -> None:
        own = np.zeros(len(chances))
        own[lines] = chances[lines, place]
        self.true.append(own)
        best = _best(chances)[:, None]
        ties = (chances >= best * (1 - 1e-9)).sum(axis=1)
        self.hits.append(np.where((own >= best[:, 0] * (1 - 1e-9)) & (own > 0), 1 / ties, 0.0))
        which = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
        right = np.zeros(chances.shape, dtype=bool)
        right[lines, place] = True
        for number, weight in enumerate((None, chances, right, chances * (1 - chances))):
            flat = None if weight is None else weight.ravel()
            self.bins[number] += np.bincount(which.ravel(), flat, minlength=BINS)

    def _by_person(self, rows: Rows, people: Rows, tables: Floats) -> None:
        """The paper's way: for each person the released records, by their likelihoods."""
        logs = tables[0]
        sums = np.logaddexp.reduce(logs, axis=0)
        self.of_person[people] = np.logaddexp(self.of_person[people], sums)
        if self.owner is not None:
            lines, place = self._own(rows, people)
            self.of_own[people[place]] = logs[lines, place]
        if self.pairs.judges_class:
            sums = np.logaddexp.reduce(tables[1], axis=0)
            self.of_class[people] = np.logaddexp(self.of_class[people], sums)

    def result(self, asked_only: float | None, naive: float | None) -> Intrusion:
        pairs, law = self.pairs, self.pairs.law
        tried = sum(map(len, self.best))
        before, class_before = _before(pairs.people, pairs.known, pairs.tree.target)
        reached = np.isfinite(self.of_person)

        def mean_over(logs: Floats) -> float | None:
            if not self.is_whole or not reached.any():
                return None
            return float(np.exp(logs[reached] - self.of_person[reached]).sum() / len(reached))

        known_owner = self.owner is not None
        candidates = np.concatenate(self.candidates) if self.candidates else np.zeros(0)
        rows = self.bins.tolist()
        return Intrusion(
            known=pairs.known,
            people=pairs.people.n_rows,
            tried=tried,
            found=float(np.concatenate(self.best).mean()),
            before=before,
            candidates=float(np.median(candidates)) if len(candidates) else 0.0,
            no_candidate=self.without,
            by_leaf=law.best_guess / max(law.records, 1),
            right_class=mean_over(self.of_class) if pairs.judges_class else None,
            right_class_before=class_before,
            counted=float(np.concatenate(self.hits).mean()) if known_owner else None,
            true=float(np.concatenate(self.true).mean()) if known_owner else None,
            by_paper=mean_over(self.of_own) if known_owner else None,
            naive=naive,
            asked_only=asked_only,
            calibration=Calibration(
                tuple(map(int, rows[0])),
                tuple(rows[1]),
                tuple(map(int, rows[2])),
                tuple(float(v) ** 0.5 for v in rows[3]),
            )
            if known_owner
            else None,
        )


def _before(people: Table, known: Sequence[str], target: str) -> tuple[float, float | None]:
    """Without noise: the chance to name the right person among those with the same values, and the
    mean chance of a person's class among them."""
    has_class = target in people and target not in known
    counts = MemoryEngine(people).count([*known, *([target] if has_class else [])])
    starts = counts.runs(len(known))
    found = len(starts) / max(people.n_rows, 1)
    if not has_class:
        return found, None
    totals = np.add.reduceat(counts.n, starts)
    squares = np.add.reduceat(counts.n.astype(np.float64) ** 2, starts)
    return found, float((squares / totals).sum() / max(people.n_rows, 1))
