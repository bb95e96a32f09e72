"""What a command shows beside its answer: JSON for programs, bars and signs of life for people."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer


def emit_json(value: Any) -> None:
    """Print a value as JSON, for people readable and for programs strict."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


@contextmanager
def bar(
    text: str, total: float, shown: bool, by_steps: bool = False
) -> Iterator[Callable[[float], None] | None]:
    """A bar on the terminal, nothing in a pipe; it is told what is done, or each step of it."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=total)
        if by_steps:
            yield lambda step: progress.advance(task, step)
        else:
            yield lambda done: progress.update(task, completed=done)


@contextmanager
def working(text: str) -> Iterator[Callable[[str], None]]:
    """A sign of life on the terminal during long work, which may be given another text; nothing in
    a pipe."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    from privet.engine.workplace import at_work

    place, said = at_work(), text
    with Console(stderr=True).status(text) as status:

        def say(now: str) -> None:
            nonlocal said
            said = now
            status.update(said)

        if place is not None:
            place.progress = lambda done: status.update(f"{said} ({done})")
        try:
            yield say
        finally:
            if place is not None:
                place.progress = None
