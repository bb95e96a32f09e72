"""Groups of options: a dataclass whose fields are options, taken by a command as one parameter.

So options that several commands have are declared once, and what is made of them stands beside
them. Typer knows only functions with one parameter for each option: `spread_out` makes such a
function of a command with groups.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def spread_out(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command as Typer takes it: in the place of each group its fields."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            of_fields = get_type_hints(hints[name], include_extras=True)
            parameters += [
                _parameter(field, of_fields[field.name]) for field in fields(hints[name])
            ]
        else:
            kept = parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
            parameters.append(kept)

    def with_groups(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        return command(**given)

    with_groups.__name__, with_groups.__doc__ = command.__name__, command.__doc__
    with_groups.__dict__["__signature__"] = Signature(parameters)
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def _parameter(field: Field[Any], annotation: Any) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
