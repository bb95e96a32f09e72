"""The command `privet`: gathers the commands and turns errors into one sentence and a status.

Exit status: 0 holds, 1 a criterion or claim does not hold, 2 wrong usage, 3 unreadable input,
70 a fault of Privet itself, 130 interrupted, 141 nobody reads the output any more, 143 ended from
outside.
"""

import gc
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer

from privet.cli.command import Command, Group
from privet.cli.ending import Terminated, ends_are_exceptions
from privet.cli.groups import spread_out
from privet.cli.memory_limit import is_lack_of_memory, keep_what_is_freed, prepare
from privet.cli.terminal import emit_json
from privet.errors import PrivetError, in_options

# In the order of the help text. Each is a function in the module of its own name in `privet.cli`.
COMMANDS = (
    "schema",
    "check",
    "tree",
    "compare",
    "alike",
    "publish",
    "anonymise",
    "verify",
    "explore",
    "attack",
    "measure",
    "recode",
    "predict",
    "report",
    "noise",
    "convert",
    "party",
    "mask",
    "join",
    "decode",
    "substitute",
    "rebuild",
    "advise",
    "studio",
)

_QUICK = ("schema", "check", "convert")  # they look and count, and mostly load libraries
# after how many new objects a command looks for those that nobody needs: what is loaded stays
_OBJECTS = dict.fromkeys(_QUICK, 100_000) | dict.fromkeys(("publish", "explore"), 10_000)

_INTERRUPTED = 130
_BROKEN_PIPE = 141
_TERMINATED = 143
_FAULT = 70
_NO_ROOM = 2
_NO_MEMORY = 3
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def application(commands: Sequence[str] = COMMANDS) -> typer.Typer:
    """The command line, with all commands or some: only those are imported."""
    made = typer.Typer(
        name="privet",
        cls=Group,
        help="Publish a table together with its decision tree: people stay private, and the same "
        "tree grows again from what was published.",
        epilog="Example: privet schema patients.csv --out patients.toml",
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(invoke_without_command=True)(privet)
    for name in commands:
        command = getattr(import_module(f"privet.cli.{name}"), name)
        if isinstance(command, typer.Typer):  # a command with commands of its own
            made.add_typer(command, name=name)
        else:
            made.command(name, cls=Command)(spread_out(command))
    return made


def app(arguments: list[str] | None = None, **settings: Any) -> Any:
    """Run the command that the arguments name; without one, all are there to be listed."""
    asked = _command_in(arguments)
    return application(COMMANDS if asked is None else [asked])(arguments, **settings)


def _show_version(wanted: bool) -> None:
    if wanted:
        from privet.version import __version__

        typer.echo(f"privet {__version__}")
        raise typer.Exit


def privet(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and stop.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: list[str] | None = None) -> int:
    """Run a command and give its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name that nobody can show stops nothing
            stream.reconfigure(errors="backslashreplace")
    try:
        with ends_are_exceptions():
            return _status_of(arguments)
    except Terminated:
        return _TERMINATED


def _status_of(arguments: list[str] | None) -> int:
    try:
        if _command_in(arguments) is not None:
            prepare()
        status = app(arguments, standalone_mode=False, prog_name="privet")
        if sys.stdout is not None:  # it is None where somebody closed it
            sys.stdout.flush()
    except PrivetError as error:
        message, hint = map(in_options, error.raw)
        return _complain(arguments, message, hint, error.exit_status)
    except (KeyboardInterrupt, typer.Abort):
        return _say("Interrupted.", _INTERRUPTED)
    except BrokenPipeError:
        _give_up_stdout()
        return _BROKEN_PIPE
    except MemoryError:
        return _out_of_memory(arguments)
    except OSError as error:
        if is_lack_of_memory(error):
            return _out_of_memory(arguments)
        _give_up_stdout()
        return _complain(
            arguments,
            f"The system refused to read or write: {error.strerror or 'no reason given'}.",
            "check that there is room where the output goes, and that you may write there.",
            _NO_ROOM,
        )
    except Exception as error:
        if hasattr(error, "format_message"):  # the command line itself: Typer says what is wrong
            return _usage_error(error, arguments)
        if is_lack_of_memory(error):
            return _out_of_memory(arguments)
        if os.environ.get("PRIVET_DEBUG") == "1":
            raise
        return _complain(
            arguments,
            f"Privet stumbled over a fault of its own ({type(error).__name__}); please report it.",
            "set PRIVET_DEBUG=1 to see where it happened.",
            _FAULT,
        )
    return status if isinstance(status, int) else 0


def _out_of_memory(arguments: list[str] | None) -> int:
    return _complain(
        arguments,
        f"Memory ran out{_during(arguments)}.",
        "take fewer columns or rows, close other programs, or use a machine with more memory.",
        _NO_MEMORY,
    )


def _give_up_stdout() -> None:
    """What is still to be written cannot be; the interpreter must not try to flush it again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _words(arguments: list[str] | None) -> list[str]:
    return sys.argv[1:] if arguments is None else arguments


def _command_in(arguments: list[str] | None) -> str | None:
    """The command that is called, where it comes first."""
    words = _words(arguments)
    return words[0] if words and words[0] in COMMANDS else None


def _during(arguments: list[str] | None) -> str:
    asked = _command_in(arguments)
    return f" during `privet {asked}`" if asked else ""


def _usage_error(error: Exception, arguments: list[str] | None) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "privet"
    message = (
        getattr(error, "format_message", error.__str__)()
        .strip()
        .replace("\n", " ")
        .replace("Value error, ", "")
    )
    message = message if message.endswith((".", "?", ")")) else message + "."
    return _complain(arguments, message, f"`{command} --help` shows the usage.", 2)


def _complain(arguments: list[str] | None, message: str, hint: str, status: int) -> int:
    """One sentence and a hint; names that come from files must not steer the terminal. A program
    that asked for JSON finds them where it looks for an answer, too."""
    if "--json" in _words(arguments):
        with suppress(OSError):
            emit_json({"error": message, "hint": hint, "exit_status": status})
    lines = [f"Error: {message}", *([f"Hint: {hint}"] if hint else [])]
    return _say("\n".join(_CONTROL.sub("?", line) for line in lines), status)


def _say(text: str, status: int) -> int:
    with suppress(OSError):
        typer.echo(text, err=True)
    return status


def run() -> NoReturn:
    """`main` as a program of its own, which spares itself the import of pandas.

    The process ends at once. To take down everything that was imported costs an eighth of a short
    command, and a library's thread that is still at work could abort the process meanwhile.
    """
    os.environ.setdefault("PRIVET_WITHOUT_PANDAS", "1")
    command = _command_in(None)
    # Products of matrices are small: more threads than one end no sooner, and spin while they wait.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if command in _OBJECTS:
        gc.set_threshold(_OBJECTS[command])
    keep_what_is_freed()
    try:
        status = main()
    except SystemExit as end:  # of a library
        status = end.code if isinstance(end.code, int) else 1
    except (KeyboardInterrupt, Terminated):  # told once more on the way out
        status = _TERMINATED
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed by somebody, or nobody reads
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
