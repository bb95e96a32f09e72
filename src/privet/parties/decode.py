"""Whatever was mined from masked columns, read back: the way is chosen by what is given.

Trees are decoded in `decode_tree`, printed texts in `decode_printed`, JSON in `decode_json`, tables
in `decode_table`. The command `privet decode` adds files, codebooks in files and words.
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from privet.documents import json_of, read_text
from privet.files import as_table
from privet.files.maskings import maskings_of, united
from privet.parties.codebook import Codebook
from privet.parties.decode_json import decode_data
from privet.parties.decode_printed import decode_text
from privet.parties.decode_table import decode_table
from privet.parties.decode_tree import Decoded, decode_tree
from privet.parties.meanings import FLOAT32, Meaning
from privet.parties.outcome import Outcome
from privet.tree.exchange.model_file import from_data
from privet.tree.exchange.pmml_read import is_our_own, read_pmml
from privet.tree.model import Tree

_PMML = (".pmml", ".xml")
_TEXTS = (".txt", ".json", *_PMML)
_MOST_DEPTH = 128  # of JSON: trees of other programs are nested


def decode(
    result: Any,
    codebook: Codebook,
    *,
    maskings: Collection[str] = (),
    unchecked: bool = False,
    numbers: Meaning | str = Meaning.VALUES,
) -> Decoded | Outcome[Any]:
    """A result with what the codebook holds decoded.

    `result` is a Tree, the path of a file, a printed text, what JSON holds (a list or a mapping),
    or a table. A text is taken as it is: name a file by a Path. `maskings` are the identities of
    the table that was mined; `unchecked` vouches that codebook and result belong together.

    >>> people = {"id": list("abcdef"), "age": [30, 31, 32, 60, 61, 62], "buys": [*"nnnyyy"]}
    >>> key = privet.ProjectKey.new("asthma")
    >>> masked = privet.mask(people, key="id", sensitive="age", project_key=key)
    >>> mined = privet.grow(masked.table, target="buys")
    >>> privet.decode(mined, masked.codebook, unchecked=True).tree.attributes_used
    ('age',)
    """
    asked: dict[str, Any] = {"maskings": maskings, "unchecked": unchecked}
    if isinstance(result, Tree):
        return decode_tree(result, codebook, **asked)
    if isinstance(result, str):
        return decode_text(result, codebook, **asked)
    if isinstance(result, os.PathLike):
        return _decode_file(Path(result), codebook, asked, numbers)
    if isinstance(result, Mapping | list):
        return decode_data(result, codebook, **asked, numbers=numbers)
    return decode_table(as_table(result), codebook, **asked, numbers=numbers)


def _decode_file(
    path: Path, codebook: Codebook, asked: dict[str, Any], numbers: Meaning | str
) -> Decoded | Outcome[Any]:
    ending = path.suffix.lower()
    if ending in _PMML:
        slack = 0.0 if is_our_own(path) else FLOAT32
        return decode_tree(read_pmml(path), codebook, **asked, slack=slack)
    if ending not in _TEXTS:
        known = united([maskings_of(path), tuple(asked["maskings"])])
        return decode_table(
            as_table(path), codebook, **{**asked, "maskings": known}, numbers=numbers
        )
    text = read_text(path, "result")
    if ending != ".json":
        return decode_text(text, codebook, **asked)
    data = json_of(text, f"result {path.name}", most_depth=_MOST_DEPTH)
    if isinstance(data, dict) and {"grower", "nodes"} <= data.keys():
        return decode_tree(from_data(data), codebook, **asked)
    return decode_data(data, codebook, **asked, numbers=numbers)
