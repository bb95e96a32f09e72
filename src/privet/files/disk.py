"""What the disk does for `outputs`: renames that lose nothing, locks, leftovers of killed runs.

Everything here is about one path at a time; what a command may write and what belongs together is
next door, in `outputs`.
"""

import ctypes
import os
import re
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_AT_FDCWD = -100
_NO_REPLACE, _EXCHANGE = 1, 2
_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_HIDDEN = re.compile(r"\.privet-[0-9a-f]{16}-")
OPEN_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_LONGEST_NAME = 250  # bytes; most disks take 255


def hidden_name(place: Path) -> Path:
    """A name beside a place that nobody can guess; it ends alike, so that formats are known."""
    room = _LONGEST_NAME - len(".privet--") - 16
    ending = os.fsencode(place.name)[-room:].decode(errors="ignore")
    import secrets

    return place.with_name(f".privet-{secrets.token_hex(8)}-{ending}")


def umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current


def mode_of(place: Path) -> int:
    """The mode of a file that will be replaced: the new one is no more open than it was."""
    with suppress(OSError):
        return stat.S_IMODE(os.lstat(place).st_mode)
    return 0


def force_to_disk(path: Path) -> None:
    if path.is_dir():
        for inner in path.iterdir():
            force_to_disk(inner)
        sync(path, OPEN_FOLDER)
    else:
        sync(path, os.O_RDONLY)


def sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _rename(one: Path, two: Path, how: int) -> bool | None:
    """renameat2; None where the system does not have it or cannot do it on this disk."""
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(two)
        done = libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], how)
        return True if done == 0 else None
    return None


def move(stage: Path, target: Path) -> bool:
    """Rename, but never over something that has appeared meanwhile."""
    if _rename(stage, target, _NO_REPLACE):
        return True
    if os.path.lexists(target):
        return False
    stage.rename(target)
    return True


def exchange(stage: Path, target: Path) -> None:
    """The new one into place and the old one to the hidden name, in one step where possible."""
    if not os.path.lexists(target):  # somebody took it away meanwhile
        stage.rename(target)
        return
    if _rename(stage, target, _EXCHANGE):
        return
    old = hidden_name(target)
    kept = _keep_as(old, target)
    if not kept:
        target.rename(old)
    try:
        stage.replace(target)  # a file that was kept is there at every moment
    except OSError:
        old.unlink() if kept else old.rename(target)
        raise
    old.rename(stage)


def _keep_as(old: Path, target: Path) -> bool:
    """A second name for a file; a folder can have none, and some disks give none to files."""
    with suppress(OSError, NotImplementedError):
        os.link(target, old, follow_symlinks=False)
        return True
    return False


def remove(path: Path) -> None:
    if not os.path.lexists(path):
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def new_hidden(place: Path, is_folder: bool) -> tuple[Path, int]:
    """A new hidden file or folder beside a place, readable by its owner alone, and its lock."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    while True:
        stage = hidden_name(place)
        if is_folder:
            stage.mkdir(mode=0o700)
            flags = OPEN_FOLDER
        # Before it is locked, another run may take it for a leftover: then it is made anew.
        try:
            handle = os.open(stage, flags, 0o600)
        except FileNotFoundError:
            if is_folder and place.parent.is_dir():
                continue
            raise
        lock(handle)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.lstat(stage)):
                return stage, handle
        os.close(handle)


@contextmanager
def passing_folder(name: str) -> Iterator[Path]:
    """A folder for what nobody keeps, readable by its owner alone; it goes when the block ends.

    It lies where the system has such things. A run that is killed leaves it, with what may be a
    table in clear; the next run that needs one removes it.
    """
    place = Path(tempfile.gettempdir()).resolve() / name
    remove_leftovers(place.parent)
    made: list[tuple[Path, int]] = []
    try:
        with undisturbed():
            made.append(new_hidden(place, is_folder=True))
        yield made[0][0]
    finally:
        try:
            _remove_held(made)
        finally:  # once more, if the process was told to end before that could be made to wait
            _remove_held(made)


def _remove_held(made: list[tuple[Path, int]]) -> None:
    with undisturbed():
        while made:
            folder, handle = made.pop()
            remove(folder)
            os.close(handle)


# -- runs that died --------------------------------------------------------------------------------


def lock(handle: int, wait: bool = True) -> bool:
    """Hold what is being written; a run that died holds nothing."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system: leftovers stay
        return wait
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def remove_leftovers(folder: Path) -> None:
    """Remove hidden outputs of runs that were killed: ours by name and owner, held by nobody."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if _HIDDEN.match(entry.name) and not entry.is_symlink():
                _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(path: Path) -> None:
    with suppress(OSError):
        if os.lstat(path).st_uid != os.geteuid():
            return
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
        try:
            if lock(handle, wait=False):
                remove(path)
        finally:
            os.close(handle)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that would end the run wait until the outputs are in place, or gone.

    Blocking them would not do: where there are other threads, one of these takes the signal, and
    its handler runs in the main thread all the same. So it is the handlers that wait.
    """
    if threading.current_thread() is not threading.main_thread():  # no handler runs here
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _ENDS}
    try:
        for number in _ENDS:
            signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if came:
            signal.raise_signal(came[0])
