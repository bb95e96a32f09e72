"""What publishing does not do with tables that are counted on disk, said before any work."""

from privet.engine.workplace import at_work
from privet.errors import UsageError, param
from privet.preserve.settings import PublishSettings


def refuse_on_disk(settings: PublishSettings) -> None:
    """Refuse settings that need every row in memory, where the table lies on disk."""
    if at_work() is None:
        return
    if settings.outside:
        raise UsageError(
            "Other programs need every row in memory, and the table is counted on disk.",
            f"take {param('grower', 'privet')}, or count the table in memory.",
        )
    if settings.leaves is None and settings.person is not None:
        raise UsageError(
            "Choosing the size of the tree by cross-validation, where people are counted, needs "
            "every row in memory, and the table is counted on disk.",
            f"name the size that you want at most: {param('leaves', 8)}.",
        )
