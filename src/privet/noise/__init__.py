"""Noise that follows the tree, for owners who release every record with a little noise.

`class_noise` (the target), `innocent` and `influential` (numbers off and on a record's path),
`detective` (categories) are perturbers of their own: `fit` once on the original table, `transform`
draws. `framework` puts them together on one table; `publisher` makes a release of it. `trees` grows
the trees, `cells` draws whole columns, `dependencies` finds columns that give each other away.
"""
