"""The types of arrays that the whole house speaks of; `table.Codes` are the codes of a column."""

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Digests = npt.NDArray[np.uint8]  # one row of 32 bytes each
