"""False statements that somebody who may edit a release can make, each with a name.

Every liar mends what follows from the lie: columns.csv, model.pmml, the report, what Parquet says
of its fields, and all hashes. So nothing but the content speaks. `telling` has the releases and the
liar, the other modules the lies: about claims, methods, laws, recodings, trees, rows and files.
"""

from falsehoods import claims, columns, files, laws, methods, rows, trees
from falsehoods.telling import Falsehood

ALL: tuple[Falsehood, ...] = tuple(
    lie for module in (claims, methods, laws, columns, trees, rows, files) for lie in module.LIES
)
