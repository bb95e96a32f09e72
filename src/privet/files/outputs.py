"""The one way in which files and folders are written: all outputs of a command appear, or none.

    with outputs(inputs=[table], force=force) as out:
        write_csv(changed, out.file("changed.csv"))
        out.file("mechanism.json").write_text(text)

Each output is written beside its place under a name that nobody can guess, forced to disk, and put
into place when the block ends well. If anything fails, what stood there before still stands, byte
for byte. No link is followed, and an output is never an input or another output, by whatever path,
nor anything within a release, which would no longer verify.
A run that is killed leaves hidden files of which nobody holds the lock; the next one removes them.
What an output may be is next door, in `places`.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from privet.errors import OutputError, param
from privet.files import disk
from privet.files.places import cannot_write, check_output, refuse_collision

_SECRET_FILE, _SECRET_FOLDER = 0o600, 0o700

Mine = Callable[[Path], bool]


@dataclass(eq=False)
class _Output:
    """One output: where it is written, where it goes, and what is open to lock it."""

    target: Path
    stage: Path
    lock: int
    mode: int
    replaces: bool
    is_placed: bool = False


@dataclass(eq=False)
class Outputs:
    """The outputs of one command; `outputs()` makes one."""

    inputs: tuple[Path, ...] = ()
    force: bool = False
    _made: list[_Output] = field(default_factory=list)

    def file(
        self,
        target: str | os.PathLike[str],
        *,
        secret: bool = False,
        renew: bool = False,
        of_release: bool = False,
    ) -> Path:
        """A path to write a file to, which ends like `target`; it will appear there.

        A secret file is readable by its owner alone, from its first byte on. With `renew` a file
        that exists is replaced without `force`: it was read before, and this is its new state.
        `of_release`: it belongs to a release, whose manifest lists the very bytes.
        """
        place = self._checked(Path(target), "file", renew, of_release)
        mode = _SECRET_FILE if secret else disk.mode_of(place) or 0o666 & ~disk.umask()
        return self._add(place, mode, is_folder=False, may_replace=self.force or renew)

    def folder(self, target: str | os.PathLike[str], *, mine: Mine, secret: bool = False) -> Path:
        """A folder to fill, which will appear at `target`.

        An existing folder is replaced only with `force`, and only if `mine` knows it for one that
        holds nothing else than what Privet wrote.
        """
        place = self._checked(Path(target), "folder")
        if place.is_dir() and any(place.iterdir()) and not mine(place):
            raise OutputError(
                f"The folder {place.name} holds other things than what Privet wrote.",
                f"{param('force', True)} replaces releases and audits only; choose another folder.",
            )
        mode = _SECRET_FOLDER if secret else 0o777 & ~disk.umask()
        return self._add(place, mode, is_folder=True, may_replace=self.force)

    def _add(self, place: Path, mode: int, is_folder: bool, may_replace: bool) -> Path:
        with disk.undisturbed():
            try:
                stage, handle = disk.new_hidden(place, is_folder)
            except OSError as error:
                raise cannot_write(place, error) from None
            # another run may have made it since it was looked at
            replaces = may_replace and os.path.lexists(place)
            self._made.append(_Output(place, stage, handle, mode, replaces))
        return stage

    def _checked(
        self, target: Path, what: str, renew: bool = False, of_release: bool = False
    ) -> Path:
        """The place of an output with links in its folders resolved, or why it cannot be one."""
        check_output(target, what, self.force or renew, of_release)
        place = target.parent.resolve() / target.name
        for given in self.inputs:
            refuse_collision(place, given, f"the input {given.name or given}")
        for other in self._made:
            refuse_collision(place, other.target, f"the output {other.target.name}")
        disk.remove_leftovers(place.parent)
        return place

    # -- the end -----------------------------------------------------------------------------------

    def put_in_place(self) -> None:
        """Everything to disk first; then each output into its place, or all of them back."""
        for made in self._made:
            try:
                disk.force_to_disk(made.stage)
                made.stage.chmod(made.mode)
            except OSError as error:
                raise cannot_write(made.target, error) from None
        with disk.undisturbed():
            try:
                for made in self._made:
                    self._place(made)
            except BaseException:
                for made in reversed([m for m in self._made if m.is_placed]):
                    _put_back(made)
                raise
            for folder in {made.target.parent for made in self._made}:
                with suppress(OSError):
                    disk.sync(folder, disk.OPEN_FOLDER)

    def _place(self, made: _Output) -> None:
        try:
            if made.replaces:
                disk.exchange(made.stage, made.target)
            elif not disk.move(made.stage, made.target):
                raise OutputError(
                    f"{made.target.name} was made by another run meanwhile.",
                    "nothing was overwritten; choose another name, or give "
                    f"{param('force', True)}.",
                )
        except OSError as error:
            raise cannot_write(made.target, error) from None
        made.is_placed = True

    def named_by(self, error: OSError) -> Path:
        """The output that an error is about; where it does not say, all that were begun."""
        about = Path(os.fsdecode(error.filename)) if error.filename else None
        for made in self._made:
            if about is not None and (about == made.stage or made.stage in about.parents):
                return made.target
        return Path(" or ".join(made.target.name for made in self._made) or "output")

    def remove_stages(self) -> None:
        """Whatever is still hidden goes: unfinished outputs, and what finished ones replaced."""
        with disk.undisturbed():
            while self._made:
                made = self._made.pop()
                with suppress(OSError):
                    disk.remove(made.stage)
                os.close(made.lock)


@contextmanager
def outputs(
    *, inputs: Iterable[str | os.PathLike[str]] = (), force: bool = False
) -> Iterator[Outputs]:
    """Several outputs that appear together when the block ends well, or not at all."""
    made = Outputs(tuple(Path(path) for path in inputs), force)
    try:
        yield made
        made.put_in_place()
    except OSError as error:
        raise cannot_write(made.named_by(error), error) from None
    finally:
        try:
            made.remove_stages()
        finally:  # once more, if the process was told to end before that could be made to wait
            made.remove_stages()


@contextmanager
def output_file(
    target: str | os.PathLike[str],
    *,
    inputs: Iterable[str | os.PathLike[str]] = (),
    force: bool = False,
    secret: bool = False,
) -> Iterator[Path]:
    """One file, written whole or not at all."""
    with outputs(inputs=inputs, force=force) as out:
        yield out.file(target, secret=secret)


def write_text(
    target: str | os.PathLike[str],
    text: str,
    *,
    inputs: Iterable[str | os.PathLike[str]] = (),
    force: bool = False,
    secret: bool = False,
) -> None:
    """Write a small file of text."""
    with output_file(target, inputs=inputs, force=force, secret=secret) as path:
        path.write_text(text, encoding="utf-8", newline="\n")


def _put_back(made: _Output) -> None:
    with suppress(OSError):
        if made.replaces and os.path.lexists(made.stage):
            disk.exchange(made.stage, made.target)
        else:
            made.target.rename(made.stage)
        made.is_placed = False
