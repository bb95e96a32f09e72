"""Printed results of any miner read back: trees, rules, clusters, models.

A name loses its mask only where every number and label that belongs to it was decoded; otherwise it
stays masked in the whole text, and is named with the line that could not be read. The forms that
are known are in `printed`; `decode_tree` does trees as trees, exactly; `decode_json` and
`decode_table` are next door.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.codebook import Codebook
from privet.parties.number_mask import PREFIX
from privet.parties.outcome import Outcome
from privet.parties.printed.conditions import read_conditions
from privet.parties.printed.formulas import read_formulas
from privet.parties.printed.labels import one_hot_name, read_labels
from privet.parties.printed.mentions import read_mentions
from privet.parties.printed.page import Page
from privet.parties.printed.spellings import WORD, spellings_in
from privet.parties.printed.tables import read_tables

# A masked name of someone else ends where something is said of it; a blank may be part of it.
_WORD = rf"{PREFIX}(?:\w|[.-](?=\w))++"
_SAID = r"(?=[ \t]*+(?:[<>=≤≥≠∈~:;,|]|!=)|[\])}\"']|\\[n\"']|[ \t]++(?:is|in|not|between)\b)"
_MASKED = re.compile(
    rf"{WORD}(?:({_WORD}(?:[ \t]++(?!{PREFIX})\w[\w.()-]*+)*?{_SAID}|{_WORD}(?=[ \t]*+$))"
    rf"|({_WORD}))",
    re.MULTILINE,
)


def decode_text(
    text: str, codebook: Codebook, *, maskings: Collection[str] = (), unchecked: bool = False
) -> Outcome[str]:
    """A printed result with what the codebook holds decoded.

    `H_age <= 3.375` becomes `age <= 35 [35, 36)`: any cut in the interval divides the owner's
    column alike. `maskings` are the identities of the table that was mined.
    """
    codebook.check_identity(maskings, unchecked=unchecked)
    masks = codebook.by_masked_name()
    read = read_text(text, masks)
    return replace(read, of_others=_names_of_others(text, masks))


def _names_of_others(text: str, masks: Mapping[str, ColumnMask]) -> tuple[str, ...]:
    """The masked names that are not ours; `…` where one cannot tell how a name goes on."""
    spelt = spellings_in(text, masks.values())
    patterns = [spelt.any_name] + [
        one_hot_name(re.escape(name), mask)
        for name, mask in spelt.sure.items()
        if isinstance(mask, CategoryMask)
    ]
    ours = list(map(re.compile, patterns))
    found: set[str] = set()
    begun: set[str] = set()
    for name in _MASKED.finditer(text):
        if not any(pattern.match(text, name.start()) for pattern in ours):
            found |= {name[1]} if name[1] else set()
            begun |= {name[2]} if name[2] else set()
    found |= {f"{word} …" for word in begun if not any(name.startswith(word) for name in found)}
    return tuple(sorted(found))


def read_text(text: str, masks: Mapping[str, ColumnMask]) -> Outcome[str]:
    """A text read with these masks; each time one fails, it is read again without it."""
    undecoded: dict[str, str] = {}
    while True:
        left = {name: mask for name, mask in masks.items() if name not in undecoded}
        page = Page(text, left, {name: masks[name] for name in undecoded})
        for read in (read_formulas, read_tables, read_mentions, read_labels, read_conditions):
            read(page)
        page.check_names()
        if not page.failed:
            return Outcome(page.decoded(), undecoded, remarks=tuple(page.remarks))
        undecoded |= page.failed
