"""`privet attack order`: whom the order of a column gives away."""

from privet.cli.attacks.options import AttackedOptions, tell


def order(attacked: AttackedOptions) -> int:
    """Find people by their place in the order of a column: who has the smallest value?

    Example: privet attack order patients-release --known age
    """
    from privet.attack import by_order
    from privet.files.fence import fence

    with fence(attacked.release, "release"):
        found = by_order(**attacked.given)
    return tell(found, attacked.json)
