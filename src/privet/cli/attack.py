"""`privet attack NAME RELEASE ...`: what somebody learns who sees only what was released.

Each attack is a function of its own name in `privet.cli.attacks`, and computes in the module of
`privet.attack` that it calls. To add one, write both and name it here.
"""

from importlib import import_module

import typer

from privet.cli.command import Command, Group
from privet.cli.groups import spread_out

ATTACKS = (
    "homogeneity",
    "linkage",
    "membership",
    "order",
    "intersection",
    "intruder",
    "minimality",
    "recovery",
    "bayes",
    "repetition",
)  # in the order of the help text

attack = typer.Typer(
    cls=Group,
    help="Attack a release, or a table as it is, and count what is learnt.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@attack.callback()
def _attack() -> None:
    """Attack a release, or a table as it is, and count what is learnt."""


for _name in ATTACKS:
    _command = getattr(import_module(f"privet.cli.attacks.{_name}"), _name)
    attack.command(_name, cls=Command)(spread_out(_command))
