"""What a release tells beyond its figures: by the boundaries of its tree, and by how it was chosen.

docs/guarantees/what-the-tree-tells.md says why. `tree.boundaries` counts the people; here it is put
into the words of the manifest and of messages.
"""

from typing import Any

from privet.preserve.drafts import Draft, Drafts
from privet.schema import Role
from privet.tree.boundaries import BoundaryCount


def disclosure_of(drafts: Drafts, draft: Draft) -> dict[str, Any]:
    """What the manifest says of the method: the guard, whom boundaries tell, who chose what."""
    count = drafts.boundaries(draft)
    return {
        "guard": drafts.settings.guard_in_force,
        "told_by_boundaries": count.told,
        "narrowed_by_boundaries": count.narrowed,
        "chosen_by": chosen_by(drafts, draft),
    }


def chosen_by(drafts: Drafts, draft: Draft) -> dict[str, list[str]]:
    """For each choice that a release shows, the columns it looked at besides quasi-identifiers.

    A choice that was made by looking tells something of what it looked at (minimality).
    """
    settings, schema = drafts.settings, drafts.schema
    judged = [] if settings.l is None and settings.t is None else list(schema.sensitive)
    targets = list(schema.names(Role.TARGET))
    looked = list(dict.fromkeys([*targets, *judged]))
    each = zip(settings.of_each_tree(), draft.trees, strict=True)
    as_asked = all(asked.leaves == tree.n_leaves for asked, tree in each)
    return {
        "splits": looked if settings.by_leaf else targets,
        "leaves": [] if as_asked else looked,
        "values": looked if settings.by_leaf and settings.refine else targets,
    }


def message_on(count: BoundaryCount, guard: int | None) -> str | None:
    """A message on whom the boundaries tell; None where they tell nobody.

    `guard` None: the tree is that of another program, which knows none.
    """
    said = []
    if count.told:
        stand = "person stands" if count.told == 1 else "people stand"
        said.append(
            f"{count.told:,} {stand} alone next to a threshold or with a category, so the tree "
            "tells their target"
        )
    if count.narrowed:
        more = "more people" if said else "people alone next to a threshold or with a category"
        said.append(f"the tree narrows down the target of {count.narrowed:,} {more}")
    if not said:
        return None
    columns = ", ".join(dict.fromkeys(place.attribute for place in count.places))
    if guard is None:
        why = f"trees of other programs have no guard ({columns})"
    elif guard > 1:
        why = f"columns that are released as they are cannot be guarded: {columns}"
    else:
        why = f"a guard of G lets a split depend on G people at least ({columns})"
    return f"{' and '.join(said)}; {why}."
