"""The ledger: which people are in which releases already, for the steward alone.

A ledger is a secret file (mode 0600). It holds no cell: a person is a salted digest of the
identifiers, or of all cells of the row where there are none, and beside it stands the number of the
equivalence class. So it can be told, before a table is published again, how few people share their
classes in all releases (`attack.intersection` counts the same from folders), and whether newcomers
and leavers stand out. docs/how-to/updates.md has the rules.
"""

import hashlib
import hmac
import json
import re
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from privet.documents import read_json
from privet.errors import InputError, UsageError, param
from privet.release.origin import Origin
from privet.table import Table
from privet.words import count

FORMAT = 1
_MOST_BYTES = 1 << 30
_DIGEST = 32  # hexadecimal digits
_SHORT = 12  # of a fingerprint, in messages
_IS_DIGEST = re.compile(rf"[0-9a-f]{{{_DIGEST}}}")


@dataclass(frozen=True, repr=False)
class Entry:
    """One release: the class of each person, by digest."""

    fingerprint: str
    published: str
    class_of: dict[str, int]
    told_by: str  # a digest of what people are told apart by
    title: str = ""

    def to_data(self) -> dict[str, Any]:
        people = sorted(self.class_of)
        return {
            "fingerprint": self.fingerprint,
            "published": self.published,
            "title": self.title,
            "told_by": self.told_by,
            "people": people,
            "classes": [self.class_of[person] for person in people],
        }


@dataclass(frozen=True)
class Former:
    """What an earlier release has in common with a new one.

    `k` is the fewest people who share their classes in both; `newcomers_k` the fewest of one new
    class who are not in the earlier release, `leavers_k` the fewest of one earlier class who are
    not in the new one. None where there are no such people. `comparable` is whether both releases
    told people apart by the same columns; if not, nobody is found in common.
    """

    fingerprint: str
    published: str
    shared: int
    k: int | None
    newcomers_k: int | None
    leavers_k: int | None
    comparable: bool = True
    title: str = ""

    @property
    def name(self) -> str:
        """The release in words: its day, its title, and the fingerprint's first digits."""
        about = ", ".join(filter(None, (self.title, f"fingerprint {self.fingerprint[:_SHORT]}")))
        return f"the release of {self.published} ({about})"

    def messages(self, k: int) -> Iterator[str]:
        """What the steward should know, if a new release of so large a k meets this one."""
        if not self.comparable:
            yield (
                f"In {self.name} people were told apart by other columns: whether they are the "
                "same people cannot be told."
            )
        if not self.shared:
            return
        few = "" if self.k is None or self.k >= k else f", fewer than k = {k}"
        yield (
            f"{count(self.shared, 'person', 'people')} of this table are in {self.name} already: "
            f"who holds both finds groups of {self.k}{few}."
        )
        for name, least in (("not there", self.newcomers_k), ("no longer here", self.leavers_k)):
            if least is not None and least < k:
                yield (
                    f"People who are {name} stand out: both releases together show a group of "
                    f"{least}, fewer than k = {k}."
                )


@dataclass(frozen=True)
class Meeting:
    """A new release against all that the ledger knows; `k` is the fewest people who share their
    classes in every release, being absent counted as a class of its own."""

    people: int
    k: int
    former: tuple[Former, ...]

    def to_data(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "k_of_intersection": self.k,
            "former": [vars(one) for one in self.former],
        }

    def messages(self, k: int) -> Iterator[str]:
        """What the steward should know; `k` is what the new release reaches by itself."""
        for one in self.former:
            yield from one.messages(k)
        if len(self.former) > 1 and any(one.shared for one in self.former) and self.k < k:
            yield f"All releases together leave a person among {self.k} at the worst."


@dataclass(frozen=True, repr=False)
class Ledger:
    """The salt and the releases of a ledger file."""

    salt: bytes
    entries: tuple[Entry, ...] = ()

    @classmethod
    def read(cls, path: Path) -> "Ledger":
        """The ledger of a file; a new one if there is none."""
        if not path.exists():
            return cls(secrets.token_bytes(32))
        try:
            data = read_json(path, "ledger", most_bytes=_MOST_BYTES)
            entries = tuple(_entry(one) for one in data["releases"])
            salt = bytes.fromhex(data["salt"])
            sound = data["format"] == FORMAT and len(salt) == 32
        except (KeyError, TypeError, ValueError, AttributeError):
            sound = False
        if not sound:
            raise InputError(
                f"{path.name} is no ledger that this Privet reads.",
                f"name the file that {param('ledger')} wrote before, or a new one.",
            )
        return cls(salt, entries)

    def to_text(self) -> str:
        releases = [entry.to_data() for entry in self.entries]
        data = {"format": FORMAT, "salt": self.salt.hex(), "releases": releases}
        return json.dumps(data, indent=1) + "\n"

    def entry_of(self, origin: Origin, people: Table | None) -> Entry:
        """The people of a new release; who has several rows counts once for each."""
        known = origin.original if people is None else people
        if len(known) != len(origin.original):
            raise UsageError(
                "The column that tells people apart has other rows than the table.",
                f"give {param('people')} for the rows that were published, in their order.",
            )
        names = sorted(known)
        told_by = self._digest("one column" if len(names) == 1 else json.dumps(names))
        texts = _texts(known, names)
        classes = origin.class_of_row.tolist()
        seen: Counter[str] = Counter()
        class_of = {}
        for number, text in sorted(zip(classes, texts, strict=True)):  # alike: no order of rows
            seen[text] += 1
            class_of[self._digest(f"{seen[text]}:{text}")] = number
        return Entry("", "", class_of, told_by)

    def _digest(self, text: str) -> str:
        return hmac.new(self.salt, text.encode(), hashlib.sha256).hexdigest()[:_DIGEST]

    def with_release(
        self, entry: Entry, fingerprint: str, published: str, title: str = ""
    ) -> "Ledger":
        """The ledger with one release more; the same release again takes its own place."""
        others = tuple(one for one in self.entries if one.fingerprint != fingerprint)
        named = replace(entry, fingerprint=fingerprint, published=published, title=title)
        return replace(self, entries=(*others, named))

    def meet(self, new: Entry) -> Meeting:
        """What a new release would tell beside those that are known."""
        patterns = Counter(
            (number, *(old.class_of.get(person) for old in self.entries))
            for person, number in new.class_of.items()
        )
        former = tuple(_former(old, new) for old in self.entries)
        return Meeting(len(new.class_of), min(patterns.values()), former)


@dataclass(frozen=True, repr=False)
class InLedger:
    """That a release goes into a ledger when it is saved."""

    path: Path
    people: Table | None
    meeting: Meeting


def _former(old: Entry, new: Entry) -> Former:
    both: Counter[tuple[int, int]] = Counter()
    apart: dict[str, Counter[int]] = defaultdict(Counter)
    for person, number in new.class_of.items():
        if person in old.class_of:
            both[old.class_of[person], number] += 1
        else:
            apart["newcomers"][number] += 1
    for person, number in old.class_of.items():
        if person not in new.class_of:
            apart["leavers"][number] += 1
    return Former(
        old.fingerprint,
        old.published,
        both.total(),
        min(both.values(), default=None),
        min(apart["newcomers"].values(), default=None),
        min(apart["leavers"].values(), default=None),
        comparable=old.told_by == new.told_by,
        title=old.title,
    )


def _texts(table: Table, names: Sequence[str]) -> Sequence[str]:
    """Each row as a text, whatever order columns come in and whatever an only one is called."""
    columns = [table[name].domain.texts for name in names]
    rows = zip(*(table[name].codes.tolist() for name in names), strict=True)
    return [json.dumps([c[code] for c, code in zip(columns, row, strict=True)]) for row in rows]


def _entry(data: Any) -> Entry:
    """An entry as it was written; a ValueError if nobody writes it so."""
    people, classes = data["people"], data["classes"]
    digests = [data["told_by"], *people]
    sound = (
        isinstance(people, list)
        and isinstance(classes, list)
        and all(isinstance(each, str) and _IS_DIGEST.fullmatch(each) for each in digests)
        and all(type(number) is int and number >= 0 for number in classes)
        and len(set(people)) == len(people) == len(classes)
        and len(data["fingerprint"]) == 64
        and isinstance(data.get("title", ""), str)
    )
    if not sound:
        raise ValueError("no entry of a ledger")
    day = date.fromisoformat(data["published"]).isoformat()
    class_of = dict(zip(people, classes, strict=True))
    return Entry(data["fingerprint"], day, class_of, data["told_by"], data.get("title", ""))
