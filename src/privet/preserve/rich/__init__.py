"""Rich recoding: every column given back from blocks of records, and the same tree still grows.

`partition` divides the leaves into blocks of at least k records, `fill` gives each block one value
in each column, `watch` checks a column exactly, `moves` and `joins` repair it, and `recode` puts
them together (docs/guarantees/rich-release.md).
"""
