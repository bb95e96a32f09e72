"""The trees that noise follows besides that of the target: one for each category.

`privet.tree.natural` grows the trees, each once and from the original table; `privet.tree.leaves`
has the records in their leaves.
"""

from dataclasses import replace

from privet.schema import Role, Schema


def with_target(schema: Schema, target: str) -> Schema:
    """The same schema with another target, the columns that may be used being quasi-identifiers."""
    columns = tuple(
        replace(c, role=Role.TARGET if c.name == target else Role.QUASI, also_sensitive=False)
        for c in schema
    )
    return replace(schema, columns=columns)
