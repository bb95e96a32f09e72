"""What attackers find, for the steward: from an audit, as the pages show it."""

from privet.release.audit import ATTACKS, LEDGER, Audit


def attacks_in(audit: Audit) -> list[tuple[str, list[str]]]:
    """The sentences of each attack, by name; those of the ledger last."""
    found = [(name, list(one["said"])) for name, one in audit.data.get(ATTACKS, {}).items()]
    book = audit.data.get(LEDGER)
    if book and book["former"]:
        found.append(
            (
                "former releases",
                [
                    f"Together with {len(book['former'])} that the ledger knows, a person is left "
                    f"among {book['k_of_intersection']:,} at the worst."
                ],
            )
        )
    return found
