"""`privet attack linkage`: how surely people of an outside table are found in a release."""

from privet.cli.attacks.options import AttackedOptions, OutsideArgument, tell


def linkage(attacked: AttackedOptions, outside: OutsideArgument) -> int:
    """Link the people of an outside table with released records.

    The prosecutor knows that a person is in the table and finds the class. The journalist wants to
    name anybody. The marketer links as many as possible.

    Example: privet attack linkage patients-release voters.csv --known age,sex
    """
    from privet.attack import by_linkage
    from privet.files.fence import fence

    with fence(attacked.release, "release"):
        found = by_linkage(**attacked.given, outside=outside)
    return tell(found, attacked.json)
