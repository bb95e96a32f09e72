"""A table released without a tree: blocks of all records, cut by Mondrian, and filled.

`settings` is what can be asked, `blocks` makes and fills them with the pieces of `preserve.rich`,
`publisher` puts the release together (docs/guarantees/anonymise.md).
"""
