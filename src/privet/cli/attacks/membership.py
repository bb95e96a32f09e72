"""`privet attack membership`: who of a register is among the released records."""

from privet.cli.attacks.options import AttackedOptions, OutsideArgument, tell


def membership(attacked: AttackedOptions, outside: OutsideArgument) -> int:
    """Tell who of a register is in the released table, and how surely.

    The outside table should hold everybody who could be in it.

    Example: privet attack membership patients-release register.csv
    """
    from privet.attack import by_membership
    from privet.files.fence import fence

    with fence(attacked.release, "release"):
        found = by_membership(**attacked.given, outside=outside)
    return tell(found, attacked.json)
