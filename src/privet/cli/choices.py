"""What options may be where they choose: said once, for the help, for the shell and for types.

The methods name the same words in their own types, which are not imported here: the help must not
wait for them. A type checker sees where the two part.
"""

from typing import Literal

Impurity = Literal["gini", "entropy", "gain-ratio", "c45", "deviance"]
ClassImpurity = Literal["gini", "entropy", "gain-ratio", "c45"]
CategorySplits = Literal["subset", "multiway"]
Pruning = Literal["none", "pessimistic", "cost-complexity"]
NoisePruning = Literal["none", "pessimistic"]
Recoding = Literal["rich", "leaf", "global"]
GrowerName = Literal["privet", "sklearn", "rpart", "j48"]
OneClass = Literal["forbid", "allow"]
Cutting = Literal["mondrian", "infogain"]
Rest = Literal["quasi", "other", "drop"]
LKind = Literal["strong", "distinct", "entropy", "recursive"]
Format = Literal["parquet", "csv", "parts"]
EngineName = Literal["memory", "duckdb", "spark", "auto"]
ClassNoise = Literal["random", "probabilistic", "all-leaves", "none"]
Influential = Literal["shuffle", "wrap", "reflect", "none"]
Which = Literal["tia", "lia", "both"]
Where = Literal["heterogeneous", "all"]
Ends = Literal["reflect", "reflect-whole", "clamp"]
Preset = Literal["paper", "strict", "strong"]
Law = Literal["bell", "normal", "laplace", "correlated", "paper"]
RelativeTo = Literal["value", "column"]
Way = Literal[
    "auto", "stacked", "modelled", "estimated", "by-class", "by-node", "global", "perturbed"
]
RebuildWay = Literal["global", "by-class", "by-node", "modelled"]
Counting = Literal["simplex", "zeroed", "scaled", "likelihood"]
Representative = Literal["centre", "lower", "random"]
MaskMode = Literal["exact", "paper"]
AliasOrder = Literal["random", "sorted"]
