"""`privet attack homogeneity`: whom equivalence classes of one value tell."""

from privet.cli.attacks.options import AttackedOptions, SoughtOption, tell
from privet.cli.loading import names


def homogeneity(attacked: AttackedOptions, sought: SoughtOption = None) -> int:
    """Count the people whose equivalence class has one value of a sought column.

    K does not protect them: who finds the class reads the value off.

    Example: privet attack homogeneity patients-release
    """
    from privet.attack import by_homogeneity
    from privet.files.fence import fence

    with fence(attacked.release, "release"):
        found = by_homogeneity(**attacked.given, sought=names(sought))
    return tell(found, attacked.json)
