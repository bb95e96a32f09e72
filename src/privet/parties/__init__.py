"""Several parties: each masks its sensitive columns at home, a miner joins, the parties decode.

`grading` and `number_mask` mask numbers, `aliases` and `category_mask` categories; `codebook` holds
both and is the secret; `keys` turns join keys into digests; `mask` makes what is sent, `join` is
the miner's side. `decode` reads results back: it chooses among `decode_tree`, `decode_printed`,
`decode_json` and `decode_table`. `secret_file` keeps secrets.

This is pseudonymisation: it stops a casual reader, not a miner who knows how often the values of a
column occur. `privet.attack.frequency` and `privet.attack.order` measure how little it takes.
"""

from privet.parties.codebook import Codebook
from privet.parties.decode import decode
from privet.parties.decode_json import decode_data
from privet.parties.decode_printed import decode_text
from privet.parties.decode_table import decode_table
from privet.parties.decode_tree import Decoded, decode_tree
from privet.parties.grading import Grading, equal_groups
from privet.parties.join import Joined, join, stack
from privet.parties.keys import ProjectKey
from privet.parties.mask import Masked, mask
from privet.parties.outcome import Outcome

__all__ = [
    "Codebook",
    "Decoded",
    "Grading",
    "Joined",
    "Masked",
    "Outcome",
    "ProjectKey",
    "decode",
    "decode_data",
    "decode_table",
    "decode_text",
    "decode_tree",
    "equal_groups",
    "join",
    "mask",
    "stack",
]
