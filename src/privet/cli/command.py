"""What every command has beside its own options: --config, --save-config, `-`, --encoding, panels.

A command is a function with typed options; this class gives it the rest. `--config F.toml` holds
options by their long names, and what is typed wins over it. A table called `-` comes from standard
input. The help shows the options in groups, by what they are about.
"""

import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from privet.cli.plain_values import read_plainly
from privet.errors import InputError, UsageError

_TABLES = ("table", "source", "new")  # arguments that name a table to read
_MORE_TABLES = (
    "original",
    "outside",
    "sample",
    "test",
    "data",
    "release",
)  # beside those, or a folder
_WRITTEN = ("out", "picture", "plot", "audit", "codebook", "fill_out", "ledger")
_NOT_SAVED = ("force", "dry_run", "json", "seed", "config", "save_config", "help")
_OWN = ("config", "save_config", "encoding")
_MOST_BYTES = 4 << 30  # of standard input
_MOST_CONFIG = 1 << 20
_PIECE = 1 << 20
_MAGIC = b"PAR1"

_PANELS = {
    "What is asked": "k l l_kind c t target_known target_step normalise_target release_sensitive "
    "recoding cutting one_class keep refine float32_safe nearest time_limit exact",
    "Columns": "target quasi sensitive identifier person other drop rest key columns joint schema "
    "category",
    "The tree": "grower leaves impurity categories min_leaf guard mdl depth min_gain prune alpha "
    "mechanism way use_sensitive rules trees tree",
    "Noise": "preset goal class_noise innocent influential detective participation strict "
    "keep_tree keep_inside which where ends law relative_to spike scale together random_value "
    "cousins floor draw",
    "Substitution": "epsilon importance with_target matrix gamma gammas rho1 rho2 bins "
    "representative domain_from_data accuracy method",
    "Masking": "codebook project_key bounds mode homophones aliases extend key_kind fill_out "
    "passphrase_file mined unchecked numbers stack fill keep_key project "
    "party leave_out_keys",
    "Trees compared": "data",
    "The attacker": "known sought original inside first_audit second_audit test no_utility "
    "victims times",
    "Reading": "missing encoding engine memory spark_master",
    "Writing": "out picture plot format no_report audit ledger keep_order seed force dry_run json "
    "safe_cells",
    "The page": "port no_browser",
    "Said in the report": "title publisher licence",
}
_PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names.split()}
_REST = "More"


class Group(TyperGroup):
    """Commands under one name."""

    def get_params(self, ctx: Any) -> list[Any]:
        return read_plainly(super().get_params(ctx))


class Command(TyperCommand):
    """A command with the options that all have."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        names = {param.name for param in self.params}
        reads_table = bool(names & {*_TABLES, "original", "outside", "data"})
        reads_table |= {"release", "known"} <= names  # what is attacked may be a plain table
        self.params += [p for p in _shared_params() if reads_table or p.name != "encoding"]

    # -- options -----------------------------------------------------------------------------------

    def get_params(self, ctx: Any) -> list[Any]:
        return read_plainly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        config = _value_of("--config", args)
        if config is not None:
            ctx.default_map = {**(ctx.default_map or {}), **self._configured(Path(config))}
        wanted = _value_of("--preset", args)
        if wanted is not None and any(param.name == "preset" for param in self.params):
            from privet.noise.presets import preset

            ctx.default_map = {**preset(wanted), **(ctx.default_map or {})}
        return super().parse_args(ctx, args)

    def _configured(self, path: Path) -> dict[str, Any]:
        """What a file says of the options, by the names of their parameters."""
        known = {_long_name(param): param for param in self.params if param.name not in _OWN[:2]}
        found: dict[str, Any] = {}
        for key, value in map(_in_lines, _toml(path).items()):
            if key not in known:
                near = get_close_matches(key, known, n=1)
                raise UsageError(
                    f"{path.name} names an option '{key}' that `privet {self.name}` does not have.",
                    f"did you mean '{near[0]}'?" if near else "its --help lists the options.",
                )
            if isinstance(value, dict):
                raise UsageError(f"{path.name} holds a table '{key}'.", "write key = value lines.")
            param = known[key]
            many = getattr(param, "multiple", False) or param.nargs == -1
            found[str(param.name)] = [value] if many and not isinstance(value, list) else value
        return found

    def invoke(self, ctx: Any) -> Any:
        own = {name: ctx.params.pop(name, None) for name in _OWN}
        save_to = None if own["save_config"] is None else Path(own["save_config"])
        if save_to is not None:
            _check_place(save_to, ctx)
        given = self._given(ctx)
        _bring_in(ctx, own["encoding"])
        status = super().invoke(ctx)
        if save_to is not None and status in (0, None) and not ctx.params.get("dry_run"):
            from privet.files.outputs import write_text

            write_text(save_to, _as_toml(given), force=bool(ctx.params.get("force")))
        return status

    def _given(self, ctx: Any) -> dict[str, Any]:
        """The options that were typed or configured, by their long names."""
        found = {}
        for param in self.params:
            source = ctx.get_parameter_source(param.name)
            value = ctx.params.get(param.name)
            is_set = source is not None and source.name in ("COMMANDLINE", "DEFAULT_MAP")
            if is_set and param.name not in _NOT_SAVED and value is not None:
                found[_long_name(param)] = value
        return found

    # -- help --------------------------------------------------------------------------------------

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Options in groups, in the order of the groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                is_option = getattr(param, "param_type_name", "") == "option"
                panel = _PANEL_OF.get(str(param.name), _REST) if is_option else "Arguments"
                groups.setdefault(panel, []).append(record)
        for panel in ("Arguments", *_PANELS, _REST):
            if panel in groups:
                with formatter.section(panel):
                    formatter.write_dl(groups[panel])


@cache
def _shared_params() -> list[Any]:
    """The options that all commands have, made by Typer as it makes those of a function."""
    shared = typer.Typer(add_completion=False)
    shared.command()(_shared)
    return list(typer.main.get_command(shared).params)


def _shared(
    config: Annotated[
        str | None,
        typer.Option(metavar="F.toml", help="Options by their long names; what is typed wins."),
    ] = None,
    save_config: Annotated[
        str | None,
        typer.Option(metavar="F.toml", help="Write the options of this run, for --config."),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a text table: utf-8 (default), latin-1, cp1252, ..."),
    ] = None,
) -> None:
    """The options that `Command` adds; it takes their values itself."""


def _long_name(param: Any) -> str:
    """The long name of an option without its dashes; the only name of an argument or a letter."""
    names = [name for name in getattr(param, "opts", ()) if name.startswith("--")]
    return names[0].removeprefix("--") if names else str(param.name)


def _value_of(option: str, args: Sequence[str]) -> str | None:
    for number, word in enumerate(args):
        if word == "--":
            return None
        if word == option and number + 1 < len(args):
            return args[number + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


def _toml(path: Path) -> dict[str, Any]:
    from privet.documents import read_toml

    return read_toml(
        path,
        "configuration",
        hint="write lines such as: min-leaf = 5",
        most_bytes=_MOST_CONFIG,
    )


def _in_lines(item: tuple[str, Any]) -> tuple[str, Any]:
    """[[trees]] as the option that is given once for each: tree = ["target=income,leaves=6"]."""
    key, value = item
    tables = isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
    if key != "trees" or not tables:
        return item
    return "tree", [",".join(f"{n}={_quoted(given)}" for n, given in one.items()) for one in value]


def _quoted(given: Any) -> str:
    """A name as it stands in quotes, whatever it holds; a number as it is."""
    return '"' + given.replace('"', '""') + '"' if isinstance(given, str) else str(given)


def _as_toml(given: dict[str, Any]) -> str:
    return "".join(f"{key} = {_toml_value(value)}\n" for key, value in given.items())


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    import json

    return json.dumps(str(value), ensure_ascii=False)  # a text of JSON is one of TOML


def _check_place(place: Path, ctx: Any) -> None:
    from privet.files.places import check_output, refuse_inputs

    refuse_inputs(place, _paths(ctx.params.values()))
    check_output(place, force=bool(ctx.params.get("force")))


def _paths(values: Any) -> Iterator[Path]:
    for value in values:
        if isinstance(value, Path):
            yield value
        elif isinstance(value, list | tuple):
            yield from _paths(value)


# -- tables from elsewhere -------------------------------------------------------------------------


def _bring_in(ctx: Any, encoding: str | None) -> None:
    """Put a table from standard input, or in another encoding, into a file that Privet reads."""
    for name in (*_TABLES, *_MORE_TABLES):
        path = ctx.params.get(name)
        if not isinstance(path, Path) or (str(path) != "-" and encoding is None):
            continue
        if name in _MORE_TABLES and not _is_text_table(path):
            continue
        from privet.files.disk import passing_folder
        from privet.files.places import refuse_inputs

        for written in _WRITTEN:  # the command knows only of the copy
            if isinstance(ctx.params.get(written), Path):
                refuse_inputs(ctx.params[written], [path])
        folder = ctx.with_resource(passing_folder("input"))
        if str(path) == "-":
            path = _standard_input(folder)
        if encoding is not None:
            from privet.files.encodings import in_utf8

            path = in_utf8(path, encoding, folder)
        ctx.params[name] = path


def _is_text_table(path: Path) -> bool:
    from privet.files.encodings import is_text

    return not path.is_dir() and is_text(path)


def _standard_input(folder: Path) -> Path:
    """Standard input as a file: Parquet by its first bytes, else CSV."""
    source = sys.stdin.buffer if sys.stdin is not None else None
    if source is None or sys.stdin.isatty():
        raise UsageError("Nothing comes from standard input.", "pipe a table into the command.")
    first = source.read(_PIECE)
    path = folder / f"standard-input.{'parquet' if first.startswith(_MAGIC) else 'csv'}"
    size = 0
    with path.open("xb") as file:
        while first:
            size += len(first)
            if size > _MOST_BYTES:
                raise InputError(
                    "Standard input gives more than 4 GiB.", "write it to a file and name that."
                )
            file.write(first)
            first = source.read(_PIECE)
    typer.echo(f"Read {size:,} bytes from standard input.", err=True)
    return path
