"""Arrays of NumPy as arrays of Arrow, over their buffers; Arrow's functions, once one is used.

`pa.array` does the same, but imports all of NumPy's masked arrays to ask whether it was given one.
That takes a tenth of a command on a small table, and so does the import of Arrow's functions.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.arrays import Booleans


def arrow_flags(flags: Booleans) -> pa.Array:
    packed = pa.py_buffer(np.packbits(flags, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, packed])


def arrow_integers(values: npt.NDArray[np.integer[Any]]) -> pa.Array:
    held = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, held])


class _Later:
    """`pyarrow.compute`, imported with the first function that is used."""

    def __getattr__(self, name: str) -> Any:
        import pyarrow.compute

        return getattr(pyarrow.compute, name)


compute: Any = _Later()
