"""Folders that appear whole or not at all.

Files are written into a hidden folder beside the target, checked there, forced to disk and renamed
into place. A run that dies leaves at most that hidden folder; what stood at the target stays.
"""

import ctypes
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from privet.errors import OutputError

_AT_FDCWD = -100
_EXCHANGE = 2
_MARKS = {"manifest.json", "audit.json"}  # every folder that is written here has one of them


@contextmanager
def staged(target: Path, force: bool = False, mode: int = 0o755) -> Iterator[Path]:
    """Gives a folder to fill; when the block ends well it becomes `target`."""
    target = Path.cwd() / target
    refuse_existing(target, force)
    stage = target.parent / f".{target.name}.privet-{secrets.token_hex(4)}"
    try:
        stage.mkdir(mode=0o700)
    except OSError as error:
        raise _cannot_write(target, error) from None
    try:
        yield stage
        _force_to_disk(stage)
        stage.chmod(mode)
        _put_in_place(stage, target, force)
    except OSError as error:
        raise _cannot_write(target, error) from None
    finally:
        if stage.exists():
            shutil.rmtree(stage, ignore_errors=True)


def refuse_existing(target: Path, force: bool) -> None:
    """Existing folders are never overwritten without being asked to."""
    if not force and os.path.lexists(target):
        raise OutputError(
            f"The folder {target.name} exists already.", "choose another --out, or give --force."
        )
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir()):
        raise OutputError(f"{target.name} is not a folder.", "choose another --out.")
    if target.is_dir() and not _is_ours(target):
        raise OutputError(
            f"The folder {target.name} holds other things than a release.",
            "--force replaces releases and audits only; choose another --out.",
        )
    if not target.parent.is_dir():
        raise OutputError(
            f"The folder for {target.name} does not exist.", "make the folder around it first."
        )


def _is_ours(folder: Path) -> bool:
    names = {path.name for path in folder.iterdir()}
    return not names or bool(names & _MARKS)


def _force_to_disk(folder: Path) -> None:
    for path in [*folder.iterdir(), folder]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _put_in_place(stage: Path, target: Path, force: bool) -> None:
    if not os.path.lexists(target):
        stage.rename(target)
        return
    if not force:  # another run was faster
        raise OutputError(
            f"The folder {target.name} was made by another run meanwhile.",
            "nothing was overwritten; choose another --out, or give --force.",
        )
    if not _exchange(stage, target):
        old = stage.with_name(stage.name + "-old")
        target.rename(old)
        try:
            stage.rename(target)
        except OSError:
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _exchange(stage: Path, target: Path) -> bool:
    """Swap two folders in one step where the system can; the old one is then the stage."""
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(stage), os.fsencode(target)
        done = libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE)
        return bool(done == 0)
    return False


def _cannot_write(target: Path, error: OSError) -> OutputError:
    reason = error.strerror or "no reason given"
    return OutputError(
        f"The folder {target.name} cannot be written: {reason}.",
        "nothing was published; check the room on the disk and the rights of the folder.",
    )
