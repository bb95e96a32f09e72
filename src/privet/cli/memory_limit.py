"""How a command deals with the system's memory, and with a limit on it from outside (`ulimit -v`).

Libraries in C end the whole process, or wait for ever, where memory runs out in one of their
threads. Under a limit there is therefore one thread, which is started early, and a limit in which
the libraries cannot even be loaded is refused before they are.
"""

import errno
import os
from contextlib import suppress

from privet.errors import InputError

# What loading Python, Arrow and NumPy takes of the address space, with a little to work in.
_LEAST = 500_000_000
# Arrow's own allocator would set all of the address space aside for itself.
_FRUGAL = {
    "OMP_NUM_THREADS": "1",
    "ARROW_IO_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

# Of glibc's `mallopt`: above how many bytes an array gets pages of its own (the most that it
# takes), and how much freed memory is kept for the next one.
_PAGES_OF_ITS_OWN = (-3, 2**25)
_KEPT = (-1, 2**31 - 1)


def keep_what_is_freed() -> None:
    """Arrays of columns come and go by the hundred. To give each back to the system, which clears
    its pages for the next, takes a tenth of the work on two million rows of decimals. The most that
    is needed at one time stays the same."""
    with suppress(ImportError, OSError, AttributeError, TypeError):  # no glibc here
        import ctypes

        own = ctypes.CDLL(None)
        if limit() is None and hasattr(own, "gnu_get_libc_version"):
            for setting in (_PAGES_OF_ITS_OWN, _KEPT):
                own.mallopt(*setting)


def limit() -> int | None:
    """Bytes of address space that the process may have; None where there is no limit."""
    with suppress(ImportError, OSError):  # Windows has no such limits
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        return None if soft == resource.RLIM_INFINITY else soft
    return None


def prepare() -> None:
    """Under a limit: one thread, and what libraries must have is taken while there is room."""
    allowed = limit()
    if allowed is None:
        return
    if allowed < _LEAST:
        raise InputError(
            f"This process may have {allowed // 1_000_000:,} MB of memory, and Privet needs "
            f"{_LEAST // 1_000_000:,} MB to start.",
            hint="raise the limit on memory (`ulimit -v`), or take it away.",
        )
    for name, setting in _FRUGAL.items():
        os.environ.setdefault(name, setting)
    from privet.files.arrow_alone import take_memory_early

    take_memory_early()


def is_lack_of_memory(error: Exception) -> bool:
    """Whether memory ran out: a library that cannot be loaded under a limit says it in its way."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno == errno.ENOMEM
    no_thread = isinstance(error, RuntimeError) and "can't start new thread" in str(error)
    return (isinstance(error, ImportError | OSError) or no_thread) and limit() is not None
