"""Libraries that no command needs, hidden from others that import them wherever they are installed.

pyarrow imports pandas at its first conversion, numba imports scipy's linear algebra with its first
loop. Each takes longer than reading a small table. `files.arrow_alone` and `compiled.counting` have
them look while there is nothing to be found. OR-tools must find pandas, so it finds a stand-in
(`preserve.by_leaf.solver_model`).
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

WITHOUT_PANDAS = "PRIVET_WITHOUT_PANDAS"  # set by the command line, for itself and its children


class _NotThere:
    """A finder of modules, by its shape: the class of such imports a good deal by itself."""

    def __init__(self, hidden: str) -> None:
        self.hidden = hidden

    def find_spec(self, name: str, *_: Any) -> None:
        if name == self.hidden:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


def can_be_hidden(name: str) -> bool:
    """Whether a command runs, and nobody has imported the module yet."""
    return os.environ.get(WITHOUT_PANDAS) == "1" and name not in sys.modules


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Whoever looks for a module does not find it; whoever imports it later does."""
    finder = _NotThere(name)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _StandIn(ModuleType):
    """A module whose every name is a type of nothing, as good as any other where types are only
    named."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@contextmanager
def stood_in_for(name: str) -> Iterator[None]:
    """Whoever imports a module gets a stand-in and keeps it; whoever imports it later does not."""
    sys.modules[name] = _StandIn(name)
    try:
        yield
    finally:
        sys.modules.pop(name, None)
